/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-connection.h"

#include "ns3/fabric-flow-hash.h"
#include "ns3/fabric-serializer.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-udp-header.h"

namespace ns3
{
namespace rdma
{

RdmaConnection::Route
RdmaConnection::MakeRoute(const RdmaAddress& address, uint32_t queuePair) const
{
    Route route;
    route.sourcePort = address.sourcePort ? address.sourcePort
                                          : RdmaUdpSourcePort(RdmaFlowLabel(m_number, queuePair));
    // What switches hash of RoCEv1 is the pair of MAC addresses: it has no ports.
    const RdmaHostState& state = GetHostState();
    const bool ports = state.encapsulation != RdmaEncapsulation::ROCE_V1;
    route.flowHash = FabricFlowHash(state.endpoint,
                                    address.endpoint,
                                    ports ? route.sourcePort : 0,
                                    ports ? ROCE_V2_UDP_PORT : 0,
                                    ports ? IP_PROTOCOL_UDP : 0);
    return route;
}

FabricFrame*
RdmaConnection::MakeFrame(uint8_t opcode, uint64_t sequence, uint32_t payload, uint8_t priority)
{
    const RdmaHostState& state = GetHostState();
    FabricFrame* frame = state.pool->Allocate();
    frame->kind = FabricFrameKind::RDMA;
    frame->destination = m_attributes.address.endpoint;
    frame->source = state.endpoint;
    frame->flowHash = m_flowHash;
    frame->bytes = RdmaFrameBytes(state.encapsulation, opcode, payload);
    frame->priority = priority;
    frame->ecn = HasIpHeader(state.encapsulation) ? ECN_ECT0 : ECN_NOT_ECT;
    frame->opcode = opcode;
    frame->queuePair = m_attributes.destinationQp;
    frame->psn = RdmaToPsn(sequence);
    frame->payload = payload;
    frame->sourceQueuePair = m_number;
    frame->rdma.sourcePort = m_sourcePort;
    return frame;
}

int64_t
RdmaConnection::GetPacedTime() const
{
    const uint64_t rate = m_congestion->GetRate();
    return rate >= GetHostState().lineRate || !m_paceBytes
               ? 0
               : m_paceStart + FabricSerializer::Duration(rate, m_paceBytes);
}

void
RdmaConnection::Sent(int64_t now, const FabricFrame& frame)
{
    RdmaHostState& state = GetHostState();
    const uint32_t wireBytes = frame.bytes + state.overhead;
    const uint64_t rate = m_congestion->GetRate();
    if (rate >= state.lineRate)
    {
        m_paceStart = now;
    }
    else
    {
        // A packet that had to wait for the wire keeps its place in time, by up to one packet: else
        // a busy port would make every queue pair slower than its rate.
        const int64_t due = GetPacedTime();
        m_paceStart = due + FabricSerializer::Duration(rate, wireBytes) > now ? due : now;
    }
    m_paceBytes = wireBytes;
    if (m_congestion->GetSignals() & RdmaCongestionOps::SENT)
    {
        m_congestion->Sent(now, wireBytes);
    }
    ++state.counters.dataPackets;
    state.counters.dataBytes += frame.payload;
}

} // namespace rdma
} // namespace ns3
