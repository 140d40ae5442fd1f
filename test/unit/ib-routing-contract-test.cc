/* SPDX-License-Identifier: GPL-2.0-only */
/* What every routing engine must keep, whatever it is, also when cables are broken. */

#include "ib-test-subnet.h"

#include "ns3/type-id.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace ns3
{
namespace rdma
{
namespace
{

/// \return The names of all engines.
std::vector<std::string>
GetEngines()
{
    std::vector<std::string> names;
    const TypeId base = IbRoutingEngine::GetTypeId();
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid != base && tid.IsChildOf(base))
        {
            names.push_back(tid.GetName().substr(std::string("ns3::rdma::").size()));
        }
    }
    return names;
}

/// A network with some of its links between switches broken.
struct Broken
{
    std::string name;     //!< what it is
    IbSubnet subnet;      //!< what is left of it
    uint32_t brokenLinks; //!< how many are broken
};

/// \return Networks with 0, 1, 3 and 5 percent of their links between switches broken.
std::vector<Broken>
MakeNetworks()
{
    std::map<std::string, FabricTopology> plans{
        {"ring", FabricTopology::Ring(7, 1, {}, {})},
        {"torus", FabricTopology::Torus({6, 6}, 1, {}, {})},
        {"torus3", FabricTopology::Torus({4, 2, 5}, 2, {}, {})},
        {"fat-tree", FabricTopology::FatTree(8, {}, {})},
        {"leaf-spine", FabricTopology::LeafSpine({6, 3, 4, 2}, {}, {})},
        {"dragonfly", FabricTopology::Dragonfly({4, 2, 2}, {}, {}, {})}};
    std::vector<Broken> networks;
    std::mt19937 random(1);
    for (const auto& [name, plan] : plans)
    {
        std::vector<uint32_t> cables;
        for (uint32_t i = 0; i < plan.GetLinks().size(); ++i)
        {
            if (plan.GetNodes()[plan.GetLinks()[i].a].kind == FabricNodeKind::SWITCH)
            {
                cables.push_back(i);
            }
        }
        for (const uint32_t percent : {0u, 1u, 3u, 5u})
        {
            std::shuffle(cables.begin(), cables.end(), random);
            const uint32_t count = (cables.size() * percent + 99) / 100;
            networks.push_back({name + " with " + std::to_string(count) + " links broken",
                                MakeSubnet(plan, {cables.begin(), cables.begin() + count}),
                                count});
        }
    }
    return networks;
}

/// Counts the pairs of hosts without a route by following each, and checks the way of the others.
uint64_t
CountLost(const IbSubnet& subnet, const IbLids& lids, const IbRoutes& routes)
{
    uint64_t lost = 0;
    std::vector<IbHop> hops;
    for (uint32_t destination = 0; destination < subnet.GetNHosts(); ++destination)
    {
        const auto distances = subnet.GetDistances({subnet.GetSwitchOf(destination)});
        for (uint32_t source = 0; source < subnet.GetNHosts(); ++source)
        {
            if (!FollowRoute(subnet, lids, routes, source, lids.GetBase(destination), hops))
            {
                ++lost;
                continue;
            }
            EXPECT_GE(hops.size(), distances[subnet.GetSwitchOf(source)]);
            for (const IbHop& hop : hops)
            {
                EXPECT_LT(hop.lane, routes.GetLanes());
            }
        }
    }
    return lost;
}

// The routes left after a failure are as free of deadlock as those before, and a pair without a
// route is reported. What an engine does not take, it refuses by a sentence; without broken links
// it reaches everybody. Minimal routing on one lane promises no freedom from deadlock.
TEST(IbRoutingContract, B6_9_RoutesObeyTheLaneRuleWhenLinksFail)
{
    const auto engines = GetEngines();
    EXPECT_GE(engines.size(), 5u);
    std::map<std::string, uint32_t> taken;
    for (const Broken& network : MakeNetworks())
    {
        for (const std::string& name : engines)
        {
            SCOPED_TRACE(name + " on " + network.name);
            const auto engine = MakeEngine(name);
            const IbLids lids(network.subnet.GetNHosts(), 0);
            const IbRoutes routes = engine->Compute(network.subnet, lids, 8);
            if (!routes.GetProblem().empty())
            {
                continue;
            }
            ++taken[name];
            for (const bool adaptive : {false, true})
            {
                IbRouteCheck::Options options;
                options.adaptiveLevels = adaptive ? 0xffff : 0;
                const auto report = IbRouteCheck::Check(network.subnet, lids, routes, options);
                EXPECT_TRUE(report.cycles.empty() || name == "IbMinHopRouting");
                const uint64_t lost = CountLost(network.subnet, lids, routes);
                EXPECT_EQ(report.unreachablePairs, lost);
                EXPECT_EQ(report.unreachable.size(), std::min<uint64_t>(lost, options.limit));
                if (network.brokenLinks == 0)
                {
                    EXPECT_EQ(lost, 0u);
                }
            }
            // The table's port is one of its group.
            for (uint32_t at = 0; at < network.subnet.GetNSwitches(); ++at)
            {
                for (uint32_t dlid = 1; dlid <= lids.GetTop(); ++dlid)
                {
                    const auto& group = routes.GetGroups(at)[routes.GetGroupOfDlid(at)[dlid]];
                    const uint16_t port = routes.GetPort(at, dlid);
                    ASSERT_EQ(std::count(group.begin(), group.end(), port),
                              port == IbRoutes::NO_PORT ? 0 : 1);
                }
            }
        }
    }
    // On all six networks, on the three tori, on the two trees.
    EXPECT_EQ(taken["IbMinHopRouting"], 24u);
    EXPECT_EQ(taken["IbLayeredRouting"], 24u);
    EXPECT_EQ(taken["IbUpDownRouting"], 24u);
    EXPECT_EQ(taken["IbDimensionOrderRouting"], 12u);
    EXPECT_EQ(taken["IbFatTreeRouting"], 8u);
}

// In a connected network, min-hop, up/down and layered routing reach everybody.
TEST(IbRoutingContract, B6_9_OnlyDimensionOrderAndTreesLosePairsThatAreConnected)
{
    for (const Broken& network : MakeNetworks())
    {
        const IbLids lids(network.subnet.GetNHosts(), 0);
        const auto distances = network.subnet.GetDistances({0});
        if (std::count(distances.begin(), distances.end(), IbSubnet::UNREACHED) != 0)
        {
            continue;
        }
        for (const char* name : {"IbMinHopRouting", "IbUpDownRouting", "IbLayeredRouting"})
        {
            const IbRoutes routes = MakeEngine(name)->Compute(network.subnet, lids, 8);
            EXPECT_EQ(CountLost(network.subnet, lids, routes), 0u) << name << " " << network.name;
        }
    }
}

// One cable of a ring of 7 broken: a line, and everybody is reached the other way round.
TEST(IbRoutingContract, B6_9_DimensionOrderGoesTheOtherWayRound)
{
    const auto plan = FabricTopology::Ring(7, 1, {}, {});
    for (uint32_t link = 7; link < 14; ++link)
    {
        const IbSubnet subnet = MakeSubnet(plan, {link});
        const IbLids lids(7, 0);
        const IbRoutes routes = MakeEngine("IbDimensionOrderRouting")->Compute(subnet, lids, 2);
        EXPECT_EQ(routes.GetProblem(), "");
        const auto report = IbRouteCheck::Check(subnet, lids, routes, {});
        EXPECT_EQ(report.unreachablePairs, 0u);
        EXPECT_TRUE(report.cycles.empty());
        ExpectShortestRoutes(subnet, lids, routes);
    }
    // Two broken cables cut it into 3 and 4 switches: 2 x 3 x 4 pairs.
    const IbSubnet subnet = MakeSubnet(plan, {7, 10});
    const IbLids lids(7, 0);
    const IbRoutes routes = MakeEngine("IbDimensionOrderRouting")->Compute(subnet, lids, 2);
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, routes, {}).unreachablePairs, 24u);
}

