/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-requester.h"

#include "ns3/assert.h"
#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-payload.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr int64_t ACK_TIMEOUT_UNIT = 4'096'000; // 4.096 us (IBA volume 1, section 9.7.6.1.3)

} // namespace

RdmaRequester::RdmaRequester(RdmaConnection& connection, RdmaTxJob& job)
    : m_connection(connection),
      m_job(job)
{
}

void
RdmaRequester::Configure(Ptr<RdmaCompletionQueue> completions, uint32_t depth)
{
    m_completions = completions;
    m_depth = depth;
    if (RdmaDma* dma = m_connection.GetHostState().dma)
    {
        m_fetch = std::make_unique<RdmaPayloadFetch>(*dma);
    }
}

void
RdmaRequester::Reset()
{
    m_queue.clear();
    m_next = m_highest = m_unacked = m_end = m_sendEnd = m_connection.GetAttributes().sqPsn;
    m_posted = m_acked = m_retransmitted = 0;
    m_deadline = FABRIC_NEVER;
    m_waitUntil = 0;
    m_cursor = m_sinceAckRequest = 0;
    m_reads = m_retries = m_rnrRetries = 0;
    m_waited = 0;
    m_gapSeen = m_faulty = m_draining = m_stopped = false;
    ++m_generation;
    if (m_fetch)
    {
        m_fetch->Restart(m_next);
    }
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    recovery.StartSending(m_connection.GetHostState().lineRate,
                          m_connection.GetAttributes().pathMtu,
                          m_next);
    m_packetWindow = recovery.GetSendWindow();
    m_repeat = RdmaLossRecovery::NOTHING;
    m_repeatFetched = RdmaLossRecovery::NOTHING;
    m_confirmed = m_next;
    m_selective = recovery.IsSelective();
    m_ownTimer = recovery.HasOwnTimer();
    m_opcodePrefix = recovery.GetOpcodePrefix();
}

void
RdmaRequester::Append(const RdmaSendWqe& request)
{
    if (m_queue.full())
    {
        m_queue.set_capacity(std::max<std::size_t>(4, 2 * m_queue.capacity()));
    }
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const uint64_t packets = request.length > mtu ? (request.length + mtu - 1) / mtu : 1;
    m_queue.push_back({request, m_end, packets, m_posted, 0});
    m_end += packets;
    m_posted += request.length;
}

int
RdmaRequester::Post(const RdmaSendWqe& request, bool allowed, int64_t now)
{
    if (m_queue.size() >= m_depth)
    {
        return ENOMEM;
    }
    if (!allowed && !m_faulty)
    {
        m_faulty = m_stopped = true;
        m_faultStart = m_end;
    }
    Append(request);
    const int64_t arrival = RingDoorbell(now);
    if (!m_stopped)
    {
        m_sendEnd = m_end;
    }
    else if (!allowed && CheckStop())
    {
        return 0;
    }
    if (HasWork())
    {
        m_connection.GetHost().Ready(m_job,
                                     std::max({arrival, m_waitUntil, m_connection.GetPacedTime()}),
                                     now);
    }
    return 0;
}

int64_t
RdmaRequester::RingDoorbell(int64_t now)
{
    const RdmaHostState& state = m_connection.GetHostState();
    int64_t arrival = now + state.doorbellDelay;
    if (m_fetch)
    {
        const RdmaDma::Parameters& dma = state.dma->GetParameters();
        arrival += dma.fetchRequests || m_queue.back().request.listed ? dma.readDelay : 0;
        // The NIC works on the requests of a queue pair in their order.
        if (m_queue.size() > 1)
        {
            arrival = std::max(arrival, m_queue[m_queue.size() - 2].arrival);
        }
        m_queue.back().arrival = arrival;
    }
    return arrival;
}

