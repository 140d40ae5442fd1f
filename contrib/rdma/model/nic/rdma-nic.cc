/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ib-link.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-go-back-n.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-no-congestion.h"
#include "ns3/rdma-psn.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");
NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{

constexpr int64_t BALANCE_LIMIT = 65536; // bytes that one kind of traffic may fall behind

/// Tells the host interface, if there is one, the exact time while the NIC works.
class HostTime
{
  public:
    /**
     * \param hostInterface The host interface, or nullptr.
     * \param now The time in ps.
     */
    HostTime(RdmaHostInterface* hostInterface, int64_t now)
        : m_hostInterface(hostInterface)
    {
        if (hostInterface)
        {
            hostInterface->Enter(now);
        }
    }

    ~HostTime()
    {
        if (m_hostInterface)
        {
            m_hostInterface->Leave();
        }
    }

    HostTime(const HostTime&) = delete;
    HostTime& operator=(const HostTime&) = delete;

  private:
    RdmaHostInterface* m_hostInterface; //!< the host interface
};

} // namespace

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaNic>()
            .AddAttribute("AckInterval",
                          "A requester asks for an acknowledgement at least every so many packets, "
                          "and at the end of each message.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaNic::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CnpInterval",
                          "Least time between two CNPs of a queue pair: 50 us in the DCQCN paper; "
                          "4 us is the default of ConnectX adapters.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaNic::m_cnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpHoldMarks",
                          "Whether marks within CnpInterval after a CNP make another at its end, as "
                          "the DCQCN paper has it. If not, they are forgotten, and the next CNP "
                          "answers the first mark after the interval.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaNic::m_cnpHoldMarks),
                          MakeBooleanChecker())
            .AddAttribute("CnpDelay",
                          "Time from the receipt of a marked packet to its CNP.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::m_cnpDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DoorbellDelay",
                          "Time from a post to the moment its first packet may leave.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::m_doorbellDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CnpPriority",
                          "802.1p priority of CNPs; 6 is the default of ConnectX adapters.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaNic::m_cnpPriority),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_PRIORITIES - 1))
            .AddAttribute("CnpOnReordering",
                          "Whether a request that comes ahead of its turn makes a CNP, as a "
                          "congestion mark does. Some adapters do so.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNic::m_cnpOnReordering),
                          MakeBooleanChecker())
            .AddAttribute("AckPriority",
                          "802.1p priority of acknowledgements; 8: that of the data.",
                          UintegerValue(FABRIC_PRIORITIES),
                          MakeUintegerAccessor(&RdmaNic::m_ackPriority),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_PRIORITIES))
            .AddAttribute("MaxQp",
                          "Queue pairs that there may be.",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&RdmaNic::m_maxQp),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxQpWr",
                          "Work requests that a send or a receive queue may hold.",
                          UintegerValue(32768),
                          MakeUintegerAccessor(&RdmaNic::m_maxQpWr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxSge",
                          "Pieces of memory that a work request may have.",
                          UintegerValue(30),
                          MakeUintegerAccessor(&RdmaNic::m_maxSge),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxCqe",
                          "Completions that a completion queue may hold.",
                          UintegerValue(4194303),
                          MakeUintegerAccessor(&RdmaNic::m_maxCqe),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxMr",
                          "Memory regions that there may be.",
                          UintegerValue(16777216),
                          MakeUintegerAccessor(&RdmaNic::m_maxMr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxSrqWr",
                          "Receives that a shared receive queue may hold.",
                          UintegerValue(32767),
                          MakeUintegerAccessor(&RdmaNic::m_maxSrqWr),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxInline",
                          "Bytes that may be posted inline.",
                          UintegerValue(928),
                          MakeUintegerAccessor(&RdmaNic::m_maxInline),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MaxRdAtomic",
                          "Reads and atomics that a queue pair may have under way.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaNic::m_maxRdAtomic),
                          MakeUintegerChecker<uint8_t>())
            .AddTraceSource("MessageDelivered",
                            "A message has been placed whole by this NIC.",
                            MakeTraceSourceAccessor(&RdmaNic::m_deliveredTrace),
                            "ns3::rdma::RdmaNic::MessageTracedCallback")
            .AddTraceSource("AsyncEvent",
                            "Something happened that no completion tells (ibv_get_async_event).",
                            MakeTraceSourceAccessor(&RdmaNic::m_eventTrace),
                            "ns3::rdma::RdmaNic::AsyncEventTracedCallback");
    return tid;
}

