/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-sender.h"

#include "ns3/fabric-serializer.h"
#include "ns3/rdma-srd-peer.h"
#include "ns3/rdma-srd-queue-pair.h"
#include "ns3/rdma-srd-transport.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

namespace
{

using State = RdmaSrdPacketRecord::State;

constexpr uint8_t MAX_DOUBLINGS = 6;       // of waiting times
constexpr uint8_t RETRY_FOR_EVER = 7;      // receiver-not-ready retry count
constexpr int64_t PROBES_PER_PATIENCE = 4; // of a peer that owes read data

} // namespace

RdmaSrdSender::RdmaSrdSender(RdmaSrdPeer& peer)
    : m_peer(peer)
{
}

void
RdmaSrdSender::Prepare(int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    const RdmaHostState& host = transport.GetHost().GetState();
    m_policy = transport.MakePathPolicy();
    m_policy->Start(host.endpoint, m_peer.GetEndpoint(), SRD_UDP_PORT);
    m_packets.SetPaths(m_policy->GetNPaths());
    m_congestion = transport.MakeCongestion();
    m_congestion->Start(host.lineRate, now);
}

void
RdmaSrdSender::Post(RdmaSrdMessage* message, int64_t now)
{
    if (!m_congestion)
    {
        Prepare(now);
    }
    if (m_parked || m_acknowledged.GetBase() == m_packets.GetNext())
    {
        // Nothing is under way, so nothing was missed so far.
        m_heardAt = now;
    }
    m_parked = false;
    message->sender = this;
    m_streams.Push(message);
    Kick(now);
}

uint64_t
RdmaSrdSender::GetWindow() const
{
    const uint64_t fixed = m_peer.GetTransport().GetParameters().maxInFlight;
    const uint64_t wanted = m_congestion->GetWindow();
    return !wanted ? fixed : !fixed ? wanted : std::min(wanted, fixed);
}

int64_t
RdmaSrdSender::GetPacedTime() const
{
    const uint64_t rate = m_congestion->GetRate();
    return rate >= m_congestion->GetLineRate() || !m_paceBytes
               ? 0
               : m_paceStart + FabricSerializer::Duration(rate, m_paceBytes);
}

bool
RdmaSrdSender::HasWork() const
{
    if (m_parked || (m_streams.IsEmpty() && !m_packets.GetFirstLost()))
    {
        return false;
    }
    const uint64_t window = GetWindow();
    // What is in flight may come close to the window; a packet more is let through, so that a
    // window below one packet still lets one fly.
    return !window || m_inFlight < window;
}

void
RdmaSrdSender::Kick(int64_t now)
{
    m_congestion->Advance(now);
    if (HasWork())
    {
        m_peer.GetTransport().GetHost().Ready(m_peer.GetDataJob(),
                                              std::max(now, GetPacedTime()),
                                              now);
    }
}

uint64_t
RdmaSrdSender::CutPacket(int64_t now)
{
    const RdmaSrdParameters& parameters = m_peer.GetTransport().GetParameters();
    if (m_packets.GetNext() - m_acknowledged.GetBase() >= parameters.maxSpan)
    {
        return 0;
    }
    while (!m_streams.IsEmpty())
    {
        RdmaSrdMessage* message = m_streams.Peek();
        if (message->over)
        {
            m_streams.Pop();
            Settle(message, now);
            continue;
        }
        const bool empty =
            message->opcode == RdmaSrdOpcode::READ_REQUEST || message->status != RdmaSrdStatus::OK;
        const uint32_t bytes = empty ? 0 : std::min(parameters.mtu, message->length - message->cut);
        const uint64_t sequence = m_packets.Add(m_acknowledged.GetBase());
        RdmaSrdPacketRecord& packet = m_packets.At(sequence);
        packet.message = message;
        packet.messageId = message->wireId;
        packet.offset = message->cut;
        packet.payload = static_cast<uint16_t>(bytes);
        ++message->unacknowledged;
        message->cut += bytes;
        if (empty || message->cut == message->length)
        {
            m_streams.Pop();
        }
        else
        {
            m_streams.Advance();
        }
        return sequence;
    }
    return 0;
}

void
RdmaSrdSender::AddVoid(uint32_t messageId)
{
    const uint64_t sequence = m_packets.Add(m_acknowledged.GetBase());
    m_packets.At(sequence).messageId = messageId;
    m_packets.AddLost(sequence);
}

