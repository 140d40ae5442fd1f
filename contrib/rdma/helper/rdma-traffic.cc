/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes lists of transfers: permutation, incast, all-to-all, Poisson arrivals. */

#include "ns3/rdma-traffic.h"

#include "ns3/abort.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

RdmaTraffic::RdmaTraffic(uint32_t hosts)
    : m_hosts(hosts),
      m_uniform(CreateObject<UniformRandomVariable>()),
      m_interval(CreateObject<ExponentialRandomVariable>())
{
    NS_ABORT_MSG_IF(hosts == 0, "Traffic needs at least 1 host, got 0");
}

RdmaTraffic::~RdmaTraffic() = default;

int64_t
RdmaTraffic::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    m_interval->SetStream(stream + 1);
    return 2;
}

std::vector<RdmaFlow>
RdmaTraffic::Permutation(const RdmaFlow& model)
{
    NS_ABORT_MSG_IF(m_hosts < 2, "A permutation needs at least 2 hosts, got " << m_hosts);
    std::vector<uint32_t> destinations(m_hosts);
    std::iota(destinations.begin(), destinations.end(), 0);
    // A shuffle gives all permutations alike; those with a fixed point are thrown away, which
    // leaves one in e of them whatever the number of hosts.
    bool fixedPoint = true;
    while (fixedPoint)
    {
        for (uint32_t i = m_hosts - 1; i > 0; --i)
        {
            std::swap(destinations[i], destinations[m_uniform->GetInteger(0, i)]);
        }
        fixedPoint = false;
        for (uint32_t i = 0; i < m_hosts; ++i)
        {
            fixedPoint = fixedPoint || destinations[i] == i;
        }
    }
    std::vector<RdmaFlow> flows(m_hosts, model);
    for (uint32_t i = 0; i < m_hosts; ++i)
    {
        flows[i].source = i;
        flows[i].destination = destinations[i];
    }
    return Explicit(flows);
}

std::vector<RdmaFlow>
RdmaTraffic::Incast(const std::vector<uint32_t>& sources, const RdmaFlow& model) const
{
    std::vector<RdmaFlow> flows(sources.size(), model);
    for (std::size_t i = 0; i < sources.size(); ++i)
    {
        flows[i].source = sources[i];
    }
    return Explicit(flows);
}

std::vector<RdmaFlow>
RdmaTraffic::FanIn(uint32_t fanIn, const RdmaFlow& model) const
{
    NS_ABORT_MSG_IF(fanIn >= m_hosts,
                    "An incast into one of " << m_hosts << " hosts has at most " << m_hosts - 1
                                             << " sources, got " << fanIn);
    std::vector<uint32_t> sources(fanIn);
    for (uint32_t i = 0; i < fanIn; ++i)
    {
        sources[i] = (model.destination + 1 + i) % m_hosts;
    }
    return Incast(sources, model);
}

std::vector<RdmaFlow>
RdmaTraffic::AllToAll(const RdmaFlow& model) const
{
    std::vector<RdmaFlow> flows;
    flows.reserve(static_cast<std::size_t>(m_hosts) * (m_hosts - 1));
    for (uint32_t round = 1; round < m_hosts; ++round)
    {
        for (uint32_t source = 0; source < m_hosts; ++source)
        {
            RdmaFlow flow = model;
            flow.source = source;
            flow.destination = (source + round) % m_hosts;
            flows.push_back(flow);
        }
    }
    return Explicit(flows);
}

std::vector<RdmaFlow>
RdmaTraffic::Poisson(const FabricCdf& sizes, const PoissonSpec& spec)
{
    NS_ABORT_MSG_IF(m_hosts < 2, "Poisson traffic needs at least 2 hosts, got " << m_hosts);
    NS_ABORT_MSG_IF(!(spec.load > 0), "The load must be above 0, got " << spec.load);
    NS_ABORT_MSG_IF(spec.hostBitsPerSecond == 0, "The rate of a host must be above 0 bit/s");
    NS_ABORT_MSG_IF(spec.durationPs < 0,
                    "The duration must not be negative, got " << spec.durationPs << " ps");
    // The processes of all hosts together are one Poisson process, whose arrivals fall on a host
    // drawn evenly.
    const double meanIntervalPs =
        8e12 * sizes.GetMean() /
        (spec.load * static_cast<double>(spec.hostBitsPerSecond) * static_cast<double>(m_hosts));
    std::vector<RdmaFlow> flows;
    double time = m_interval->GetValue(meanIntervalPs, 0);
    while (time < static_cast<double>(spec.durationPs))
    {
        RdmaFlow flow;
        flow.source = m_uniform->GetInteger(0, m_hosts - 1);
        flow.destination = m_uniform->GetInteger(0, m_hosts - 2);
        flow.destination += flow.destination >= flow.source ? 1 : 0;
        flow.bytes = sizes.GetQuantile(m_uniform->GetValue(0, 1));
        flow.startPs = spec.startPs + static_cast<int64_t>(time);
        flow.priority = spec.priority;
        flows.push_back(flow);
        time += m_interval->GetValue(meanIntervalPs, 0);
    }
    return Explicit(flows);
}

std::vector<RdmaFlow>
RdmaTraffic::Explicit(const std::vector<RdmaFlow>& flows) const
{
    std::vector<RdmaFlow> sorted = flows;
    std::stable_sort(sorted.begin(), sorted.end(), [](const RdmaFlow& a, const RdmaFlow& b) {
        return a.startPs < b.startPs;
    });
    for (uint32_t id = 0; id < sorted.size(); ++id)
    {
        RdmaFlow& flow = sorted[id];
        flow.id = id;
        NS_ABORT_MSG_IF(flow.source >= m_hosts || flow.destination >= m_hosts,
                        "A flow from host " << flow.source << " to host " << flow.destination
                                            << " needs hosts that exist: 0 to " << m_hosts - 1);
        NS_ABORT_MSG_IF(flow.source == flow.destination,
                        "A flow needs two hosts, got host " << flow.source << " as both");
        NS_ABORT_MSG_IF(flow.bytes == 0, "A flow has at least 1 byte, got 0");
        NS_ABORT_MSG_IF(flow.startPs < 0,
                        "A flow starts at 0 ps or later, got " << flow.startPs << " ps");
        NS_ABORT_MSG_IF(flow.priority > 7,
                        "The priority of a flow is 0 to 7, got " << +flow.priority);
    }
    return sorted;
}

} // namespace ns3
