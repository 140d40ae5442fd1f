/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ud-transport.h"

#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <cerrno>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr uint8_t SERVICE = 0x60;   // upper bits of opcodes (IBA volume 1, section 9.2)
constexpr uint32_t IPV4_SKIPS = 20; // bytes of the space for a GRH in front of an IPv4 header
constexpr uint32_t GRH_SPACE = RdmaTransportHost::GRH_SPACE;

} // namespace

RdmaUdTransport::RdmaUdTransport(RdmaConnection& connection,
                                 RdmaTxJobs& jobs,
                                 const RdmaQpInitAttributes& init)
    : RdmaUnreliableTransport(connection, jobs, init, SERVICE)
{
}

int
RdmaUdTransport::CheckSend(const RdmaSendWr& request, uint64_t length) const
{
    const bool known =
        request.opcode == RdmaWrOpcode::SEND || request.opcode == RdmaWrOpcode::SEND_WITH_IMM;
    return known && length <= RDMA_MAX_MESSAGE && request.addressHandle &&
                   request.addressHandle->GetDomain() == m_connection.GetDomain() &&
                   request.remoteQueuePair <= RDMA_PSN_MASK
               ? 0
               : EINVAL;
}

int
RdmaUdTransport::PostSend(const RdmaSendWqe& request, bool allowed, int64_t now)
{
    const bool fits = request.length <= m_connection.GetAttributes().pathMtu;
    return m_sender.Post(request,
                         !fits     ? RdmaWcStatus::LOC_LEN_ERR
                         : allowed ? RdmaWcStatus::SUCCESS
                                   : RdmaWcStatus::LOC_PROT_ERR,
                         now);
}

void
RdmaUdTransport::StartReceiving()
{
}

void
RdmaUdTransport::Receive(const FabricFrame& frame, int64_t now)
{
    RdmaCounters& counters = m_connection.GetHostState().counters;
    if (frame.rdma.queueKey != m_connection.GetAttributes().queueKey)
    {
        ++counters.qkeyViolations;
    }
    else if (!m_receives.Begin() || m_receives.GetRoom() < frame.payload + GRH_SPACE)
    {
        ++counters.droppedMessages;
    }
    else if (!m_receives.IsAllowed())
    {
        m_connection.EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::LOC_PROT_ERR);
    }
    else
    {
        Accept(frame, now);
    }
}

void
RdmaUdTransport::Accept(const FabricFrame& frame, int64_t now)
{
    RdmaHostState& state = m_connection.GetHostState();
    std::array<uint8_t, GRH_SPACE> header;
    if (m_receives.HasBytes() && m_connection.GetHost().GetGlobalHeader(frame, header))
    {
        const bool ipv4 = state.encapsulation == RdmaEncapsulation::ROCE_V2_IPV4;
        const uint32_t skipped = ipv4 ? IPV4_SKIPS : 0;
        m_receives.Scatter(skipped, header.data() + skipped, GRH_SPACE - skipped);
    }
    if (frame.flags & FabricFrame::HAS_DATA)
    {
        m_receives.Scatter(GRH_SPACE, frame.rdma.data, frame.payload);
    }
    state.counters.deliveredBytes += frame.payload;
    ++state.counters.deliveredMessages;
    RdmaWc completion;
    completion.opcode = RdmaWcOpcode::RECV;
    completion.byteLength = frame.payload + GRH_SPACE;
    completion.hasImmediate = OpcodeHasImmediate(frame.opcode);
    completion.immediate = completion.hasImmediate ? frame.rdma.immediate : 0;
    completion.solicited = frame.flags & FabricFrame::SOLICITED;
    completion.hasGrh = state.encapsulation != RdmaEncapsulation::INFINIBAND;
    completion.sourceEndpoint = frame.source;
    completion.sourceQueuePair = frame.sourceQueuePair;
    const bool room = m_receives.Complete(completion);
    m_connection.Delivered(frame.payload, now);
    if (!room)
    {
        m_connection.EnterError();
    }
}

} // namespace rdma
} // namespace ns3