FabricFrame*
RdmaSrdSender::Build(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    m_congestion->Advance(now);
    if (!HasWork())
    {
        return nullptr;
    }
    const int64_t paced = GetPacedTime();
    if (paced > now)
    {
        again = std::min(paced, m_congestion->NextDeadline());
        return nullptr;
    }
    uint64_t sequence = m_packets.GetFirstLost();
    if (sequence)
    {
        m_packets.RemoveLost(sequence);
    }
    else
    {
        sequence = CutPacket(now);
        if (!sequence)
        {
            return nullptr;
        }
    }
    FabricFrame* frame = Send(sequence, now);
    if (HasWork())
    {
        const int64_t next = GetPacedTime();
        again = next <= now ? now : std::min(next, m_congestion->NextDeadline());
    }
    else if (m_streams.IsEmpty())
    {
        m_sampler.Limited(m_inFlight);
    }
    return frame;
}

FabricFrame*
RdmaSrdSender::Send(uint64_t sequence, int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    RdmaHostState& host = transport.GetHost().GetState();
    const RdmaSrdParameters& parameters = transport.GetParameters();
    RdmaSrdMessage* message = m_packets.At(sequence).message;
    if (message && message->over)
    {
        // What is left of it only fills its place.
        m_packets.At(sequence).message = nullptr;
        m_packets.At(sequence).payload = 0;
        --message->unacknowledged;
        Settle(message, now);
        message = nullptr;
    }
    RdmaSrdPacketRecord& packet = m_packets.At(sequence);
    const bool first = packet.transmissions == 0;
    const bool idle = !m_packets.GetOldest();
    packet.path = m_policy->Select(first ? RdmaPathPolicy::NO_PATH : packet.path, now);
    packet.sent = now;
    packet.transmissions = static_cast<uint8_t>(std::min(packet.transmissions + 1, 255));
    packet.mark = m_sampler.Sent(now, idle);
    m_packets.AddFlying(sequence);
    m_inFlight += packet.payload;

    FabricFrame* frame = host.pool->Allocate();
    const RdmaSrdOpcode opcode = message ? message->opcode : RdmaSrdOpcode::VOID;
    frame->kind = FabricFrameKind::SRD;
    frame->destination = m_peer.GetEndpoint();
    frame->source = host.endpoint;
    frame->flowHash = m_policy->GetFlowHash(packet.path);
    frame->bytes = SrdFrameBytes(opcode, packet.payload);
    frame->priority = parameters.priority;
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = static_cast<uint32_t>(sequence);
    frame->payload = packet.payload;
    frame->queuePair = message ? message->remoteQueuePair : 0;
    frame->sourceQueuePair = message ? message->localQueuePair : 0;
    frame->srd.sourcePort = m_policy->GetSourcePort(packet.path);
    frame->srd.transmission = packet.transmissions;
    frame->srd.messageId = packet.messageId;
    frame->srd.connectionKey = 0;
    frame->srd.status = static_cast<uint8_t>(RdmaSrdStatus::OK);
    if (message)
    {
        frame->srd.status = static_cast<uint8_t>(message->status);
        frame->srd.connectionKey = message->connectionKey;
        frame->srd.remoteAddress = message->remoteAddress;
        frame->srd.remoteKey = message->remoteKey;
        frame->srd.length = message->length;
        frame->srd.offset = packet.offset;
        frame->srd.immediate = message->immediate;
    }

    RdmaSrdCounters& counters = transport.GetCounters();
    if (!message)
    {
        ++counters.voidPackets;
    }
    else if (first)
    {
        ++counters.dataPackets;
        counters.dataBytes += packet.payload;
    }
    else
    {
        ++counters.retransmittedPackets;
        transport.Retransmitted(*frame, now);
    }
    const uint32_t wireBytes = frame->bytes + host.overhead;
    const int64_t due = GetPacedTime();
    // A packet that had to wait for the wire keeps its place in time, by up to one packet.
    m_paceStart = m_congestion->GetRate() < m_congestion->GetLineRate() &&
                          due + FabricSerializer::Duration(m_congestion->GetRate(), wireBytes) > now
                      ? due
                      : now;
    m_paceBytes = wireBytes;
    if (m_congestion->GetSignals() & RdmaCongestionOps::SENT)
    {
        m_congestion->Sent(now, wireBytes);
    }
    if (idle)
    {
        m_peer.NeedTimer(now + GetTimeout());
    }
    return frame;
}

