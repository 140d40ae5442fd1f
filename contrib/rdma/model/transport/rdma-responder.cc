/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-responder.h"

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <cstring>

namespace ns3
{
namespace rdma
{

RdmaResponder::RdmaResponder(RdmaConnection& connection, RdmaTxJob& ackJob, RdmaTxJob& responseJob)
    : m_connection(connection),
      m_ackJob(ackJob),
      m_responseJob(responseJob),
      m_receives(connection)
{
}

void
RdmaResponder::Configure(const RdmaQpInitAttributes& init)
{
    m_receives.Configure(init);
    if (RdmaDma* dma = m_connection.GetHostState().dma)
    {
        m_fetch = std::make_unique<RdmaPayloadFetch>(*dma);
    }
}

void
RdmaResponder::Reset()
{
    m_receives.Reset();
    Forget();
}

void
RdmaResponder::Start()
{
    Forget();
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    recovery.StartReceiving(m_connection.GetHostState().lineRate,
                            m_connection.GetAttributes().pathMtu);
    m_kept.Resize(recovery.GetReceiveWindow());
}

void
RdmaResponder::Forget()
{
    m_reads.clear();
    m_again.clear();
    m_early.clear();
    m_kept.Clear(*m_connection.GetHostState().pool);
    ForgetFetched();
    m_atomics.clear();
    m_expected = m_connection.GetAttributes().rqPsn;
    m_messageBytes = m_messageLimit = m_received = 0;
    m_msn = 0;
    m_catchingUp = false;
    m_ackDue = m_nakSent = m_gap = m_refused = m_inMessage = m_messageIsSend = false;
}

int
RdmaResponder::Post(const RdmaRecvWr& request)
{
    return m_receives.Post(request);
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
RdmaResponder::Receive(const FabricFrame& frame, int64_t now)
{
    RdmaHostState& state = m_connection.GetHostState();
    const auto expected = static_cast<int64_t>(m_expected);
    const int64_t sequence = RdmaFromPsn(frame.psn, m_expected);
    if (sequence > expected)
    {
        ++state.counters.outOfSequence;
        ReceiveAhead(frame, static_cast<uint64_t>(sequence), now);
        return;
    }
    if (sequence < expected)
    {
        ++state.counters.duplicateRequest;
        ReceiveDuplicate(frame, static_cast<uint64_t>(sequence), now);
        return;
    }
    if (m_kept.IsEmpty())
    {
        Execute(frame, now);
        return;
    }
    FabricFramePool& pool = *state.pool;
    m_catchingUp = true;
    uint64_t before = m_expected;
    Execute(frame, now);
    // Until one is refused, or there is no receive for it.
    while (m_expected != before)
    {
        before = m_expected;
        if (FabricFrame* kept = m_kept.Take(m_expected))
        {
            Execute(*kept, now);
            pool.Free(kept);
        }
    }
    if (m_catchingUp) // else it failed, or was reset
    {
        m_catchingUp = false;
        Acknowledge(RdmaAckSyndrome(), now);
    }
}

void
RdmaResponder::ReceiveAhead(const FabricFrame& frame, uint64_t sequence, int64_t now)
{
    RdmaHostState& state = m_connection.GetHostState();
    const RdmaLossRecovery& recovery = m_connection.GetRecovery();
    const bool selective = recovery.IsSelective();
    const bool kept = selective && m_kept.Keep(frame, sequence, m_expected, *state.pool);
    if (!m_gap && state.cnpOnReordering)
    {
        m_connection.Congested(now);
    }
    m_gap = true;
    if (m_nakSent || !recovery.ReportsGaps())
    {
        return;
    }
    if (!selective)
    {
        m_nakSent = true;
        Acknowledge(RdmaNakSyndrome(RdmaNakCode::PSN_SEQUENCE_ERROR), now);
        return;
    }
    if (m_early.capacity() == 0)
    {
        m_early.set_capacity(recovery.GetReceiveWindow());
    }
    // One that could not be kept tells only what is expected.
    m_early.push_back(kept ? sequence : m_expected);
    if (!HasResponses())
    {
        m_connection.GetHost().Ready(m_ackJob, now + state.transmitLatency, now);
    }
}

void
RdmaResponder::Execute(const FabricFrame& frame, int64_t now)
{
    RdmaHostState& state = m_connection.GetHostState();
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
    const bool starts = OpcodeStartsMessage(opcode);
    if (((OpcodeIsSend(opcode) && starts) || (OpcodeIsWrite(opcode) && immediate)) &&
        !m_receives.Begin())
    {
        // Silent until the requester comes back with the same packet.
        ++state.counters.outOfBuffer;
        m_nakSent = true;
        Acknowledge(RdmaRnrNakSyndrome(m_connection.GetAttributes().minRnrTimer), now);
        return;
    }
    if (starts)
    {
        if (!CheckAccess(frame, now))
        {
            return;
        }
        if (!OpcodeHasPayload(opcode))
        {
            ReceiveRead(frame, now);
            return;
        }
        state.counters.rxWriteRequests += !m_messageIsSend;
    }
    m_messageBytes += frame.payload;
    if (m_messageBytes > m_messageLimit)
    {
        Refuse(RdmaNakCode::INVALID_REQUEST,
               m_messageIsSend ? RdmaWcStatus::LOC_LEN_ERR : RdmaWcStatus::WR_FLUSH_ERR,
               now);
        return;
    }
    const bool ends = OpcodeEndsMessage(opcode);
    if (ends && OpcodeHas(opcode, OPCODE_HAS_IETH) &&
        !state.memory.Invalidate(frame.rdma.remoteKey, m_connection.GetDomain()))
    {
        Refuse(RdmaNakCode::REMOTE_ACCESS_ERROR, RdmaWcStatus::LOC_QP_OP_ERR, now);
        return;
    }
    if (frame.flags & FabricFrame::HAS_DATA)
    {
        Place(frame);
    }
    ++m_expected;
    GapClosed();
    m_received += frame.payload;
    state.counters.deliveredBytes += frame.payload;
    m_inMessage = !ends;
    m_msn += ends;
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
    m_connection.Delivered(bytes, now);
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
    m_nakSent = m_gap = false;
}

uint32_t
RdmaResponder::GetRight(uint8_t opcode)
{
    return OpcodeIsReadRequest(opcode) ? ACCESS_REMOTE_READ
           : OpcodeIsAtomic(opcode)    ? ACCESS_REMOTE_ATOMIC
                                       : ACCESS_REMOTE_WRITE;
}

bool
RdmaResponder::CheckAccess(const FabricFrame& frame, int64_t now)
{
    const uint8_t opcode = frame.opcode;
    m_messageBytes = 0;
    m_messageIsSend = OpcodeIsSend(opcode);
    if (m_messageIsSend)
    {
        m_messageLimit = m_receives.GetRoom();
        if (!m_receives.IsAllowed())
        {
            Refuse(RdmaNakCode::REMOTE_OPERATIONAL_ERROR, RdmaWcStatus::LOC_PROT_ERR, now);
            return false;
        }
        return true;
    }
    const bool atomic = OpcodeIsAtomic(opcode);
    const uint32_t length = atomic ? RDMA_ATOMIC_BYTES : frame.rdma.dmaLength;
    m_messageLimit = length;
    m_messageAddress = frame.rdma.virtualAddress;
    m_messageKey = frame.rdma.remoteKey;
    if (atomic && frame.rdma.virtualAddress % RDMA_ATOMIC_BYTES)
    {
        Refuse(RdmaNakCode::INVALID_REQUEST, RdmaWcStatus::WR_FLUSH_ERR, now);
        return false;
    }
    const uint32_t right = GetRight(opcode);
    const bool allowed = (m_connection.GetAttributes().accessFlags & right) &&
                         m_connection.GetHostState().memory.IsAllowed(frame.rdma.remoteKey,
                                                                      m_connection.GetDomain(),
                                                                      right,
                                                                      frame.rdma.virtualAddress,
                                                                      length);
    if (!allowed && length)
    {
        Refuse(RdmaNakCode::REMOTE_ACCESS_ERROR,
               OpcodeHasImmediate(opcode) ? RdmaWcStatus::LOC_ACCESS_ERR
                                          : RdmaWcStatus::WR_FLUSH_ERR,
               now);
        return false;
    }
    return true;
}

bool
RdmaResponder::AddRead(const Read& read)
{
    const uint8_t most = m_connection.GetAttributes().maxDestRdAtomic;
    if (m_reads.size() >= most)
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
    if (m_reads.capacity() < most)
    {
        m_reads.set_capacity(most);
    }
    m_reads.push_back(read);
    if (m_ackJob.priority != m_responseJob.priority)
    {
        // From now on the two must not overtake each other.
        m_connection.GetHost().Withdraw(m_ackJob);
        m_ackJob.priority = m_responseJob.priority;
    }
    return true;
}

void
RdmaResponder::ForgetFetched()
{
    if (m_fetch)
    {
        m_fetch->Restart(0);
        for (std::size_t i = 0; i < m_again.size() + m_reads.size(); ++i)
        {
            GetRead(i).fetched = GetRead(i).sent;
        }
    }
}

int64_t
RdmaResponder::Fetch(int64_t now)
{
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    while (m_fetch->GetAhead() < m_again.size() + m_reads.size() && m_fetch->HasRoom())
    {
        Read& read = GetRead(m_fetch->GetAhead());
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
RdmaResponder::ReceiveRead(const FabricFrame& frame, int64_t now)
{
    const bool atomic = OpcodeIsAtomic(frame.opcode);
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const uint64_t length = atomic ? 0 : frame.rdma.dmaLength;
    const uint64_t packets = length > mtu ? (length + mtu - 1) / mtu : 1;
    if (!AddRead({m_expected,
                  packets,
                  0,
                  0,
                  length,
                  false,
                  atomic,
                  frame.rdma.remoteKey,
                  frame.rdma.virtualAddress}))
    {
        Refuse(RdmaNakCode::INVALID_REQUEST, RdmaWcStatus::WR_FLUSH_ERR, now);
        return;
    }
    RdmaCounters& counters = m_connection.GetHostState().counters;
    if (atomic)
    {
        ++counters.rxAtomicRequests;
        m_reads.back().value = DoAtomic(frame);
    }
    else
    {
        ++counters.rxReadRequests;
    }
    ++m_msn;
    m_expected += packets;
    GapClosed();
    Respond(now);
}

uint64_t
RdmaResponder::DoAtomic(const FabricFrame& frame)
{
    uint64_t original = 0;
    uint8_t* word = m_connection.GetHostState().memory.GetBytes(frame.rdma.remoteKey,
                                                                frame.rdma.virtualAddress,
                                                                RDMA_ATOMIC_BYTES);
    if (word)
    {
        std::memcpy(&original, word, sizeof(original));
        const bool adds = frame.opcode == RC_FETCH_ADD;
        if (adds || original == frame.rdma.compare)
        {
            const uint64_t next = adds ? original + frame.rdma.swap : frame.rdma.swap;
            std::memcpy(word, &next, sizeof(next));
        }
    }
    if (m_atomics.capacity() < m_connection.GetAttributes().maxDestRdAtomic)
    {
        m_atomics.set_capacity(m_connection.GetAttributes().maxDestRdAtomic);
    }
    m_atomics.push_back({m_expected, original}); // takes the place of the oldest
    return original;
}

void
RdmaResponder::Place(const FabricFrame& frame)
{
    const uint64_t offset = m_messageBytes - frame.payload;
    if (m_messageIsSend)
    {
        m_receives.Scatter(offset, frame.rdma.data, frame.payload);
        return;
    }
    uint8_t* bytes = m_connection.GetHostState().memory.GetBytes(m_messageKey,
                                                                 m_messageAddress + offset,
                                                                 frame.payload);
    if (bytes)
    {
        std::memcpy(bytes, frame.rdma.data, frame.payload);
    }
}

void
RdmaResponder::Respond(int64_t now)
{
    m_connection.GetHost().Ready(m_responseJob, std::max(now, m_connection.GetPacedTime()), now);
}

void
RdmaResponder::ReceiveDuplicate(const FabricFrame& frame, uint64_t sequence, int64_t now)
{
    const bool atomic = OpcodeIsAtomic(frame.opcode);
    if (!atomic && !OpcodeIsReadRequest(frame.opcode))
    {
        Acknowledge(RdmaAckSyndrome(), now);
        return;
    }
    const bool selective = m_connection.GetRecovery().IsSelective();
    // A requester that has gone back to this request will ask again for all that follow it.
    while (!selective && !m_reads.empty() &&
           m_reads.back().first + m_reads.back().packets > sequence)
    {
        m_reads.pop_back();
        ForgetFetched();
    }
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    Read read{sequence, 1, 0, 0, 0, true, atomic, frame.rdma.remoteKey, frame.rdma.virtualAddress};
    bool answered;
    if (atomic)
    {
        // Never done again: what it gave then is the answer, as long as that is kept.
        const auto found =
            std::find_if(m_atomics.begin(), m_atomics.end(), [sequence](const AtomicResult& done) {
                return done.sequence == sequence;
            });
        answered = found != m_atomics.end();
        read.value = answered ? found->original : 0;
    }
    else
    {
        read.length = frame.rdma.dmaLength;
        read.packets = read.length > mtu ? (read.length + mtu - 1) / mtu : 1;
        answered = m_connection.GetHostState().memory.IsAllowed(frame.rdma.remoteKey,
                                                                m_connection.GetDomain(),
                                                                ACCESS_REMOTE_READ,
                                                                frame.rdma.virtualAddress,
                                                                frame.rdma.dmaLength);
    }
    if (answered && (selective ? AddRepeat(read) : AddRead(read)))
    {
        Respond(now);
    }
    else if (m_ackDue && m_reads.empty())
    {
        m_connection.GetHost().Ready(m_ackJob, now, now);
    }
}

bool
RdmaResponder::AddRepeat(const Read& repeat)
{
    for (const Read& read : m_reads)
    {
        if (repeat.first >= read.first + read.sent && repeat.first < read.first + read.packets)
        {
            return false; // its answer is still to be sent
        }
    }
    while (!m_again.empty() && m_again.back().first >= repeat.first &&
           m_again.back().first + m_again.back().packets <= repeat.first + repeat.packets)
    {
        m_again.pop_back(); // asked for once more before it was sent
    }
    if (m_again.full())
    {
        m_again.set_capacity(std::max<std::size_t>(4, 2 * m_again.capacity()));
    }
    m_again.push_back(repeat);
    ForgetFetched();
    return true;
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
    if (!HasResponses() && !m_catchingUp)
    {
        m_connection.GetHost().Ready(m_ackJob,
                                     now + m_connection.GetHostState().transmitLatency,
                                     now);
    }
}

FabricFrame*
RdmaResponder::BuildAck(int64_t now, int64_t& again)
{
    while (!m_early.empty() && m_early.front() < m_expected)
    {
        m_early.pop_front(); // its turn has come meanwhile
    }
    const bool early = !m_early.empty() && !m_nakSent;
    if ((!m_ackDue && !early) || HasResponses())
    {
        return nullptr;
    }
    m_ackDue = false;
    if (early)
    {
        FabricFrame* frame =
            m_connection.MakeFrame(RC_ACKNOWLEDGE, m_expected, 0, m_ackJob.priority);
        frame->rdma.syndrome = RdmaNakSyndrome(RdmaNakCode::PSN_SEQUENCE_ERROR);
        frame->rdma.msn = RdmaToPsn(m_early.front());
        m_early.pop_front();
        ++m_connection.GetHostState().counters.ackPackets;
        again = m_early.empty() ? FABRIC_NEVER : now;
        return frame;
    }
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
    if (!HasResponses())
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
    auto& reads = m_again.empty() ? m_reads : m_again;
    Read& read = reads.front();
    if (read.atomic)
    {
        FabricFrame* frame =
            m_connection.MakeFrame(RC_ATOMIC_ACKNOWLEDGE, read.first, 0, m_responseJob.priority);
        frame->rdma.syndrome = RdmaAckSyndrome();
        frame->rdma.msn = m_msn & RDMA_PSN_MASK;
        frame->rdma.original = read.value;
        frame->rdma.sent = now;
        EndRead(now, again);
        return frame;
    }
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
    AttachReadData(read, frame);
    ++read.sent;
    m_connection.Sent(now, *frame);
    if (last)
    {
        EndRead(now, again);
    }
    else
    {
        again = m_connection.NextData(now);
    }
    return frame;
}

void
RdmaResponder::EndRead(int64_t now, int64_t& again)
{
    (m_again.empty() ? m_reads : m_again).pop_front();
    if (HasResponses())
    {
        again = m_connection.NextData(now);
    }
    else if (m_ackDue || !m_early.empty())
    {
        m_connection.GetHost().Ready(m_ackJob, now, now);
    }
}

void
RdmaResponder::AttachReadData(const Read& read, FabricFrame* frame) const
{
    RdmaHostState& state = m_connection.GetHostState();
    const uint64_t address = read.value + frame->rdma.offset;
    const uint8_t* bytes =
        frame->payload ? state.memory.GetBytes(read.key, address, frame->payload) : nullptr;
    if (bytes)
    {
        std::memcpy(state.pool->AttachData(frame), bytes, frame->payload);
    }
}

void
RdmaResponder::Refuse(RdmaNakCode code, RdmaWcStatus local, int64_t now)
{
    RdmaCounters& counters = m_connection.GetHostState().counters;
    counters.respLocalLengthError += local == RdmaWcStatus::LOC_LEN_ERR;
    counters.respRemoteAccessErrors += code == RdmaNakCode::REMOTE_ACCESS_ERROR;
    m_syndrome = RdmaNakSyndrome(code);
    m_ackDue = true;
    m_nakSent = true;
    m_refused = true;
    if (!HasResponses())
    {
        m_connection.GetHost().Ready(m_ackJob,
                                     now + m_connection.GetHostState().transmitLatency,
                                     now);
    }
    if (local == RdmaWcStatus::WR_FLUSH_ERR)
    {
        // No completion can tell of it.
        m_connection.TellEvent(code == RdmaNakCode::REMOTE_ACCESS_ERROR
                                   ? RdmaEventType::QP_ACCESS_ERR
                                   : RdmaEventType::QP_REQ_ERR);
    }
    m_connection.EnterError(RdmaWcStatus::WR_FLUSH_ERR, local);
}

bool
RdmaResponder::CompleteReceive(const FabricFrame& frame, RdmaWcOpcode opcode)
{
    RdmaWc completion;
    completion.opcode = opcode;
    completion.byteLength = m_messageBytes;
    completion.hasImmediate = OpcodeHas(frame.opcode, OPCODE_HAS_IMMEDIATE);
    completion.hasInvalidated = OpcodeHas(frame.opcode, OPCODE_HAS_IETH);
    completion.immediate = completion.hasImmediate     ? frame.rdma.immediate
                           : completion.hasInvalidated ? frame.rdma.remoteKey
                                                       : 0;
    completion.solicited = frame.flags & FabricFrame::SOLICITED;
    return m_receives.Complete(completion);
}

void
RdmaResponder::Flush(RdmaWcStatus first)
{
    m_kept.Clear(*m_connection.GetHostState().pool);
    m_early.clear();
    m_catchingUp = false;
    if (!m_refused)
    {
        m_reads.clear();
        m_again.clear();
        ForgetFetched();
        m_ackDue = false;
    }
    m_receives.Flush(first);
}

uint32_t
RdmaResponder::GetPostedReceives() const
{
    return m_receives.GetPosted();
}

uint64_t
RdmaResponder::GetReceivedBytes() const
{
    return m_received;
}

} // namespace rdma
} // namespace ns3
