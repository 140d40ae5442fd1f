/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-requester.h"

#include "ns3/assert.h"
#include "ns3/rdma-aeth.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr int64_t ACK_TIMEOUT_UNIT = 4'096'000; // 4.096 us (IBA volume 1, section 9.7.6.1.3)

/**
 * \param opcode What a work request does.
 * \param first Whether this is its first packet.
 * \param last Whether it is its last.
 * \return The BTH opcode of the packet.
 */
RdmaOpcode
PacketOpcode(RdmaWrOpcode opcode, bool first, bool last)
{
    const bool immediate =
        opcode == RdmaWrOpcode::SEND_WITH_IMM || opcode == RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
    const bool send = opcode == RdmaWrOpcode::SEND || opcode == RdmaWrOpcode::SEND_WITH_IMM;
    if (first && last)
    {
        return send ? (immediate ? RC_SEND_ONLY_WITH_IMMEDIATE : RC_SEND_ONLY)
                    : (immediate ? RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE : RC_RDMA_WRITE_ONLY);
    }
    if (first)
    {
        return send ? RC_SEND_FIRST : RC_RDMA_WRITE_FIRST;
    }
    if (!last)
    {
        return send ? RC_SEND_MIDDLE : RC_RDMA_WRITE_MIDDLE;
    }
    return send ? (immediate ? RC_SEND_LAST_WITH_IMMEDIATE : RC_SEND_LAST)
                : (immediate ? RC_RDMA_WRITE_LAST_WITH_IMMEDIATE : RC_RDMA_WRITE_LAST);
}

/**
 * \param opcode What a work request does.
 * \return What its completion says.
 */
RdmaWcOpcode
CompletionOpcode(RdmaWrOpcode opcode)
{
    switch (opcode)
    {
    case RdmaWrOpcode::RDMA_WRITE:
    case RdmaWrOpcode::RDMA_WRITE_WITH_IMM:
        return RdmaWcOpcode::RDMA_WRITE;
    case RdmaWrOpcode::RDMA_READ:
        return RdmaWcOpcode::RDMA_READ;
    case RdmaWrOpcode::SEND:
    case RdmaWrOpcode::SEND_WITH_IMM:
        break;
    }
    return RdmaWcOpcode::SEND;
}

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
}

void
RdmaRequester::Reset()
{
    m_queue.clear();
    m_next = m_highest = m_unacked = m_end = m_connection.GetAttributes().sqPsn;
    m_posted = m_acked = m_retransmitted = 0;
    m_deadline = FABRIC_NEVER;
    m_waitUntil = 0;
    m_cursor = m_sinceAckRequest = 0;
    m_reads = m_retries = m_rnrRetries = 0;
    m_gapSeen = false;
}

int
RdmaRequester::Post(const RdmaSendWr& request, int64_t now)
{
    if (m_queue.size() >= m_depth)
    {
        return ENOMEM;
    }
    if (m_queue.full())
    {
        m_queue.set_capacity(std::max<std::size_t>(4, 2 * m_queue.capacity()));
    }
    const uint32_t mtu = m_connection.GetAttributes().pathMtu;
    const uint64_t packets = request.length ? (request.length + mtu - 1) / mtu : 1;
    m_queue.push_back({request, m_end, packets, m_posted});
    m_end += packets;
    m_posted += request.length;
    if (HasWork())
    {
        m_connection.GetHost().Ready(
            m_job,
            std::max({now + m_connection.GetHostState().doorbellDelay,
                      m_waitUntil,
                      m_connection.GetPacedTime()}),
            now);
    }
    return 0;
}

void
RdmaRequester::PostFlushed(const RdmaSendWr& request)
{
    Complete({request, m_end, 0, m_posted}, RdmaWcStatus::WR_FLUSH_ERR);
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
    if (m_next == m_end)
    {
        return false;
    }
    const Entry& entry = m_queue[m_cursor];
    if (entry.request.opcode == RdmaWrOpcode::RDMA_READ)
    {
        return m_reads < m_connection.GetAttributes().maxRdAtomic;
    }
    const uint64_t window = m_connection.GetWindow();
    return !window || GetInFlight() < window;
}

void
RdmaRequester::Kick(int64_t now)
{
    if (m_job.state == RdmaTxJob::State::IDLE && HasWork())
    {
        m_connection.GetHost().Ready(
            m_job,
            std::max({now, m_waitUntil, m_connection.GetPacedTime()}),
            now);
    }
}