void
RdmaSrdSender::Heard(int64_t now)
{
    m_heardAt = now;
    m_everHeard = true;
}

void
RdmaSrdSender::ReceiveAnswer(const FabricFrame& frame, int64_t now)
{
    Heard(now);
    const uint64_t answered = m_acknowledged.Widen(frame.psn);
    const uint64_t cumulative = m_acknowledged.Widen(frame.srd.cumulative);
    const uint64_t end = m_packets.GetNext();
    if (answered >= end || answered < RdmaSrdWindow::FIRST || cumulative > end)
    {
        return; // not of this context
    }
    m_backoff = 0;
    m_event = CcAckEvent();
    m_event.now = now;
    const bool news = !m_acknowledged.Contains(answered);
    if (news && frame.opcode == static_cast<uint8_t>(RdmaSrdOpcode::NACK))
    {
        Refuse(answered, frame, now);
    }
    else if (news)
    {
        Acknowledge(answered, frame.srd.transmission, now);
    }
    while (m_acknowledged.GetBase() < cumulative)
    {
        Acknowledge(m_acknowledged.GetBase(), 0, now);
    }
    uint64_t others = frame.srd.received & ~m_acknowledged.GetBefore(answered);
    while (others)
    {
        const uint64_t sequence = answered - 64 + static_cast<uint64_t>(__builtin_ctzll(others));
        others &= others - 1;
        // What a completion led to may have acknowledged nothing, but the peer may say anything.
        if (sequence < end && !m_acknowledged.Contains(sequence))
        {
            Acknowledge(sequence, 0, now);
        }
    }
    if (m_event.ackedBytes || m_event.rttPs >= 0)
    {
        m_event.bytesInFlight = m_inFlight;
        m_event.delivered = m_sampler.GetDelivered();
        m_event.pathsMeasured = m_policy->GetNMeasured();
        m_event.pathsCongested = m_policy->GetNCongested();
        m_congestion->Ack(m_event);
    }
    Kick(now);
}

void
RdmaSrdSender::Land(uint64_t sequence)
{
    m_inFlight -= m_packets.At(sequence).payload;
    m_packets.RemoveFlying(sequence);
}

void
RdmaSrdSender::Sample(uint64_t sequence, uint8_t transmission, int64_t now)
{
    const RdmaSrdPacketRecord& packet = m_packets.At(sequence);
    if (packet.state != State::FLYING || transmission != packet.transmissions)
    {
        return; // which of its paths it came by is not known
    }
    const int64_t rtt = now - packet.sent;
    m_policy->Acked(packet.path, rtt, now);
    if (!m_smoothedRtt)
    {
        m_smoothedRtt = rtt;
        m_rttVariation = rtt / 2;
    }
    else
    {
        // RFC 6298, section 2.3.
        const int64_t error = rtt - m_smoothedRtt;
        m_rttVariation += ((error < 0 ? -error : error) - m_rttVariation) / 4;
        m_smoothedRtt += error / 8;
    }
    m_event.rttPs = rtt;
    m_event.priorDelivered = packet.mark.delivered;
    m_event.limited = packet.mark.limited;
    RdmaSrdPacketRing::Path& path = m_packets.GetPath(packet.path);
    path.arrived = std::max(path.arrived, packet.order);
}

void
RdmaSrdSender::Acknowledge(uint64_t sequence, uint8_t transmission, int64_t now)
{
    Sample(sequence, transmission, now);
    RdmaSrdPacketRecord& packet = m_packets.At(sequence);
    RdmaSrdMessage* message = packet.message;
    const bool flew = packet.state == State::FLYING;
    if (flew)
    {
        Land(sequence);
    }
    else
    {
        m_packets.RemoveLost(sequence);
    }
    packet.message = nullptr;
    m_acknowledged.Insert(sequence);
    m_event.ackedBytes += packet.payload;
    m_sampler.Delivered(now, packet.payload);
    if (flew && transmission == packet.transmissions)
    {
        const RdmaSrdRateSampler::Result rates = m_sampler.Sample(packet.mark, packet.sent);
        m_event.sendRate = rates.sendRate;
        m_event.deliveryRate = rates.deliveryRate;
        m_event.sampledBytes = rates.bytes;
        const uint32_t threshold = m_peer.GetTransport().GetParameters().lossThreshold;
        const RdmaSrdPacketRing::Path& path = m_packets.GetPath(packet.path);
        while (path.head && m_packets.At(path.head).order + threshold <= path.arrived)
        {
            Lose(path.head, false, now);
        }
        // Long queues make packets overtake each other by more.
        const int64_t latest = packet.sent - m_peer.GetTransport().GetParameters().reordering -
                               m_smoothedRtt - 4 * m_rttVariation;
        while (m_packets.GetOldest() && m_packets.Sent(m_packets.GetOldest()) < latest)
        {
            Lose(m_packets.GetOldest(), false, now);
        }
    }
    if (message)
    {
        --message->unacknowledged;
        Settle(message, now);
    }
}