void
RdmaRequester::PostFlushed(const RdmaSendWqe& request)
{
    // In the queue, because those before it may just be being flushed.
    Append(request);
    Flush(RdmaWcStatus::WR_FLUSH_ERR);
}

uint64_t
RdmaRequester::StreamOffset(const Entry& entry, uint64_t sequence) const
{
    const uint64_t bytes = (sequence - entry.first) * m_connection.GetAttributes().pathMtu;
    return entry.streamOffset + std::min(bytes, entry.request.length);
}

uint64_t
RdmaRequester::GetInFlight() const
{
    if (m_queue.empty())
    {
        return 0;
    }
    const uint64_t sent =
        m_cursor < m_queue.size() ? StreamOffset(m_queue[m_cursor], m_next) : m_posted;
    return sent - StreamOffset(m_queue.front(), m_unacked);
}

bool
RdmaRequester::HasWork() const
{
    if (m_repeat != RdmaLossRecovery::NOTHING)
    {
        return true;
    }
    if (m_next == m_sendEnd)
    {
        return false;
    }
    const Entry& entry = m_queue[m_cursor];
    if (entry.request.fence && m_reads)
    {
        return false;
    }
    if (RdmaAwaitsResponse(entry.request.opcode))
    {
        return m_reads < m_connection.GetAttributes().maxRdAtomic &&
               m_next - m_unacked < m_packetWindow &&
               entry.first + entry.packets - m_unacked <= RDMA_PSN_WINDOW;
    }
    const uint64_t window = m_connection.GetWindow();
    return m_next - m_unacked < m_packetWindow && (!window || GetInFlight() < window);
}

void
RdmaRequester::Kick(int64_t now)
{
    if (m_job.state == RdmaTxJob::State::IDLE && HasWork())
    {
        m_connection.GetHost().Ready(m_job,
                                     std::max({now, m_waitUntil, m_connection.GetPacedTime()}),
                                     now);
    }
}

int64_t
RdmaRequester::Fetch(int64_t now)
{
    if (m_fetch->GetFirst() != m_next)
    {
        m_fetch->Restart(m_next); // it went back, or something was confirmed unexpectedly
    }
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    while (m_fetch->GetEnd() < m_sendEnd && m_fetch->HasRoom())
    {
        const Entry& entry = m_queue[m_cursor + m_fetch->GetAhead()];
        if (entry.arrival > now)
        {
            break;
        }
        const uint64_t index = m_fetch->GetEnd() - entry.first;
        const bool oneRequest = RdmaAwaitsResponse(entry.request.opcode);
        const bool fetched = !oneRequest && !entry.request.inlineData;
        const uint64_t left = entry.request.length - index * mtu;
        m_fetch->Push(oneRequest ? entry.packets - index : 1,
                      fetched ? static_cast<uint32_t>(std::min<uint64_t>(left, mtu)) : 0,
                      oneRequest || index + 1 == entry.packets,
                      now);
    }
    return m_fetch->IsEmpty() ? m_queue[m_cursor].arrival : m_fetch->GetReady();
}

