/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/ib-switch.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-least-queued-selector.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("IbSwitch");
NS_OBJECT_ENSURE_REGISTERED(IbSwitch);

namespace
{

constexpr uint8_t MANAGEMENT = IbLink::MANAGEMENT_LANE;
constexpr uint32_t STALL_LIVES = 8; // a stalled lane drops for so many HOQLife, IBA 18.2.5.4

/**
 * \param code A lifetime as PortInfo and SwitchInfo have it, 0 to 31.
 * \return The lifetime in ps, 4.096 us x 2^code; FABRIC_NEVER for codes above 19, which turn it
 * off.
 */
int64_t
LifetimePs(uint8_t code)
{
    return code > 19 ? FABRIC_NEVER : int64_t{4'096'000} << code;
}

/**
 * \param since A time in ps.
 * \param life A lifetime, FABRIC_NEVER: none.
 * \return The end of it.
 */
int64_t
EndOf(int64_t since, int64_t life)
{
    return since == FABRIC_NEVER || life == FABRIC_NEVER ? FABRIC_NEVER : since + life;
}

} // namespace

TypeId
IbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbSwitch")
            .SetParent<FabricSwitchBase>()
            .SetGroupName("Rdma")
            .AddConstructor<IbSwitch>()
            .AddAttribute("Latency",
                          "Time from the arrival of a packet's header to the moment it may leave. "
                          "Vendors give 100 to 350 ns from port to port: sweep it.",
                          TimeValue(NanoSeconds(130)),
                          MakeTimeAccessor(&IbSwitch::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HeaderBytes",
                          "Bytes that must have come before a packet can be forwarded: the local "
                          "route header. 0: all of them (store-and-forward).",
                          UintegerValue(LRH_BYTES),
                          MakeUintegerAccessor(&IbSwitch::m_headerBytes),
                          MakeUintegerChecker<uint32_t>(0, 4222))
            .AddAttribute(
                "AdaptiveServiceLevels",
                "Service levels whose packets are routed adaptively, a mask: bit i stands "
                "for service level i. The others follow the forwarding table.",
                UintegerValue(0),
                MakeUintegerAccessor(&IbSwitch::m_adaptive),
                MakeUintegerChecker<uint16_t>())
            .AddAttribute(
                "PacketLifetime",
                "How long a packet may be in the switch: 4.096 us x 2^value; more than 19 "
                "means for ever (SwitchInfo:LifeTimeValue; OpenSM sets 18).",
                UintegerValue(18),
                MakeUintegerAccessor(&IbSwitch::m_lifeCode),
                MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute(
                "HoqLife",
                "How long a packet may wait at the head of a queue towards a switch: 4.096 "
                "us x 2^value; more than 19 means for ever (PortInfo:HOQLife; OpenSM sets "
                "18).",
                UintegerValue(18),
                MakeUintegerAccessor(&IbSwitch::m_headLifeCode),
                MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("LeafHoqLife",
                          "The same towards a host; OpenSM sets 16.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&IbSwitch::m_leafHeadLifeCode),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute(
                "VlStallCount",
                "After so many drops at the head of a queue, one after the other, its lane "
                "is stalled: everything in it is dropped for 8 times HoqLife "
                "(PortInfo:VLStallCount). 0: never.",
                UintegerValue(7),
                MakeUintegerAccessor(&IbSwitch::m_stallCount),
                MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute(
                "ManagementBuffer",
                "Bytes of packets of lane 15 that may wait for an output; what comes then "
                "is dropped, as this lane has no flow control.",
                UintegerValue(4096),
                MakeUintegerAccessor(&IbSwitch::m_managementBuffer),
                MakeUintegerChecker<uint32_t>(288))
            .AddAttribute(
                "BubbleRule",
                "Whether a packet enters a ring of switches only when there are credits for "
                "one more behind it: then a ring on one lane is free of deadlock, without "
                "datelines (Puente et al., ICPP 1999). Needs lane buffers for two packets.",
                BooleanValue(false),
                MakeBooleanAccessor(&IbSwitch::m_bubble),
                MakeBooleanChecker())
            .AddTraceSource("Enqueue",
                            "A packet was queued for an output.",
                            MakeTraceSourceAccessor(&IbSwitch::m_enqueueTrace),
                            "ns3::rdma::IbSwitch::QueueTracedCallback")
            .AddTraceSource("Dequeue",
                            "A packet leaves its queue for the wire.",
                            MakeTraceSourceAccessor(&IbSwitch::m_dequeueTrace),
                            "ns3::rdma::IbSwitch::QueueTracedCallback")
            .AddTraceSource("Mark",
                            "FECN was set in a packet that leaves.",
                            MakeTraceSourceAccessor(&IbSwitch::m_markTrace),
                            "ns3::rdma::IbSwitch::QueueTracedCallback");
    return tid;
}

IbSwitch::IbSwitch()
    : m_random(CreateObject<UniformRandomVariable>()),
      m_limits(*this),
      m_enqueueTrace(m_observed),
      m_dequeueTrace(m_observed),
      m_markTrace(m_observed)
{
    m_map.fill(0);
}

IbSwitch::~IbSwitch() = default;

void
IbSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    FabricSwitchBase::DoDispose();
    m_outputs.clear();
    m_links.clear();
    m_selector = nullptr;
    m_marker = nullptr;
    m_random = nullptr;
}

void
IbSwitch::DoAddPort(FabricPort& port)
{
    port.SetCutThrough(m_headerBytes);
    port.SetSourceAsks(true);
    port.SetSinkHolds(true);
}

std::string
IbSwitch::DoConfigure()
{
    if (!m_selector)
    {
        m_selector = CreateObject<FabricLeastQueuedSelector>();
    }
    const Ptr<Node> node = GetNode();
    m_selector->SetQueues(this);
    m_selector->SetSeed(node ? node->GetId() + 1 : 0);
    m_life = LifetimePs(m_lifeCode);
    for (const auto& device : GetPorts())
    {
        FabricPort& port = device->GetPort();
        IbLink* link = port.GetIbLink();
        if (!link)
        {
            return "port " + std::to_string(port.GetIndex()) +
                   " has no InfiniBand link layer (flow control ns3::rdma::IbLink)";
        }
        port.SetCutThrough(m_headerBytes);
        if (port.GetWire())
        {
            m_dataLanes = m_dataLanes ? m_dataLanes : link->GetNLanes();
            if (link->GetNLanes() != m_dataLanes)
            {
                return "port " + std::to_string(port.GetIndex()) + " has " +
                       std::to_string(link->GetNLanes()) + " data lanes, others have " +
                       std::to_string(m_dataLanes) + ": all ports need the same number";
            }
        }
        m_links.push_back(link);
    }
    const uint32_t ports = GetNPorts();
    m_outputs.resize(ports);
    std::vector<IbFecnMarker::Port> marked;
    for (uint32_t i = 0; i < ports; ++i)
    {
        Output& output = m_outputs[i];
        output.lanes.assign(m_dataLanes, IbVoq(ports));
        const Ptr<FabricNetDevice> device = GetPort(i);
        const Ptr<FabricChannel> channel = device->GetFabricChannel();
        const bool leaf = channel && channel->GetPeer(device)->GetEndpoint() != FABRIC_NO_ENDPOINT;
        output.ring = leaf ? NO_PORT : i < m_rings.size() ? m_rings[i] : 0;
        output.headLife = LifetimePs(leaf ? m_leafHeadLifeCode : m_headLifeCode);
        marked.push_back(
            {m_links[i]->GetNLanes() ? uint64_t{m_links[i]->GetLaneView(0).capacity} * IbLink::BLOCK
                                     : 0,
             leaf});
    }
    if (m_marker)
    {
        m_marker->Configure(marked, m_random);
    }
    m_limitsUnit = GetDriver()->AddUnit(&m_limits);
    return "";
}

void
IbSwitch::SetLft(std::vector<uint16_t> table)
{
    m_lft = std::move(table);
}

void
IbSwitch::SetAdaptiveGroups(const std::vector<std::vector<uint16_t>>& groups,
                            std::vector<uint16_t> groupOfLid)
{
    m_groups = groups;
    m_groupOfLid = std::move(groupOfLid);
}

void
IbSwitch::SetSlToVl(const LaneMap& map)
{
    m_map = map;
    m_mapOf.clear();
    m_maps.clear();
}

void
IbSwitch::SetSlToVl(uint16_t inPort, uint16_t outPort, const LaneMap& map)
{
    const uint32_t ports = GetNPorts();
    NS_ABORT_MSG_IF(inPort >= ports || outPort >= ports,
                    "The switch has ports 0 to " << ports - 1 << ", got " << inPort << " and "
                                                 << outPort);
    m_mapOf.resize(ports * ports, 0);
    const auto known = std::find(m_maps.begin(), m_maps.end(), map);
    m_mapOf[inPort * ports + outPort] = static_cast<uint32_t>(known - m_maps.begin()) + 1;
    if (known == m_maps.end())
    {
        m_maps.push_back(map);
    }
}

void
IbSwitch::SetRing(uint16_t port, uint16_t ring)
{
    NS_ABORT_MSG_IF(port >= GetNPorts() || ring == NO_PORT,
                    "A ring is a number below 65535 of one of the ports 0 to "
                        << GetNPorts() - 1 << ", got ring " << ring << " of port " << port);
    m_rings.resize(GetNPorts(), 0);
    m_rings[port] = ring;
}

void
IbSwitch::SetPathSelector(Ptr<FabricPathSelector> selector)
{
    m_selector = selector;
}

void
IbSwitch::SetFecnMarker(Ptr<IbFecnMarker> marker)
{
    m_marker = marker;
}

Ptr<IbFecnMarker>
IbSwitch::GetFecnMarker() const
{
    return m_marker;
}

int64_t
IbSwitch::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

const IbVoq&
IbSwitch::GetQueue(uint32_t output, uint8_t lane) const
{
    const Output& side = m_outputs.at(output);
    NS_ABORT_MSG_IF(lane == MANAGEMENT && !side.management,
                    "No packet of lane 15 has come for port " << output << " yet");
    return lane == MANAGEMENT ? *side.management : side.lanes.at(lane);
}

uint64_t
IbSwitch::GetQueuedBytes(uint16_t port) const
{
    return m_outputs[port].bytes;
}

uint64_t
IbSwitch::GetHeld() const
{
    return m_held;
}

uint64_t
IbSwitch::GetPeak() const
{
    return m_peak;
}

IbVoq&
IbSwitch::GetVoq(Output& output, uint8_t lane)
{
    if (lane != MANAGEMENT)
    {
        return output.lanes[lane];
    }
    if (!output.management)
    {
        output.management = std::make_unique<IbVoq>(GetNPorts());
    }
    return *output.management;
}

uint16_t
IbSwitch::Route(const FabricFrame& frame)
{
    const uint16_t lid = frame.dlid;
    if ((m_adaptive >> frame.serviceLevel & 1) && lid < m_groupOfLid.size() &&
        m_groupOfLid[lid] != NO_PORT)
    {
        const std::vector<uint16_t>& group = m_groups[m_groupOfLid[lid]];
        return m_selector->Select(frame, {group.data(), static_cast<uint32_t>(group.size())});
    }
    return GetOutput(lid);
}

uint8_t
IbSwitch::GetLane(const FabricFrame& frame, uint16_t output) const
{
    if (frame.priority == MANAGEMENT)
    {
        return MANAGEMENT;
    }
    if (!m_mapOf.empty())
    {
        if (const uint32_t map = m_mapOf[frame.ingress * m_outputs.size() + output])
        {
            return m_maps[map - 1][frame.serviceLevel];
        }
    }
    return m_map[frame.serviceLevel];
}

void
IbSwitch::Discard(FabricFrame* frame, FabricDropReason reason, int64_t now)
{
    const uint16_t input = frame->ingress;
    const uint8_t lane = frame->ingressLane;
    const uint32_t bytes = frame->bytes;
    GetPorts()[input]->Drop(frame, reason, now);
    m_links[input]->Release(lane, bytes, now);
}

void
IbSwitch::Receive(FabricPort& port, FabricFrame* frame, int64_t now)
{
    frame->ingress = static_cast<uint16_t>(port.GetIndex());
    frame->ingressLane = frame->priority;
    if (frame->hopLimit-- == 0)
    {
        Discard(frame, FabricDropReason::HOP_LIMIT, now);
        return;
    }
    const uint16_t out = Route(*frame);
    if (out == NO_PORT)
    {
        Discard(frame, FabricDropReason::NO_ROUTE, now);
        return;
    }
    const uint8_t lane = GetLane(*frame, out);
    if (lane >= m_dataLanes && !(lane == MANAGEMENT && frame->priority == MANAGEMENT))
    {
        Discard(frame, FabricDropReason::NO_LANE, now);
        return;
    }
    Output& output = m_outputs[out];
    IbVoq& voq = GetVoq(output, lane);
    if (voq.stalledUntil > now)
    {
        Discard(frame, FabricDropReason::LANE_STALLED, now);
        return;
    }
    if (lane == MANAGEMENT && voq.GetBytes() + frame->bytes > m_managementBuffer)
    {
        Discard(frame, FabricDropReason::QUEUE_FULL, now);
        return;
    }
    // What comes in slower than it goes out starts late enough for its last bit to have come.
    const uint64_t rateIn = port.GetRate();
    const uint64_t rateOut = GetPorts()[out]->GetPort().GetRate();
    frame->time = now;
    if (rateIn < rateOut && m_headerBytes && frame->bytes > m_headerBytes)
    {
        const int64_t tail = now + FabricSerializer::Duration(rateIn, frame->bytes - m_headerBytes);
        frame->time = std::max(now, tail - FabricSerializer::Duration(rateOut, frame->bytes));
    }
    if (m_observed)
    {
        m_enqueueTrace(frame, out, voq.GetBytes(), now);
    }
    frame->priority = lane;
    voq.Push(frame);
    output.bytes += frame->bytes;
    output.waiting |= 1U << lane;
    ++m_held;
    m_bytes += frame->bytes;
    m_peak = std::max(m_peak, m_bytes);
    if (m_bubble)
    {
        m_links[out]->Reconsider(lane, now); // it may start where one that enters the ring may not
    }
    GetPorts()[out]->GetPort().Wake(now);
}

FabricFrame*
IbSwitch::Take(Output& output, uint8_t lane)
{
    IbVoq& voq = GetVoq(output, lane);
    FabricFrame* frame = voq.Pop();
    output.bytes -= frame->bytes;
    if (voq.IsEmpty())
    {
        output.waiting &= ~(1U << lane);
    }
    --m_held;
    m_bytes -= frame->bytes;
    return frame;
}

uint32_t
IbSwitch::GetBubble(const FabricFrame& frame, const Output& output, const IbLink& link) const
{
    return output.ring == NO_PORT || output.ring == m_outputs[frame.ingress].ring
               ? 0
               : IbLink::Blocks(link.GetMtu() + IbLink::MOST_HEADER_BYTES) * IbLink::BLOCK;
}

bool
IbSwitch::Choose(Output& output, uint8_t lane, IbLink& link, int64_t now)
{
    IbVoq& voq = GetVoq(output, lane);
    if (!m_bubble)
    {
        return link.MaySend(lane, voq.Peek()->bytes, now);
    }
    // A packet that may not enter the ring must not hold up those that are in it already.
    uint32_t least = UINT32_MAX;
    const uint32_t first = voq.Peek()->ingress;
    do
    {
        const FabricFrame* frame = voq.Peek();
        if (frame->time <= now)
        {
            const uint32_t needed = frame->bytes + GetBubble(*frame, output, link);
            if (link.HasCredits(lane, needed, now))
            {
                return true;
            }
            least = std::min(least, needed);
        }
        voq.Skip();
    } while (voq.Peek()->ingress != first);
    return link.MaySend(lane, least, now); // blocks the lane until there are so many
}

FabricFrame*
IbSwitch::Pull(FabricPort& port, int64_t now, int64_t& next)
{
    const uint32_t index = port.GetIndex();
    Output& output = m_outputs[index];
    IbLink& link = *m_links[index];
    next = FABRIC_NEVER;
    uint32_t eligible = output.waiting & ~port.GetBlocked();
    while (eligible)
    {
        const auto lane = static_cast<uint8_t>(link.SelectLane(eligible));
        IbVoq& voq = GetVoq(output, lane);
        FabricFrame* frame = voq.Peek();
        if (now - frame->time >= m_life)
        {
            Discard(Take(output, lane), FabricDropReason::SWITCH_LIFETIME, now);
            eligible &= output.waiting;
            continue;
        }
        if (frame->time > now)
        {
            next = std::min(next, frame->time);
            eligible &= ~(1U << lane);
            continue;
        }
        if (!Choose(output, lane, link, now))
        {
            StartWaiting(voq, output, now);
            NotifyStopped();
            eligible &= ~(1U << lane);
            continue;
        }
        frame = voq.Peek();
        link.Charge(lane, frame->bytes);
        Take(output, lane);
        const bool credits = voq.waitSince == FABRIC_NEVER;
        voq.waitSince = FABRIC_NEVER;
        voq.drops = 0;
        output.departingInput = frame->ingress;
        output.departingLane = frame->ingressLane;
        output.departingBytes = frame->bytes;
        if (m_marker && m_marker->Mark(*frame, index, voq.GetBytes(), credits))
        {
            GetPorts()[index]->GetNetwork()->GetDigest().Mark(*frame, now);
            if (m_observed)
            {
                m_markTrace(frame, index, voq.GetBytes(), now);
            }
        }
        if (m_observed)
        {
            m_dequeueTrace(frame, index, voq.GetBytes(), now);
        }
        next = now;
        return frame;
    }
    return nullptr;
}

void
IbSwitch::Departed(FabricPort& port, int64_t now)
{
    const Output& output = m_outputs[port.GetIndex()];
    m_links[output.departingInput]->Release(output.departingLane, output.departingBytes, now);
}

void
IbSwitch::LinkChanged(FabricPort&, bool, int64_t)
{
    // What waits for a port that is down goes into the cut cable, and what was on its way by it is
    // lost, until the subnet manager sends it elsewhere.
}

uint32_t
IbSwitch::GetStopped(uint32_t port) const
{
    return IsConfigured() ? m_outputs.at(port).waiting & GetPorts()[port]->GetPort().GetBlocked()
                          : 0;
}

bool
IbSwitch::IsFull(uint32_t port, uint8_t lane) const
{
    if (!IsConfigured() || lane >= m_dataLanes)
    {
        return false;
    }
    const IbLink& link = *m_links.at(port);
    const IbLink::LaneView view = link.GetLaneView(lane);
    return view.held + IbLink::Blocks(link.GetMtu() + IbLink::MOST_HEADER_BYTES) > view.capacity;
}

void
IbSwitch::AppendHolds(std::vector<Hold>& holds) const
{
    for (uint32_t out = 0; out < m_outputs.size(); ++out)
    {
        for (uint8_t lane = 0; lane < m_dataLanes; ++lane)
        {
            const IbVoq& voq = m_outputs[out].lanes[lane];
            for (uint32_t in = 0; !voq.IsEmpty() && in < m_outputs.size(); ++in)
            {
                std::map<uint8_t, Hold> byLane;
                for (const FabricFrame* frame = voq.GetInput(in).Peek(); frame; frame = frame->next)
                {
                    const Hold none{in, frame->ingressLane, out, lane, 0, 0};
                    Hold& hold = byLane.try_emplace(frame->ingressLane, none).first->second;
                    ++hold.frames;
                    hold.bytes += frame->bytes;
                }
                for (const auto& entry : byLane)
                {
                    holds.push_back(entry.second);
                }
            }
        }
    }
}

const char*
IbSwitch::GetLaneWord() const
{
    return "VL";
}

int64_t
IbSwitch::GetEndOfLife(const FabricFrame& frame) const
{
    return EndOf(frame.time, m_life);
}

void
IbSwitch::StartWaiting(IbVoq& voq, const Output& output, int64_t now)
{
    if (voq.waitSince != FABRIC_NEVER)
    {
        return;
    }
    voq.waitSince = now;
    const int64_t due = std::min(EndOf(now, output.headLife), GetEndOfLife(*voq.Peek()));
    if (due < m_expireAt)
    {
        m_expireAt = due;
        GetDriver()->Arm(m_limitsUnit, FabricDeadline::TIMER, due);
    }
}

int64_t
IbSwitch::Limits::OnDeadline(FabricDeadline, int64_t now)
{
    return m_owner.Expire(now);
}

int64_t
IbSwitch::Expire(int64_t now)
{
    m_expireAt = FABRIC_NEVER;
    int64_t next = FABRIC_NEVER;
    for (Output& output : m_outputs)
    {
        for (uint8_t lane = 0; lane < m_dataLanes; ++lane)
        {
            next = std::min(next, ExpireLane(output, lane, now));
        }
    }
    m_expireAt = std::min(m_expireAt, next);
    return m_expireAt;
}

int64_t
IbSwitch::ExpireLane(Output& output, uint8_t lane, int64_t now)
{
    IbVoq& voq = output.lanes[lane];
    if (voq.waitSince == FABRIC_NEVER || voq.IsEmpty())
    {
        return FABRIC_NEVER;
    }
    const bool headOver = EndOf(voq.waitSince, output.headLife) <= now;
    if (headOver || GetEndOfLife(*voq.Peek()) <= now)
    {
        const auto reason =
            headOver ? FabricDropReason::HEAD_OF_QUEUE : FabricDropReason::SWITCH_LIFETIME;
        Discard(Take(output, lane), reason, now);
        voq.drops += headOver;
        voq.waitSince = now;
        if (m_stallCount && voq.drops >= m_stallCount)
        {
            NS_LOG_INFO("lane " << +lane << " is stalled");
            voq.stalledUntil = now + STALL_LIVES * output.headLife;
            voq.drops = 0;
            while (!voq.IsEmpty())
            {
                Discard(Take(output, lane), FabricDropReason::LANE_STALLED, now);
            }
        }
        const auto index = static_cast<uint32_t>(&output - m_outputs.data());
        if (voq.IsEmpty())
        {
            voq.waitSince = FABRIC_NEVER;
        }
        m_links[index]->Reconsider(lane, now); // the next packet may be shorter
    }
    return voq.IsEmpty() || voq.waitSince == FABRIC_NEVER
               ? FABRIC_NEVER
               : std::min(EndOf(voq.waitSince, output.headLife), GetEndOfLife(*voq.Peek()));
}

} // namespace rdma
} // namespace ns3