RdmaNic::RdmaNic()
    : m_deliveredTrace(m_observed)
{
    m_congestionFactory.SetTypeId(RdmaNoCongestion::GetTypeId());
    m_srdFactory.SetTypeId(RdmaSrdTransport::GetTypeId());
    m_recoveryFactory.SetTypeId(RdmaGoBackN::GetTypeId());
}

RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& queuePair : m_queuePairs)
    {
        if (queuePair)
        {
            queuePair->Detach();
        }
    }
    m_queuePairs.clear();
    m_timers.clear();
    if (m_hostInterface)
    {
        m_hostInterface->Dispose();
        m_hostInterface = nullptr;
        GetState().dma = nullptr;
    }
    if (m_srd)
    {
        m_srd->Dispose();
        m_srd = nullptr;
    }
    m_device = nullptr;
    m_port = nullptr;
    GetState().pool = nullptr;
    Object::DoDispose();
}

void
RdmaNic::SetHostInterface(Ptr<RdmaHostInterface> hostInterface)
{
    NS_ABORT_MSG_IF(m_device, "An RdmaNic is given its host interface before its device");
    m_hostInterface = hostInterface;
}

Ptr<RdmaHostInterface>
RdmaNic::GetHostInterface() const
{
    return m_hostInterface;
}

void
RdmaNic::Attach(Ptr<FabricNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_device, "An RdmaNic drives one device only");
    NS_ABORT_MSG_IF(device->GetEndpoint() == FABRIC_NO_ENDPOINT,
                    "An RdmaNic drives the device of a host, not a port of a switch");
    m_device = device;
    device->SetClient(this);
    m_port = &device->GetPort();
    m_unit = device->GetDriver()->AddUnit(this);
    m_port->SetSource(this);
    m_port->SetSink(this);
    m_ibLink = m_port->GetIbLink();
    if (m_ibLink)
    {
        m_scheduler.SetLanes(m_ibLink->GetMap());
    }
    RdmaHostState& state = GetState();
    state.pool = &device->GetNetwork()->GetPool();
    state.lineRate = device->GetRate();
    state.overhead = m_port->GetOverhead();
    state.encapsulation = device->GetNetwork()->GetEncapsulation();
    state.endpoint = device->GetEndpoint();
    state.ackInterval = m_ackInterval;
    state.cnpInterval = m_cnpInterval.GetPicoSeconds();
    state.cnpHoldMarks = m_cnpHoldMarks;
    state.cnpDelay = m_cnpDelay.GetPicoSeconds();
    state.doorbellDelay = m_doorbellDelay.GetPicoSeconds();
    state.cnpOnReordering = m_cnpOnReordering;
    state.cnpPriority = m_cnpPriority;
    state.limits.maxQp = m_maxQp;
    state.limits.maxQpWr = m_maxQpWr;
    state.limits.maxSge = m_maxSge;
    state.limits.maxCqe = m_maxCqe;
    state.limits.maxMr = m_maxMr;
    state.limits.maxSrqWr = m_maxSrqWr;
    state.limits.maxInline = m_maxInline;
    state.limits.maxQpRdAtomic = m_maxRdAtomic;
    state.limits.maxMessage = RDMA_MAX_MESSAGE;
    state.ackPriority = m_ackPriority;
    if (m_hostInterface)
    {
        m_hostInterface->Start(*device->GetDriver(), *this);
        m_port->SetIngressLatency(m_hostInterface->GetReceiveLatency());
        state.dma = &m_hostInterface->GetDma();
        state.transmitLatency = state.dma->GetParameters().transmitLatency;
    }
}