FabricFrame*
RdmaRequester::Build(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (!HasWork())
    {
        if (m_sinceAckRequest && m_deadline == FABRIC_NEVER)
        {
            RestartTimer(now); // the window closed before an answer was asked for
        }
        return nullptr;
    }
    if (m_waitUntil > now)
    {
        again = m_waitUntil;
        return nullptr;
    }
    if (m_connection.GetPacedTime() > now)
    {
        again = m_connection.NextData(now);
        return nullptr;
    }
    if (m_repeat != RdmaLossRecovery::NOTHING)
    {
        return BuildRepeat(now, again);
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
    const Entry& entry = m_queue[m_cursor];
    const uint64_t end = entry.first + entry.packets;
    const bool sentBefore = m_next < m_highest;
    FabricFrame* frame = MakePacket(entry, m_next, end - m_next, now);
    bool messageEnds = true;
    if (RdmaAwaitsResponse(entry.request.opcode))
    {
        m_next = end;
        ++m_reads;
    }
    else
    {
        messageEnds = ++m_next == end;
    }
    RdmaHostState& state = m_connection.GetHostState();
    if (sentBefore)
    {
        ++m_retransmitted;
        ++state.counters.retransmittedPackets;
    }
    m_highest = std::max(m_highest, m_next);
    if (messageEnds)
    {
        ++m_cursor;
    }
    const bool more = HasWork();
    // The responder answers when asked: at the end of a message, every so many packets, and before
    // the sender has to stop and wait for the answer.
    if (messageEnds || ++m_sinceAckRequest >= state.ackInterval || !more)
    {
        frame->flags |= FabricFrame::ACK_REQUEST;
        m_sinceAckRequest = 0;
        if (m_deadline == FABRIC_NEVER)
        {
            RestartTimer(now);
        }
    }
    if (more)
    {
        again = m_connection.NextData(now);
    }
    return frame;
}

FabricFrame*
RdmaRequester::MakePacket(const Entry& entry, uint64_t sequence, uint64_t packets, int64_t now)
{
    const RdmaSendWqe& request = entry.request;
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const uint64_t offset = (sequence - entry.first) * mtu;
    const uint64_t left = request.length - offset;
    FabricFrame* frame;
    if (request.opcode == RdmaWrOpcode::RDMA_READ)
    {
        frame = m_connection.MakeFrame(RC_RDMA_READ_REQUEST, sequence, 0, m_job.priority);
        frame->rdma.virtualAddress = request.remoteAddress + offset;
        frame->rdma.dmaLength = static_cast<uint32_t>(std::min(left, packets * mtu));
        frame->rdma.offset = offset;
    }
    else if (RdmaIsAtomic(request.opcode))
    {
        const bool swaps = request.opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP;
        frame = m_connection.MakeFrame(swaps ? RC_COMPARE_SWAP : RC_FETCH_ADD,
                                       sequence,
                                       0,
                                       m_job.priority);
        frame->rdma.virtualAddress = request.remoteAddress;
        frame->rdma.swap = swaps ? request.swap : request.compareAdd;
        frame->rdma.compare = swaps ? request.compareAdd : 0;
    }
    else
    {
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, mtu));
        const bool ends = sequence + 1 == entry.first + entry.packets;
        const RdmaOpcode opcode = RdmaPacketOpcode(request.opcode, sequence == entry.first, ends);
        frame = m_connection.MakeFrame(opcode | m_opcodePrefix, sequence, payload, m_job.priority);
        frame->rdma.virtualAddress = request.remoteAddress;
        frame->rdma.dmaLength = static_cast<uint32_t>(request.length);
        frame->rdma.offset = offset;
        if (request.hasData && payload)
        {
            RdmaHostState& state = m_connection.GetHostState();
            RdmaAttachPayload(state.memory, *state.pool, request, offset, frame);
        }
        if (request.solicited && ends)
        {
            frame->flags |= FabricFrame::SOLICITED;
        }
        m_connection.Sent(now, *frame);
    }
    // With Invalidate there is no R_Key but the one to invalidate.
    frame->rdma.remoteKey =
        request.opcode == RdmaWrOpcode::SEND_WITH_INV ? request.immediate : request.rkey;
    frame->rdma.immediate = request.immediate;
    frame->rdma.sent = now;
    return frame;
}

const RdmaRequester::Entry&
RdmaRequester::FindEntry(uint64_t sequence) const
{
    std::size_t i = 0;
    while (sequence >= m_queue[i].first + m_queue[i].packets)
    {
        ++i;
    }
    return m_queue[i];
}

