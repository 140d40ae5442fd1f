/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_BUFFER_POLICY_H
#define FABRIC_BUFFER_POLICY_H

#include "ns3/assert.h"
#include "ns3/fabric-frame.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Who is told when a lane of an ingress port has too much in the buffer, or no longer.
 */
class FabricBufferListener
{
  public:
    virtual ~FabricBufferListener() = default;
    /**
     * \param port The ingress port.
     * \param lane The lane (priority).
     * \param full true: stop the sender; false: let it go on.
     * \param now The time in ps.
     */
    virtual void IngressFull(uint32_t port, uint8_t lane, bool full, int64_t now) = 0;
};

/// \ingroup rdma What a buffer policy has to know of a port.
struct FabricBufferPort
{
    uint64_t bitsPerSecond; //!< rate of the link
    int64_t delay;          //!< its propagation delay, ps
    int64_t latency;        //!< time between the wire and the buffer, ps
    uint32_t lossless;      //!< mask of the lanes in which nothing may be lost
};

/**
 * \ingroup rdma
 * Decides which frames a shared-memory switch takes in, and when senders have to stop.
 *
 * The base class counts per (ingress port, lane) and per (egress port, lane), so that every policy
 * has the same books; a policy decides (DoAdmit) and splits the bytes of a lossless lane into
 * reserved, shared and headroom. At all times reserved + shared + headroom = bytes in the buffer.
 */
class FabricBufferPolicy : public Object
{
  public:
    /// The books of one lane of one ingress port.
    struct Ingress
    {
        uint64_t bytes{0};         //!< held in all
        uint64_t headroom{0};      //!< part of it that arrived after the stop
        uint64_t shared{0};        //!< part of it in the shared pool; the rest is reserved
        uint64_t headroomLimit{0}; //!< how much may arrive after the stop
        uint64_t headroomPeak{0};  //!< the most that ever did
        bool lossless{false};      //!< whether nothing may be lost
        bool stopped{false};       //!< whether the sender was told to stop
    };

    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * Prepares for the ports of a switch; called once, before the first frame.
     * \param ports What is connected.
     * \param lanes Lanes per port.
     * \param mtu Length of the longest frame, MAC header to FCS, in bytes.
     * \param listener Who is told of full lanes.
     * \return Empty, or a sentence that says why the buffer cannot do what is asked of it.
     */
    std::string Configure(const std::vector<FabricBufferPort>& ports,
                          uint8_t lanes,
                          uint32_t mtu,
                          FabricBufferListener* listener);

    /**
     * Takes a frame into the buffer, if there is room for it.
     * \param frame The frame; its ingress port is set.
     * \param egress The port by which it is to leave.
     * \param now The time in ps.
     * \param reason Set when the frame is refused.
     * \return Whether it was taken.
     */
    bool Admit(const FabricFrame& frame, uint32_t egress, int64_t now, FabricDropReason& reason);

    /**
     * Gives back the room of a frame that leaves.
     * \param frame A frame that was admitted.
     * \param egress The port by which it leaves.
     * \param now The time in ps.
     */
    void Release(const FabricFrame& frame, uint32_t egress, int64_t now);

    /**
     * Says again which lanes of a port are to be stopped: its link is new.
     * \param port The ingress port.
     * \param now The time in ps.
     */
    void Repeat(uint32_t port, int64_t now);

    /// \return Size of the buffer in bytes.
    uint64_t GetSize() const;
    /// \return Bytes held now.
    uint64_t GetUsed() const;
    /// \return The most that was ever held, in bytes.
    uint64_t GetPeak() const;
    /// \return Bytes held in the shared pool now.
    uint64_t GetSharedUsed() const;
    /// \return Size of the shared pool: what is neither reserved nor headroom, in bytes.
    uint64_t GetSharedSize() const;
    /**
     * \param port An ingress port.
     * \param lane A lane.
     * \return Its books.
     */
    const Ingress& GetIngress(uint32_t port, uint8_t lane) const;

