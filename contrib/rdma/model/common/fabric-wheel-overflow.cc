/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-wheel-overflow.h"

namespace ns3
{
namespace rdma
{

FabricWheelOverflow::FabricWheelOverflow(FabricWheelPool& nodes)
    : m_nodes(nodes),
      m_used{},
      m_heads{},
      m_first(0)
{
}

uint32_t
FabricWheelOverflow::GetList(uint64_t block, uint64_t lastBlock)
{
    const uint32_t level =
        (63 - static_cast<uint32_t>(__builtin_clzll(block ^ lastBlock))) / DIGIT_BITS;
    return level * LISTS + (static_cast<uint32_t>(block >> (DIGIT_BITS * level)) & (LISTS - 1));
}

void
FabricWheelOverflow::MarkEmpty(uint32_t list)
{
    m_used[list / LISTS] &= ~(uint64_t{1} << (list % LISTS));
}

void
FabricWheelOverflow::Insert(uint32_t n, uint64_t block, uint64_t lastBlock)
{
    const uint32_t list = GetList(block, lastBlock);
    const uint32_t head = m_heads[list];
    // Events join at the end: those of equal time stay in the order of their unique ids while
    // they move from list to list, which makes their way into a bucket short.
    m_nodes[n].next = 0;
    if (head == 0)
    {
        m_heads[list] = n;
        m_used[list / LISTS] |= uint64_t{1} << (list % LISTS);
        m_nodes[n].last = n;
    }
    else
    {
        m_nodes[m_nodes[head].last].next = n;
        m_nodes[head].last = n;
    }
    if (m_first != 0 && m_nodes[n].IsBefore(m_nodes[m_first]))
    {
        m_first = n;
    }
}

uint32_t
FabricWheelOverflow::FindFirst() const
{
    for (uint32_t level = 0; m_first == 0 && level < LEVELS; ++level)
    {
        if (m_used[level] == 0)
        {
            continue;
        }
        const auto list = static_cast<uint32_t>(__builtin_ctzll(m_used[level]));
        m_first = m_heads[level * LISTS + list];
        for (uint32_t n = m_first; n != 0; n = m_nodes[n].next)
        {
            m_first = m_nodes[n].IsBefore(m_nodes[m_first]) ? n : m_first;
        }
    }
    return m_first;
}

uint32_t
FabricWheelOverflow::Take(uint64_t block, uint64_t lastBlock)
{
    const uint32_t list = GetList(block, lastBlock);
    const uint32_t head = m_heads[list];
    if (head != 0)
    {
        m_heads[list] = 0;
        MarkEmpty(list);
        m_first = 0;
    }
    return head;
}

uint32_t
FabricWheelOverflow::Remove(const Scheduler::EventKey& key, uint64_t block, uint64_t lastBlock)
{
    const uint32_t list = GetList(block, lastBlock);
    const uint32_t head = m_heads[list];
    uint32_t previous = 0;
    uint32_t n = head;
    while (n != 0 && !m_nodes[n].Holds(key))
    {
        previous = n;
        n = m_nodes[n].next;
    }
    if (n == 0)
    {
        return 0;
    }
    const uint32_t next = m_nodes[n].next;
    if (n != head)
    {
        m_nodes[previous].next = next;
        m_nodes[head].last = next == 0 ? previous : m_nodes[head].last;
    }
    else
    {
        m_heads[list] = next;
        if (next != 0)
        {
            m_nodes[next].last = m_nodes[n].last;
        }
        else
        {
            MarkEmpty(list);
        }
    }
    m_first = 0;
    return n;
}

void
FabricWheelOverflow::Clear()
{
    m_used.fill(0);
    m_heads.fill(0);
    m_first = 0;
}

} // namespace rdma
} // namespace ns3
