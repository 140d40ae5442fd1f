/* SPDX-License-Identifier: GPL-2.0-only */
/* Which channels of an InfiniBand subnet wait for which. */

#include "ns3/ib-channel-graph.h"

#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <limits>
#include <sstream>

namespace ns3
{
namespace rdma
{

namespace
{

/// What stands for no channel.
constexpr uint32_t NO_CHANNEL = std::numeric_limits<uint32_t>::max();

} // namespace

IbChannelGraph::IbChannelGraph(const IbSubnet& subnet,
                               const IbRoutes& routes,
                               uint16_t adaptiveLevels)
    : m_subnet(subnet),
      m_routes(routes),
      m_adaptiveLevels(adaptiveLevels),
      m_firsts{0}
{
    for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
    {
        m_firsts.push_back(m_firsts.back() + subnet.GetPorts(at).size());
    }
    m_next.resize(std::size_t{m_firsts.back()} * routes.GetLanes());
    m_visits.resize(m_next.size());
}

const std::vector<uint16_t>&
IbChannelGraph::GetPorts(uint32_t at, uint16_t dlid, uint8_t level)
{
    if (m_adaptiveLevels >> level & 1)
    {
        return m_routes.GetGroups(at)[m_routes.GetGroupOfDlid(at)[dlid]];
    }
    m_single.clear();
    if (m_routes.GetPort(at, dlid) != IbRoutes::NO_PORT)
    {
        m_single.push_back(m_routes.GetPort(at, dlid));
    }
    return m_single;
}

uint32_t
IbChannelGraph::GetNumber(const Channel& channel) const
{
    return (m_firsts[channel.at] + channel.port) * m_routes.GetLanes() + channel.lane;
}

IbChannelGraph::Channel
IbChannelGraph::GetChannel(uint32_t number) const
{
    const uint32_t port = number / m_routes.GetLanes();
    const auto it = std::upper_bound(m_firsts.begin(), m_firsts.end(), port) - 1;
    return {static_cast<uint32_t>(it - m_firsts.begin()),
            static_cast<uint16_t>(port - *it),
            static_cast<uint8_t>(number % m_routes.GetLanes())};
}

void
IbChannelGraph::AddRoutes(const std::vector<uint32_t>& sources, uint16_t dlid, uint8_t level)
{
    ++m_walk;
    m_queue.clear();
    // Out of a switch, for packets that came by a port of it; from is the channel they hold.
    const auto leave = [&](uint32_t at, uint16_t in, uint32_t from) {
        for (const uint16_t out : GetPorts(at, dlid, level))
        {
            if (m_subnet.GetPorts(at)[out].kind != IbSubnet::Far::SWITCH)
            {
                continue;
            }
            const uint32_t channel = GetNumber({at, out, m_routes.GetLaneMap(at, in, out)[level]});
            if (m_visits[channel] != m_walk)
            {
                m_visits[channel] = m_walk;
                m_queue.push_back(channel);
            }
            if (from != NO_CHANNEL &&
                std::find(m_next[from].begin(), m_next[from].end(), channel) == m_next[from].end())
            {
                m_next[from].push_back(channel);
            }
        }
    };
    for (const uint32_t source : sources)
    {
        const auto& ports = m_subnet.GetPorts(source);
        for (uint16_t in = 0; in < ports.size(); ++in)
        {
            if (ports[in].kind == IbSubnet::Far::HOST)
            {
                leave(source, in, NO_CHANNEL);
            }
        }
    }
    for (std::size_t i = 0; i < m_queue.size(); ++i)
    {
        const uint32_t number = m_queue[i];
        const Channel channel = GetChannel(number);
        const IbSubnet::Port& port = m_subnet.GetPorts(channel.at)[channel.port];
        leave(port.peer, port.peerPort, number);
    }
}

uint64_t
IbChannelGraph::GetNDependencies() const
{
    uint64_t count = 0;
    for (const auto& next : m_next)
    {
        count += next.size();
    }
    return count;
}

std::vector<std::string>
IbChannelGraph::FindCycles() const
{
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph graph(m_next.size());
    for (uint32_t from = 0; from < m_next.size(); ++from)
    {
        for (const uint32_t to : m_next[from])
        {
            boost::add_edge(from, to, graph);
        }
    }
    std::vector<uint32_t> components(m_next.size());
    const auto number = boost::strong_components(
        graph,
        boost::make_iterator_property_map(components.begin(),
                                          boost::get(boost::vertex_index, graph)));
    std::vector<uint32_t> sizes(number);
    for (const uint32_t component : components)
    {
        ++sizes[component];
    }
    std::vector<std::string> cycles;
    for (uint32_t channel = 0; channel < components.size(); ++channel)
    {
        const auto& next = m_next[channel];
        // A table that sends packets back to where they came from can make a channel wait for
        // itself.
        if (sizes[components[channel]] > 1 ||
            std::find(next.begin(), next.end(), channel) != next.end())
        {
            cycles.push_back(NameCycle(channel, components));
            sizes[components[channel]] = 0;
        }
    }
    return cycles;
}

std::string
IbChannelGraph::NameCycle(uint32_t root, const std::vector<uint32_t>& components) const
{
    std::vector<uint32_t> before(m_next.size(), NO_CHANNEL);
    std::vector<uint32_t> queue{root};
    for (std::size_t i = 0; before[root] == NO_CHANNEL; ++i)
    {
        for (const uint32_t next : m_next[queue[i]])
        {
            if (components[next] == components[root] && before[next] == NO_CHANNEL)
            {
                before[next] = queue[i];
                queue.push_back(next);
            }
        }
    }
    std::vector<uint32_t> cycle{root};
    for (uint32_t at = before[root]; at != root; at = before[at])
    {
        cycle.push_back(at);
    }
    cycle.push_back(root);
    std::ostringstream text;
    for (auto it = cycle.rbegin(); it != cycle.rend(); ++it)
    {
        const Channel channel = GetChannel(*it);
        text << (it == cycle.rbegin() ? "" : " -> ") << m_subnet.GetName(channel.at) << ":p"
             << channel.port << " VL" << +channel.lane;
    }
    return text.str();
}

} // namespace rdma
} // namespace ns3
