/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan of a network: hosts, switches and the links between them. */

#include "ns3/fabric-topology.h"

#include "ns3/abort.h"
#include "ns3/fabric-reach.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <unordered_set>
#include <utility>

namespace ns3
{

namespace
{

/// Most sentences that a check gives: the rest is usually the same mistake again.
constexpr std::size_t MOST_PROBLEMS = 10;

/**
 * Finds the set that an element belongs to and shortens the way for the next time.
 * \param parents The parent of each element; a root is its own.
 * \param element The element.
 * \return The root of its set.
 */
uint32_t
FindRoot(std::vector<uint32_t>& parents, uint32_t element)
{
    while (parents[element] != element)
    {
        parents[element] = parents[parents[element]];
        element = parents[element];
    }
    return element;
}

} // namespace

FabricTopology
FabricTopology::BackToBack(const FabricLinkSpec& link)
{
    FabricTopology topology;
    const uint32_t first = topology.AddHost();
    topology.AddLink(first, topology.AddHost(), link);
    return topology;
}

FabricTopology
FabricTopology::Star(uint32_t hosts, const FabricLinkSpec& link)
{
    NS_ABORT_MSG_IF(hosts == 0, "A star needs at least 1 host, got 0");
    FabricTopology topology;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t centre = topology.AddSwitch();
    for (const uint32_t host : topology.m_hosts)
    {
        topology.AddLink(host, centre, link);
    }
    return topology;
}

FabricTopology
FabricTopology::Dumbbell(uint32_t left,
                         uint32_t right,
                         const FabricLinkSpec& host,
                         const FabricLinkSpec& bottleneck)
{
    NS_ABORT_MSG_IF(left == 0 || right == 0,
                    "A dumbbell needs at least 1 host on each side, got " << left << " and "
                                                                          << right);
    FabricTopology topology;
    for (uint32_t i = 0; i < left + right; ++i)
    {
        topology.AddHost();
    }
    const uint32_t near = topology.AddSwitch();
    const uint32_t far = topology.AddSwitch();
    for (uint32_t i = 0; i < left + right; ++i)
    {
        topology.AddLink(i, i < left ? near : far, host);
    }
    topology.AddLink(near, far, bottleneck);
    return topology;
}

FabricTopology
FabricTopology::LeafSpine(const LeafSpineSize& size,
                          const FabricLinkSpec& host,
                          const FabricLinkSpec& fabric)
{
    NS_ABORT_MSG_IF(size.leaves == 0 || size.hostsPerLeaf == 0 || size.parallel == 0,
                    "A leaf-spine network needs at least 1 leaf, 1 host per leaf and 1 link "
                    "between a leaf and a spine, got "
                        << size.leaves << ", " << size.hostsPerLeaf << " and " << size.parallel);
    NS_ABORT_MSG_IF(size.spines == 0 && size.leaves > 1,
                    "A leaf-spine network of " << size.leaves
                                               << " leaves needs at least 1 spine, got 0");
    FabricTopology topology;
    for (uint32_t i = 0; i < size.leaves * size.hostsPerLeaf; ++i)
    {
        topology.AddHost();
    }
    const uint32_t firstLeaf = static_cast<uint32_t>(topology.m_nodes.size());
    for (uint32_t leaf = 0; leaf < size.leaves; ++leaf)
    {
        topology.AddSwitch("leaf" + std::to_string(leaf), 1);
    }
    const uint32_t firstSpine = firstLeaf + size.leaves;
    for (uint32_t spine = 0; spine < size.spines; ++spine)
    {
        topology.AddSwitch("spine" + std::to_string(spine), 2);
    }
    for (const uint32_t node : topology.m_hosts)
    {
        topology.AddLink(node, firstLeaf + node / size.hostsPerLeaf, host);
    }
    for (uint32_t leaf = 0; leaf < size.leaves; ++leaf)
    {
        for (uint32_t i = 0; i < size.spines * size.parallel; ++i)
        {
            topology.AddLink(firstLeaf + leaf, firstSpine + i / size.parallel, fabric);
        }
    }
    return topology;
}

FabricTopology
FabricTopology::FatTree(uint32_t k, const FabricLinkSpec& host, const FabricLinkSpec& fabric)
{
    NS_ABORT_MSG_IF(k < 2 || k > 128 || k % 2 != 0,
                    "A fat-tree needs an even k from 2 to 128, got " << k);
    const uint32_t half = k / 2;
    const uint32_t perTier = k * half;
    const uint32_t hosts = perTier * half;
    FabricTopology topology;
    topology.m_nodes.reserve(hosts + 2 * perTier + half * half);
    topology.m_links.reserve(3 * static_cast<std::size_t>(hosts));
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t firstEdge = hosts;
    const uint32_t firstAggregation = firstEdge + perTier;
    const uint32_t firstCore = firstAggregation + perTier;
    for (uint32_t i = 0; i < perTier; ++i)
    {
        topology.AddSwitch("edge" + std::to_string(i), 1);
    }
    for (uint32_t i = 0; i < perTier; ++i)
    {
        topology.AddSwitch("agg" + std::to_string(i), 2);
    }
    for (uint32_t i = 0; i < half * half; ++i)
    {
        topology.AddSwitch("core" + std::to_string(i), 3);
    }
    for (const uint32_t node : topology.m_hosts)
    {
        topology.AddLink(node, firstEdge + node / half, host);
    }
    for (uint32_t i = 0; i < perTier; ++i)
    {
        const uint32_t podsFirst = i / half * half;
        for (uint32_t up = 0; up < half; ++up)
        {
            topology.AddLink(firstEdge + i, firstAggregation + podsFirst + up, fabric);
        }
    }
    for (uint32_t i = 0; i < perTier; ++i)
    {
        for (uint32_t up = 0; up < half; ++up)
        {
            topology.AddLink(firstAggregation + i, firstCore + i % half * half + up, fabric);
        }
    }
    return topology;
}

uint32_t
FabricTopology::AddHost(const std::string& name)
{
    return AddNode(FabricNodeKind::HOST, name, 0);
}

uint32_t
FabricTopology::AddSwitch(const std::string& name, uint8_t tier)
{
    return AddNode(FabricNodeKind::SWITCH, name, tier);
}

uint32_t
FabricTopology::AddNode(FabricNodeKind kind, const std::string& name, uint8_t tier)
{
    const bool host = kind == FabricNodeKind::HOST;
    auto& list = host ? m_hosts : m_switches;
    const auto number = static_cast<uint32_t>(m_nodes.size());
    const auto place = static_cast<uint32_t>(list.size());
    m_nodes.push_back({name.empty() ? (host ? "h" : "s") + std::to_string(place) : name,
                       kind,
                       tier,
                       host ? place : NO_RANK,
                       0,
                       {}});
    list.push_back(number);
    return number;
}

void
FabricTopology::SetCoordinates(uint32_t node, std::vector<uint32_t> coordinates)
{
    NS_ABORT_MSG_IF(node >= m_nodes.size() || m_nodes[node].kind != FabricNodeKind::SWITCH,
                    "Only switches have coordinates; node " << node << " is none");
    m_nodes[node].coordinates = std::move(coordinates);
}

uint32_t
FabricTopology::AddLink(uint32_t a, uint32_t b, const FabricLinkSpec& spec)
{
    for (const uint32_t end : {a, b})
    {
        if (end < m_nodes.size())
        {
            ++m_nodes[end].degree;
        }
    }
    m_links.push_back({spec, a, b});
    return static_cast<uint32_t>(m_links.size() - 1);
}

const std::vector<FabricTopology::Node>&
FabricTopology::GetNodes() const
{
    return m_nodes;
}

const std::vector<FabricTopology::Link>&
FabricTopology::GetLinks() const
{
    return m_links;
}

const std::vector<uint32_t>&
FabricTopology::GetHosts() const
{
    return m_hosts;
}

const std::vector<uint32_t>&
FabricTopology::GetSwitches() const
{
    return m_switches;
}

std::vector<std::string>
FabricTopology::Validate() const
{
    std::vector<std::string> problems;
    CheckParts(problems);
    if (problems.empty())
    {
        CheckPaths(problems);
    }
    problems.resize(std::min(problems.size(), MOST_PROBLEMS));
    return problems;
}

void
FabricTopology::CheckParts(std::vector<std::string>& problems) const
{
    if (m_hosts.empty())
    {
        problems.emplace_back("the topology has no host; at least 1 is needed");
    }
    std::unordered_set<std::string> names;
    for (const Node& node : m_nodes)
    {
        if (!names.insert(node.name).second)
        {
            problems.push_back("two nodes have the name " + node.name + "; names must be unique");
        }
    }
    for (std::size_t i = 0; i < m_links.size() && problems.size() < MOST_PROBLEMS; ++i)
    {
        const Link& link = m_links[i];
        std::ostringstream sentence;
        if (link.a >= m_nodes.size() || link.b >= m_nodes.size())
        {
            sentence << "link " << i << " ends at the unknown node "
                     << (link.a >= m_nodes.size() ? link.a : link.b) << "; allowed: 0 to "
                     << m_nodes.size() - 1;
            problems.push_back(sentence.str());
            continue;
        }
        sentence << "link " << i << " between " << m_nodes[link.a].name << " and "
                 << m_nodes[link.b].name << ": ";
        if (link.a == link.b)
        {
            sentence << "the two ends must be different nodes";
        }
        else if (link.bitsPerSecond == 0 || link.bitsPerSecond > FabricUnits::MAX_RATE)
        {
            sentence << "the rate must be > 0 and at most 100Tbps, got " << link.bitsPerSecond
                     << "bps";
        }
        else if (link.delayPs <= 0 || link.delayPs > FabricUnits::MAX_TIME_PS)
        {
            sentence << "the delay must be > 0 and at most 1000000s, got " << link.delayPs << "ps";
        }
        else if (!(link.errorRate >= 0 && link.errorRate <= 1))
        {
            sentence << "the error rate must be from 0 to 1, got " << link.errorRate;
        }
        else
        {
            continue;
        }
        problems.push_back(sentence.str());
    }
}

void
FabricTopology::CheckPaths(std::vector<std::string>& problems) const
{
    // An island of switches has the number of one of them; after the nodes comes a number for each
    // link, for those from host to host.
    std::vector<uint32_t> parents(m_nodes.size() + m_links.size());
    std::iota(parents.begin(), parents.end(), 0);
    for (const Link& link : m_links)
    {
        if (m_nodes[link.a].kind == FabricNodeKind::SWITCH &&
            m_nodes[link.b].kind == FabricNodeKind::SWITCH)
        {
            parents[FindRoot(parents, link.a)] = FindRoot(parents, link.b);
        }
    }
    std::vector<std::vector<uint32_t>> islands(m_hosts.size());
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        const Node& a = m_nodes[m_links[i].a];
        const Node& b = m_nodes[m_links[i].b];
        if (a.rank != NO_RANK && b.rank != NO_RANK)
        {
            islands[a.rank].push_back(static_cast<uint32_t>(m_nodes.size() + i));
            islands[b.rank].push_back(static_cast<uint32_t>(m_nodes.size() + i));
        }
        else if (a.rank != NO_RANK)
        {
            islands[a.rank].push_back(FindRoot(parents, m_links[i].b));
        }
        else if (b.rank != NO_RANK)
        {
            islands[b.rank].push_back(FindRoot(parents, m_links[i].a));
        }
    }
    for (uint32_t rank = 0; rank < m_hosts.size() && m_hosts.size() > 1; ++rank)
    {
        if (islands[rank].empty())
        {
            problems.push_back("host " + m_nodes[m_hosts[rank]].name + " has no link");
        }
    }
    if (!problems.empty())
    {
        return;
    }
    for (const auto& [first, second] :
         rdma::FabricReach::FindSeparated(std::move(islands), MOST_PROBLEMS))
    {
        problems.push_back("hosts " + m_nodes[m_hosts[first]].name + " and " +
                           m_nodes[m_hosts[second]].name + " have no path between them");
    }
}

} // namespace ns3
