/* SPDX-License-Identifier: GPL-2.0-only */
/* Subnets made from plans, and routes followed hop by hop, for the tests of routing engines. */

#include "ib-test-subnet.h"

#include "ns3/object-factory.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{

IbSubnet
MakeSubnet(const FabricTopology& plan, const std::set<uint32_t>& broken)
{
    IbSubnet subnet;
    std::vector<uint32_t> numbers;
    for (const auto& node : plan.GetNodes())
    {
        numbers.push_back(node.kind == FabricNodeKind::SWITCH
                              ? subnet.AddSwitch(node.name, node.coordinates)
                              : subnet.AddHost(node.name));
    }
    std::vector<uint16_t> ports(plan.GetNodes().size());
    for (uint32_t i = 0; i < plan.GetLinks().size(); ++i)
    {
        const auto& link = plan.GetLinks()[i];
        const std::pair<uint32_t, uint16_t> a{numbers[link.a], ports[link.a]++};
        const std::pair<uint32_t, uint16_t> b{numbers[link.b], ports[link.b]++};
        if (broken.count(i))
        {
            continue;
        }
        if (plan.GetNodes()[link.a].kind == FabricNodeKind::HOST)
        {
            subnet.Attach(a.first, b);
        }
        else
        {
            subnet.AddCable(a, b);
        }
    }
    return subnet;
}

Ptr<IbRoutingEngine>
MakeEngine(const std::string& name)
{
    ObjectFactory factory("ns3::rdma::" + name);
    return factory.Create<IbRoutingEngine>();
}

bool
FollowRoute(const IbSubnet& subnet,
            const IbLids& lids,
            const IbRoutes& routes,
            uint32_t source,
            uint16_t dlid,
            std::vector<IbHop>& hops)
{
    const uint32_t endpoint = lids.FindEndpoint(dlid);
    uint32_t at = subnet.GetSwitchOf(source);
    const uint32_t end = subnet.GetSwitchOf(endpoint);
    hops.clear();
    if (at == IbSubnet::NO_SWITCH || end == IbSubnet::NO_SWITCH)
    {
        return false;
    }
    const uint8_t level = routes.GetServiceLevel(at, end);
    uint16_t in = subnet.GetPortOf(source);
    while (hops.size() <= subnet.GetNSwitches())
    {
        const uint16_t out = routes.GetPort(at, dlid);
        if (out == IbRoutes::NO_PORT)
        {
            return false;
        }
        const IbSubnet::Port& port = subnet.GetPorts(at).at(out);
        if (port.kind == IbSubnet::Far::HOST)
        {
            return port.peer == endpoint;
        }
        hops.push_back({at, out, routes.GetLaneMap(at, in, out)[level]});
        at = port.peer;
        in = port.peerPort;
    }
    return false;
}

void
ExpectShortestRoutes(const IbSubnet& subnet, const IbLids& lids, const IbRoutes& routes)
{
    std::vector<IbHop> hops;
    for (uint32_t destination = 0; destination < subnet.GetNHosts(); ++destination)
    {
        const auto distances = subnet.GetDistances({subnet.GetSwitchOf(destination)});
        for (uint32_t source = 0; source < subnet.GetNHosts(); ++source)
        {
            for (uint32_t path = 0; path < lids.GetPerPort(); ++path)
            {
                ASSERT_TRUE(FollowRoute(subnet,
                                        lids,
                                        routes,
                                        source,
                                        lids.GetBase(destination) + path,
                                        hops))
                    << source << " " << destination;
                ASSERT_EQ(hops.size(), distances[subnet.GetSwitchOf(source)])
                    << source << " " << destination;
            }
        }
    }
}

} // namespace rdma
} // namespace ns3