FabricFrame*
RdmaRequester::BuildRepeat(int64_t now, int64_t& again)
{
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    const Entry& entry = FindEntry(m_repeat);
    const bool read = RdmaAwaitsResponse(entry.request.opcode);
    const uint64_t run = read ? recovery.GetRepeatRun(entry.first + entry.packets) : 1;
    if (m_fetch && !read)
    {
        if (m_repeatFetched != m_repeat)
        {
            RdmaDma& dma = *m_connection.GetHostState().dma;
            const uint32_t mtu = m_connection.GetAttributes().pathMtu;
            const uint64_t left = entry.request.length - (m_repeat - entry.first) * mtu;
            const auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, mtu));
            const bool fetched = payload && !entry.request.inlineData;
            m_repeatFetched = m_repeat;
            m_repeatReady =
                (fetched ? dma.Read(payload, now) : now) + dma.GetParameters().transmitLatency;
        }
        if (m_repeatReady > now)
        {
            again = m_repeatReady;
            return nullptr;
        }
        m_repeatFetched = RdmaLossRecovery::NOTHING;
    }
    FabricFrame* frame = MakePacket(entry, m_repeat, run, now);
    // So that the requester hears at once of the gap being closed.
    frame->flags |= FabricFrame::ACK_REQUEST;
    recovery.Repeated(run, m_highest);
    m_repeat = recovery.GetRepeat();
    ++m_retransmitted;
    ++m_connection.GetHostState().counters.retransmittedPackets;
    if (m_deadline == FABRIC_NEVER)
    {
        RestartTimer(now);
    }
    if (HasWork())
    {
        again = m_connection.NextData(now);
    }
    return frame;
}

void
RdmaRequester::RestartTimer(int64_t now)
{
    const uint8_t timeout = m_connection.GetAttributes().timeout;
    if (m_unacked == m_highest || timeout == 0)
    {
        m_deadline = FABRIC_NEVER;
        return;
    }
    m_timeout = ACK_TIMEOUT_UNIT << timeout;
    if (m_ownTimer)
    {
        m_timeout = m_connection.GetRecovery().GetTimeout(m_timeout, m_next - m_unacked);
    }
    m_deadline = now + m_timeout;
    m_connection.NeedTimer(m_deadline);
}

bool
RdmaRequester::Complete(const Entry& entry, RdmaWcStatus status)
{
    if (status == RdmaWcStatus::SUCCESS && !entry.request.signaled)
    {
        return true;
    }
    RdmaCounters& counters = m_connection.GetHostState().counters;
    counters.reqCqeFlushError += status == RdmaWcStatus::WR_FLUSH_ERR;
    counters.reqCqeError += status != RdmaWcStatus::WR_FLUSH_ERR && status != RdmaWcStatus::SUCCESS;
    RdmaWc completion;
    completion.wrId = entry.request.wrId;
    completion.status = status;
    completion.opcode = RdmaCompletionOpcode(entry.request.opcode);
    completion.queuePair = m_connection.GetNumber();
    completion.byteLength = RdmaAwaitsResponse(entry.request.opcode) ? entry.request.length : 0;
    return m_connection.GetHost().Complete(m_completions, completion);
}

