/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-rc-transport.h"

#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaRcTransport::RdmaRcTransport(RdmaConnection& connection,
                                 RdmaTxJobs& jobs,
                                 const RdmaQpInitAttributes& init)
    : m_connection(connection),
      m_requester(connection, jobs.request),
      m_responder(connection, jobs.acknowledge, jobs.response)
{
    m_requester.Configure(init.sendCq, init.maxSendWr);
    m_responder.Configure(init);
}

uint8_t
RdmaRcTransport::GetService() const
{
    return 0x00;
}

int
RdmaRcTransport::CheckSend(const RdmaSendWr& request, uint64_t length) const
{
    const RdmaQpAttributes& attributes = m_connection.GetAttributes();
    const uint64_t longest = std::min(RDMA_MAX_MESSAGE, RDMA_PSN_WINDOW * attributes.pathMtu);
    const bool responds = RdmaAwaitsResponse(request.opcode);
    if (length > longest || (responds && attributes.maxRdAtomic == 0) ||
        (RdmaIsAtomic(request.opcode) && length != RDMA_ATOMIC_BYTES))
    {
        return EINVAL;
    }
    return 0;
}

void
RdmaRcTransport::StartReceiving()
{
    m_responder.Start();
}

void
RdmaRcTransport::StartSending()
{
    m_requester.Reset();
}

void
RdmaRcTransport::Reset()
{
    m_requester.Reset();
    m_responder.Reset();
}

void
RdmaRcTransport::Drain()
{
    m_requester.Drain();
}

void
RdmaRcTransport::Resume(int64_t now)
{
    m_requester.Resume(now);
}

int
RdmaRcTransport::PostSend(const RdmaSendWqe& request, bool allowed, int64_t now)
{
    return m_requester.Post(request, allowed, now);
}

void
RdmaRcTransport::PostFlushed(const RdmaSendWqe& request)
{
    m_requester.PostFlushed(request);
}

int
RdmaRcTransport::PostReceive(const RdmaRecvWr& request)
{
    return m_responder.Post(request);
}

void
RdmaRcTransport::FlushSend(RdmaWcStatus first)
{
    m_requester.Flush(first);
}

void
RdmaRcTransport::FlushReceive(RdmaWcStatus first)
{
    m_responder.Flush(first);
}

void
RdmaRcTransport::Receive(const FabricFrame& frame, int64_t now)
{
    const uint8_t opcode = frame.opcode;
    if (OpcodeIsRequest(opcode))
    {
        m_responder.Receive(frame, now);
        return;
    }
    m_connection.GetCongestion().Advance(now);
    if (OpcodeIsAck(opcode))
    {
        m_requester.ReceiveAck(frame, now);
    }
    else
    {
        m_requester.ReceiveResponse(frame, now);
    }
}

FabricFrame*
RdmaRcTransport::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    switch (job.kind)
    {
    case RdmaTxJob::Kind::ACKNOWLEDGE:
        return m_responder.BuildAck(now, again);
    case RdmaTxJob::Kind::RESPONSE:
        m_connection.GetCongestion().Advance(now);
        return m_responder.BuildResponse(now, again);
    default:
        m_connection.GetCongestion().Advance(now);
        return m_requester.Build(now, again);
    }
}

int64_t
RdmaRcTransport::OnTimer(int64_t now)
{
    return m_requester.OnTimer(now);
}

const RdmaRequester*
RdmaRcTransport::GetRequester() const
{
    return &m_requester;
}

const RdmaResponder*
RdmaRcTransport::GetResponder() const
{
    return &m_responder;
}

} // namespace rdma
} // namespace ns3