FabricFrame*
RdmaRequester::Build(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (!HasWork())
    {
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
    const RdmaQpAttributes& attributes = m_connection.GetAttributes();
    RdmaHostState& state = m_connection.GetHostState();
    const Entry& entry = m_queue[m_cursor];
    const RdmaSendWr& request = entry.request;
    const uint64_t index = m_next - entry.first;
    const uint64_t offset = index * attributes.pathMtu;
    const bool sentBefore = m_next < m_highest;
    FabricFrame* frame;
    bool messageEnds = true;
    if (request.opcode == RdmaWrOpcode::RDMA_READ)
    {
        frame = m_connection.MakeFrame(RC_RDMA_READ_REQUEST, m_next, 0, m_job.priority);
        frame->rdma.virtualAddress = request.remoteAddress + offset;
        frame->rdma.dmaLength = static_cast<uint32_t>(request.length - offset);
        m_next = entry.first + entry.packets;
        ++m_reads;
    }
    else
    {
        const uint64_t left = request.length - offset;
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, attributes.pathMtu));
        messageEnds = index + 1 == entry.packets;
        frame = m_connection.MakeFrame(PacketOpcode(request.opcode, index == 0, messageEnds),
                                       m_next,
                                       payload,
                                       m_job.priority);
        frame->rdma.virtualAddress = request.remoteAddress;
        frame->rdma.dmaLength = static_cast<uint32_t>(request.length);
        ++m_next;
        m_connection.Sent(now, *frame);
    }
    frame->rdma.remoteKey = request.rkey;
    frame->rdma.immediate = request.immediate;
    frame->rdma.offset = offset;
    frame->rdma.sent = now;
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
    }
    RestartTimer(now);
    if (more)
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
    m_deadline = now + (ACK_TIMEOUT_UNIT << timeout);
    m_connection.NeedTimer(m_deadline);
}

bool
RdmaRequester::Complete(const Entry& entry, RdmaWcStatus status)
{
    if (status == RdmaWcStatus::SUCCESS && !entry.request.signaled)
    {
        return true;
    }
    RdmaWc completion;
    completion.wrId = entry.request.wrId;
    completion.status = status;
    completion.opcode = CompletionOpcode(entry.request.opcode);
    completion.queuePair = m_connection.GetNumber();
    completion.byteLength =
        entry.request.opcode == RdmaWrOpcode::RDMA_READ ? entry.request.length : 0;
    return m_completions->Push(completion);
}

bool
RdmaRequester::AdvanceTo(uint64_t sequence, int64_t now)
{
    const uint64_t before = m_unacked;
    const uint64_t ackedBefore = m_acked;
    bool overrun = false;
    bool readMissing = false;
    while (!m_queue.empty() && m_unacked < sequence)
    {
        const Entry entry = m_queue.front();
        if (entry.request.opcode == RdmaWrOpcode::RDMA_READ)
        {
            readMissing = true;
            break;
        }
        const uint64_t end = entry.first + entry.packets;
        m_unacked = std::min(sequence, end);
        m_acked = StreamOffset(entry, m_unacked);
        if (m_unacked < end)
        {
            break;
        }
        m_queue.pop_front();
        m_cursor -= m_cursor > 0;
        overrun |= !Complete(entry, RdmaWcStatus::SUCCESS);
    }
    if (m_next < m_unacked)
    {
        // What was about to be sent again has arrived after all.
        m_next = m_unacked;
        m_cursor = 0;
    }
    if (m_unacked != before)
    {
        m_retries = m_rnrRetries = 0;
        m_gapSeen = false;
        RestartTimer(now);
        RdmaCongestionOps& congestion = m_connection.GetCongestion();
        if (congestion.GetSignals() & RdmaCongestionOps::ACK)
        {
            CcAckEvent event;
            event.now = now;
            event.ackedBytes = m_acked - ackedBefore;
            event.bytesInFlight = GetInFlight();
            congestion.Ack(event);
        }
    }
    if (overrun)
    {
        m_connection.EnterError(now);
    }
    return readMissing;
}

void
RdmaRequester::GoBack(int64_t now)
{
    m_next = m_unacked;
    m_cursor = 0;
    m_reads = 0;
    m_sinceAckRequest = 0;
    Kick(now);
}

bool
RdmaRequester::Retry(int64_t now)
{
    if (m_retries >= m_connection.GetAttributes().retryCount)
    {
        Fail(RdmaWcStatus::RETRY_EXC_ERR, now);
        return false;
    }
    ++m_retries;
    return true;
}

void
RdmaRequester::Fail(RdmaWcStatus status, int64_t now)
{
    Flush(status);
    m_connection.EnterError(now);
}

