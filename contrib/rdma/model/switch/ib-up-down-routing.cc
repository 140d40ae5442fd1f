/* SPDX-License-Identifier: GPL-2.0-only */
/* Up/down routing: deadlock-free on any network, with one lane. */

#include "ns3/ib-up-down-routing.h"

#include "ns3/ib-port-balancer.h"
#include "ns3/ib-up-down-paths.h"
#include "ns3/string.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbUpDownRouting);

namespace
{

/**
 * \param subnet The switches.
 * \return For each switch its tier from the top, when every cable leads from one tier to the next;
 *         else nothing. Tiers are counted from the switches with hosts.
 */
std::vector<uint32_t>
RankByTier(const IbSubnet& subnet)
{
    std::vector<uint32_t> ranks = subnet.GetDistances(subnet.GetLeaves());
    uint32_t top = 0;
    for (uint32_t at = 0; at < ranks.size(); ++at)
    {
        top = ranks[at] == IbSubnet::UNREACHED ? top : std::max(top, ranks[at]);
        for (const auto& port : subnet.GetPorts(at))
        {
            if (port.kind == IbSubnet::Far::SWITCH && ranks[at] == ranks[port.peer])
            {
                return {};
            }
        }
    }
    for (uint32_t& rank : ranks)
    {
        rank = rank == IbSubnet::UNREACHED ? rank : top - rank;
    }
    return ranks;
}

} // namespace

TypeId
IbUpDownRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbUpDownRouting")
            .SetParent<IbRoutingEngine>()
            .SetGroupName("Rdma")
            .AddConstructor<IbUpDownRouting>()
            .AddAttribute("Roots",
                          "Names of the switches at the top, with blanks between them. Empty: the "
                          "engine chooses.",
                          StringValue(""),
                          MakeStringAccessor(&IbUpDownRouting::m_roots),
                          MakeStringChecker());
    return tid;
}

std::string
IbUpDownRouting::DoCompute(const IbSubnet& subnet, const IbLids& lids, IbRoutes& routes) const
{
    std::vector<uint32_t> roots;
    std::istringstream names(m_roots);
    for (std::string name; names >> name;)
    {
        uint32_t at = 0;
        while (at < subnet.GetNSwitches() && subnet.GetName(at) != name)
        {
            ++at;
        }
        if (at == subnet.GetNSwitches())
        {
            return "up/down routing has the root " + name + ", which is no switch of the subnet";
        }
        roots.push_back(at);
    }
    if (!roots.empty())
    {
        Fill(subnet, lids, subnet.GetDistances(roots), routes);
        return "";
    }
    const IbRoutes empty(routes);
    const std::vector<uint32_t> tiers = RankByTier(subnet);
    if (tiers.empty() || !Fill(subnet, lids, tiers, routes))
    {
        routes = empty;
        Fill(subnet, lids, RankByOneRoot(subnet), routes);
    }
    return "";
}

bool
IbUpDownRouting::Fill(const IbSubnet& subnet,
                      const IbLids& lids,
                      const std::vector<uint32_t>& ranks,
                      IbRoutes& routes)
{
    bool complete = true;
    const IbUpDownPaths paths(subnet, ranks);
    IbPortBalancer balancer(subnet, lids);
    std::vector<std::vector<uint16_t>> candidates;
    const std::vector<uint32_t> leaves = subnet.GetLeaves();
    for (const uint32_t leaf : leaves)
    {
        paths.Find(leaf, candidates);
        const std::vector<uint32_t> distances = subnet.GetDistances({leaf});
        for (const uint32_t source : leaves)
        {
            complete = complete && (source == leaf || !candidates[source].empty() ||
                                    distances[source] == IbSubnet::UNREACHED);
        }
        balancer.Assign(leaf, candidates, routes);
    }
    return complete;
}

std::vector<uint32_t>
IbUpDownRouting::RankByOneRoot(const IbSubnet& subnet)
{
    constexpr uint32_t NONE = IbSubnet::UNREACHED;
    const uint32_t switches = subnet.GetNSwitches();
    std::vector<uint32_t> ranks(switches, NONE);
    for (uint32_t first = 0; first < switches; ++first)
    {
        if (ranks[first] != NONE)
        {
            continue;
        }
        // The part of the network that the first one belongs to.
        const std::vector<uint32_t> part = subnet.GetDistances({first});
        uint32_t least = NONE;
        std::vector<uint32_t> found;
        for (uint32_t root = 0; root < switches; ++root)
        {
            if (part[root] == NONE)
            {
                continue;
            }
            std::vector<uint32_t> distances = subnet.GetDistances({root});
            uint32_t furthest = 0;
            for (const uint32_t distance : distances)
            {
                furthest = distance == NONE ? furthest : std::max(furthest, distance);
            }
            if (furthest < least)
            {
                least = furthest;
                found = std::move(distances);
            }
        }
        for (uint32_t at = 0; at < switches; ++at)
        {
            ranks[at] = part[at] == NONE ? ranks[at] : found[at];
        }
    }
    return ranks;
}

} // namespace rdma
} // namespace ns3
