/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-receive-queue.h"

#include "ns3/rdma-payload.h"
#include "ns3/rdma-qp-init-attributes.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaReceiveQueue::RdmaReceiveQueue(RdmaConnection& connection)
    : m_connection(connection)
{
}

void
RdmaReceiveQueue::Configure(const RdmaQpInitAttributes& init)
{
    m_completions = init.recvCq;
    m_shared = init.srq;
    m_depth = init.maxRecvWr;
    m_maxSge = init.maxRecvSge;
}

void
RdmaReceiveQueue::Reset()
{
    m_receives.clear();
    m_hasCurrent = false;
    ++m_generation;
}

int
RdmaReceiveQueue::Post(const RdmaRecvWr& request)
{
    if (m_shared)
    {
        return EINVAL;
    }
    if (m_receives.size() + m_hasCurrent >= m_depth || request.scatter.size() > m_maxSge)
    {
        return ENOMEM;
    }
    if (m_receives.full())
    {
        m_receives.set_capacity(std::max<std::size_t>(4, 2 * m_receives.capacity()));
    }
    m_receives.push_back(request);
    return 0;
}

bool
RdmaReceiveQueue::Begin()
{
    if (m_hasCurrent)
    {
        return true;
    }
    if (m_shared)
    {
        if (!m_shared->Take(m_current))
        {
            return false;
        }
    }
    else
    {
        if (m_receives.empty())
        {
            return false;
        }
        m_current = std::move(m_receives.front());
        m_receives.pop_front();
    }
    m_hasCurrent = true;
    m_room = m_current.length;
    if (!m_current.scatter.empty())
    {
        m_room = 0;
        for (const RdmaSge& piece : m_current.scatter)
        {
            m_room += piece.length;
        }
    }
    return true;
}

bool
RdmaReceiveQueue::IsAllowed() const
{
    const RdmaMemoryTable& memory = m_connection.GetHostState().memory;
    const auto allowed = [&](uint32_t key, uint64_t address, uint64_t length) {
        const auto* domain = m_shared ? m_shared->GetDomain() : m_connection.GetDomain();
        return memory.IsAllowed(key, domain, ACCESS_LOCAL_WRITE, address, length);
    };
    if (m_current.scatter.empty())
    {
        return allowed(m_current.lkey, m_current.localAddress, m_current.length);
    }
    return std::all_of(
        m_current.scatter.begin(),
        m_current.scatter.end(),
        [&](const RdmaSge& piece) { return allowed(piece.lkey, piece.address, piece.length); });
}

bool
RdmaReceiveQueue::HasBytes() const
{
    const auto& pieces = m_current.scatter;
    return m_connection.GetHostState().memory.HasBytes(pieces.empty() ? m_current.lkey
                                                                      : pieces.front().lkey);
}

void
RdmaReceiveQueue::Scatter(uint64_t offset, const uint8_t* data, uint32_t bytes) const
{
    const RdmaMemoryTable& memory = m_connection.GetHostState().memory;
    if (m_current.scatter.empty())
    {
        RdmaScatter(memory,
                    {{m_current.localAddress, m_current.length, m_current.lkey}},
                    offset,
                    data,
                    bytes);
        return;
    }
    RdmaScatter(memory, m_current.scatter, offset, data, bytes);
}

bool
RdmaReceiveQueue::Complete(RdmaWc completion)
{
    completion.wrId = m_current.wrId;
    completion.queuePair = m_connection.GetNumber();
    m_hasCurrent = false;
    return m_connection.GetHost().Complete(m_completions, completion);
}

void
RdmaReceiveQueue::Flush(RdmaWcStatus first)
{
    // A receive that is posted meanwhile is flushed behind the others, and by another call.
    RdmaWcStatus status = first;
    const uint32_t generation = ++m_generation;
    while (generation == m_generation && (m_hasCurrent || (!m_shared && Begin())))
    {
        RdmaWc completion;
        completion.status = status;
        RdmaCounters& counters = m_connection.GetHostState().counters;
        ++(status == RdmaWcStatus::WR_FLUSH_ERR ? counters.respCqeFlushError
                                                : counters.respCqeError);
        completion.opcode = RdmaWcOpcode::RECV;
        status = RdmaWcStatus::WR_FLUSH_ERR;
        Complete(completion);
    }
}

uint32_t
RdmaReceiveQueue::GetPosted() const
{
    return m_receives.size() + m_hasCurrent;
}

bool
RdmaReceiveQueue::IsShared() const
{
    return PeekPointer(m_shared) != nullptr;
}

} // namespace rdma
} // namespace ns3
