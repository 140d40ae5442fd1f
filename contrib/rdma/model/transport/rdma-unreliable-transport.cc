/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-unreliable-transport.h"

namespace ns3
{
namespace rdma
{

RdmaUnreliableTransport::RdmaUnreliableTransport(RdmaConnection& connection,
                                                 RdmaTxJobs& jobs,
                                                 const RdmaQpInitAttributes& init,
                                                 uint8_t service)
    : m_connection(connection),
      m_sender(connection, jobs.request, service),
      m_receives(connection),
      m_service(service)
{
    m_sender.Configure(init);
    m_receives.Configure(init);
}

uint8_t
RdmaUnreliableTransport::GetService() const
{
    return m_service;
}

void
RdmaUnreliableTransport::StartSending()
{
    m_sender.Reset();
}

void
RdmaUnreliableTransport::Reset()
{
    m_sender.Reset();
    m_receives.Reset();
    StartReceiving();
}

void
RdmaUnreliableTransport::Drain()
{
    m_sender.Drain();
}

void
RdmaUnreliableTransport::Resume(int64_t now)
{
    m_sender.Resume(now);
}

void
RdmaUnreliableTransport::PostFlushed(const RdmaSendWqe& request)
{
    m_sender.PostFlushed(request);
}

int
RdmaUnreliableTransport::PostReceive(const RdmaRecvWr& request)
{
    return m_receives.Post(request);
}

void
RdmaUnreliableTransport::FlushSend(RdmaWcStatus first)
{
    m_sender.Flush(first);
}

void
RdmaUnreliableTransport::FlushReceive(RdmaWcStatus first)
{
    m_receives.Flush(first);
}

FabricFrame*
RdmaUnreliableTransport::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    if (job.kind != RdmaTxJob::Kind::REQUEST)
    {
        return nullptr;
    }
    m_connection.GetCongestion().Advance(now);
    return m_sender.Build(now, again);
}

int64_t
RdmaUnreliableTransport::OnTimer(int64_t now)
{
    return m_sender.OnTimer(now);
}

} // namespace rdma
} // namespace ns3
