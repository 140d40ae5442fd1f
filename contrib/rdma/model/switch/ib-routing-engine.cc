/* SPDX-License-Identifier: GPL-2.0-only */
/* Base of the routing engines of an InfiniBand subnet manager. */

#include "ns3/ib-routing-engine.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbRoutingEngine);

TypeId
IbRoutingEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbRoutingEngine").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

IbRoutes
IbRoutingEngine::Compute(const IbSubnet& subnet, const IbLids& lids, uint8_t lanes) const
{
    NS_ABORT_MSG_IF(lids.GetNEndpoints() != subnet.GetNHosts(),
                    "A subnet of " << subnet.GetNHosts() << " hosts needs LIDs for them, got LIDs "
                                   << "for " << lids.GetNEndpoints());
    IbRoutes routes(subnet, lids, lanes);
    for (uint32_t endpoint = 0; endpoint < subnet.GetNHosts(); ++endpoint)
    {
        const uint32_t at = subnet.GetSwitchOf(endpoint);
        if (at == IbSubnet::NO_SWITCH)
        {
            continue;
        }
        const uint16_t port = subnet.GetPortOf(endpoint);
        const uint16_t group = routes.AddGroup(at, {port});
        for (uint32_t path = 0; path < lids.GetPerPort(); ++path)
        {
            routes.Set(at, lids.GetBase(endpoint) + path, port, group);
        }
    }
    routes.SetProblem(DoCompute(subnet, lids, routes));
    for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
    {
        const auto& ports = subnet.GetPorts(at);
        for (const uint16_t port : routes.GetLft(at))
        {
            NS_ASSERT_MSG(port == IbRoutes::NO_PORT ||
                              (port < ports.size() && ports[port].kind != IbSubnet::Far::NOTHING),
                          "an engine sends packets of " << subnet.GetName(at)
                                                        << " to a port without cable");
        }
    }
    return routes;
}

} // namespace rdma
} // namespace ns3
