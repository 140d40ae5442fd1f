/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-packet-ring.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

void
RdmaSrdPacketRing::SetPaths(uint16_t paths)
{
    m_paths.assign(paths, Path());
}

uint64_t
RdmaSrdPacketRing::Add(uint64_t base)
{
    if (m_next - base >= m_ring.size())
    {
        std::vector<RdmaSrdPacketRecord> old(std::max<std::size_t>(8, 2 * m_ring.size()));
        old.swap(m_ring);
        for (uint64_t sequence = base; sequence != m_next; ++sequence)
        {
            At(sequence) = old[sequence & (old.size() - 1)];
        }
    }
    At(m_next) = RdmaSrdPacketRecord();
    return m_next++;
}

void
RdmaSrdPacketRing::Append(List& list, uint64_t sequence)
{
    RdmaSrdPacketRecord& packet = At(sequence);
    packet.previous = list.tail;
    packet.next = 0;
    (list.tail ? At(list.tail).next : list.head) = sequence;
    list.tail = sequence;
}

void
RdmaSrdPacketRing::Remove(List& list, uint64_t sequence)
{
    const RdmaSrdPacketRecord& packet = At(sequence);
    (packet.previous ? At(packet.previous).next : list.head) = packet.next;
    (packet.next ? At(packet.next).previous : list.tail) = packet.previous;
}

void
RdmaSrdPacketRing::AddFlying(uint64_t sequence)
{
    Append(m_flying, sequence);
    RdmaSrdPacketRecord& packet = At(sequence);
    packet.state = RdmaSrdPacketRecord::State::FLYING;
    Path& path = m_paths[packet.path];
    packet.order = ++path.sent;
    packet.pathPrevious = path.tail;
    packet.pathNext = 0;
    (path.tail ? At(path.tail).pathNext : path.head) = sequence;
    path.tail = sequence;
}

void
RdmaSrdPacketRing::RemoveFlying(uint64_t sequence)
{
    Remove(m_flying, sequence);
    RdmaSrdPacketRecord& packet = At(sequence);
    packet.state = RdmaSrdPacketRecord::State::DONE;
    Path& path = m_paths[packet.path];
    (packet.pathPrevious ? At(packet.pathPrevious).pathNext : path.head) = packet.pathNext;
    (packet.pathNext ? At(packet.pathNext).pathPrevious : path.tail) = packet.pathPrevious;
}

void
RdmaSrdPacketRing::AddLost(uint64_t sequence)
{
    Append(m_lost, sequence);
    At(sequence).state = RdmaSrdPacketRecord::State::LOST;
}

void
RdmaSrdPacketRing::RemoveLost(uint64_t sequence)
{
    Remove(m_lost, sequence);
    At(sequence).state = RdmaSrdPacketRecord::State::DONE;
}

} // namespace rdma
} // namespace ns3