RdmaRequester::Progress
RdmaRequester::AdvanceTo(uint64_t sequence, int64_t now)
{
    const uint64_t before = m_unacked;
    const uint64_t ackedBefore = m_acked;
    const uint32_t generation = m_generation;
    Progress progress = Progress::DONE;
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    if (m_selective)
    {
        // What the responder has done is done, whatever reads in front of it are missing.
        m_confirmed = sequence = std::max(m_confirmed, sequence);
    }
    while (!m_queue.empty() && m_unacked < sequence)
    {
        const Entry entry = m_queue.front();
        const uint64_t end = entry.first + entry.packets;
        const bool read = RdmaAwaitsResponse(entry.request.opcode);
        const uint64_t reached =
            read ? recovery.FindMissing(m_unacked, end) : std::min(sequence, end);
        if (read && reached < end)
        {
            progress = Progress::READ_MISSING;
        }
        m_unacked = reached;
        m_acked = StreamOffset(entry, m_unacked);
        // What was about to be sent again has arrived after all.
        m_next = std::max(m_next, m_unacked);
        if (m_selective)
        {
            recovery.Acked(m_unacked, now);
            m_repeat = recovery.GetRepeat(); // a callback below may make it be asked for
        }
        if (m_unacked < end)
        {
            break;
        }
        m_queue.pop_front();
        m_cursor -= m_cursor > 0;
        if (read)
        {
            --m_reads;
            ++m_connection.GetHostState().counters.deliveredMessages;
        }
        if (!Complete(entry, RdmaWcStatus::SUCCESS))
        {
            m_connection.EnterError();
        }
        if (generation != m_generation)
        {
            return Progress::OVER;
        }
    }
    if (m_unacked != before)
    {
        Progressed(now);
        RdmaCongestionOps& congestion = m_connection.GetCongestion();
        if (congestion.GetSignals() & RdmaCongestionOps::ACK)
        {
            CcAckEvent event;
            event.now = now;
            event.ackedBytes = m_acked - ackedBefore;
            event.bytesInFlight = GetInFlight();
            congestion.Ack(event);
        }
        if (m_stopped && CheckStop())
        {
            return Progress::OVER;
        }
    }
    return progress;
}

void
RdmaRequester::Progressed(int64_t now)
{
    m_retries = m_rnrRetries = 0;
    m_waited = 0;
    m_gapSeen = false;
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    if (recovery.WantsAcks())
    {
        recovery.Acked(m_unacked, now);
        m_repeat = recovery.GetRepeat();
    }
    RestartTimer(now);
}

void
RdmaRequester::GoBack(int64_t now)
{
    m_next = m_unacked;
    m_cursor = 0;
    m_reads = 0;
    m_sinceAckRequest = 0;
    // Nothing can time out until something is on the wire again.
    m_deadline = FABRIC_NEVER;
    Kick(now);
}

void
RdmaRequester::Recover(RdmaLossEvent::Kind kind, uint64_t ahead, int64_t now)
{
    RdmaLossEvent event;
    event.now = now;
    event.kind = kind;
    event.unacked = m_unacked;
    event.ahead = ahead;
    event.highest = m_highest;
    const uint8_t timeout = m_connection.GetAttributes().timeout;
    event.ackTimeout = timeout ? ACK_TIMEOUT_UNIT << timeout : 0;
    RdmaLossRecovery& recovery = m_connection.GetRecovery();
    if (recovery.Lost(event))
    {
        GoBack(now);
        return;
    }
    m_repeat = recovery.GetRepeat();
    if (kind == RdmaLossEvent::Kind::TIMEOUT || kind == RdmaLossEvent::Kind::NOT_READY)
    {
        m_deadline = FABRIC_NEVER; // until something is on the wire again
    }
    Kick(now);
}

bool
RdmaRequester::UseRetry()
{
    if (m_retries >= m_connection.GetAttributes().retryCount)
    {
        m_connection.EnterError(RdmaWcStatus::RETRY_EXC_ERR);
        return false;
    }
    ++m_retries;
    return true;
}

void
RdmaRequester::MarkConfirmed()
{
    for (const Entry& entry : m_queue)
    {
        if (entry.first >= m_confirmed)
        {
            return;
        }
        if (!RdmaAwaitsResponse(entry.request.opcode))
        {
            const uint64_t end = std::min(entry.first + entry.packets, m_confirmed);
            for (uint64_t i = entry.first; i < end; ++i)
            {
                m_connection.GetRecovery().Arrived(i);
            }
        }
    }
}

void
RdmaRequester::ReadGap(uint64_t ahead, int64_t now)
{
    const bool seen = m_gapSeen;
    m_gapSeen = true;
    m_connection.GetHostState().counters.impliedNakSeqErr += !seen;
    if (m_selective)
    {
        MarkConfirmed();
    }
    if (m_selective || (!seen && UseRetry()))
    {
        Recover(RdmaLossEvent::Kind::RESPONSE_GAP, ahead, now);
    }
}