    /**
     * \param port An egress port.
     * \param lane A lane.
     * \return Bytes held for it.
     */
    uint64_t GetEgressBytes(uint32_t port, uint8_t lane) const
    {
        return m_egress[Index(port, lane)];
    }

    /**
     * \return Bytes of a lossless lane at which its sender is stopped when the rest of the buffer
     * is empty.
     */
    uint64_t GetStopBytes() const;

    /// \return Empty if all books agree, else what does not. For tests and assertions.
    std::string Audit() const;

  protected:
    /// Ways to take a frame.
    enum class Verdict : uint8_t
    {
        POOL,     //!< reserved room first, the rest from the shared pool
        HEADROOM, //!< headroom of a lossless lane
        REFUSE,   //!< no room
    };

    /**
     * \param lane The books of the frame's ingress lane.
     * \param bytes Length of a frame.
     * \return How much of it is beyond what is reserved for the lane.
     */
    uint64_t BeyondReserve(const Ingress& lane, uint64_t bytes) const
    {
        if (!lane.lossless)
        {
            return bytes;
        }
        const uint64_t reservedUsed = lane.bytes - lane.headroom - lane.shared;
        const uint64_t room = m_reserved - reservedUsed;
        return bytes > room ? bytes - room : 0;
    }

    /// \return Bytes of the shared pool that are free.
    uint64_t GetSharedFree() const
    {
        return m_sharedSize - m_sharedUsed;
    }

    /// \return Bytes below the stopping point at which a sender may go on.
    uint64_t GetXonOffset() const
    {
        return m_xonOffset;
    }

    /// \return Bytes reserved for each lossless lane of each ingress port.
    uint64_t GetReserved() const
    {
        return m_reserved;
    }

    /// How little must be in the buffer for a frame of a lossless lane to be surely welcome.
    struct Calm
    {
        uint64_t pool{0}; //!< bytes used of the shared pool, the frame included
        uint64_t lane{0}; //!< bytes of them of the frame's ingress lane, the frame included
    };

    /**
     * Answers of DoAdmit and DoMustStop for lossless lanes that are known beforehand: as long as
     * no more than that is used, and nothing of the lane's headroom, frames are taken from POOL and
     * the sender need not stop. Asking for each of these frames would cost more than all the rest
     * of Admit. To be called from DoConfigured, and again when a parameter changes.
     * \param calm The most that may be used; nothing: DoAdmit and DoMustStop are always asked.
     */
    void SetCalm(const Calm& calm)
    {
        m_calm = calm;
    }

  private:
    /// The sizes of all pools are known; the default does nothing.
    virtual void DoConfigured();
    /**
     * \param lane Books of an ingress lane.
     * \param bytes Length of a frame.
     * \return Whether it is surely taken from the pool without stopping the sender.
     */
    bool IsCalm(const Ingress& lane, uint64_t bytes) const
    {
        return lane.shared + bytes <= m_calm.lane && m_sharedUsed + bytes <= m_calm.pool &&
               lane.lossless && !lane.headroom;
    }

    /**
     * \param port A port.
     * \param mtu Length of the longest frame.
     * \return Headroom of a lossless lane of it in bytes.
     */
    uint64_t HeadroomOf(const FabricBufferPort& port, uint32_t mtu) const;
    /**
     * \param lane Books of the ingress lane.
     * \param egressBytes Bytes held for the egress lane.
     * \param bytes Length of the frame.
     * \return What to do with it.
     */
    virtual Verdict DoAdmit(const Ingress& lane, uint64_t egressBytes, uint64_t bytes) const = 0;
    /**
     * \param lane Books of a lossless ingress lane, after a frame was taken.
     * \return Whether its sender has to stop.
     */
    virtual bool DoMustStop(const Ingress& lane) const = 0;
    /// \return See GetStopBytes.
    virtual uint64_t DoGetStopBytes() const = 0;
    /**
     * \param lane Books of a stopped ingress lane, after a frame left.
     * \return Whether its sender may go on.
     */
    virtual bool DoMayGoOn(const Ingress& lane) const = 0;

