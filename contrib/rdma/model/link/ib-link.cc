/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/ib-link.h"

#include "ns3/abort.h"
#include "ns3/fabric-net-device.h"
#include "ns3/log.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("IbLink");
NS_OBJECT_ENSURE_REGISTERED(IbLink);

TypeId
IbLink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbLink")
            .SetParent<FabricFlowControl>()
            .SetGroupName("Rdma")
            .AddConstructor<IbLink>()
            .AddAttribute("DataLanes",
                          "Virtual lanes for data, the same at both ends of a link.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IbLink::m_dataLanes),
                          MakeUintegerChecker<uint32_t>(1, 15))
            .AddAttribute("LaneBuffer",
                          "Receive buffer of each data lane in bytes: at least one packet with all "
                          "its headers, at most the 2048 blocks of 64 bytes that can be advertised "
                          "(IBA volume 1, section 7.9.4.4). A link is full when it holds the rate "
                          "times the round trip of a credit; the default does for 400 Gb/s and "
                          "1.3 us.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&IbLink::m_buffer),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Mtu",
                          "Longest payload in bytes: 256, 512, 1024, 2048 or 4096.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&IbLink::m_mtu),
                          MakeUintegerChecker<uint32_t>(256, 4096))
            .AddAttribute("Width",
                          "Physical lanes of the link. The period of the refresh, 65,536 symbol "
                          "times, is that of one of them.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&IbLink::m_width),
                          MakeUintegerChecker<uint32_t>(1, 12))
            .AddAttribute("VlArbitrationHigh",
                          "High priority table of virtual lane arbitration: lane:weight pairs with "
                          "commas between, weights in units of 64 bytes. The default is OpenSM's.",
                          StringValue("0:4"),
                          MakeStringAccessor(&IbLink::m_high),
                          MakeStringChecker())
            .AddAttribute(
                "VlArbitrationLow",
                "Low priority table of virtual lane arbitration. The default is OpenSM's.",
                StringValue("1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4"),
                MakeStringAccessor(&IbLink::m_low),
                MakeStringChecker())
            .AddAttribute("VlHighLimit",
                          "Bytes of high priority, in units of 4096, before the low table gets an "
                          "opportunity; 0: one packet; 255: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbLink::m_highLimit),
                          MakeUintegerChecker<uint8_t>())
            .AddTraceSource("CreditStall",
                            "A packet waits for credits, or waits no longer.",
                            MakeTraceSourceAccessor(&IbLink::m_stallTrace),
                            "ns3::rdma::IbLink::StallTracedCallback");
    return tid;
}

IbLink::IbLink()
    : m_stallTrace(m_observed)
{
    m_map.fill(0);
}

IbLink::~IbLink() = default;

void
IbLink::DoDispose()
{
    m_peer = nullptr;
    FabricFlowControl::DoDispose();
}

std::string
IbLink::CheckConfig()
{
    if (m_mtu & (m_mtu - 1))
    {
        return "the MTU of InfiniBand is 256, 512, 1024, 2048 or 4096 bytes, got " +
               std::to_string(m_mtu);
    }
    const uint32_t least = (Blocks(m_mtu + MOST_HEADER_BYTES)) * BLOCK;
    if (m_buffer < least || m_buffer > MOST_BLOCKS * BLOCK)
    {
        return "the buffer of a virtual lane must hold one packet with a payload of " +
               std::to_string(m_mtu) + " bytes and all headers, " + std::to_string(least) +
               " bytes, and at most the " + std::to_string(MOST_BLOCKS * BLOCK) +
               " bytes that can be advertised; got " + std::to_string(m_buffer);
    }
    return m_arbiter.Configure(m_high, m_low, m_highLimit, m_dataLanes);
}

void
IbLink::DoConnect(FabricFlowControl& peer)
{
    const std::string why = CheckConfig();
    NS_ABORT_MSG_IF(!why.empty(), "InfiniBand link: " << why);
    m_peer = dynamic_cast<IbLink*>(&peer);
    m_capacity = m_buffer / BLOCK;
    m_lanes.resize(m_dataLanes);
    // The link was initialized before the simulation starts: both ends know the buffers.
    for (Lane& lane : m_lanes)
    {
        lane.limit = static_cast<uint16_t>(m_peer->m_buffer / BLOCK);
    }
    std::array<uint8_t, 16> map;
    for (uint32_t level = 0; level < map.size(); ++level)
    {
        // OpenSM's default: the lane of the same number, and lane 7 for service level 15.
        map[level] = static_cast<uint8_t>((level == 15 ? 7 : level) % m_dataLanes);
    }
    SetMap(map);
}

