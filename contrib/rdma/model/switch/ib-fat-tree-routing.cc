/* SPDX-License-Identifier: GPL-2.0-only */
/* Fat-tree routing: the destination alone chooses the way up (d-mod-k). */

#include "ns3/ib-fat-tree-routing.h"

#include "ns3/ib-up-down-paths.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbFatTreeRouting);

namespace
{

/// More than any subnet has, so that a larger divisor makes no difference.
constexpr uint64_t MOST_HOSTS = 1 << 16;

} // namespace

TypeId
IbFatTreeRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::IbFatTreeRouting")
                            .SetParent<IbRoutingEngine>()
                            .SetGroupName("Rdma")
                            .AddConstructor<IbFatTreeRouting>();
    return tid;
}

std::string
IbFatTreeRouting::DoCompute(const IbSubnet& subnet, const IbLids& lids, IbRoutes& routes) const
{
    const std::vector<uint32_t> leaves = subnet.GetLeaves();
    const std::vector<uint32_t> tiers = subnet.GetDistances(leaves);
    const uint32_t switches = subnet.GetNSwitches();
    // For each tier the most up ports of a switch.
    std::vector<uint64_t> upPorts(switches + 1, 0);
    for (uint32_t at = 0; at < switches; ++at)
    {
        uint64_t up = 0;
        for (const auto& port : subnet.GetPorts(at))
        {
            if (port.kind != IbSubnet::Far::SWITCH || tiers[at] == IbSubnet::UNREACHED)
            {
                continue;
            }
            if (tiers[port.peer] == tiers[at])
            {
                std::ostringstream why;
                why << "fat-tree routing needs a fat-tree, but the cable from "
                    << subnet.GetName(at) << " to " << subnet.GetName(port.peer)
                    << " joins two switches of tier " << tiers[at];
                return why.str();
            }
            up += tiers[port.peer] > tiers[at];
        }
        if (tiers[at] != IbSubnet::UNREACHED)
        {
            upPorts[tiers[at]] = std::max(upPorts[tiers[at]], up);
        }
    }
    std::vector<uint64_t> divisors{1};
    for (uint32_t tier = 0; upPorts[tier] != 0; ++tier)
    {
        divisors.push_back(std::min(divisors.back() * upPorts[tier], MOST_HOSTS));
    }

    // The tier from the top is the rank: the sum of both is the same for all.
    std::vector<uint32_t> ranks(tiers);
    for (uint32_t& rank : ranks)
    {
        rank = rank == IbSubnet::UNREACHED ? rank : switches - rank;
    }
    const IbUpDownPaths paths(subnet, ranks);
    std::vector<std::vector<uint16_t>> candidates;
    uint64_t first = 0;
    for (const uint32_t leaf : leaves)
    {
        paths.Find(leaf, candidates);
        const std::vector<uint32_t> hosts = subnet.GetHosts(leaf);
        for (uint32_t at = 0; at < switches; ++at)
        {
            const std::vector<uint16_t>& ports = candidates[at];
            if (ports.empty())
            {
                continue;
            }
            const uint16_t group = routes.AddGroup(at, ports);
            const bool up = paths.IsUp(at, subnet.GetPorts(at)[ports[0]].peer);
            const uint64_t divisor = divisors[up ? tiers[at] : tiers[at] - 1];
            for (std::size_t i = 0; i < hosts.size(); ++i)
            {
                for (uint32_t path = 0; path < lids.GetPerPort(); ++path)
                {
                    const uint64_t number = (first + i + path) / divisor;
                    routes.Set(at,
                               lids.GetBase(hosts[i]) + path,
                               ports[number % ports.size()],
                               group);
                }
            }
        }
        first += hosts.size();
    }
    return "";
}

} // namespace rdma
} // namespace ns3