void
RdmaNic::SetCongestionControl(const ObjectFactory& factory)
{
    m_congestionFactory = factory;
}

void
RdmaNic::SetLossRecovery(const ObjectFactory& factory)
{
    m_recoveryFactory = factory;
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePair(const RdmaQpInitAttributes& init)
{
    NS_ABORT_MSG_IF(!m_device, "An RdmaNic is attached to a device before queue pairs are made");
    const RdmaDeviceAttributes& limits = GetState().limits;
    const bool shared = PeekPointer(init.srq) != nullptr;
    if (!init.domain || !init.sendCq || !init.recvCq || m_live >= limits.maxQp ||
        init.maxSendWr > limits.maxQpWr || (!shared && init.maxRecvWr > limits.maxQpWr) ||
        init.maxSendSge > limits.maxSge || init.maxRecvSge > limits.maxSge ||
        init.maxInlineData > limits.maxInline)
    {
        return nullptr;
    }
    RdmaQpInitAttributes complete = init;
    if (!complete.congestion)
    {
        complete.congestion = m_congestionFactory.Create<RdmaCongestionOps>();
    }
    if (!complete.recovery)
    {
        complete.recovery = m_recoveryFactory.Create<RdmaLossRecovery>();
    }
    const uint32_t number = FIRST_NUMBER + static_cast<uint32_t>(m_queuePairs.size());
    m_queuePairs.push_back(Create<RdmaQueuePair>(*this, number, complete));
    ++m_live;
    return m_queuePairs.back();
}

void
RdmaNic::DestroyQueuePair(Ptr<RdmaQueuePair> queuePair)
{
    NS_LOG_FUNCTION(this << queuePair->GetNumber());
    NS_ABORT_MSG_IF(Find(queuePair->GetNumber()) != PeekPointer(queuePair),
                    "A queue pair is destroyed once, and by the NIC that made it");
    m_queuePairs[queuePair->GetNumber() - FIRST_NUMBER] = nullptr;
    queuePair->Detach();
    --m_live;
}

Ptr<RdmaQueuePair>
RdmaNic::GetQueuePair(uint32_t number) const
{
    return Ptr<RdmaQueuePair>(Find(number));
}

uint32_t
RdmaNic::GetNQueuePairs() const
{
    return m_live;
}

void
RdmaNic::SetSrdTransport(const ObjectFactory& factory)
{
    NS_ABORT_MSG_IF(m_srd, "The SRD transport of a NIC is chosen before it is used");
    m_srdFactory = factory;
}

Ptr<RdmaSrdTransport>
RdmaNic::GetSrdTransport()
{
    NS_ABORT_MSG_IF(!m_device, "An RdmaNic is attached to a device before SRD is used");
    NS_ABORT_MSG_IF(m_ibLink, "SRD is for Ethernet, not for InfiniBand");
    if (!m_srd)
    {
        m_srd = m_srdFactory.Create<RdmaSrdTransport>();
        m_srd->Attach(*this);
    }
    return m_srd;
}

Ptr<FabricNetDevice>
RdmaNic::GetDevice() const
{
    return m_device;
}

const RdmaCounters&
RdmaNic::GetCounters() const
{
    return GetState().counters;
}

void
RdmaNic::Ready(RdmaTxJob& job, int64_t when, int64_t now)
{
    m_scheduler.Add(job, when, now);
    m_port->Wake(now);
}

void
RdmaNic::Withdraw(RdmaTxJob& job)
{
    m_scheduler.Remove(job);
}

void
RdmaNic::ArmTimer(RdmaQueuePair& queuePair, int64_t when)
{
    m_timers.push_back({when, queuePair.GetNumber()});
    std::push_heap(m_timers.begin(), m_timers.end());
    ArmTimerAt(when);
}

void
RdmaNic::ArmSrdTimer(int64_t when)
{
    ArmTimerAt(when);
}

void
RdmaNic::ArmTimerAt(int64_t when)
{
    FabricDriver& driver = m_port->GetDriver();
    if (when < driver.GetDeadline(m_unit, FabricDeadline::TIMER))
    {
        driver.Arm(m_unit, FabricDeadline::TIMER, when);
    }
}

int64_t
RdmaNic::OnDeadline(FabricDeadline, int64_t now)
{
    const HostTime time(PeekPointer(m_hostInterface), now);
    while (!m_timers.empty() && m_timers.front().when <= now)
    {
        const Timer timer = m_timers.front();
        std::pop_heap(m_timers.begin(), m_timers.end());
        m_timers.pop_back();
        // Kept: a callback of a completion may destroy it.
        const Ptr<RdmaQueuePair> queuePair(Find(timer.number));
        if (queuePair && queuePair->IsTimerCurrent(timer.when))
        {
            queuePair->OnTimer(now);
        }
    }
    const int64_t srd = m_srd ? m_srd->OnTimer(now) : FABRIC_NEVER;
    return m_timers.empty() ? srd : std::min(m_timers.front().when, srd);
}

void
RdmaNic::MessageDelivered(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now)
{
    if (!m_hostInterface)
    {
        MessageInMemory(queuePair, bytes, now);
    }
    else if (m_observed)
    {
        m_hostInterface->Delivered(queuePair, bytes, now);
    }
}

bool
RdmaNic::Complete(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion)
{
    if (m_hostInterface)
    {
        m_hostInterface->Complete(queue, completion);
        return true;
    }
    return queue->Push(completion);
}

void
RdmaNic::CompletionLost(uint32_t number)
{
    // Kept: a callback of a completion may destroy it.
    if (const Ptr<RdmaQueuePair> queuePair{Find(number)})
    {
        queuePair->EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::WR_FLUSH_ERR);
    }
}