bool
RdmaRequester::CheckStop()
{
    if (m_unacked != m_sendEnd)
    {
        return false;
    }
    if (m_draining)
    {
        const uint32_t generation = m_generation;
        m_connection.SendQueueDrained();
        return generation != m_generation; // who is told may do anything
    }
    m_connection.EnterError(RdmaWcStatus::LOC_PROT_ERR);
    return true;
}

uint64_t
RdmaRequester::GetBegunEnd() const
{
    for (std::size_t i = m_queue.size(); i-- > 0;)
    {
        if (m_queue[i].first < m_highest)
        {
            return m_queue[i].first + m_queue[i].packets;
        }
    }
    return m_unacked;
}

void
RdmaRequester::Drain()
{
    m_draining = m_stopped = true;
    m_sendEnd = GetBegunEnd();
    CheckStop();
}

void
RdmaRequester::Resume(int64_t now)
{
    m_draining = false;
    m_stopped = m_faulty;
    m_sendEnd = m_faulty ? m_faultStart : m_end;
    if (!m_stopped || !CheckStop())
    {
        Kick(now);
    }
}

void
RdmaRequester::ReceiveAck(const FabricFrame& frame, int64_t now)
{
    const int64_t sequence = RdmaFromPsn(frame.psn, m_unacked);
    const RdmaAethKind kind = RdmaSyndromeKind(frame.rdma.syndrome);
    // An ACK confirms its packet, the others only what is before it.
    const int64_t confirmed = sequence + (kind == RdmaAethKind::ACK);
    if (confirmed < static_cast<int64_t>(m_unacked) ||
        sequence >= static_cast<int64_t>(m_highest) || kind == RdmaAethKind::RESERVED)
    {
        return; // stale
    }
    const Progress progress = AdvanceTo(static_cast<uint64_t>(confirmed), now);
    if (progress == Progress::OVER)
    {
        return;
    }
    if (progress == Progress::READ_MISSING)
    {
        ReadGap(static_cast<uint64_t>(confirmed), now);
    }
    if (progress == Progress::DONE || m_selective)
    {
        if (kind == RdmaAethKind::RNR_NAK)
        {
            ReceiverNotReady(frame, now);
        }
        else if (kind == RdmaAethKind::NAK)
        {
            Refused(frame, now);
        }
    }
    Kick(now);
}

void
RdmaRequester::ReceiverNotReady(const FabricFrame& frame, int64_t now)
{
    ++m_connection.GetHostState().counters.rnrNakRetryErr;
    const uint8_t limit = m_connection.GetAttributes().rnrRetry;
    if (limit < 7 && m_rnrRetries >= limit)
    {
        m_connection.EnterError(RdmaWcStatus::RNR_RETRY_EXC_ERR);
        return;
    }
    ++m_rnrRetries;
    m_waitUntil = now + RdmaRnrTimerPs(RdmaSyndromeDetail(frame.rdma.syndrome));
    Recover(RdmaLossEvent::Kind::NOT_READY, 0, now);
}

