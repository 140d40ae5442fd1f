/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_WHEEL_NODE_H
#define FABRIC_WHEEL_NODE_H

#include "ns3/scheduler.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A pending event of a FabricWheelScheduler. Links are indices into the pool of nodes; 0 is none.
 */
struct FabricWheelNode
{
    EventImpl* impl;  //!< The event.
    uint64_t ts;      //!< Its time in ticks.
    uint32_t uid;     //!< Its unique id.
    uint32_t context; //!< Its context.
    uint32_t next;    //!< The next node of the list.
    uint32_t last;    //!< In the first of a group, or of an overflow list: the last node of it.

    /**
     * \param a A unique id.
     * \param b Another one.
     * \return Whether \p a is older, by serial-number arithmetic: unique ids wrap.
     */
    static bool IsOlder(uint32_t a, uint32_t b)
    {
        return static_cast<int32_t>(a - b) < 0;
    }

    /**
     * \param other Another node.
     * \return Whether this one comes before it.
     */
    bool IsBefore(const FabricWheelNode& other) const
    {
        return ts < other.ts || (ts == other.ts && IsOlder(uid, other.uid));
    }

    /**
     * \param key The key of an event.
     * \return Whether this node holds it.
     */
    bool Holds(const Scheduler::EventKey& key) const
    {
        return ts == key.m_ts && uid == key.m_uid;
    }
};

/// The nodes of a scheduler; the first one is not used.
using FabricWheelPool = std::vector<FabricWheelNode>;

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_WHEEL_NODE_H */
