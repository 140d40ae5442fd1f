/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-transport.h"

#include "ns3/abort.h"
#include "ns3/fabric-clock.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaSrdTransport");

NS_OBJECT_ENSURE_REGISTERED(RdmaSrdTransport);

TypeId
RdmaSrdTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaSrdTransport")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSrdTransport>()
            .AddAttribute("Mtu",
                          "Payload bytes of a packet, and of the longest send.",
                          UintegerValue(SRD_MAX_PAYLOAD),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_mtu),
                          MakeUintegerChecker<uint32_t>(64, SRD_MAX_PAYLOAD))
            .AddAttribute("MinTimeout",
                          "Least retransmission timeout: some round-trip times of a data centre, "
                          "so that a queue of a switch does not pass for a loss. Above it: two "
                          "smoothed round-trip times and four of their mean deviations.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_minTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MaxTimeout",
                          "Longest retransmission timeout; it doubles while nothing is heard.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_maxTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("FirstTimeout",
                          "Retransmission timeout before the first round-trip time is known.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_firstTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("UnresponsiveTimeout",
                          "A peer that owes answers and was not heard of for so long is given up.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_unresponsive),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ReceiverNotReadyDelay",
                          "Wait before a send is tried again for which no receive was posted; "
                          "doubled for each further try up to 64 times.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_receiverDelay),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("LossThreshold",
                          "A packet counts as lost when so many later packets of its path have "
                          "arrived: more than one, since a change of routes lets one overtake.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_lossThreshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReorderingTime",
                          "A packet counts as lost when one that was sent later by more than this, "
                          "a round-trip time and four of its mean deviations, has arrived on any "
                          "path: the time of a queue of 300 KB at 100 Gb/s.",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&RdmaSrdTransport::m_reordering),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxSpan",
                          "Packets from the oldest that is not acknowledged to the newest, at "
                          "most. The same for all NICs that talk to each other.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_maxSpan),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("MaxInFlight",
                          "Payload bytes in flight to a peer at most, whatever the congestion "
                          "control says; 0: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_maxInFlight),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Priority",
                          "802.1p priority of data.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_priority),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_PRIORITIES - 1))
            .AddAttribute("AckPriority",
                          "802.1p priority of acknowledgements.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSrdTransport::m_ackPriority),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_PRIORITIES - 1))
            .AddTraceSource("Placed",
                            "Payload is placed in memory.",
                            MakeTraceSourceAccessor(&RdmaSrdTransport::m_placedTrace),
                            "ns3::rdma::RdmaSrdTransport::FrameTracedCallback")
            .AddTraceSource("Retransmission",
                            "A packet is sent again.",
                            MakeTraceSourceAccessor(&RdmaSrdTransport::m_retransmissionTrace),
                            "ns3::rdma::RdmaSrdTransport::FrameTracedCallback");
    return tid;
}

RdmaSrdTransport::RdmaSrdTransport()
{
    m_congestionFactory.SetTypeId("ns3::rdma::RdmaSrdCongestion");
    m_policyFactory.SetTypeId("ns3::rdma::RdmaSrdPathPolicy");
}

RdmaSrdTransport::~RdmaSrdTransport() = default;

void
RdmaSrdTransport::DoDispose()
{
    for (const auto& queuePair : m_queuePairs)
    {
        if (queuePair)
        {
            queuePair->Detach();
        }
    }
    m_queuePairs.clear();
    m_timers.clear();
    m_peers.clear();
    m_host = nullptr;
    Object::DoDispose();
}

void
RdmaSrdTransport::Attach(RdmaTransportHost& host)
{
    NS_LOG_FUNCTION(this);
    m_host = &host;
    m_parameters.minTimeout = m_minTimeout.GetPicoSeconds();
    m_parameters.maxTimeout = m_maxTimeout.GetPicoSeconds();
    m_parameters.firstTimeout = m_firstTimeout.GetPicoSeconds();
    m_parameters.reordering = m_reordering.GetPicoSeconds();
    m_parameters.unresponsive = m_unresponsive.GetPicoSeconds();
    m_parameters.receiverDelay = m_receiverDelay.GetPicoSeconds();
    m_parameters.mtu = m_mtu;
    m_parameters.lossThreshold = m_lossThreshold;
    m_parameters.maxSpan = m_maxSpan;
    m_parameters.maxInFlight = m_maxInFlight;
    m_parameters.priority = m_priority;
    m_parameters.ackPriority = m_ackPriority;
    NS_ABORT_MSG_IF(m_minTimeout > m_maxTimeout,
                    "The least retransmission timeout of SRD, "
                        << m_minTimeout << ", is at most the longest, " << m_maxTimeout);
}