void
RdmaRequester::ReceiveAck(const FabricFrame& frame, int64_t now)
{
    const int64_t sequence = RdmaFromPsn(frame.psn, m_unacked);
    const bool stale = sequence + 1 < static_cast<int64_t>(m_unacked) ||
                       sequence >= static_cast<int64_t>(m_highest);
    if (stale)
    {
        return;
    }
    const auto number = static_cast<uint64_t>(sequence);
    switch (RdmaSyndromeKind(frame.rdma.syndrome))
    {
    case RdmaAethKind::ACK:
        // An ACK behind a read whose responses are missing means that they were lost.
        if (AdvanceTo(number + 1, now) && !m_gapSeen)
        {
            m_gapSeen = true;
            ++m_connection.GetHostState().counters.impliedNakSeqErr;
            if (Retry(now))
            {
                GoBack(now);
            }
            return;
        }
        break;
    case RdmaAethKind::RNR_NAK: {
        if (number < m_unacked)
        {
            return;
        }
        AdvanceTo(number, now);
        if (m_unacked != number)
        {
            break;
        }
        ++m_connection.GetHostState().counters.rnrNakRetryErr;
        const uint8_t limit = m_connection.GetAttributes().rnrRetry;
        if (limit < 7 && m_rnrRetries >= limit)
        {
            Fail(RdmaWcStatus::RNR_RETRY_EXC_ERR, now);
            return;
        }
        ++m_rnrRetries;
        m_waitUntil = now + RdmaRnrTimerPs(RdmaSyndromeDetail(frame.rdma.syndrome));
        m_deadline = FABRIC_NEVER;
        GoBack(now);
        return;
    }
    case RdmaAethKind::NAK: {
        if (number < m_unacked)
        {
            return;
        }
        const bool readMissing = AdvanceTo(number, now);
        switch (static_cast<RdmaNakCode>(RdmaSyndromeDetail(frame.rdma.syndrome)))
        {
        case RdmaNakCode::PSN_SEQUENCE_ERROR: {
            ++m_connection.GetHostState().counters.packetSeqErr;
            RdmaCongestionOps& congestion = m_connection.GetCongestion();
            if (congestion.GetSignals() & RdmaCongestionOps::LOSS)
            {
                congestion.Loss({now, false});
            }
            if (Retry(now))
            {
                GoBack(now);
            }
            return;
        }
        case RdmaNakCode::INVALID_REQUEST:
        case RdmaNakCode::INVALID_RD_REQUEST:
            if (!readMissing)
            {
                Fail(RdmaWcStatus::REM_INV_REQ_ERR, now);
                return;
            }
            break;
        case RdmaNakCode::REMOTE_ACCESS_ERROR:
            if (!readMissing)
            {
                Fail(RdmaWcStatus::REM_ACCESS_ERR, now);
                return;
            }
            break;
        case RdmaNakCode::REMOTE_OPERATIONAL_ERROR:
            if (!readMissing)
            {
                Fail(RdmaWcStatus::REM_OP_ERR, now);
                return;
            }
            break;
        }
        break;
    }
    case RdmaAethKind::RESERVED:
        return;
    }
    Kick(now);
}

void
RdmaRequester::ReceiveReadResponse(const FabricFrame& frame, int64_t now)
{
    const int64_t sequence = RdmaFromPsn(frame.psn, m_unacked);
    if (sequence < static_cast<int64_t>(m_unacked) || sequence >= static_cast<int64_t>(m_highest))
    {
        return; // a duplicate
    }
    const auto number = static_cast<uint64_t>(sequence);
    AdvanceTo(number, now);
    if (m_queue.empty() || m_unacked != number ||
        m_queue.front().request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        if (!m_gapSeen && !m_queue.empty())
        {
            m_gapSeen = true;
            ++m_connection.GetHostState().counters.impliedNakSeqErr;
            if (Retry(now))
            {
                GoBack(now);
            }
        }
        return;
    }
    const Entry entry = m_queue.front();
    ++m_unacked;
    m_acked = StreamOffset(entry, m_unacked);
    m_retries = m_rnrRetries = 0;
    m_gapSeen = false;
    m_next = std::max(m_next, m_unacked);
    RdmaHostState& state = m_connection.GetHostState();
    state.counters.deliveredBytes += frame.payload;
    RestartTimer(now);
    if (m_unacked == entry.first + entry.packets)
    {
        if (m_cursor > 0) // else it was to be read again from the part that has come now
        {
            --m_cursor;
            --m_reads;
        }
        m_queue.pop_front();
        ++state.counters.deliveredMessages;
        const bool room = Complete(entry, RdmaWcStatus::SUCCESS);
        if (!room)
        {
            m_connection.EnterError(now);
            return;
        }
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
    m_deadline = FABRIC_NEVER;
    ++m_connection.GetHostState().counters.localAckTimeoutErr;
    RdmaCongestionOps& congestion = m_connection.GetCongestion();
    if (congestion.GetSignals() & RdmaCongestionOps::LOSS)
    {
        congestion.Loss({now, true});
    }
    if (Retry(now))
    {
        m_gapSeen = false;
        // Until something of it is on the wire again nothing can time out; Build restarts the timer.
        GoBack(now);
    }
    return m_deadline;
}

void
RdmaRequester::Flush(RdmaWcStatus first)
{
    RdmaWcStatus status = first;
    while (!m_queue.empty())
    {
        const Entry entry = m_queue.front();
        m_queue.pop_front();
        Complete(entry, status);
        status = RdmaWcStatus::WR_FLUSH_ERR;
    }
    m_next = m_highest = m_unacked = m_end;
    m_cursor = 0;
    m_reads = 0;
    m_deadline = FABRIC_NEVER;
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
