/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-path-policy.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSrdPathPolicy);

TypeId
RdmaSrdPathPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaSrdPathPolicy")
            .SetParent<RdmaPathPolicy>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSrdPathPolicy>()
            .AddAttribute("Paths",
                          "Number of paths (UDP source ports) to each peer: 64, as published.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaSrdPathPolicy::m_wanted),
                          MakeUintegerChecker<uint16_t>(1, 16384))
            .AddAttribute("RttGain",
                          "Weight of a new sample in the round-trip time of a path. A path gets "
                          "one of many packets, so few samples must count.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSrdPathPolicy::m_gain),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("RttTolerance",
                          "Paths whose round-trip times differ by less are equally good: about "
                          "one long packet at 100 Gb/s.",
                          TimeValue(NanoSeconds(700)),
                          MakeTimeAccessor(&RdmaSrdPathPolicy::m_tolerance),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CongestionDelay",
                          "A path counts as congested when its round-trip time is above its least "
                          "one by more than this: above what a full load without incast makes.",
                          TimeValue(MicroSeconds(60)),
                          MakeTimeAccessor(&RdmaSrdPathPolicy::m_congestionDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ProbeInterval",
                          "A path that was not heard of for so long is tried again.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSrdPathPolicy::m_probeInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("LossRest",
                          "How long a path is not used after a loss, doubled for each further one "
                          "up to 64 times: a dead path costs few packets.",
                          TimeValue(MicroSeconds(250)),
                          MakeTimeAccessor(&RdmaSrdPathPolicy::m_lossRest),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LeastRttWindow",
                          "How long the least round-trip time of a path counts, so that a longer "
                          "route does not pass for congestion for ever.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaSrdPathPolicy::m_leastWindow),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

void
RdmaSrdPathPolicy::DoStart()
{
    m_paths = m_wanted;
    m_state.clear();
    m_first = 0;
    m_stride = 1;
}

int64_t
RdmaSrdPathPolicy::GetRtt(uint16_t path) const
{
    return path < m_state.size() ? m_state[path].rtt : 0;
}

bool
RdmaSrdPathPolicy::IsResting(uint16_t path, int64_t now) const
{
    return path < m_state.size() && m_state[path].restsUntil > now;
}

int64_t
RdmaSrdPathPolicy::GetCost(const Path& path, int64_t now) const
{
    if (path.restsUntil > now)
    {
        return RESTING + path.restsUntil;
    }
    return now - path.heardAt > m_probeInterval.GetPicoSeconds() ? 0 : path.rtt;
}

void
RdmaSrdPathPolicy::SetCongested(Path& path, bool congested)
{
    m_congested = static_cast<uint16_t>(m_congested + congested - path.congested);
    path.congested = congested;
}

uint16_t
RdmaSrdPathPolicy::DoSelect(uint16_t avoid, int64_t now)
{
    if (m_state.empty())
    {
        m_state.resize(m_paths);
        m_good.set_capacity(m_paths);
    }
    // What was fast a moment ago is probably still: as many packets go a way as come from it.
    while (!m_good.empty())
    {
        const uint16_t path = m_good.front();
        m_good.pop_front();
        if (path != avoid && m_state[path].restsUntil <= now)
        {
            m_state[path].heardAt = now;
            return path;
        }
    }
    const int64_t tolerance = m_tolerance.GetPicoSeconds();
    uint16_t best = NO_PATH;
    int64_t bestCost = 0;
    // Two candidates; more only while all that were seen rest.
    for (uint32_t seen = 0; seen < m_paths && (seen < 2 || bestCost >= RESTING); ++seen)
    {
        uint32_t path = m_first;
        if (seen)
        {
            path += uint32_t{m_stride} + seen - 1;
            path -= path >= m_paths ? m_paths : 0;
            path -= path >= m_paths ? m_paths : 0;
        }
        const int64_t cost = GetCost(m_state[path], now) + (path == avoid ? RESTING * 2 : 0);
        if (best == NO_PATH || cost + tolerance < bestCost)
        {
            best = static_cast<uint16_t>(path);
            bestCost = cost;
        }
    }
    if (++m_first == m_paths)
    {
        m_first = 0;
        m_stride = static_cast<uint16_t>(m_stride + 1 < m_paths ? m_stride + 1 : 1);
    }
    // One packet tries a path that was not heard of; the next ones wait for what becomes of it.
    m_state[best].heardAt = now;
    return best;
}

void
RdmaSrdPathPolicy::DoAcked(uint16_t path, int64_t rtt, int64_t now)
{
    if (m_state.empty())
    {
        return; // there is one path only
    }
    Path& state = m_state[path];
    state.losses = 0;
    state.restsUntil = 0;
    state.heardAt = now;
    if (rtt < 0)
    {
        return;
    }
    m_measured += state.rtt == 0;
    state.rtt =
        state.rtt ? state.rtt + static_cast<int64_t>(m_gain * static_cast<double>(rtt - state.rtt))
                  : rtt;
    m_meanRtt += m_meanRtt ? (rtt - m_meanRtt) / MEAN_SAMPLES : rtt;
    if (rtt <= m_meanRtt + m_tolerance.GetPicoSeconds())
    {
        m_good.push_back(path);
    }
    if (!state.least || rtt <= state.least || now - state.leastAt > m_leastWindow.GetPicoSeconds())
    {
        state.least = rtt;
        state.leastAt = now;
    }
    SetCongested(state, state.rtt > state.least + m_congestionDelay.GetPicoSeconds());
}

void
RdmaSrdPathPolicy::DoLost(uint16_t path, int64_t now)
{
    if (m_state.empty())
    {
        return;
    }
    Path& state = m_state[path];
    state.restsUntil = now + (m_lossRest.GetPicoSeconds() << std::min(state.losses, MAX_DOUBLINGS));
    state.losses = static_cast<uint8_t>(std::min(state.losses + 1, 255));
    // Whether it is dead or full: its old round-trip time says nothing any more.
    m_measured -= state.rtt != 0;
    state.rtt = 0;
    SetCongested(state, false);
}

} // namespace rdma
} // namespace ns3