void
RdmaSrdTransport::SetCongestionControl(const ObjectFactory& factory)
{
    m_congestionFactory = factory;
}

void
RdmaSrdTransport::SetPathPolicy(const ObjectFactory& factory)
{
    m_policyFactory = factory;
}

Ptr<RdmaCongestionOps>
RdmaSrdTransport::MakeCongestion() const
{
    return m_congestionFactory.Create<RdmaCongestionOps>();
}

Ptr<RdmaPathPolicy>
RdmaSrdTransport::MakePathPolicy() const
{
    return m_policyFactory.Create<RdmaPathPolicy>();
}

Ptr<RdmaSrdQueuePair>
RdmaSrdTransport::CreateQueuePair(const RdmaSrdQpInitAttributes& init)
{
    NS_ABORT_MSG_IF(!m_host, "An SRD transport belongs to a NIC before queue pairs are made");
    if (!init.domain || !init.sendCq || !init.recvCq || init.rnrRetry > 7 ||
        (m_unused.empty() && m_queuePairs.size() >= MAX_QUEUE_PAIRS))
    {
        return nullptr;
    }
    if (m_unused.empty())
    {
        m_unused.push_back(FIRST_NUMBER + static_cast<uint32_t>(m_queuePairs.size()));
        m_queuePairs.emplace_back();
    }
    const uint32_t number = m_unused.back();
    m_unused.pop_back();
    const auto queuePair = Create<RdmaSrdQueuePair>(*this, static_cast<uint16_t>(number), init);
    m_queuePairs[number - FIRST_NUMBER] = queuePair;
    return queuePair;
}

void
RdmaSrdTransport::DestroyQueuePair(Ptr<RdmaSrdQueuePair> queuePair)
{
    NS_LOG_FUNCTION(this << queuePair->GetNumber());
    NS_ABORT_MSG_IF(GetQueuePair(queuePair->GetNumber()) != queuePair,
                    "A queue pair is destroyed once, and by the NIC that made it");
    m_queuePairs[queuePair->GetNumber() - FIRST_NUMBER] = nullptr;
    m_unused.push_back(queuePair->GetNumber());
    Forget(*queuePair, FabricClock().Now());
    queuePair->Detach();
}

Ptr<RdmaSrdAddressHandle>
RdmaSrdTransport::CreateAddressHandle(uint32_t endpoint)
{
    return Create<RdmaSrdAddressHandle>(endpoint);
}

void
RdmaSrdTransport::DestroyAddressHandle(Ptr<RdmaSrdAddressHandle> handle)
{
    handle->Invalidate();
    EndMessages(
        [&handle](const RdmaSrdMessage& message) { return message.handle == PeekPointer(handle); },
        RdmaSrdStatus::INVALID_AH,
        FabricClock().Now());
}

Ptr<RdmaSrdQueuePair>
RdmaSrdTransport::GetQueuePair(uint32_t number) const
{
    const uint32_t index = number - FIRST_NUMBER;
    return index < m_queuePairs.size() ? m_queuePairs[index] : nullptr;
}

std::size_t
RdmaSrdTransport::FindSlot(uint32_t endpoint) const
{
    std::size_t slot = FabricMix(endpoint) & (m_peers.size() - 1);
    while (m_peers[slot] && m_peers[slot]->GetEndpoint() != endpoint)
    {
        slot = (slot + 1) & (m_peers.size() - 1);
    }
    return slot;
}

RdmaSrdPeer*
RdmaSrdTransport::FindPeer(uint32_t endpoint) const
{
    return m_peers.empty() ? nullptr : m_peers[FindSlot(endpoint)].get();
}

