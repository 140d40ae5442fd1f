/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches of a network and their cables, and all shortest paths through them. */

#include "ns3/fabric-route-graph.h"

#include "ns3/fabric-forwarding-table.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <limits>

namespace ns3
{
namespace rdma
{

namespace
{

/// The switches as Boost sees them: each cable is there once from either end.
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/// Distance of a switch that has not been reached.
constexpr uint32_t UNREACHED = std::numeric_limits<uint32_t>::max();

/**
 * \param cables For each switch its ports towards switches.
 * \return The same for Boost.
 */
template <typename Cables>
Graph
MakeGraph(const Cables& cables)
{
    Graph graph(cables.size());
    for (uint32_t from = 0; from < cables.size(); ++from)
    {
        for (const auto& cable : cables[from])
        {
            boost::add_edge(from, cable.peer, graph);
        }
    }
    return graph;
}

/**
 * Finds the hop counts from one switch.
 * \param graph The switches.
 * \param root Where to begin.
 * \param distances Set to the hops to each switch, or UNREACHED.
 * \param parents Set to the switch before each one on a path, itself for the root.
 */
void
Search(const Graph& graph,
       uint32_t root,
       std::vector<uint32_t>& distances,
       std::vector<uint32_t>& parents)
{
    distances.assign(boost::num_vertices(graph), UNREACHED);
    parents.assign(boost::num_vertices(graph), root);
    distances[root] = 0;
    boost::breadth_first_search(
        graph,
        root,
        boost::visitor(boost::make_bfs_visitor(
            std::make_pair(boost::record_distances(distances.data(), boost::on_tree_edge()),
                           boost::record_predecessors(parents.data(), boost::on_tree_edge())))));
}

} // namespace

FabricRouteGraph::FabricRouteGraph(uint32_t switches)
    : m_cables(switches),
      m_hosts(switches)
{
}

void
FabricRouteGraph::AddCable(uint32_t at, uint16_t port, uint32_t peer, uint16_t peerPort)
{
    m_cables[at].push_back({peer, port, peerPort});
}

void
FabricRouteGraph::AddHost(uint32_t at, uint16_t port, uint32_t endpoint)
{
    m_hosts[at].push_back({endpoint, port});
}

void
FabricRouteGraph::Fill(const std::vector<FabricForwardingTable*>& tables, uint32_t endpoints) const
{
    const Graph graph = MakeGraph(m_cables);
    for (FabricForwardingTable* table : tables)
    {
        table->Reset(endpoints);
    }
    std::vector<uint32_t> distances;
    std::vector<uint32_t> parents;
    std::vector<uint16_t> ports;
    for (uint32_t leaf = 0; leaf < m_cables.size(); ++leaf)
    {
        if (m_hosts[leaf].empty())
        {
            continue;
        }
        for (const HostPort& host : m_hosts[leaf])
        {
            tables[leaf]->Set(host.endpoint, tables[leaf]->AddGroup({host.number}));
        }
        Search(graph, leaf, distances, parents);
        for (uint32_t at = 0; at < m_cables.size(); ++at)
        {
            if (at == leaf || distances[at] == UNREACHED)
            {
                continue;
            }
            ports.clear();
            for (const CablePort& cable : m_cables[at])
            {
                if (distances[cable.peer] + 1 == distances[at])
                {
                    ports.push_back(cable.number);
                }
            }
            const uint16_t group = tables[at]->AddGroup(ports);
            for (const HostPort& host : m_hosts[leaf])
            {
                tables[at]->Set(host.endpoint, group);
            }
        }
    }
}

std::vector<std::vector<uint16_t>>
FabricRouteGraph::GetFloodPorts() const
{
    const Graph graph = MakeGraph(m_cables);
    const std::vector<uint32_t> islands = GetIslands();
    std::vector<std::vector<uint16_t>> flood(m_cables.size());
    std::vector<uint32_t> distances;
    std::vector<uint32_t> parents;
    for (uint32_t root = 0; root < m_cables.size(); ++root)
    {
        for (const HostPort& host : m_hosts[root])
        {
            flood[root].push_back(host.number);
        }
        if (islands[root] != root)
        {
            continue;
        }
        Search(graph, root, distances, parents);
        for (uint32_t at = 0; at < m_cables.size(); ++at)
        {
            // Both ends must take the same one of several cables.
            const auto up =
                std::find_if(m_cables[at].begin(), m_cables[at].end(), [&](const CablePort& cable) {
                    return cable.peer == parents[at];
                });
            if (at != root && islands[at] == root)
            {
                flood[at].push_back(up->number);
                flood[parents[at]].push_back(up->peerPort);
            }
        }
    }
    for (auto& ports : flood)
    {
        std::sort(ports.begin(), ports.end());
    }
    return flood;
}

std::vector<uint32_t>
FabricRouteGraph::GetIslands() const
{
    const Graph graph = MakeGraph(m_cables);
    std::vector<uint32_t> islands(m_cables.size(), UNREACHED);
    std::vector<uint32_t> distances;
    std::vector<uint32_t> parents;
    for (uint32_t root = 0; root < m_cables.size(); ++root)
    {
        if (islands[root] != UNREACHED)
        {
            continue;
        }
        Search(graph, root, distances, parents);
        for (uint32_t at = 0; at < m_cables.size(); ++at)
        {
            islands[at] = distances[at] == UNREACHED ? islands[at] : root;
        }
    }
    return islands;
}

} // namespace rdma
} // namespace ns3
