/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-unreliable-sender.h"

#include "ns3/fabric-serializer.h"
#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-payload.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaUnreliableSender::RdmaUnreliableSender(RdmaConnection& connection,
                                           RdmaTxJob& job,
                                           uint8_t service)
    : m_connection(connection),
      m_job(job),
      m_service(service)
{
}

void
RdmaUnreliableSender::Configure(const RdmaQpInitAttributes& init)
{
    m_completions = init.sendCq;
    m_depth = init.maxSendWr;
}

void
RdmaUnreliableSender::Reset()
{
    m_queue.clear();
    m_sequence = m_connection.GetAttributes().sqPsn;
    m_offset = 0;
    m_sent = 0;
    m_begun = m_draining = false;
    ++m_generation;
}

void
RdmaUnreliableSender::Append(const RdmaSendWqe& request, RdmaWcStatus fault, int64_t now)
{
    if (m_queue.full())
    {
        m_queue.set_capacity(std::max<std::size_t>(4, 2 * m_queue.capacity()));
    }
    const RdmaHostState& state = m_connection.GetHostState();
    int64_t ready = now + state.doorbellDelay + state.transmitLatency;
    if (state.dma)
    {
        const RdmaDma::Parameters& dma = state.dma->GetParameters();
        ready += (dma.fetchRequests ? dma.readDelay : 0) + (request.inlineData ? 0 : dma.readDelay);
    }
    if (!m_queue.empty())
    {
        ready = std::max(ready, m_queue.back().ready);
    }
    m_queue.push_back({request, fault, ready, FABRIC_NEVER});
}

int
RdmaUnreliableSender::Post(const RdmaSendWqe& request, RdmaWcStatus fault, int64_t now)
{
    if (m_queue.size() >= m_depth)
    {
        return ENOMEM;
    }
    Append(request, fault, now);
    if (fault != RdmaWcStatus::SUCCESS)
    {
        CheckStop();
    }
    else
    {
        Kick(now);
    }
    return 0;
}

void
RdmaUnreliableSender::PostFlushed(const RdmaSendWqe& request)
{
    // In the queue, because those before it may just be being flushed.
    Append(request, RdmaWcStatus::SUCCESS, 0);
    Flush(RdmaWcStatus::WR_FLUSH_ERR);
}

bool
RdmaUnreliableSender::HasWork() const
{
    return m_sent < m_queue.size() && m_queue[m_sent].fault == RdmaWcStatus::SUCCESS &&
           (m_begun || !m_draining);
}

void
RdmaUnreliableSender::UsePriority()
{
    const auto& details = m_queue[m_sent].request.details;
    if (details && details->to)
    {
        m_job.priority = details->to->address.priority;
    }
}

void
RdmaUnreliableSender::Kick(int64_t now)
{
    if (m_job.state == RdmaTxJob::State::IDLE && HasWork())
    {
        UsePriority();
        m_connection.GetHost().Ready(
            m_job,
            std::max({now, m_queue[m_sent].ready, m_connection.GetPacedTime()}),
            now);
    }
}

void
RdmaUnreliableSender::Readdress(const RdmaDatagramAddress& to, FabricFrame* frame) const
{
    const RdmaConnection::Route route = m_connection.MakeRoute(to.address, to.queuePair);
    frame->destination = to.address.endpoint;
    frame->queuePair = to.queuePair;
    frame->flowHash = route.flowHash;
    frame->rdma.sourcePort = route.sourcePort;
    // The top bit asks for the sender's own key (IBA volume 1, section 10.2.5).
    frame->rdma.queueKey = to.queueKey >> 31 ? m_connection.GetAttributes().queueKey : to.queueKey;
}

