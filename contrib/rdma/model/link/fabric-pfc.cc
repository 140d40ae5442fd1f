/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-pfc.h"

#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/fabric-port.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricPfc");
NS_OBJECT_ENSURE_REGISTERED(FabricPfc);

TypeId
FabricPfc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricPfc")
            .SetParent<FabricFlowControl>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricPfc>()
            .AddAttribute("Priorities",
                          "Classes with PFC, a mask: bit i stands for priority i. The default is "
                          "priority 3, the usual class of RoCE.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&FabricPfc::m_priorities),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Pause time of the frames sent, in quanta of 512 bit times "
                          "(IEEE 802.3, annex 31B). A pause is repeated after half of it, behind "
                          "the frame that is on the wire then: less than some 200 quanta lets it "
                          "lapse between two. A pause frame itself takes 1.3 quanta.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&FabricPfc::m_quanta),
                          MakeUintegerChecker<uint16_t>(8))
            .AddAttribute("ResponseTime",
                          "Time between the receipt of a pause and its effect. IEEE 802.3, annex "
                          "31B.3.7 allows 60 quanta at 10 Gb/s and 394 at 100 Gb/s.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricPfc::m_responseTime),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("PauseSent",
                            "A class of the far end is told to stop, or to go on.",
                            MakeTraceSourceAccessor(&FabricPfc::m_sentTrace),
                            "ns3::rdma::FabricPfc::PauseTracedCallback")
            .AddTraceSource("PauseReceived",
                            "The far end stops a class, or lets it go on.",
                            MakeTraceSourceAccessor(&FabricPfc::m_receivedTrace),
                            "ns3::rdma::FabricPfc::PauseTracedCallback");
    return tid;
}

FabricPfc::FabricPfc() = default;

int64_t
FabricPfc::QuantaToPs(uint16_t quanta, uint64_t bitsPerSecond)
{
    constexpr uint64_t scaledBits = 512 * 1'000'000'000'000ULL;
    const uint64_t whole = scaledBits / bitsPerSecond;
    const uint64_t rest = scaledBits % bitsPerSecond;
    return static_cast<int64_t>(quanta * whole + quanta * rest / bitsPerSecond);
}

uint64_t
FabricPfc::GetXoffSent() const
{
    return m_xoffSent;
}

uint64_t
FabricPfc::GetXonSent() const
{
    return m_xonSent;
}

uint64_t
FabricPfc::GetPlainPausesIgnored() const
{
    return m_plainPauses;
}

int64_t
FabricPfc::GetPausedTime(uint8_t lane, int64_t now) const
{
    const Lane& state = m_lanes.at(lane);
    return state.blockedTime + (m_blocked >> lane & 1 ? now - state.blockedSince : 0);
}

uint32_t
FabricPfc::DoGetLossless() const
{
    return m_priorities;
}

void
FabricPfc::DoSetReceiverFull(uint8_t lane, bool full, int64_t now)
{
    if (!(m_priorities >> lane & 1))
    {
        return;
    }
    SendPause(1U << lane, full ? m_quanta : 0, now);
    m_lanes[lane].refresh =
        full ? now + QuantaToPs(m_quanta, GetPort().GetRate()) / 2 : FABRIC_NEVER;
    GetPort().ArmTimer(NextTimer());
}

void
FabricPfc::SendPause(uint32_t lanes, uint16_t quanta, int64_t now)
{
    FabricNetDevice* device = GetPort().GetDevice();
    FabricFrame* frame = device->Allocate();
    frame->kind = FabricFrameKind::PFC;
    frame->bytes = 64;
    frame->payload = 0;
    frame->priority = 0;
    frame->source = device->GetEndpoint();
    frame->destination = FABRIC_BROADCAST;
    frame->pause.classes = static_cast<uint8_t>(lanes);
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        const bool enabled = lanes >> lane & 1;
        frame->pause.quanta[lane] = enabled ? quanta : 0;
        if (enabled)
        {
            NS_LOG_INFO("port " << GetPort().GetIndex() << " sends a pause of " << quanta
                                << " quanta for priority " << +lane);
            m_sentTrace(lane, quanta, now);
            device->GetNetwork()->GetDigest().Pause(device->GetDigestId(), lane, quanta, now);
            ++(quanta ? m_xoffSent : m_xonSent);
        }
    }
    GetPort().SendControl(frame, now);
}

void
FabricPfc::DoReceiveControl(const FabricFrame& frame, int64_t now)
{
    if (frame.kind == FabricFrameKind::PAUSE)
    {
        ++m_plainPauses;
        return;
    }
    const int64_t response = m_responseTime.GetPicoSeconds();
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        if (!(frame.pause.classes & m_priorities & 1U << lane))
        {
            continue;
        }
        const uint16_t quanta = frame.pause.quanta[lane];
        m_receivedTrace(lane, quanta, now);
        Lane& state = m_lanes[lane];
        if (quanta)
        {
            // A class that is stopped already stays so; only the end of the pause moves.
            const bool paused = m_blocked >> lane & 1;
            state.pauseBegin =
                paused ? state.pauseBegin : std::min(state.pauseBegin, now + response);
            state.pauseEnd = now + response + QuantaToPs(quanta, GetPort().GetRate());
        }
        else
        {
            state.pauseBegin = FABRIC_NEVER;
            state.pauseEnd = 0;
        }
    }
    ApplyPauses(now);
    GetPort().ArmTimer(NextTimer());
}

void
FabricPfc::ApplyPauses(int64_t now)
{
    uint32_t blocked = 0;
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        Lane& state = m_lanes[lane];
        if (state.pauseEnd <= now)
        {
            state.pauseBegin = FABRIC_NEVER;
        }
        const bool paused = state.pauseBegin <= now;
        const bool before = m_blocked >> lane & 1;
        if (paused && !before)
        {
            state.blockedSince = now;
        }
        else if (!paused && before)
        {
            state.blockedTime += now - state.blockedSince;
        }
        blocked |= static_cast<uint32_t>(paused) << lane;
    }
    m_blocked = blocked;
    GetPort().SetBlocked(blocked, now);
}

int64_t
FabricPfc::NextTimer() const
{
    int64_t next = FABRIC_NEVER;
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        const Lane& state = m_lanes[lane];
        next = std::min(next, state.refresh);
        if (state.pauseBegin != FABRIC_NEVER)
        {
            next = std::min(next, m_blocked >> lane & 1 ? state.pauseEnd : state.pauseBegin);
        }
    }
    return next;
}

int64_t
FabricPfc::DoRunTimers(int64_t now)
{
    bool due = false;
    uint32_t stopped = 0;
    for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        due |= m_lanes[lane].refresh <= now;
        stopped |= static_cast<uint32_t>(m_lanes[lane].refresh != FABRIC_NEVER) << lane;
    }
    if (due)
    {
        // One frame for all classes, so that refreshes take the same share of the wire for one
        // class and for eight.
        for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
        {
            if (stopped >> lane & 1)
            {
                m_lanes[lane].refresh = now + QuantaToPs(m_quanta, GetPort().GetRate()) / 2;
            }
        }
        SendPause(stopped, m_quanta, now);
    }
    ApplyPauses(now);
    return NextTimer();
}

void
FabricPfc::DoReset(int64_t now)
{
    for (Lane& lane : m_lanes)
    {
        lane.pauseBegin = FABRIC_NEVER;
        lane.pauseEnd = 0;
        lane.refresh = FABRIC_NEVER;
    }
    ApplyPauses(now);
    GetPort().ArmTimer(NextTimer());
}

} // namespace rdma
} // namespace ns3