void
RdmaNic::MessageInMemory(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now)
{
    if (m_observed)
    {
        m_deliveredTrace(&queuePair, bytes, now);
    }
}

bool
RdmaNic::GetGlobalHeader(const FabricFrame& frame, std::array<uint8_t, GRH_SPACE>& header) const
{
    const RdmaEncapsulation encapsulation = GetState().encapsulation;
    if (encapsulation == RdmaEncapsulation::INFINIBAND)
    {
        return false;
    }
    const Ptr<Packet> packet = RdmaFrameCodec(*m_device->GetNetwork()).ToPacket(frame);
    packet->RemoveAtStart(IsInfiniBand(encapsulation) ? LRH_BYTES : ETHERNET_HEADER_BYTES);
    const bool ipv4 = encapsulation == RdmaEncapsulation::ROCE_V2_IPV4;
    const uint32_t skipped = ipv4 ? GRH_SPACE - IPV4_HEADER_BYTES : 0;
    packet->CopyData(header.data() + skipped, GRH_SPACE - skipped);
    return true;
}

void
RdmaNic::AsyncEvent(const RdmaAsyncEvent& event)
{
    if (!m_eventTrace.IsEmpty())
    {
        // Later, because who is told may do anything to the queue pair that is at work now.
        Simulator::ScheduleNow(&RdmaNic::TellEvent, Ptr<RdmaNic>(this), event);
    }
}

void
RdmaNic::TellEvent(const RdmaAsyncEvent& event)
{
    m_eventTrace(event);
}

void
RdmaNic::CompletionQueueFailed(RdmaCompletionQueue* completionQueue)
{
    RdmaAsyncEvent event;
    event.type = RdmaEventType::CQ_ERR;
    event.completionQueue = completionQueue;
    AsyncEvent(event);
    // By index: who is told of a completion may make more queue pairs.
    for (std::size_t i = 0; i < m_queuePairs.size(); ++i)
    {
        const Ptr<RdmaQueuePair> queuePair = m_queuePairs[i];
        if (queuePair && (PeekPointer(queuePair->GetInit().sendCq) == completionQueue ||
                          PeekPointer(queuePair->GetInit().recvCq) == completionQueue))
        {
            queuePair->FailForCompletions();
        }
    }
}

