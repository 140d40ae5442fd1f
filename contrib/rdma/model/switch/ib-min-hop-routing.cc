/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths with balanced ports. */

#include "ns3/ib-min-hop-routing.h"

#include "ns3/ib-port-balancer.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbMinHopRouting);

TypeId
IbMinHopRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::IbMinHopRouting")
                            .SetParent<IbRoutingEngine>()
                            .SetGroupName("Rdma")
                            .AddConstructor<IbMinHopRouting>();
    return tid;
}

std::string
IbMinHopRouting::DoCompute(const IbSubnet& subnet, const IbLids& lids, IbRoutes& routes) const
{
    IbPortBalancer balancer(subnet, lids);
    std::vector<std::vector<uint16_t>> candidates(subnet.GetNSwitches());
    for (const uint32_t leaf : subnet.GetLeaves())
    {
        const std::vector<uint32_t> distances = subnet.GetDistances({leaf});
        for (uint32_t at = 0; at < candidates.size(); ++at)
        {
            candidates[at].clear();
            const auto& ports = subnet.GetPorts(at);
            for (uint16_t port = 0; port < ports.size(); ++port)
            {
                if (ports[port].kind == IbSubnet::Far::SWITCH &&
                    distances[ports[port].peer] != IbSubnet::UNREACHED &&
                    distances[ports[port].peer] + 1 == distances[at])
                {
                    candidates[at].push_back(port);
                }
            }
        }
        balancer.Assign(leaf, candidates, routes);
    }
    return "";
}

} // namespace rdma
} // namespace ns3