void
IbLink::SetMap(const std::array<uint8_t, 16>& map)
{
    m_map = map;
}

std::string
IbLink::GetProtocol() const
{
    return "InfiniBand with " + std::to_string(m_dataLanes) +
           (m_dataLanes == 1 ? " data lane" : " data lanes") + " and an MTU of " +
           std::to_string(m_mtu) + " bytes";
}

uint32_t
IbLink::GetMtu() const
{
    return m_mtu;
}

uint32_t
IbLink::DoGetLossless() const
{
    return (1U << m_dataLanes) - 1;
}

uint16_t
IbLink::GetAdvertised(const Lane& lane) const
{
    return (lane.received + (m_capacity - lane.held)) & COUNTER_MASK;
}

bool
IbLink::HasCredits(uint8_t lane, uint32_t bytes, int64_t now)
{
    if (lane == MANAGEMENT_LANE || !GetPort().GetWire()->up)
    {
        return true; // what is sent into a cut link is lost there
    }
    GetPort().TakeControl(now);
    return HasCredit(m_lanes[lane].limit, m_lanes[lane].sent, Blocks(bytes));
}

bool
IbLink::MaySend(uint8_t lane, uint32_t bytes, int64_t now)
{
    if (HasCredits(lane, bytes, now))
    {
        return true;
    }
    m_lanes[lane].needed = Blocks(bytes);
    SetStalled(m_stalled | 1U << lane, now);
    return false;
}

void
IbLink::SetStalled(uint32_t lanes, int64_t now)
{
    const uint32_t changed = lanes ^ m_stalled;
    m_stalled = lanes;
    for (uint32_t rest = changed; rest; rest &= rest - 1)
    {
        const auto lane = static_cast<uint8_t>(__builtin_ctz(rest));
        Lane& state = m_lanes[lane];
        const bool stalled = lanes >> lane & 1;
        if (stalled)
        {
            state.waitSince = now;
        }
        else
        {
            state.waited += now - state.waitSince;
        }
        if (m_observed)
        {
            m_stallTrace(lane, stalled, now);
        }
    }
    UpdateLaziness();
    GetPort().SetBlocked(lanes, now);
}

void
IbLink::Sent(uint8_t lane, uint32_t bytes, int64_t now)
{
    if (lane != MANAGEMENT_LANE)
    {
        Lane& state = m_lanes[lane];
        state.sent = (state.sent + Blocks(bytes)) & COUNTER_MASK;
        KeepFresh(now);
    }
}

void
IbLink::Received(uint8_t lane, uint32_t bytes, int64_t now)
{
    if (lane != MANAGEMENT_LANE)
    {
        Lane& state = m_lanes[lane];
        const uint32_t blocks = Blocks(bytes);
        state.received = (state.received + blocks) & COUNTER_MASK;
        state.held += blocks;
        NS_ASSERT_MSG(state.held <= m_capacity, "credits keep the sender from overrunning us");
        KeepFresh(now);
    }
}

void
IbLink::Release(uint8_t lane, uint32_t bytes, int64_t now)
{
    if (lane != MANAGEMENT_LANE)
    {
        Lane& state = m_lanes[lane];
        const uint32_t blocks = Blocks(bytes);
        NS_ASSERT_MSG(state.held >= blocks, "only what is held is released");
        state.held -= blocks;
        Announce(1U << lane, now);
    }
}

void
IbLink::Reconsider(uint8_t lane, int64_t now)
{
    SetStalled(m_stalled & ~(1U << lane), now);
}

void
IbLink::Lost(uint8_t lane)
{
    if (lane != MANAGEMENT_LANE)
    {
        m_lost |= 1U << lane;
        UpdateLaziness();
    }
}

void
IbLink::Announce(uint32_t lanes, int64_t now)
{
    if (GetPort().GetWire()->up)
    {
        GetPort().TakeControl(now);
        m_due |= lanes;
        KeepFresh(now);
        GetPort().RequestControl(now);
    }
}

FabricFrame*
IbLink::NextControl(int64_t now)
{
    // In a circle, so that all lanes have their turn however busy the first ones are.
    const uint32_t behind = m_due & ~((2U << m_turn) - 1);
    const auto index = static_cast<uint32_t>(__builtin_ctz(behind ? behind : m_due));
    m_turn = index;
    m_due &= ~(1U << index);
    if (m_due)
    {
        GetPort().RequestControl(now);
    }
    FabricNetDevice* device = GetPort().GetDevice();
    const Lane& lane = m_lanes[index];
    FabricFrame* frame = device->Allocate();
    frame->kind = FabricFrameKind::CREDIT;
    frame->bytes = FLOW_CONTROL_PACKET_BYTES;
    frame->payload = 0;
    frame->priority = static_cast<uint8_t>(index);
    frame->source = device->GetEndpoint();
    frame->destination = FABRIC_BROADCAST;
    frame->credit.sentBlocks = lane.sent;
    frame->credit.creditLimit = GetAdvertised(lane);
    frame->credit.lane = static_cast<uint8_t>(index);
    frame->credit.initial = m_initial >> index & 1;
    m_initial &= ~(1U << index);
    return frame;
}

