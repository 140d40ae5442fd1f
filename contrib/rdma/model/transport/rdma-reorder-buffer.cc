/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-reorder-buffer.h"

#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

void
RdmaReorderBuffer::Resize(uint64_t packets)
{
    NS_ASSERT_MSG(IsEmpty(), "a reorder buffer is resized while it is empty");
    m_size = packets;
    m_places.clear();
}

bool
RdmaReorderBuffer::Keep(const FabricFrame& frame,
                        uint64_t sequence,
                        uint64_t expected,
                        FabricFramePool& pool)
{
    NS_ASSERT_MSG(sequence > expected, "packet " << sequence << " is not ahead of its turn");
    if (sequence - expected >= m_size)
    {
        return false;
    }
    m_places.resize(m_size, {0, nullptr});
    Place& place = m_places[sequence % m_size];
    if (place.frame)
    {
        if (place.sequence == sequence)
        {
            return true;
        }
        // Its number was skipped: a peer that does not follow the protocol.
        pool.Free(place.frame);
        --m_kept;
    }
    place.sequence = sequence;
    place.frame = pool.Clone(frame);
    ++m_kept;
    return true;
}

FabricFrame*
RdmaReorderBuffer::Take(uint64_t sequence)
{
    if (IsEmpty())
    {
        return nullptr;
    }
    Place& place = m_places[sequence % m_size];
    FabricFrame* frame = place.frame;
    if (!frame || place.sequence != sequence)
    {
        return nullptr;
    }
    place.frame = nullptr;
    --m_kept;
    return frame;
}

void
RdmaReorderBuffer::Clear(FabricFramePool& pool)
{
    if (IsEmpty())
    {
        return;
    }
    for (Place& place : m_places)
    {
        if (place.frame)
        {
            pool.Free(place.frame);
            place.frame = nullptr;
        }
    }
    m_kept = 0;
}

} // namespace rdma
} // namespace ns3
