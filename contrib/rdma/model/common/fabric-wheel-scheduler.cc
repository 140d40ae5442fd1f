/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-wheel-scheduler.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricWheelScheduler");

NS_OBJECT_ENSURE_REGISTERED(FabricWheelScheduler);

namespace
{

/// 16 ns in picoseconds: with 1024 buckets the wheel reaches 8 us or more ahead.
constexpr uint64_t DEFAULT_WIDTH = 1 << 14;
/// The smallest pool.
constexpr std::size_t MIN_NODES = 64;

/**
 * \param x A number, not 0.
 * \return The position of its lowest 1.
 */
uint32_t
LowestBit(uint64_t x)
{
    return static_cast<uint32_t>(__builtin_ctzll(x));
}

/**
 * \param position A bit position below 64.
 * \return Ones at all higher positions.
 */
uint64_t
BitsAbove(uint32_t position)
{
    return ~uint64_t{1} << position;
}

} // namespace

TypeId
FabricWheelScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricWheelScheduler")
            .SetParent<Scheduler>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricWheelScheduler>()
            .AddAttribute(
                "BucketWidth",
                "The ticks of one bucket, rounded down to a power of two; with Adaptive "
                "only the first choice.",
                UintegerValue(DEFAULT_WIDTH),
                MakeUintegerAccessor(&FabricWheelScheduler::SetBucketWidth,
                                     &FabricWheelScheduler::GetBucketWidth),
                MakeUintegerChecker<uint64_t>(1, uint64_t{1} << FabricWheelTuner::MAX_WIDTH_BITS))
            .AddAttribute("Adaptive",
                          "Whether the width and the number of buckets follow the load.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricWheelScheduler::m_adaptive),
                          MakeBooleanChecker());
    return tid;
}

FabricWheelScheduler::FabricWheelScheduler()
    : m_free(0),
      m_size(0),
      m_shift(0),
      m_mask(0),
      m_blockBits(0),
      m_untilSample(FabricWheelTuner::SAMPLE_INTERVAL),
      m_slot(0),
      m_lastBlock(0),
      m_end(0),
      m_now(0),
      m_adaptive(true),
      m_overflow(m_nodes)
{
    Rebuild({LowestBit(DEFAULT_WIDTH), FabricWheelTuner::MIN_COUNT_BITS});
}

FabricWheelScheduler::~FabricWheelScheduler() {}

void
FabricWheelScheduler::SetBucketWidth(uint64_t width)
{
    NS_ABORT_MSG_IF(width == 0 || width >> FabricWheelTuner::MAX_WIDTH_BITS > 1,
                    "A bucket is 1 to 2^44 ticks wide, got " << width);
    Rebuild({63 - static_cast<uint32_t>(__builtin_clzll(width)), m_blockBits + 1});
}

uint64_t
FabricWheelScheduler::GetBucketWidth() const
{
    return uint64_t{1} << m_shift;
}

uint32_t
FabricWheelScheduler::GetBucketCount() const
{
    return m_mask + 1;
}

uint32_t
FabricWheelScheduler::GetCapacity() const
{
    return static_cast<uint32_t>(m_nodes.capacity()) - 1;
}

// The functions on the way of every event come first and are inline.

inline Scheduler::Event
FabricWheelScheduler::ToEvent(uint32_t n) const
{
    const FabricWheelNode& node = m_nodes[n];
    Event ev;
    ev.impl = node.impl;
    ev.key.m_ts = node.ts;
    ev.key.m_uid = node.uid;
    ev.key.m_context = node.context;
    return ev;
}

inline void
FabricWheelScheduler::Release(uint32_t n)
{
    m_nodes[n].next = m_free;
    m_free = n;
    --m_size;
}

inline void
FabricWheelScheduler::PlaceNear(uint32_t n, uint64_t slot)
{
    const uint32_t bucket = static_cast<uint32_t>(slot) & m_mask;
    if (m_heads[bucket] != 0)
    {
        PlaceInOrder(n, &m_heads[bucket]);
        return;
    }
    m_heads[bucket] = n;
    m_nodes[n].next = 0;
    m_nodes[n].last = n;
    const uint32_t word = bucket / 64;
    const uint64_t used = m_used[word];
    m_used[word] = used | uint64_t{1} << (bucket % 64);
    if (used == 0)
    {
        m_summary[word / 64] |= uint64_t{1} << (word % 64);
    }
}

