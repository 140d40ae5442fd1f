/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-peer.h"

#include "ns3/rdma-srd-transport.h"

namespace ns3
{
namespace rdma
{

RdmaSrdPeer::RdmaSrdPeer(RdmaSrdTransport& transport, uint32_t endpoint)
    : m_transport(transport),
      m_sender(*this),
      m_receiver(*this),
      m_endpoint(endpoint)
{
    m_dataJob.owner = m_answerJob.owner = this;
    m_dataJob.kind = RdmaTxJob::Kind::REQUEST;
    m_answerJob.kind = RdmaTxJob::Kind::ACKNOWLEDGE;
    m_dataJob.priority = transport.GetParameters().priority;
    m_answerJob.priority = transport.GetParameters().ackPriority;
}

void
RdmaSrdPeer::Receive(const FabricFrame& frame, int64_t now)
{
    if (SrdIsAnswer(static_cast<RdmaSrdOpcode>(frame.opcode)))
    {
        m_sender.ReceiveAnswer(frame, now);
        return;
    }
    m_sender.Heard(now);
    m_receiver.Receive(frame, now);
}

FabricFrame*
RdmaSrdPeer::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    return job.kind == RdmaTxJob::Kind::REQUEST ? m_sender.Build(now, again)
                                                : m_receiver.BuildAnswer(now, again);
}

void
RdmaSrdPeer::NeedTimer(int64_t when)
{
    if (when < m_timerAt)
    {
        m_timerAt = when;
        m_transport.ArmTimer(*this, when);
    }
}

void
RdmaSrdPeer::OnTimer(int64_t now)
{
    m_timerAt = FABRIC_NEVER;
    NeedTimer(m_sender.OnTimer(now));
}

} // namespace rdma
} // namespace ns3
