/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_EGRESS_SCHEDULER_H
#define FABRIC_EGRESS_SCHEDULER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Decides which lane (priority) of an egress port sends next.
 */
class FabricEgressScheduler : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * \param eligible Mask of the lanes that have a frame and may send; not 0.
     * \param lanes The queues of the port, one per lane.
     * \return The lane whose first frame is sent now.
     */
    uint32_t Select(uint32_t eligible, const FabricFrameQueue* lanes)
    {
        const bool onlyOne = !(eligible & (eligible - 1));
        return onlyOne && !m_counts ? Lowest(eligible) : DoSelect(eligible, lanes);
    }

  protected:
    /// \param counts Whether DoSelect is to be called even when only one lane may send.
    explicit FabricEgressScheduler(bool counts)
        : m_counts(counts)
    {
    }

    /**
     * \param mask A mask, not 0.
     * \return The number of its lowest bit.
     */
    static uint32_t Lowest(uint32_t mask)
    {
        return static_cast<uint32_t>(__builtin_ctz(mask));
    }

    /**
     * \param mask A mask, not 0.
     * \return The number of its highest bit.
     */
    static uint32_t Highest(uint32_t mask)
    {
        return 31U - static_cast<uint32_t>(__builtin_clz(mask));
    }

  private:
    /**
     * See Select.
     * \param eligible Mask of lanes.
     * \param lanes The queues.
     * \return The lane.
     */
    virtual uint32_t DoSelect(uint32_t eligible, const FabricFrameQueue* lanes) = 0;

    const bool m_counts; //!< whether every choice counts
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_EGRESS_SCHEDULER_H */