inline void
FabricWheelScheduler::Place(uint32_t n)
{
    const uint64_t slot = m_nodes[n].ts >> m_shift;
    if (slot < m_end)
    {
        // The current bucket also takes events before the current slot. A simulator has none, but
        // then the order holds for any sequence of calls.
        PlaceNear(n, std::max(slot, m_slot));
    }
    else
    {
        m_overflow.Insert(n, slot >> m_blockBits, m_lastBlock >> m_blockBits);
    }
}

inline void
FabricWheelScheduler::Append(const Event& ev)
{
    const uint32_t n = m_free;
    FabricWheelNode& node = m_nodes[n];
    m_free = node.next;
    node.impl = ev.impl;
    node.ts = ev.key.m_ts;
    node.uid = ev.key.m_uid;
    node.context = ev.key.m_context;
    ++m_size;
    Place(n);
}

inline void
FabricWheelScheduler::MarkEmpty(uint32_t bucket)
{
    const uint32_t word = bucket / 64;
    const uint64_t used = m_used[word] & ~(uint64_t{1} << (bucket % 64));
    m_used[word] = used;
    if (used == 0)
    {
        m_summary[word / 64] &= ~(uint64_t{1} << (word % 64));
    }
}

inline uint32_t
FabricWheelScheduler::FindBucket(uint32_t bucket) const
{
    const uint64_t bits = m_used[bucket / 64] & BitsAbove(bucket % 64);
    return bits != 0 ? (bucket & ~63U) + LowestBit(bits) : FindBucketBeyond(bucket / 64);
}

inline Scheduler::Event
FabricWheelScheduler::TakeFirst(uint32_t bucket)
{
    const uint32_t n = m_heads[bucket];
    const FabricWheelNode& node = m_nodes[n];
    m_now = node.ts;
    const uint32_t next = node.next;
    m_heads[bucket] = next;
    if (next == 0)
    {
        MarkEmpty(bucket);
    }
    else if (node.last != n)
    {
        m_nodes[next].last = node.last;
    }
    const Event ev = ToEvent(n);
    Release(n);
    return ev;
}

void
FabricWheelScheduler::Insert(const Event& ev)
{
    // The rare work is a call at the end, so that the usual way saves no registers.
    if (m_free != 0 && --m_untilSample != 0)
    {
        Append(ev);
    }
    else
    {
        InsertAndSample(ev);
    }
}

void
FabricWheelScheduler::InsertAndSample(const Event& ev)
{
    m_untilSample = FabricWheelTuner::SAMPLE_INTERVAL;
    m_tuner.Sample(ev.key.m_ts > m_now ? ev.key.m_ts - m_now : 0);
    if (m_adaptive && m_tuner.IsDue())
    {
        Tune();
    }
    if (m_free == 0)
    {
        Grow();
    }
    Append(ev);
}

bool
FabricWheelScheduler::IsEmpty() const
{
    return m_size == 0;
}

Scheduler::Event
FabricWheelScheduler::PeekNext() const
{
    NS_ASSERT_MSG(m_size > 0, "no event is pending");
    // The current slot stays: the simulator may still insert events before the next one.
    uint32_t bucket = static_cast<uint32_t>(m_slot) & m_mask;
    if (m_heads[bucket] == 0)
    {
        bucket = FindBucket(bucket);
    }
    return ToEvent(bucket == NO_BUCKET ? m_overflow.FindFirst() : m_heads[bucket]);
}

