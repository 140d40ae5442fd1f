/* SPDX-License-Identifier: GPL-2.0-only */
/* Who waits for whom, and which of them wait for ever. */

#include "ns3/fabric-wait-graph.h"

#include "ns3/assert.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace rdma
{

uint32_t
FabricWaitGraph::AddQueue(bool movable)
{
    m_movable.push_back(movable);
    m_waits.emplace_back();
    return m_waits.size() - 1;
}

void
FabricWaitGraph::SetMovable(uint32_t queue)
{
    m_movable.at(queue) = true;
}

void
FabricWaitGraph::AddWait(uint32_t queue, uint32_t other)
{
    NS_ASSERT_MSG(other < m_waits.size(), "a queue waits for one that is not in the graph");
    m_waits.at(queue).push_back(other);
}

std::vector<bool>
FabricWaitGraph::FindMovable() const
{
    const auto queues = static_cast<uint32_t>(m_waits.size());
    std::vector<std::vector<uint32_t>> waiters(queues);
    for (uint32_t queue = 0; queue < queues; ++queue)
    {
        for (const uint32_t other : m_waits[queue])
        {
            waiters[other].push_back(queue);
        }
    }
    std::vector<bool> movable(queues);
    std::vector<uint32_t> next;
    for (uint32_t queue = 0; queue < queues; ++queue)
    {
        // Nothing is known that keeps a queue without waits from going on.
        if (m_movable[queue] || m_waits[queue].empty())
        {
            movable[queue] = true;
            next.push_back(queue);
        }
    }
    while (!next.empty())
    {
        const uint32_t queue = next.back();
        next.pop_back();
        for (const uint32_t waiter : waiters[queue])
        {
            if (!movable[waiter])
            {
                movable[waiter] = true;
                next.push_back(waiter);
            }
        }
    }
    return movable;
}

std::vector<uint32_t>
FabricWaitGraph::FindCycle() const
{
    const std::vector<bool> movable = FindMovable();
    const auto first = std::find(movable.begin(), movable.end(), false);
    if (first == movable.end())
    {
        return {};
    }
    // All that a queue that cannot move waits for cannot move either: any walk ends in a cycle.
    constexpr uint32_t UNSEEN = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> place(m_waits.size(), UNSEEN);
    std::vector<uint32_t> walk;
    auto queue = static_cast<uint32_t>(first - movable.begin());
    while (place[queue] == UNSEEN)
    {
        place[queue] = walk.size();
        walk.push_back(queue);
        queue = *std::min_element(m_waits[queue].begin(), m_waits[queue].end());
    }
    walk.erase(walk.begin(), walk.begin() + place[queue]);
    std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
    return walk;
}

} // namespace rdma
} // namespace ns3