    /**
     * \param port A port.
     * \param lane A lane.
     * \return Where their books are.
     */
    uint32_t Index(uint32_t port, uint8_t lane) const
    {
        return (port << m_laneBits) + lane;
    }

    std::vector<Ingress> m_ingress;            //!< per ingress port and lane
    std::vector<uint64_t> m_egress;            //!< bytes per egress port and lane
    FabricBufferListener* m_listener{nullptr}; //!< who is told of full lanes
    uint64_t m_size;                           //!< bytes of the buffer
    uint64_t m_reserved;                       //!< bytes reserved per lossless lane
    uint64_t m_xonOffset;                      //!< bytes below the stop to go on
    uint64_t m_headroom;                       //!< headroom per lane, 0: by the formula
    uint64_t m_sharedSize{0};                  //!< bytes of the shared pool
    uint64_t m_sharedUsed{0};                  //!< bytes used of it
    Calm m_calm;                               //!< below that nothing has to be asked
    uint64_t m_used{0};                        //!< bytes used in all
    uint64_t m_peak{0};                        //!< the most bytes ever used
    Time m_peerResponse;                       //!< time a peer takes to obey, negative: standard
    uint8_t m_lanes{0};                        //!< lanes per port
    uint8_t m_laneBits{0};                     //!< log2 of the room for lanes in the books
};

// Admit and Release run for every frame at every hop: they are here to be inlined there.

inline bool
FabricBufferPolicy::Admit(const FabricFrame& frame,
                          uint32_t egress,
                          int64_t now,
                          FabricDropReason& reason)
{
    Ingress& lane = m_ingress[Index(frame.ingress, frame.priority)];
    uint64_t& egressBytes = m_egress[Index(egress, frame.priority)];
    const uint64_t bytes = frame.bytes;
    const bool calm = IsCalm(lane, bytes);
    switch (calm ? Verdict::POOL : DoAdmit(lane, egressBytes, bytes))
    {
    case Verdict::POOL: {
        const uint64_t beyond = BeyondReserve(lane, bytes);
        lane.shared += beyond;
        m_sharedUsed += beyond;
        break;
    }
    case Verdict::HEADROOM:
        lane.headroom += bytes;
        lane.headroomPeak = std::max(lane.headroomPeak, lane.headroom);
        break;
    case Verdict::REFUSE:
        reason = lane.lossless             ? FabricDropReason::HEADROOM_FULL
                 : bytes > GetSharedFree() ? FabricDropReason::BUFFER_FULL
                                           : FabricDropReason::QUEUE_FULL;
        return false;
    }
    lane.bytes += bytes;
    egressBytes += bytes;
    m_used += bytes;
    m_peak = std::max(m_peak, m_used);
    if (!calm && lane.lossless && !lane.stopped && DoMustStop(lane))
    {
        lane.stopped = true;
        m_listener->IngressFull(frame.ingress, frame.priority, true, now);
    }
    return true;
}

inline void
FabricBufferPolicy::Release(const FabricFrame& frame, uint32_t egress, int64_t now)
{
    Ingress& lane = m_ingress[Index(frame.ingress, frame.priority)];
    const uint64_t bytes = frame.bytes;
    NS_ASSERT_MSG(lane.bytes >= bytes, "more leaves than came in");
    // What came last into the lane's special room is given back first.
    const uint64_t fromHeadroom = std::min(lane.headroom, bytes);
    const uint64_t fromShared = std::min(lane.shared, bytes - fromHeadroom);
    lane.headroom -= fromHeadroom;
    lane.shared -= fromShared;
    lane.bytes -= bytes;
    m_sharedUsed -= fromShared;
    m_used -= bytes;
    m_egress[Index(egress, frame.priority)] -= bytes;
    if (lane.stopped && DoMayGoOn(lane))
    {
        lane.stopped = false;
        m_listener->IngressFull(frame.ingress, frame.priority, false, now);
    }
}

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_BUFFER_POLICY_H */