void
RdmaSrdSender::Refuse(uint64_t sequence, const FabricFrame& frame, int64_t now)
{
    Sample(sequence, frame.srd.transmission, now);
    RdmaSrdPacketRecord& packet = m_packets.At(sequence);
    RdmaSrdMessage* message = packet.message;
    if (packet.state == State::FLYING)
    {
        if (!message)
        {
            return; // the answer is to an earlier transmission; its VOID is under way
        }
        Land(sequence);
    }
    else
    {
        m_packets.RemoveLost(sequence);
    }
    packet.message = nullptr;
    packet.payload = 0;
    m_packets.AddLost(sequence);
    if (!message)
    {
        return;
    }
    RdmaSrdTransport& transport = m_peer.GetTransport();
    ++transport.GetCounters().refusals;
    --message->unacknowledged;
    auto status = static_cast<RdmaSrdStatus>(frame.srd.status);
    if (status == RdmaSrdStatus::OK || frame.srd.status > 15)
    {
        status = RdmaSrdStatus::REM_BAD_STATUS;
    }
    if (message->over)
    {
        Settle(message, now);
        return;
    }
    if (status == RdmaSrdStatus::REM_RNR)
    {
        ++transport.GetCounters().receiverNotReady;
        if (message->retries < message->retryLimit || message->retryLimit == RETRY_FOR_EVER)
        {
            const int64_t wait = transport.GetParameters().receiverDelay
                                 << std::min(message->retries, MAX_DOUBLINGS);
            message->retries = static_cast<uint8_t>(std::min(message->retries + 1, 255));
            message->cut = 0;
            message->queued = true;
            const Waiting entry{now + wait, message};
            const auto place = std::upper_bound(
                m_waiting.begin(),
                m_waiting.end(),
                entry,
                [](const Waiting& a, const Waiting& b) { return a.when < b.when; });
            m_waiting.insert(place, entry);
            m_peer.NeedTimer(entry.when);
            return;
        }
    }
    End(message, status, now);
}

void
RdmaSrdSender::Lose(uint64_t sequence, bool timeout, int64_t now)
{
    RdmaSrdCounters& counters = m_peer.GetTransport().GetCounters();
    ++(timeout ? counters.timeouts : counters.overtaken);
    Land(sequence);
    m_policy->Lost(m_packets.At(sequence).path, now);
    m_packets.AddLost(sequence);
    if (m_congestion->GetSignals() & RdmaCongestionOps::LOSS)
    {
        m_congestion->Loss({now, timeout});
    }
}

void
RdmaSrdSender::Settle(RdmaSrdMessage* message, int64_t now)
{
    if (message->unacknowledged || message->queued)
    {
        return;
    }
    if (message->over)
    {
        const bool partial = message->opcode == RdmaSrdOpcode::WRITE_IMM && message->cut &&
                             message->length > m_peer.GetTransport().GetParameters().mtu;
        const uint32_t id = message->wireId;
        m_peer.GetTransport().GetMessages().Free(message);
        if (partial)
        {
            AddVoid(id); // the receiver need not wait for the rest
            Kick(now);
        }
        return;
    }
    if (message->opcode == RdmaSrdOpcode::READ_REQUEST && message->arrived < message->length)
    {
        if (m_reading++ == 0)
        {
            m_peer.NeedTimer(GetDeadline());
        }
        message->reading = true;
        return;
    }
    End(message, RdmaSrdStatus::OK, now);
}

