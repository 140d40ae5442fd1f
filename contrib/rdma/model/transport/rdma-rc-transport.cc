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
      m_jobs(jobs),
      m_init(init)
{
}

RdmaRequester&
RdmaRcTransport::MakeRequester() const
{
    m_requester = std::make_unique<RdmaRequester>(m_connection, m_jobs.request);
    m_requester->Configure(m_init.sendCq, m_init.maxSendWr);
    if (m_sends)
    {
        m_requester->Reset();
    }
    return *m_requester;
}

RdmaResponder&
RdmaRcTransport::MakeResponder() const
{
    m_responder =
        std::make_unique<RdmaResponder>(m_connection, m_jobs.acknowledge, m_jobs.response);
    m_responder->Configure(m_init);
    if (m_receives)
    {
        m_responder->Start();
    }
    return *m_responder;
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
    m_receives = true;
    if (m_responder)
    {
        m_responder->Start();
    }
}

void
RdmaRcTransport::StartSending()
{
    m_sends = true;
    if (m_requester)
    {
        m_requester->Reset();
    }
}

void
RdmaRcTransport::Reset()
{
    m_sends = m_receives = false;
    if (m_requester)
    {
        m_requester->Reset();
    }
    if (m_responder)
    {
        m_responder->Reset();
    }
}

void
RdmaRcTransport::Drain()
{
    Requester().Drain();
}

void
RdmaRcTransport::Resume(int64_t now)
{
    Requester().Resume(now);
}

int
RdmaRcTransport::PostSend(const RdmaSendWqe& request, bool allowed, int64_t now)
{
    return Requester().Post(request, allowed, now);
}

void
RdmaRcTransport::PostFlushed(const RdmaSendWqe& request)
{
    Requester().PostFlushed(request);
}

int
RdmaRcTransport::PostReceive(const RdmaRecvWr& request)
{
    return Responder().Post(request);
}

void
RdmaRcTransport::FlushSend(RdmaWcStatus first)
{
    if (m_requester)
    {
        m_requester->Flush(first);
    }
}

void
RdmaRcTransport::FlushReceive(RdmaWcStatus first)
{
    if (m_responder)
    {
        m_responder->Flush(first);
    }
}

void
RdmaRcTransport::Receive(const FabricFrame& frame, int64_t now)
{
    const uint8_t opcode = frame.opcode;
    if (OpcodeIsRequest(opcode))
    {
        Responder().Receive(frame, now);
        return;
    }
    m_connection.GetCongestion().Advance(now);
    if (OpcodeIsAck(opcode))
    {
        Requester().ReceiveAck(frame, now);
    }
    else
    {
        Requester().ReceiveResponse(frame, now);
    }
}

FabricFrame*
RdmaRcTransport::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    switch (job.kind)
    {
    case RdmaTxJob::Kind::ACKNOWLEDGE:
        return m_responder->BuildAck(now, again);
    case RdmaTxJob::Kind::RESPONSE:
        m_connection.GetCongestion().Advance(now);
        return m_responder->BuildResponse(now, again);
    default:
        m_connection.GetCongestion().Advance(now);
        return m_requester->Build(now, again);
    }
}

int64_t
RdmaRcTransport::OnTimer(int64_t now)
{
    return m_requester ? m_requester->OnTimer(now) : FABRIC_NEVER;
}

const RdmaRequester*
RdmaRcTransport::GetRequester() const
{
    return &Requester();
}

const RdmaResponder*
RdmaRcTransport::GetResponder() const
{
    return &Responder();
}

} // namespace rdma
} // namespace ns3