// The same input gives the same tables.
TEST(IbRoutingContract, EnginesAreFunctions)
{
    const IbSubnet subnet = MakeSubnet(FabricTopology::Torus({4, 4}, 2, {}, {}));
    const IbLids lids(subnet.GetNHosts(), 1);
    for (const std::string& name : GetEngines())
    {
        const IbRoutes first = MakeEngine(name)->Compute(subnet, lids, 8);
        const IbRoutes second = MakeEngine(name)->Compute(subnet, lids, 8);
        for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
        {
            EXPECT_EQ(first.GetLft(at), second.GetLft(at)) << name;
            for (uint32_t to = 0; to < subnet.GetNSwitches(); ++to)
            {
                EXPECT_EQ(first.GetServiceLevel(at, to), second.GetServiceLevel(at, to)) << name;
            }
        }
    }
}

TEST(IbRoutingContractDeathTest, LanesAndLidsMustFit)
{
    const IbSubnet subnet = MakeSubnet(FabricTopology::Star(2, {}));
    EXPECT_DEATH(MakeEngine("IbMinHopRouting")->Compute(subnet, IbLids(2, 0), 16),
                 "1 to 15 data virtual lanes, got 16");
    EXPECT_DEATH(MakeEngine("IbMinHopRouting")->Compute(subnet, IbLids(2, 0), 0), "got 0");
    EXPECT_DEATH(MakeEngine("IbMinHopRouting")->Compute(subnet, IbLids(3, 0), 1),
                 "subnet of 2 hosts needs LIDs for them, got LIDs for 3");
}

} // namespace
} // namespace rdma
} // namespace ns3