void
RdmaRequester::Refused(const FabricFrame& frame, int64_t now)
{
    switch (static_cast<RdmaNakCode>(RdmaSyndromeDetail(frame.rdma.syndrome)))
    {
    case RdmaNakCode::PSN_SEQUENCE_ERROR: {
        ++m_connection.GetHostState().counters.packetSeqErr;
        RdmaCongestionOps& congestion = m_connection.GetCongestion();
        if (congestion.GetSignals() & RdmaCongestionOps::LOSS)
        {
            congestion.Loss({now, false});
        }
        // Its MSN is the packet that came ahead of its turn.
        const auto ahead = RdmaFromPsn(frame.rdma.msn, m_unacked);
        if (!m_selective)
        {
            if (UseRetry())
            {
                Recover(RdmaLossEvent::Kind::NAK, m_unacked, now);
            }
        }
        else if (ahead >= static_cast<int64_t>(m_unacked) &&
                 ahead < static_cast<int64_t>(m_highest))
        {
            // A read has arrived only when its responses have; and one that could not be kept is
            // reported by the number that is expected.
            const auto early = static_cast<uint64_t>(ahead);
            if (early > m_unacked && !RdmaAwaitsResponse(FindEntry(early).request.opcode))
            {
                m_connection.GetRecovery().Arrived(early);
            }
            Recover(RdmaLossEvent::Kind::NAK, static_cast<uint64_t>(ahead), now);
        }
        return;
    }
    case RdmaNakCode::INVALID_REQUEST:
    case RdmaNakCode::INVALID_RD_REQUEST:
        ++m_connection.GetHostState().counters.reqRemoteInvalidRequest;
        m_connection.EnterError(RdmaWcStatus::REM_INV_REQ_ERR);
        return;
    case RdmaNakCode::REMOTE_ACCESS_ERROR:
        ++m_connection.GetHostState().counters.reqRemoteAccessErrors;
        m_connection.EnterError(RdmaWcStatus::REM_ACCESS_ERR);
        return;
    case RdmaNakCode::REMOTE_OPERATIONAL_ERROR:
        m_connection.EnterError(RdmaWcStatus::REM_OP_ERR);
        return;
    }
}

void
RdmaRequester::ReceiveResponse(const FabricFrame& frame, int64_t now)
{
    const int64_t sequence = RdmaFromPsn(frame.psn, m_unacked);
    if (sequence < static_cast<int64_t>(m_unacked) || sequence >= static_cast<int64_t>(m_highest))
    {
        return; // a duplicate
    }
    const auto number = static_cast<uint64_t>(sequence);
    if (m_selective)
    {
        ReceiveSelective(frame, number, now);
        return;
    }
    switch (AdvanceTo(number, now))
    {
    case Progress::OVER:
        return;
    case Progress::READ_MISSING:
        ReadGap(number, now);
        return;
    case Progress::DONE:
        break;
    }
    const Entry entry = m_queue.front();
    if (!RdmaAwaitsResponse(entry.request.opcode))
    {
        return; // to something that was asked before the queue pair was reset
    }
    if (!IsExpected(entry, number, frame))
    {
        m_connection.EnterError(RdmaWcStatus::BAD_RESP_ERR);
        return;
    }
    PlaceResponse(entry, frame, (number - entry.first) * m_connection.GetAttributes().pathMtu);
    ++m_unacked;
    m_acked = StreamOffset(entry, m_unacked);
    m_next = std::max(m_next, m_unacked);
    RdmaHostState& state = m_connection.GetHostState();
    state.counters.deliveredBytes += frame.payload;
    Progressed(now);
    if (m_unacked == entry.first + entry.packets)
    {
        if (m_cursor > 0) // else it was to be read again from the part that has come now
        {
            --m_cursor;
            --m_reads;
        }
        m_queue.pop_front();
        ++state.counters.deliveredMessages;
        const uint32_t generation = m_generation;
        if (!Complete(entry, RdmaWcStatus::SUCCESS))
        {
            m_connection.EnterError();
        }
        if (generation != m_generation || (m_stopped && CheckStop()))
        {
            return;
        }
    }
    Kick(now);
}

void
RdmaRequester::PlaceResponse(const Entry& entry, const FabricFrame& frame, uint64_t offset) const
{
    if (!entry.request.hasData)
    {
        return;
    }
    const RdmaMemoryTable& memory = m_connection.GetHostState().memory;
    if (OpcodeIsAtomicAck(frame.opcode))
    {
        uint8_t original[RDMA_ATOMIC_BYTES];
        std::memcpy(original, &frame.rdma.original, sizeof(original));
        RdmaScatter(memory, RdmaPieces(entry.request), 0, original, sizeof(original));
    }
    else if (frame.flags & FabricFrame::HAS_DATA)
    {
        RdmaScatter(memory, RdmaPieces(entry.request), offset, frame.rdma.data, frame.payload);
    }
}

