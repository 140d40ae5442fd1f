/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-switch.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-dynamic-buffer.h"
#include "ns3/fabric-ecmp-selector.h"
#include "ns3/fabric-network.h"
#include "ns3/fabric-strict-scheduler.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/uinteger.h"

#include <map>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricSwitch")
            .SetParent<FabricSwitchBase>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("Latency",
                          "Time between the arrival of a frame's last bit and the moment it may "
                          "leave: parsing, look-up and scheduling. Ethernet switch chips take 300 "
                          "to 800 ns.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&FabricSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxFrameBytes",
                          "Longest frame from MAC header to FCS; longer ones are dropped. The "
                          "default holds an RDMA payload of 4096 bytes with all its headers.",
                          UintegerValue(4178),
                          MakeUintegerAccessor(&FabricSwitch::m_maxFrame),
                          MakeUintegerChecker<uint32_t>(64, 65535))
            .AddAttribute("HashSeed",
                          "What makes this switch choose other paths than its neighbours for the "
                          "same flow; 0: derived from the node id.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwitch::m_seed),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Enqueue",
                            "A frame was queued for an egress port.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_enqueueTrace),
                            "ns3::rdma::FabricSwitch::QueueTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame leaves its queue for the wire.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_dequeueTrace),
                            "ns3::rdma::FabricSwitch::QueueTracedCallback")
            .AddTraceSource("Mark",
                            "A frame was marked with congestion experienced.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_markTrace),
                            "ns3::rdma::FabricSwitch::QueueTracedCallback");
    return tid;
}

FabricSwitch::FabricSwitch()
    : m_random(CreateObject<UniformRandomVariable>()),
      m_enqueueTrace(m_observed),
      m_dequeueTrace(m_observed),
      m_markTrace(m_observed)
{
    m_schedulerFactory.SetTypeId(FabricStrictScheduler::GetTypeId());
    m_markerFactory.SetTypeId(FabricMarker::GetTypeId());
}

FabricSwitch::~FabricSwitch() = default;

void
FabricSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_egress.clear();
    m_buffer = nullptr;
    m_selector = nullptr;
    m_random = nullptr;
    FabricSwitchBase::DoDispose();
}

void
FabricSwitch::SetBufferPolicy(Ptr<FabricBufferPolicy> policy)
{
    m_buffer = policy;
}

void
FabricSwitch::SetPathSelector(Ptr<FabricPathSelector> selector)
{
    m_selector = selector;
}

void
FabricSwitch::SetEgressScheduler(const ObjectFactory& factory)
{
    m_schedulerFactory = factory;
}

void
FabricSwitch::SetMarker(const ObjectFactory& factory)
{
    m_markerFactory = factory;
}

int64_t
FabricSwitch::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

std::string
FabricSwitch::DoConfigure()
{
    if (!m_buffer)
    {
        m_buffer = CreateObject<FabricDynamicBuffer>();
    }
    if (!m_selector)
    {
        m_selector = CreateObject<FabricEcmpSelector>();
    }
    const Ptr<Node> node = GetNode();
    m_selector->SetQueues(this);
    m_selector->SetSeed(m_seed || !node ? m_seed : node->GetId() + 1);
    std::vector<FabricBufferPort> ports;
    for (const auto& device : GetPorts())
    {
        const FabricPort& port = device->GetPort();
        const int64_t delay = port.GetWire() ? port.GetWire()->delay : 0;
        ports.push_back({port.GetRate(), delay, GetLatency(), port.GetFlowControl().GetLossless()});
    }
    const std::string why = m_buffer->Configure(ports, FABRIC_PRIORITIES, m_maxFrame, this);
    if (!why.empty())
    {
        return why;
    }
    m_roceV1 = GetNPorts() && GetPorts().front()->GetNetwork()->GetEncapsulation() ==
                                  RdmaEncapsulation::ROCE_V1;
    m_egress.reserve(GetNPorts());
    for (const auto& device : GetPorts())
    {
        const auto marker = m_markerFactory.Create<FabricMarker>();
        marker->Configure(device->GetRate(), m_random);
        m_egress.emplace_back(m_schedulerFactory.Create<FabricEgressScheduler>(), marker);
    }
    return "";
}

FabricForwardingTable&
FabricSwitch::GetTable()
{
    return m_table;
}

void
FabricSwitch::SetFloodPorts(const std::vector<uint16_t>& ports)
{
    m_flood = ports;
}

const FabricEgressPort&
FabricSwitch::GetEgress(uint32_t port) const
{
    return m_egress.at(port);
}

uint64_t
FabricSwitch::GetQueuedBytes(uint16_t port) const
{
    uint64_t bytes = 0;
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        bytes += m_buffer->GetEgressBytes(port, lane);
    }
    return bytes;
}

Ptr<FabricBufferPolicy>
FabricSwitch::GetBufferPolicy() const
{
    return m_buffer;
}