RdmaSrdPeer&
RdmaSrdTransport::GetPeer(uint32_t endpoint)
{
    if (RdmaSrdPeer* peer = FindPeer(endpoint))
    {
        return *peer;
    }
    // At most half full, so that a place is found soon.
    if (2 * (m_live + 1) > m_peers.size())
    {
        std::vector<std::unique_ptr<RdmaSrdPeer>> old(std::max<std::size_t>(4, 2 * m_peers.size()));
        old.swap(m_peers);
        for (auto& peer : old)
        {
            if (peer)
            {
                m_peers[FindSlot(peer->GetEndpoint())] = std::move(peer);
            }
        }
    }
    ++m_live;
    auto& place = m_peers[FindSlot(endpoint)];
    place = std::make_unique<RdmaSrdPeer>(*this, endpoint);
    return *place;
}

uint32_t
RdmaSrdTransport::GetNPeers() const
{
    return m_live;
}

void
RdmaSrdTransport::Receive(const FabricFrame& frame, int64_t now)
{
    GetPeer(frame.source).Receive(frame, now);
}

void
RdmaSrdTransport::ArmTimer(RdmaSrdPeer& peer, int64_t when)
{
    m_timers.push_back({when, peer.GetEndpoint()});
    std::push_heap(m_timers.begin(), m_timers.end());
    m_host->ArmSrdTimer(when);
}

int64_t
RdmaSrdTransport::OnTimer(int64_t now)
{
    while (!m_timers.empty() && m_timers.front().when <= now)
    {
        const Timer timer = m_timers.front();
        std::pop_heap(m_timers.begin(), m_timers.end());
        m_timers.pop_back();
        RdmaSrdPeer* peer = FindPeer(timer.endpoint);
        if (peer->IsTimerCurrent(timer.when))
        {
            peer->OnTimer(now);
        }
    }
    return m_timers.empty() ? FABRIC_NEVER : m_timers.front().when;
}

void
RdmaSrdTransport::Post(const RdmaSrdMessage& wanted, uint32_t endpoint, int64_t now)
{
    RdmaSrdMessage* message = m_messages.Allocate();
    const uint32_t id = message->id;
    *message = wanted;
    message->id = message->wireId = id;
    GetPeer(endpoint).GetSender().Post(message, now);
}

void
RdmaSrdTransport::EndMessages(const std::function<bool(const RdmaSrdMessage&)>& which,
                              RdmaSrdStatus status,
                              int64_t now)
{
    // Completions may lead to new messages, which are not meant.
    std::vector<uint32_t> ids;
    m_messages.ForEach([&](const RdmaSrdMessage& message) {
        if (!message.over && which(message))
        {
            ids.push_back(message.id);
        }
    });
    for (const uint32_t id : ids)
    {
        RdmaSrdMessage* message = m_messages.Find(id);
        if (message && !message->over)
        {
            message->sender->End(message, status, now);
        }
    }
}

void
RdmaSrdTransport::AbortAnswers(const RdmaSrdQueuePair& queuePair)
{
    m_messages.ForEach([&queuePair](RdmaSrdMessage& message) {
        if (message.opcode == RdmaSrdOpcode::READ_RESPONSE && message.queued &&
            message.localQueuePair == queuePair.GetNumber())
        {
            message.status = RdmaSrdStatus::REM_ABORT;
        }
    });
}

void
RdmaSrdTransport::Flush(RdmaSrdQueuePair& queuePair, int64_t now)
{
    AbortAnswers(queuePair);
    EndMessages(
        [&queuePair](const RdmaSrdMessage& message) { return message.queuePair == &queuePair; },
        RdmaSrdStatus::FLUSHED,
        now);
}

void
RdmaSrdTransport::Forget(RdmaSrdQueuePair& queuePair, int64_t now)
{
    AbortAnswers(queuePair);
    std::vector<uint32_t> ids;
    m_messages.ForEach([&](RdmaSrdMessage& message) {
        if (message.queuePair == &queuePair)
        {
            message.queuePair = nullptr; // nobody is told
            ids.push_back(message.id);
        }
    });
    for (const uint32_t id : ids)
    {
        RdmaSrdMessage* message = m_messages.Find(id);
        message->sender->End(message, RdmaSrdStatus::FLUSHED, now);
    }
}

} // namespace rdma
} // namespace ns3