bool
RdmaRequester::IsExpected(const Entry& entry, uint64_t sequence, const FabricFrame& frame) const
{
    const bool atomic = RdmaIsAtomic(entry.request.opcode);
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const uint64_t left = entry.request.length - (sequence - entry.first) * mtu;
    return atomic == OpcodeIsAtomicAck(frame.opcode) &&
           (atomic || frame.payload == std::min<uint64_t>(left, mtu));
}

void
RdmaRequester::ReceiveSelective(const FabricFrame& frame, uint64_t sequence, int64_t now)
{
    const Entry& entry = FindEntry(sequence);
    if (!RdmaAwaitsResponse(entry.request.opcode))
    {
        return; // to something that was asked before the queue pair was reset
    }
    if (!IsExpected(entry, sequence, frame))
    {
        m_connection.EnterError(RdmaWcStatus::BAD_RESP_ERR);
        return;
    }
    if (!m_connection.GetRecovery().Arrived(sequence))
    {
        return; // a duplicate, or too far ahead
    }
    PlaceResponse(entry, frame, (sequence - entry.first) * m_connection.GetAttributes().pathMtu);
    m_connection.GetHostState().counters.deliveredBytes += frame.payload;
    if (AdvanceTo(sequence + 1, now) == Progress::OVER)
    {
        return;
    }
    if (m_unacked < sequence)
    {
        ReadGap(sequence, now);
    }
    Kick(now);
}

int64_t
RdmaRequester::OnTimer(int64_t now)
{
    if (m_deadline > now)
    {
        return m_deadline;
    }
    RdmaCounters& counters = m_connection.GetHostState().counters;
    ++counters.localAckTimeoutErr;
    counters.roceAdpRetransTo += m_connection.GetRecovery().IsAdaptive();
    RdmaCongestionOps& congestion = m_connection.GetCongestion();
    if (congestion.GetSignals() & RdmaCongestionOps::LOSS)
    {
        congestion.Loss({now, true});
    }
    m_gapSeen = false;
    // A recovery with a shorter timer does not give up earlier: what counts is the time waited.
    const int64_t retryTime = ACK_TIMEOUT_UNIT << m_connection.GetAttributes().timeout;
    m_waited += m_timeout;
    if (m_waited >= retryTime)
    {
        m_waited -= retryTime;
        if (!UseRetry())
        {
            return FABRIC_NEVER;
        }
    }
    Recover(RdmaLossEvent::Kind::TIMEOUT, 0, now);
    return m_deadline;
}

void
RdmaRequester::Flush(RdmaWcStatus first)
{
    const uint32_t generation = ++m_generation;
    m_next = m_highest = m_unacked = m_sendEnd = m_end;
    m_cursor = 0;
    m_reads = 0;
    m_faulty = m_draining = m_stopped = false;
    m_deadline = FABRIC_NEVER;
    m_repeat = RdmaLossRecovery::NOTHING;
    RdmaWcStatus status = first;
    while (!m_queue.empty() && generation == m_generation)
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        Complete(entry, status);
        status = RdmaWcStatus::WR_FLUSH_ERR;
    }
}

uint32_t
RdmaRequester::GetOutstanding() const
{
    return m_queue.size();
}

uint64_t
RdmaRequester::GetAckedBytes() const
{
    return m_acked;
}

uint64_t
RdmaRequester::GetPostedBytes() const
{
    return m_posted;
}

uint64_t
RdmaRequester::GetRetransmitted() const
{
    return m_retransmitted;
}

} // namespace rdma
} // namespace ns3