FabricFrame*
RdmaUnreliableSender::Build(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (!HasWork())
    {
        return nullptr;
    }
    Entry& entry = m_queue[m_sent];
    again = std::max(entry.ready, m_connection.GetPacedTime());
    if (again > now)
    {
        return nullptr;
    }
    again = FABRIC_NEVER;
    const RdmaSendWqe& request = entry.request;
    RdmaHostState& state = m_connection.GetHostState();
    const uint64_t left = request.length - m_offset;
    const auto payload =
        static_cast<uint32_t>(std::min<uint64_t>(left, m_connection.GetAttributes().pathMtu));
    const bool last = payload == left;
    const auto opcode =
        static_cast<uint8_t>(m_service | RdmaPacketOpcode(request.opcode, !m_begun, last));
    FabricFrame* frame = m_connection.MakeFrame(opcode, m_sequence, payload, m_job.priority);
    frame->rdma.virtualAddress = request.remoteAddress;
    frame->rdma.remoteKey = request.rkey;
    frame->rdma.dmaLength = static_cast<uint32_t>(request.length);
    frame->rdma.immediate = request.immediate;
    frame->rdma.offset = m_offset;
    frame->rdma.sent = now;
    if (request.details && request.details->to)
    {
        Readdress(*request.details->to, frame);
    }
    if (request.solicited && last)
    {
        frame->flags |= FabricFrame::SOLICITED;
    }
    if (request.hasData && payload)
    {
        RdmaAttachPayload(state.memory, *state.pool, request, m_offset, frame);
    }
    ++m_sequence;
    m_offset += payload;
    m_begun = !last;
    m_connection.Sent(now, *frame);
    if (last)
    {
        m_offset = 0;
        ++m_sent;
        entry.sent =
            now + FabricSerializer::Duration(state.lineRate, frame->bytes + state.overhead);
        m_connection.NeedTimer(entry.sent);
    }
    if (HasWork())
    {
        UsePriority();
        again = std::max(m_queue[m_sent].ready, m_connection.NextData(now));
    }
    return frame;
}

bool
RdmaUnreliableSender::Complete(const Entry& entry, RdmaWcStatus status)
{
    if (status == RdmaWcStatus::SUCCESS && !entry.request.signaled)
    {
        return true;
    }
    RdmaWc completion;
    completion.wrId = entry.request.wrId;
    completion.status = status;
    completion.opcode = RdmaCompletionOpcode(entry.request.opcode);
    completion.queuePair = m_connection.GetNumber();
    return m_connection.GetHost().Complete(m_completions, completion);
}

int64_t
RdmaUnreliableSender::OnTimer(int64_t now)
{
    const uint32_t generation = m_generation;
    while (m_sent && m_queue.front().sent <= now)
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        --m_sent;
        if (!Complete(entry, RdmaWcStatus::SUCCESS))
        {
            m_connection.EnterError();
        }
        if (generation != m_generation)
        {
            return m_sent ? m_queue.front().sent : FABRIC_NEVER;
        }
    }
    CheckStop();
    return m_sent ? m_queue.front().sent : FABRIC_NEVER;
}

void
RdmaUnreliableSender::CheckStop()
{
    if (m_sent || m_begun)
    {
        return;
    }
    if (m_draining)
    {
        m_connection.SendQueueDrained();
    }
    else if (!m_queue.empty() && m_queue.front().fault != RdmaWcStatus::SUCCESS)
    {
        m_connection.EnterSendError(m_queue.front().fault);
    }
}

void
RdmaUnreliableSender::Flush(RdmaWcStatus first)
{
    const uint32_t generation = ++m_generation;
    m_sent = 0;
    m_offset = 0;
    m_begun = m_draining = false;
    RdmaWcStatus status = first;
    while (!m_queue.empty() && generation == m_generation)
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        Complete(entry, status);
        status = RdmaWcStatus::WR_FLUSH_ERR;
    }
}

void
RdmaUnreliableSender::Drain()
{
    m_draining = true;
    CheckStop();
}

void
RdmaUnreliableSender::Resume(int64_t now)
{
    m_draining = false;
    CheckStop();
    Kick(now);
}

uint32_t
RdmaUnreliableSender::GetOutstanding() const
{
    return m_queue.size();
}

} // namespace rdma
} // namespace ns3
