/* SPDX-License-Identifier: GPL-2.0-only */
/* Spreads the LIDs of an InfiniBand subnet over the ports that are equally good. */

#include "ns3/ib-port-balancer.h"

#include "ns3/ib-lids.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace rdma
{

IbPortBalancer::IbPortBalancer(const IbSubnet& subnet, const IbLids& lids)
    : m_subnet(subnet),
      m_lids(lids)
{
    for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
    {
        m_loads.emplace_back(subnet.GetPorts(at).size());
    }
}

void
IbPortBalancer::Assign(uint32_t destination,
                       const std::vector<std::vector<uint16_t>>& candidates,
                       IbRoutes& routes)
{
    const std::vector<uint32_t> hosts = m_subnet.GetHosts(destination);
    // The neighbours that lead to earlier LIDs of the same host.
    std::vector<uint32_t> taken;
    for (uint32_t at = 0; at < candidates.size(); ++at)
    {
        if (at == destination || candidates[at].empty())
        {
            continue;
        }
        const uint16_t group = routes.AddGroup(at, candidates[at]);
        const auto& ports = m_subnet.GetPorts(at);
        auto& loads = m_loads[at];
        for (const uint32_t endpoint : hosts)
        {
            taken.clear();
            for (uint32_t path = 0; path < m_lids.GetPerPort(); ++path)
            {
                const auto cost = [&](uint16_t port) {
                    return std::make_pair(std::count(taken.begin(), taken.end(), ports[port].peer),
                                          loads[port]);
                };
                const uint16_t best =
                    *std::min_element(candidates[at].begin(),
                                      candidates[at].end(),
                                      [&](uint16_t a, uint16_t b) { return cost(a) < cost(b); });
                ++loads[best];
                taken.push_back(ports[best].peer);
                routes.Set(at, m_lids.GetBase(endpoint) + path, best, group);
            }
        }
    }
}

} // namespace rdma
} // namespace ns3