FabricFrame*
RdmaNic::PullRdma(int64_t now)
{
    const uint32_t blocked = m_port->GetBlocked();
    while (true)
    {
        const uint32_t ready = m_scheduler.GetReady(now) & ~blocked;
        if (!ready)
        {
            return nullptr;
        }
        const uint32_t lane = m_ibLink ? m_ibLink->SelectLane(ready)
                                       : 31U - static_cast<uint32_t>(__builtin_clz(ready));
        RdmaTxJob* job = m_scheduler.TakeFrom(lane);
        int64_t again;
        FabricFrame* frame = job->owner->Build(*job, now, again);
        if (again != FABRIC_NEVER)
        {
            m_scheduler.Add(*job, again, now);
        }
        if (frame && m_ibLink)
        {
            Address(*frame, lane);
        }
        if (frame)
        {
            return frame;
        }
    }
}

void
RdmaNic::Address(FabricFrame& frame, uint32_t lane)
{
    const FabricNetwork& network = *m_device->GetNetwork();
    const auto& records = network.GetPathRecords();
    // Routes with rules for lanes need the level of the path, whatever the queue pair has asked for.
    frame.serviceLevel = records && records->NeedsServiceLevels()
                             ? records->GetServiceLevel(frame.source, frame.destination)
                             : frame.priority;
    frame.priority = static_cast<uint8_t>(lane);
    frame.dlid = network.GetLid(frame.destination);
    frame.slid = network.GetLid(frame.source);
    m_ibLink->Charge(lane, frame.bytes);
}

FabricFrame*
RdmaNic::Pull(FabricPort& port, int64_t now, int64_t& next)
{
    const uint32_t blocked = port.GetBlocked();
    FabricFrame* frame = nullptr;
    if (m_device->HasPacket(blocked))
    {
        frame = m_balance > 0 ? nullptr : PullRdma(now);
        if (frame)
        {
            m_balance = std::min(m_balance + frame->bytes, BALANCE_LIMIT);
        }
        else
        {
            frame = m_device->PullPacket(blocked);
            m_balance = std::max(m_balance - frame->bytes, -BALANCE_LIMIT);
        }
    }
    else
    {
        frame = PullRdma(now);
    }
    next = m_device->HasPacket(blocked) ? now : m_scheduler.GetNext(blocked, now);
    return frame;
}

void
RdmaNic::Receive(FabricPort&, FabricFrame* frame, int64_t now)
{
    if (frame->kind == FabricFrameKind::PACKET)
    {
        m_device->DeliverPacket(frame, now);
        return;
    }
    if (frame->destination != GetState().endpoint)
    {
        m_device->Drop(frame, FabricDropReason::NOT_FOR_US, now);
        return;
    }
    if (frame->kind == FabricFrameKind::SRD && m_srd)
    {
        m_device->GetNetwork()->GetDigest().Delivery(*frame, now);
        m_srd->Receive(*frame, now);
        m_device->Free(frame);
        return;
    }
    RdmaQueuePair* queuePair =
        frame->kind == FabricFrameKind::RDMA ? Find(frame->queuePair) : nullptr;
    if (!queuePair)
    {
        m_device->Drop(frame, FabricDropReason::UNKNOWN_QUEUE_PAIR, now);
        return;
    }
    if (!queuePair->Takes(frame->opcode))
    {
        m_device->Drop(frame, FabricDropReason::BAD_STATE, now);
        return;
    }
    m_device->GetNetwork()->GetDigest().Delivery(*frame, now);
    // A callback of a completion may destroy the queue pair.
    const Ptr<RdmaQueuePair> keep(queuePair);
    const HostTime time(PeekPointer(m_hostInterface), now);
    if (m_hostInterface)
    {
        m_hostInterface->Received(frame->payload, now);
    }
    queuePair->Receive(*frame, now);
    m_device->Free(frame);
}

void
RdmaNic::LinkChanged(FabricPort&, bool up, int64_t)
{
    RdmaAsyncEvent event;
    event.type = up ? RdmaEventType::PORT_ACTIVE : RdmaEventType::PORT_ERR;
    event.port = 1;
    AsyncEvent(event);
}

} // namespace rdma
} // namespace ns3