Scheduler::Event
FabricWheelScheduler::RemoveNext()
{
    NS_ASSERT_MSG(m_size > 0, "no event is pending");
    uint32_t bucket = static_cast<uint32_t>(m_slot) & m_mask;
    if (m_heads[bucket] == 0)
    {
        // The usual case by itself: the next event is near, in the same block.
        const uint64_t bits = m_used[bucket / 64] & BitsAbove(bucket % 64);
        if (bits == 0)
        {
            return RemoveDistant();
        }
        const uint32_t found = (bucket & ~63U) + LowestBit(bits);
        const uint64_t slot = m_slot + (found - bucket);
        if (slot >= m_lastBlock)
        {
            return RemoveDistant();
        }
        bucket = found;
        m_slot = slot;
    }
    return TakeFirst(bucket);
}

Scheduler::Event
FabricWheelScheduler::RemoveDistant()
{
    const uint32_t bucket = static_cast<uint32_t>(m_slot) & m_mask;
    const uint32_t found = FindBucket(bucket);
    if (found == NO_BUCKET)
    {
        return TakeFirst(Skip());
    }
    m_slot += (found - bucket) & m_mask;
    if (m_slot >= m_lastBlock)
    {
        LoadBlock((m_lastBlock >> m_blockBits) + 1);
    }
    return TakeFirst(found);
}

void
FabricWheelScheduler::Remove(const Event& ev)
{
    const uint64_t slot = ev.key.m_ts >> m_shift;
    const uint32_t bucket = static_cast<uint32_t>(std::max(slot, m_slot)) & m_mask;
    const uint32_t n =
        slot < m_end ? Unlink(ev, bucket)
                     : m_overflow.Remove(ev.key, slot >> m_blockBits, m_lastBlock >> m_blockBits);
    NS_ASSERT_MSG(n != 0, "event " << ev.key.m_uid << " is not pending");
    if (n != 0)
    {
        Release(n);
    }
}

void
FabricWheelScheduler::Grow()
{
    const std::size_t first = m_nodes.size();
    NS_ABORT_MSG_IF(first > UINT32_MAX / 2, "more than 2^31 pending events");
    m_nodes.resize(std::max(MIN_NODES, 2 * first));
    for (std::size_t n = m_nodes.size(); n-- > first;)
    {
        m_nodes[n].next = m_free;
        m_free = static_cast<uint32_t>(n);
    }
}

void
FabricWheelScheduler::PlaceInOrder(uint32_t n, uint32_t* link)
{
    const uint64_t ts = m_nodes[n].ts;
    uint32_t steps = 0;
    while (*link != 0 && m_nodes[*link].ts < ts)
    {
        link = &m_nodes[m_nodes[*link].last].next;
        ++steps;
    }
    m_tuner.Walk(steps);
    if (*link != 0 && m_nodes[*link].ts == ts)
    {
        PlaceInGroup(n, link);
        return;
    }
    m_nodes[n].next = *link;
    m_nodes[n].last = n;
    *link = n;
}

void
FabricWheelScheduler::PlaceInGroup(uint32_t n, uint32_t* link)
{
    const uint32_t first = *link;
    const uint32_t last = m_nodes[first].last;
    const uint32_t uid = m_nodes[n].uid;
    if (!FabricWheelNode::IsOlder(uid, m_nodes[last].uid))
    {
        m_nodes[n].next = m_nodes[last].next;
        m_nodes[last].next = n;
        m_nodes[first].last = n;
        return;
    }
    if (FabricWheelNode::IsOlder(uid, m_nodes[first].uid))
    {
        m_nodes[n].last = last;
    }
    else
    {
        while (!FabricWheelNode::IsOlder(uid, m_nodes[*link].uid))
        {
            link = &m_nodes[*link].next;
        }
    }
    m_nodes[n].next = *link;
    *link = n;
}

uint32_t
FabricWheelScheduler::FindBucketBeyond(uint32_t word) const
{
    // Once around the summary; its word that the search starts with comes again at the end,
    // because it may have buckets before the start.
    const uint32_t count = static_cast<uint32_t>(m_summary.size());
    uint32_t i = word / 64;
    uint64_t bits = m_summary[i] & BitsAbove(word % 64);
    for (uint32_t tries = 0; bits == 0 && tries < count; ++tries)
    {
        i = (i + 1) & (count - 1);
        bits = m_summary[i];
    }
    if (bits == 0)
    {
        return NO_BUCKET;
    }
    const uint32_t found = i * 64 + LowestBit(bits);
    return found * 64 + LowestBit(m_used[found]);
}