inline void
FabricSwitch::Forward(FabricFrame* frame, uint32_t egress, int64_t now)
{
    FabricDropReason reason;
    if (!m_buffer->Admit(*frame, egress, now, reason))
    {
        GetPorts()[frame->ingress]->Drop(frame, reason, now);
        return;
    }
    if (m_observed)
    {
        m_enqueueTrace(frame,
                       egress,
                       m_buffer->GetEgressBytes(egress, frame->priority) - frame->bytes,
                       now);
    }
    m_egress[egress].Enqueue(frame);
    GetPorts()[egress]->GetPort().Wake(now);
}

void
FabricSwitch::Receive(FabricPort& port, FabricFrame* frame, int64_t now)
{
    frame->ingress = static_cast<uint16_t>(port.GetIndex());
    if (frame->hopLimit-- == 0 || frame->bytes > m_maxFrame)
    {
        port.GetDevice()->Drop(frame,
                               frame->bytes > m_maxFrame ? FabricDropReason::TOO_LONG
                                                         : FabricDropReason::HOP_LIMIT,
                               now);
        return;
    }
    if (frame->destination == FABRIC_BROADCAST)
    {
        Flood(frame, now);
        return;
    }
    if (m_roceV1 && CrossesSubnets(*frame))
    {
        port.GetDevice()->Drop(frame, FabricDropReason::ROCE_V1_NOT_ROUTABLE, now);
        return;
    }
    const FabricForwardingTable::Ports ports = m_table.Lookup(frame->destination);
    if (!ports.count)
    {
        port.GetDevice()->Drop(frame, FabricDropReason::NO_ROUTE, now);
        return;
    }
    Forward(frame, m_selector->Select(*frame, ports), now);
}

bool
FabricSwitch::CrossesSubnets(const FabricFrame& frame) const
{
    const FabricNetwork& network = *GetPorts().front()->GetNetwork();
    return frame.kind == FabricFrameKind::RDMA &&
           network.GetSubnet(frame.source) != network.GetSubnet(frame.destination);
}

void
FabricSwitch::Flood(FabricFrame* frame, int64_t now)
{
    for (uint16_t egress : m_flood)
    {
        if (egress == frame->ingress)
        {
            continue;
        }
        FabricFrame* copy = GetPorts()[egress]->Allocate();
        *copy = *frame;
        if (copy->kind == FabricFrameKind::PACKET)
        {
            copy->net.packet->Ref();
        }
        Forward(copy, egress, now);
    }
    GetPorts()[frame->ingress]->Free(frame);
}

FabricFrame*
FabricSwitch::Pull(FabricPort& port, int64_t now, int64_t& next)
{
    const uint32_t index = port.GetIndex();
    FabricEgressPort& egress = m_egress[index];
    FabricFrame* frame = egress.Dequeue(port.GetBlocked());
    if (!frame)
    {
        if (egress.GetWaiting())
        {
            NotifyStopped();
        }
        next = FABRIC_NEVER;
        return nullptr;
    }
    m_buffer->Release(*frame, index, now);
    const uint64_t left = m_buffer->GetEgressBytes(index, frame->priority);
    if (egress.Mark(*frame, left))
    {
        GetPorts()[index]->GetNetwork()->GetDigest().Mark(*frame, now);
        if (m_observed)
        {
            m_markTrace(frame, index, left, now);
        }
    }
    if (m_observed)
    {
        m_dequeueTrace(frame, index, left, now);
    }
    next = egress.HasFrame(port.GetBlocked()) ? now : FABRIC_NEVER;
    return frame;
}

void
FabricSwitch::LinkChanged(FabricPort& port, bool up, int64_t now)
{
    if (up && IsConfigured())
    {
        m_buffer->Repeat(port.GetIndex(), now);
    }
}

void
FabricSwitch::IngressFull(uint32_t port, uint8_t lane, bool full, int64_t now)
{
    NS_LOG_INFO("port " << port << " priority " << +lane << (full ? " is full" : " has room"));
    GetPorts()[port]->GetPort().GetFlowControl().SetReceiverFull(lane, full, now);
    if (full)
    {
        NotifyStopped();
    }
}

uint32_t
FabricSwitch::GetStopped(uint32_t port) const
{
    return IsConfigured() ? m_egress.at(port).GetWaiting() & GetPorts()[port]->GetPort().GetBlocked()
                          : 0;
}

bool
FabricSwitch::IsFull(uint32_t port, uint8_t lane) const
{
    return IsConfigured() && m_buffer->GetIngress(port, lane).stopped;
}

void
FabricSwitch::AppendHolds(std::vector<Hold>& holds) const
{
    for (uint32_t egress = 0; egress < m_egress.size(); ++egress)
    {
        for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
        {
            std::map<uint16_t, Hold> byIngress;
            const FabricFrame* frame = m_egress[egress].GetQueue(lane).Peek();
            for (; frame; frame = frame->next)
            {
                Hold& hold =
                    byIngress.try_emplace(frame->ingress, Hold{frame->ingress, lane, egress, lane, 0, 0})
                        .first->second;
                ++hold.frames;
                hold.bytes += frame->bytes;
            }
            for (const auto& entry : byIngress)
            {
                holds.push_back(entry.second);
            }
        }
    }
}

const char*
FabricSwitch::GetLaneWord() const
{
    return "priority";
}

} // namespace rdma
} // namespace ns3