uint32_t
IbLink::GetBlocksInFront(const FabricFrame& control) const
{
    uint32_t blocks = 0;
    const int64_t latency = GetPort().GetIngressLatency();
    for (const FabricFrame* frame = GetPort().GetInWire()->data.Peek(); frame; frame = frame->next)
    {
        if (frame->priority == control.credit.lane && frame->time - latency < control.time)
        {
            blocks += Blocks(frame->bytes);
        }
    }
    return blocks;
}

void
IbLink::DoReceiveControl(const FabricFrame& frame, int64_t now)
{
    const uint8_t index = frame.credit.lane;
    if (frame.kind != FabricFrameKind::CREDIT || index >= m_lanes.size())
    {
        return;
    }
    Lane& lane = m_lanes[index];
    lane.limit = frame.credit.creditLimit;
    const uint32_t bit = 1U << index;
    // ABR becomes FCTBS, but what is still in the ingress pipeline is counted when it is out.
    const auto received =
        static_cast<uint16_t>((frame.credit.sentBlocks - GetBlocksInFront(frame)) & COUNTER_MASK);
    if (received != lane.received)
    {
        lane.received = received;
        m_lost &= ~bit;
        SetStalled(m_stalled, now);
        Announce(bit, now);
    }
    if ((m_stalled & bit) && HasCredit(lane.limit, lane.sent, lane.needed))
    {
        SetStalled(m_stalled & ~bit, now);
    }
}

void
IbLink::KeepFresh(int64_t now)
{
    if (m_refreshAt == FABRIC_NEVER)
    {
        // 65,536 symbols of 8 data bits on each physical lane, IBA volume 1, section 7.9.4.
        const uint64_t bits = 65536ULL * 8 * m_width;
        m_refreshAt =
            now + static_cast<int64_t>(bits * 1'000'000'000ULL / (GetPort().GetRate() / 1000));
        GetPort().ArmTimer(m_refreshAt);
        m_active = false;
        UpdateLaziness();
        return;
    }
    m_active = true;
}

void
IbLink::UpdateLaziness()
{
    // Who waits must see them at once; else it is early enough before the next packet is sent, or
    // when the timer runs out.
    GetPort().SetControlLazy(!m_stalled && !m_lost && m_refreshAt != FABRIC_NEVER);
}

int64_t
IbLink::DoRunTimers(int64_t now)
{
    m_refreshAt = FABRIC_NEVER;
    GetPort().TakeControl(now);
    // The standard goes on for ever; but then no simulation would end. Where nothing is lost, the
    // far end has been told all when nothing has happened since the last refresh.
    const uint32_t patience = m_peer->GetPort().GetDevice()->MayLose() ? LOSSY_REFRESHES : 0;
    m_quiet = m_active ? 0 : m_quiet + 1;
    if (GetPort().GetWire()->up && m_quiet <= patience)
    {
        Announce((1U << m_lanes.size()) - 1, now);
    }
    UpdateLaziness();
    return m_refreshAt;
}

void
IbLink::DoReset(int64_t now)
{
    const bool up = GetPort().GetWire()->up;
    for (Lane& lane : m_lanes)
    {
        lane.sent = 0;
        lane.received = 0;
        lane.limit = 0; // no credits until the far end has announced some
    }
    m_due = 0;
    m_lost = 0;
    m_refreshAt = FABRIC_NEVER;
    GetPort().ArmTimer(FABRIC_NEVER);
    SetStalled(0, now);
    if (up)
    {
        m_initial = (1U << m_lanes.size()) - 1;
        Announce(m_initial, now);
    }
}

IbLink::LaneView
IbLink::GetLaneView(uint8_t lane) const
{
    const Lane& state = m_lanes.at(lane);
    return {state.sent, state.limit, state.received, state.held, m_capacity};
}

int64_t
IbLink::GetWaitTime(uint8_t lane, int64_t now) const
{
    const Lane& state = m_lanes.at(lane);
    return state.waited + (m_stalled >> lane & 1 ? now - state.waitSince : 0);
}

} // namespace rdma
} // namespace ns3