uint32_t
FabricWheelScheduler::Skip()
{
    const uint64_t block = m_nodes[m_overflow.FindFirst()].ts >> m_shift >> m_blockBits;
    LoadBlock(block);
    LoadBlock(block + 1);
    m_slot = block << m_blockBits;
    const uint32_t first = static_cast<uint32_t>(m_slot) & m_mask;
    const uint32_t found = m_heads[first] != 0 ? first : FindBucket(first);
    m_slot += found - first;
    return found;
}

void
FabricWheelScheduler::LoadBlock(uint64_t block)
{
    uint32_t n = m_overflow.Take(block, m_lastBlock >> m_blockBits);
    m_lastBlock = block << m_blockBits;
    m_end = (block + 1) << m_blockBits;
    while (n != 0)
    {
        const uint32_t next = m_nodes[n].next;
        Place(n);
        n = next;
    }
}

uint32_t
FabricWheelScheduler::Unlink(const Event& ev, uint32_t bucket)
{
    uint32_t* link = &m_heads[bucket];
    while (*link != 0 && m_nodes[*link].ts < ev.key.m_ts)
    {
        link = &m_nodes[m_nodes[*link].last].next;
    }
    const uint32_t first = *link;
    uint32_t previous = 0;
    while (*link != 0 && !m_nodes[*link].Holds(ev.key))
    {
        previous = *link;
        link = &m_nodes[previous].next;
    }
    const uint32_t n = *link;
    if (n == 0)
    {
        return 0;
    }
    *link = m_nodes[n].next;
    if (n != first)
    {
        m_nodes[first].last = m_nodes[first].last == n ? previous : m_nodes[first].last;
    }
    else if (m_nodes[n].last != n)
    {
        m_nodes[*link].last = m_nodes[n].last;
    }
    if (m_heads[bucket] == 0)
    {
        MarkEmpty(bucket);
    }
    return n;
}

void
FabricWheelScheduler::Tune()
{
    const FabricWheelTuner::Geometry current{m_shift, m_blockBits + 1};
    const auto chosen = m_tuner.Choose(current, m_size, m_now);
    const bool wasteful = m_nodes.size() > MIN_NODES && m_nodes.size() / 8 > m_size;
    if (wasteful || chosen.widthBits != current.widthBits || chosen.countBits != current.countBits)
    {
        Rebuild(chosen);
    }
}

void
FabricWheelScheduler::Rebuild(const FabricWheelTuner::Geometry& geometry)
{
    NS_LOG_FUNCTION(this << geometry.widthBits << geometry.countBits << m_size);
    // In the order of the buckets, so that the way into the new ones is short too.
    std::vector<Event> events;
    events.reserve(m_size);
    const auto take = [this, &events](uint32_t n) {
        for (; n != 0; n = m_nodes[n].next)
        {
            events.push_back(ToEvent(n));
        }
    };
    for (std::size_t i = 0; i < m_heads.size(); ++i)
    {
        take(m_heads[(m_slot + i) & m_mask]);
    }
    m_overflow.ForEachList(take);

    m_shift = geometry.widthBits;
    m_blockBits = geometry.countBits - 1;
    const uint32_t count = 1U << geometry.countBits;
    m_mask = count - 1;
    m_heads = std::vector<uint32_t>(count, 0);
    m_used = std::vector<uint64_t>(count / 64, 0);
    m_summary = std::vector<uint64_t>(std::max<std::size_t>(1, m_used.size() / 64), 0);
    m_overflow.Clear();
    m_slot = m_now >> m_shift;
    m_lastBlock = ((m_slot >> m_blockBits) + 1) << m_blockBits;
    m_end = ((m_slot >> m_blockBits) + 2) << m_blockBits;

    m_nodes = FabricWheelPool(1);
    m_free = 0;
    m_size = 0;
    while (m_nodes.size() <= events.size())
    {
        Grow();
    }
    for (const auto& ev : events)
    {
        Append(ev);
    }
}

} // namespace rdma
} // namespace ns3
