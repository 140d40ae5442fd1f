/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EGRESS_PORT_H
#define FABRIC_EGRESS_PORT_H

#include "ns3/fabric-egress-scheduler.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-marker.h"
#include "ns3/ptr.h"

#include <array>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The output side of a switch port: one queue per lane, the scheduler that chooses among them, and
 * the marker.
 */
class FabricEgressPort
{
  public:
    /**
     * \param scheduler Chooses the lane.
     * \param marker Chooses the frames to mark.
     */
    FabricEgressPort(Ptr<FabricEgressScheduler> scheduler, Ptr<FabricMarker> marker)
        : m_scheduler(scheduler),
          m_marker(marker)
    {
        m_marks.fill(0);
    }

    /// \param frame The frame to append to the queue of its lane.
    void Enqueue(FabricFrame* frame)
    {
        m_lanes[frame->priority].Push(frame);
        m_waiting |= 1U << frame->priority;
    }

    /**
     * \param blocked Mask of lanes that must not send.
     * \return Whether there is a frame that may be sent.
     */
    bool HasFrame(uint32_t blocked) const
    {
        return m_waiting & ~blocked;
    }

    /**
     * \param blocked Mask of lanes that must not send.
     * \return The frame to send next, taken out of its queue, or nullptr.
     */
    FabricFrame* Dequeue(uint32_t blocked)
    {
        const uint32_t eligible = m_waiting & ~blocked;
        if (!eligible)
        {
            return nullptr;
        }
        const uint32_t lane = m_scheduler->Select(eligible, m_lanes.data());
        FabricFrame* frame = m_lanes[lane].Pop();
        if (m_lanes[lane].IsEmpty())
        {
            m_waiting &= ~(1U << lane);
        }
        return frame;
    }

    /**
     * Marks a frame of a transport that understands it, if the marker says so.
     * \param frame The frame that leaves.
     * \param queueBytes Bytes that stay behind in its lane.
     * \return Whether it was marked here.
     */
    bool Mark(FabricFrame& frame, uint64_t queueBytes)
    {
        if (frame.ecn == ECN_NOT_ECT || frame.ecn == ECN_CE || !m_marker->MustMark(queueBytes))
        {
            return false;
        }
        frame.ecn = ECN_CE;
        ++m_marks[frame.priority];
        return true;
    }

    /**
     * \param lane A lane.
     * \return How many frames were marked.
     */
    uint64_t GetMarks(uint8_t lane) const
    {
        return m_marks.at(lane);
    }

    /**
     * \param lane A lane.
     * \return Its queue.
     */
    const FabricFrameQueue& GetQueue(uint8_t lane) const
    {
        return m_lanes[lane];
    }

    /// \return Mask of lanes with frames.
    uint32_t GetWaiting() const
    {
        return m_waiting;
    }

    /// \return The marker.
    Ptr<FabricMarker> GetMarker() const
    {
        return m_marker;
    }

  private:
    std::array<FabricFrameQueue, FABRIC_PRIORITIES> m_lanes; //!< one queue per lane
    uint32_t m_waiting{0};                                   //!< lanes with frames
    Ptr<FabricEgressScheduler> m_scheduler;                  //!< chooses the lane
    Ptr<FabricMarker> m_marker;                              //!< chooses the frames to mark
    std::array<uint64_t, FABRIC_PRIORITIES> m_marks;         //!< frames marked per lane
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_EGRESS_PORT_H */
