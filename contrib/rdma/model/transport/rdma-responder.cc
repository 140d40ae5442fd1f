/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-responder.h"

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaResponder::RdmaResponder(RdmaConnection& connection, RdmaTxJob& ackJob, RdmaTxJob& responseJob)
    : m_connection(connection),
      m_ackJob(ackJob),
      m_responseJob(responseJob)
{
}

void
RdmaResponder::Configure(Ptr<RdmaCompletionQueue> completions, uint32_t depth)
{
    m_completions = completions;
    m_depth = depth;
    if (RdmaDma* dma = m_connection.GetHostState().dma)
    {
        m_fetch = std::make_unique<RdmaPayloadFetch>(*dma);
    }
}

void
RdmaResponder::Reset()
{
    m_receives.clear();
    ++m_generation;
    Start();
}

void
RdmaResponder::Start()
{
    m_reads.clear();
    ForgetFetched();
    m_expected = m_connection.GetAttributes().rqPsn;
    m_messageBytes = m_messageLimit = m_received = 0;
    m_msn = 0;
    m_ackDue = m_nakSent = m_refused = m_inMessage = m_messageIsSend = false;
}

int
RdmaResponder::Post(const RdmaRecvWr& request)
{
    if (m_receives.size() >= m_depth)
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
RdmaResponder::IsSequenceValid(const FabricFrame& frame) const
{
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    if (OpcodeEndsMessage(frame.opcode) ? frame.payload > mtu : frame.payload != mtu)
    {
        return false;
    }
    if (OpcodeStartsMessage(frame.opcode))
    {
        return !m_inMessage;
    }
    return m_inMessage && OpcodeIsSend(frame.opcode) == m_messageIsSend;
}

void
RdmaResponder::Receive(const FabricFrame& frame, RdmaQueuePair& queuePair, int64_t now)
{
    RdmaHostState& state = m_connection.GetHostState();
    const auto expected = static_cast<int64_t>(m_expected);
    const int64_t sequence = RdmaFromPsn(frame.psn, m_expected);
    if (sequence > expected)
    {
        ++state.counters.outOfSequence;
        if (!m_nakSent)
        {
            m_nakSent = true;
            Acknowledge(RdmaNakSyndrome(RdmaNakCode::PSN_SEQUENCE_ERROR), now);
        }
        return;
    }
    if (sequence < expected)
    {
        ++state.counters.duplicateRequest;
        ReceiveDuplicate(frame, static_cast<uint64_t>(sequence), now);
        return;
    }
    const uint8_t opcode = frame.opcode;
    const bool immediate = OpcodeHas(opcode, OPCODE_HAS_IMMEDIATE);
    if (!IsSequenceValid(frame))
    {
        Refuse(RdmaNakCode::INVALID_REQUEST,
               m_inMessage && m_messageIsSend ? RdmaWcStatus::LOC_QP_OP_ERR
                                              : RdmaWcStatus::WR_FLUSH_ERR,
               now);
        return;
    }
    if (((OpcodeIsSend(opcode) && OpcodeStartsMessage(opcode)) ||
         (OpcodeIsWrite(opcode) && immediate)) &&
        m_receives.empty())
    {
        // Silent until the requester comes back with the same packet.
        m_nakSent = true;
        Acknowledge(RdmaRnrNakSyndrome(m_connection.GetAttributes().minRnrTimer), now);
        return;
    }
    if (OpcodeStartsMessage(opcode))
    {
        m_messageBytes = 0;
        m_messageIsSend = OpcodeIsSend(opcode);
        m_messageLimit = m_messageIsSend ? m_receives.front().length : frame.rdma.dmaLength;
        const bool read = OpcodeIsReadRequest(opcode);
        if (!m_messageIsSend)
        {
            const uint32_t right = read ? ACCESS_REMOTE_READ : ACCESS_REMOTE_WRITE;
            const bool allowed = (m_connection.GetAttributes().accessFlags & right) &&
                                 state.memory.IsAllowed(frame.rdma.remoteKey,
                                                        m_connection.GetDomain(),
                                                        right,
                                                        frame.rdma.virtualAddress,
                                                        frame.rdma.dmaLength);
            if (!allowed && frame.rdma.dmaLength)
            {
                Refuse(RdmaNakCode::REMOTE_ACCESS_ERROR, RdmaWcStatus::WR_FLUSH_ERR, now);
                return;
            }
        }
        else if (!state.memory.IsAllowed(m_receives.front().lkey,
                                         m_connection.GetDomain(),
                                         ACCESS_LOCAL_WRITE,
                                         m_receives.front().localAddress,
                                         m_receives.front().length))
        {
            Refuse(RdmaNakCode::REMOTE_OPERATIONAL_ERROR, RdmaWcStatus::LOC_PROT_ERR, now);
            return;
        }
        if (read)
        {
            if (!AddRead(frame, m_expected, false))
            {
                Refuse(RdmaNakCode::INVALID_REQUEST, RdmaWcStatus::WR_FLUSH_ERR, now);
                return;
            }
            ++m_msn;
            m_expected += m_reads.back().packets;
            GapClosed();
            Respond(now);
            return;
        }
    }
    m_messageBytes += frame.payload;
    if (m_messageBytes > m_messageLimit)
    {
        Refuse(RdmaNakCode::INVALID_REQUEST,
               m_messageIsSend ? RdmaWcStatus::LOC_LEN_ERR : RdmaWcStatus::WR_FLUSH_ERR,
               now);
        return;
    }
    ++m_expected;
    GapClosed();
    m_received += frame.payload;
    state.counters.deliveredBytes += frame.payload;
    m_inMessage = !OpcodeEndsMessage(opcode);
    m_msn += !m_inMessage;
    if (frame.flags & FabricFrame::ACK_REQUEST)
    {
        Acknowledge(RdmaAckSyndrome(), now);
    }
    if (m_inMessage)
    {
        return;
    }
    ++state.counters.deliveredMessages;
    const uint64_t bytes = m_messageBytes;
    bool room = true;
    if (m_messageIsSend)
    {
        room = CompleteReceive(frame, RdmaWcOpcode::RECV);
    }
    else if (immediate)
    {
        room = CompleteReceive(frame, RdmaWcOpcode::RECV_RDMA_WITH_IMM);
    }
    m_connection.GetHost().MessageDelivered(queuePair, bytes, now);
    if (!room)
    {
        m_connection.EnterError();
    }
}

void
RdmaResponder::GapClosed()
{
    if (m_nakSent && m_ackDue)
    {
        m_syndrome = RdmaAckSyndrome(); // the NAK has not left yet
    }
    m_nakSent = false;
}

bool
RdmaResponder::AddRead(const FabricFrame& frame, uint64_t sequence, bool repeated)
{
    const RdmaQpAttributes& attributes = m_connection.GetAttributes();
    if (m_reads.size() >= attributes.maxDestRdAtomic)
    {
        if (m_reads.empty() || !m_reads.front().repeated)
        {
            return false;
        }
        // The requester asks for no more than it may, so it has had the oldest from the first
        // answer.
        m_reads.pop_front();
        ForgetFetched();
    }
    if (m_reads.capacity() < attributes.maxDestRdAtomic)
    {
        m_reads.set_capacity(attributes.maxDestRdAtomic);
    }
    const uint64_t length = frame.rdma.dmaLength;
    const uint64_t packets = length ? (length + attributes.pathMtu - 1) / attributes.pathMtu : 1;
    m_reads.push_back({sequence, packets, 0, 0, length, repeated});
    return true;
}

void
RdmaResponder::ForgetFetched()
{
    if (m_fetch)
    {
        m_fetch->Restart(0);
        for (Read& read : m_reads)
        {
            read.fetched = read.sent;
        }
    }
}

int64_t
RdmaResponder::Fetch(int64_t now)
{
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    while (m_fetch->GetAhead() < m_reads.size() && m_fetch->HasRoom())
    {
        Read& read = m_reads[m_fetch->GetAhead()];
        const uint64_t left = read.length - read.fetched * mtu;
        ++read.fetched;
        m_fetch->Push(1,
                      static_cast<uint32_t>(std::min<uint64_t>(left, mtu)),
                      read.fetched == read.packets,
                      now);
    }
    return m_fetch->GetReady();
}

void
RdmaResponder::Respond(int64_t now)
{
    m_connection.GetHost().Ready(m_responseJob, std::max(now, m_connection.GetPacedTime()), now);
}

void
RdmaResponder::ReceiveDuplicate(const FabricFrame& frame, uint64_t sequence, int64_t now)
{
    if (!OpcodeIsReadRequest(frame.opcode))
    {
        Acknowledge(RdmaAckSyndrome(), now);
        return;
    }
    // The requester has gone back to this read and will ask again for all that follow it.
    while (!m_reads.empty() && m_reads.back().first + m_reads.back().packets > sequence)
    {
        m_reads.pop_back();
        ForgetFetched();
    }
    const bool allowed = m_connection.GetHostState().memory.IsAllowed(frame.rdma.remoteKey,
                                                                      m_connection.GetDomain(),
                                                                      ACCESS_REMOTE_READ,
                                                                      frame.rdma.virtualAddress,
                                                                      frame.rdma.dmaLength);
    if (allowed && AddRead(frame, sequence, true))
    {
        Respond(now);
    }
    else if (m_ackDue && m_reads.empty())
    {
        m_connection.GetHost().Ready(m_ackJob, now, now);
    }
}

void
RdmaResponder::Acknowledge(uint8_t syndrome, int64_t now)
{
    // A NAK that is due stands until the gap is closed; what comes later only confirms more.
    const bool nakDue = m_ackDue && m_nakSent && RdmaSyndromeKind(m_syndrome) != RdmaAethKind::ACK;
    if (!nakDue)
    {
        m_syndrome = syndrome;
    }
    m_ackDue = true;
    // Answers go out in order: what follows a read is acknowledged behind its data.
    if (m_reads.empty())
    {
        m_connection.GetHost().Ready(m_ackJob,
                                     now + m_connection.GetHostState().transmitLatency,
                                     now);
    }
}

FabricFrame*
RdmaResponder::BuildAck()
{
    if (!m_ackDue || !m_reads.empty())
    {
        return nullptr;
    }
    m_ackDue = false;
    const bool positive = RdmaSyndromeKind(m_syndrome) == RdmaAethKind::ACK;
    FabricFrame* frame = m_connection.MakeFrame(RC_ACKNOWLEDGE,
                                                positive ? m_expected - 1 : m_expected,
                                                0,
                                                m_ackJob.priority);
    frame->rdma.syndrome = m_syndrome;
    frame->rdma.msn = m_msn & RDMA_PSN_MASK;
    ++m_connection.GetHostState().counters.ackPackets;
    return frame;
}

FabricFrame*
RdmaResponder::BuildResponse(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (m_reads.empty())
    {
        return nullptr;
    }
    if (m_connection.GetPacedTime() > now)
    {
        again = m_connection.NextData(now);
        return nullptr;
    }
    if (m_fetch)
    {
        const int64_t ready = Fetch(now);
        if (ready > now)
        {
            again = ready;
            return nullptr;
        }
        m_fetch->Pop();
    }
    Read& read = m_reads.front();
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const bool first = read.sent == 0;
    const bool last = read.sent + 1 == read.packets;
    const RdmaOpcode opcode = first && last ? RC_RDMA_READ_RESPONSE_ONLY
                              : first       ? RC_RDMA_READ_RESPONSE_FIRST
                              : last        ? RC_RDMA_READ_RESPONSE_LAST
                                            : RC_RDMA_READ_RESPONSE_MIDDLE;
    const uint64_t offset = read.sent * mtu;
    const auto payload = static_cast<uint32_t>(std::min<uint64_t>(read.length - offset, mtu));
    FabricFrame* frame =
        m_connection.MakeFrame(opcode, read.first + read.sent, payload, m_responseJob.priority);
    frame->rdma.syndrome = RdmaAckSyndrome();
    frame->rdma.msn = m_msn & RDMA_PSN_MASK;
    frame->rdma.offset = offset;
    frame->rdma.sent = now;
    ++read.sent;
    m_connection.Sent(now, *frame);
    if (last)
    {
        m_reads.pop_front();
    }
    if (!m_reads.empty())
    {
        again = m_connection.NextData(now);
    }
    else if (m_ackDue)
    {
        m_connection.GetHost().Ready(m_ackJob, now, now);
    }
    return frame;
}

void
RdmaResponder::Refuse(RdmaNakCode code, RdmaWcStatus local, int64_t now)
{
    m_syndrome = RdmaNakSyndrome(code);
    m_ackDue = true;
    m_nakSent = true;
    m_refused = true;
    if (m_reads.empty())
    {
        m_connection.GetHost().Ready(m_ackJob,
                                     now + m_connection.GetHostState().transmitLatency,
                                     now);
    }
    m_connection.EnterError(RdmaWcStatus::WR_FLUSH_ERR, local);
}

bool
RdmaResponder::CompleteReceive(const FabricFrame& frame, RdmaWcOpcode opcode)
{
    RdmaWc completion;
    completion.wrId = m_receives.front().wrId;
    completion.opcode = opcode;
    completion.queuePair = m_connection.GetNumber();
    completion.byteLength = m_messageBytes;
    completion.hasImmediate = OpcodeHas(frame.opcode, OPCODE_HAS_IMMEDIATE);
    completion.immediate = completion.hasImmediate ? frame.rdma.immediate : 0;
    m_receives.pop_front();
    return m_connection.GetHost().Complete(m_completions, completion);
}

void
RdmaResponder::Flush(RdmaWcStatus first)
{
    if (!m_refused)
    {
        m_reads.clear();
        ForgetFetched();
        m_ackDue = false;
    }
    // A receive that is posted meanwhile is flushed behind the others, and by another call.
    RdmaWcStatus status = first;
    const uint32_t generation = ++m_generation;
    while (!m_receives.empty() && generation == m_generation)
    {
        RdmaWc completion;
        completion.wrId = m_receives.front().wrId;
        completion.status = status;
        status = RdmaWcStatus::WR_FLUSH_ERR;
        completion.opcode = RdmaWcOpcode::RECV;
        completion.queuePair = m_connection.GetNumber();
        m_receives.pop_front();
        m_connection.GetHost().Complete(m_completions, completion);
    }
}

uint32_t
RdmaResponder::GetPostedReceives() const
{
    return m_receives.size();
}

uint64_t
RdmaResponder::GetReceivedBytes() const
{
    return m_received;
}

} // namespace rdma
} // namespace ns3