void
RdmaSrdSender::End(RdmaSrdMessage* message, RdmaSrdStatus status, int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    // A completion may lead to anything, so all is in order before it is made.
    const RdmaSrdMessage ended = *message;
    const Ptr<RdmaSrdQueuePair> queuePair(message->queuePair);
    m_reading -= message->reading;
    message->reading = false;
    message->queuePair = nullptr;
    message->over = true;
    if (status == RdmaSrdStatus::OK)
    {
        transport.GetMessages().Free(message);
    }
    else
    {
        Settle(message, now);
    }
    if (queuePair)
    {
        queuePair->CompleteSend(ended, status);
    }
}

void
RdmaSrdSender::ReadArrived(RdmaSrdMessage* message, uint32_t bytes, int64_t now)
{
    message->arrived += bytes;
    if (message->arrived >= message->length)
    {
        m_reading -= message->reading;
        message->reading = false;
        ++m_peer.GetTransport().GetCounters().deliveredMessages;
        Settle(message, now);
    }
}

void
RdmaSrdSender::Fail(int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    ++transport.GetCounters().peerFailures;
    // What flies is sent again as VOID, when somebody posts again.
    m_parked = true;
    while (const uint64_t sequence = m_packets.GetOldest())
    {
        Land(sequence);
        m_packets.AddLost(sequence);
    }
    transport.GetHost().Withdraw(m_peer.GetDataJob());
    m_backoff = 0;
    std::vector<Waiting> waiting;
    waiting.swap(m_waiting);
    for (const Waiting& entry : waiting)
    {
        m_streams.Push(entry.message);
    }
    transport.EndMessages([this](const RdmaSrdMessage& message) { return message.sender == this; },
                          m_everHeard ? RdmaSrdStatus::UNRESP_REMOTE
                                      : RdmaSrdStatus::UNREACH_REMOTE,
                          now);
}

int64_t
RdmaSrdSender::GetTimeout() const
{
    const RdmaSrdParameters& parameters = m_peer.GetTransport().GetParameters();
    const int64_t timeout =
        m_smoothedRtt ? 2 * m_smoothedRtt + 4 * m_rttVariation : parameters.firstTimeout;
    return std::min(std::max(timeout, parameters.minTimeout) << m_backoff, parameters.maxTimeout);
}

int64_t
RdmaSrdSender::GetDeadline() const
{
    const int64_t patience = m_peer.GetTransport().GetParameters().unresponsive;
    int64_t deadline = m_waiting.empty() ? FABRIC_NEVER : m_waiting.front().when;
    if (m_parked)
    {
        return deadline;
    }
    if (const uint64_t oldest = m_packets.GetOldest())
    {
        deadline = std::min(deadline, m_packets.Sent(oldest) + GetTimeout());
    }
    if (m_acknowledged.GetBase() != m_packets.GetNext())
    {
        deadline = std::min(deadline, m_heardAt + patience);
    }
    else if (m_reading)
    {
        deadline = std::min(deadline, m_heardAt + patience / PROBES_PER_PATIENCE);
    }
    return deadline;
}

int64_t
RdmaSrdSender::OnTimer(int64_t now)
{
    while (!m_waiting.empty() && m_waiting.front().when <= now)
    {
        RdmaSrdMessage* message = m_waiting.front().message;
        m_waiting.erase(m_waiting.begin());
        m_streams.Push(message);
    }
    const int64_t patience = m_peer.GetTransport().GetParameters().unresponsive;
    if (!m_parked)
    {
        const int64_t timeout = GetTimeout();
        bool expired = false;
        while (m_packets.GetOldest() && m_packets.Sent(m_packets.GetOldest()) + timeout <= now)
        {
            Lose(m_packets.GetOldest(), true, now);
            expired = true;
        }
        m_backoff = static_cast<uint8_t>(std::min<int>(m_backoff + expired, MAX_DOUBLINGS));
        const bool outstanding = m_acknowledged.GetBase() != m_packets.GetNext();
        if (outstanding && now - m_heardAt >= patience)
        {
            Fail(now);
        }
        else if (!outstanding && m_reading && now - m_heardAt >= patience / PROBES_PER_PATIENCE)
        {
            AddVoid(0);
        }
        if (m_congestion)
        {
            Kick(now);
        }
    }
    return GetDeadline();
}

} // namespace rdma
} // namespace ns3
