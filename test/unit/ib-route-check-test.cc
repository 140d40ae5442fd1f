/* SPDX-License-Identifier: GPL-2.0-only */
/* The static check of routes, on tables made by hand, and the layers that never close a cycle. */

#include "ib-test-subnet.h"

#include "ns3/ib-layer.h"
#include "ns3/ib-route-check.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{
namespace
{

/// Switches a, b, c in a triangle with hosts 0, 1, 2 at port 0; port 1 leads to the next switch,
/// port 2 to the one before.
IbSubnet
MakeTriangle()
{
    IbSubnet subnet;
    for (const char* name : {"a", "b", "c"})
    {
        const uint32_t at = subnet.AddSwitch(name);
        subnet.Attach(subnet.AddHost(std::string("h") + name), {at, 0});
    }
    subnet.AddCable({0, 1}, {1, 2});
    subnet.AddCable({1, 1}, {2, 2});
    subnet.AddCable({2, 1}, {0, 2});
    return subnet;
}

/// Tables of a triangle: by which port each switch sends to the next one and to the one before.
IbRoutes
MakeRoutes(const IbSubnet& subnet, const IbLids& lids, uint16_t toNext, uint16_t toPrevious)
{
    IbRoutes routes(subnet, lids, 2);
    for (uint32_t at = 0; at < 3; ++at)
    {
        routes.Set(at, at + 1, 0, routes.AddGroup(at, {0}));
        routes.Set(at, (at + 1) % 3 + 1, toNext, routes.AddGroup(at, {toNext}));
        routes.Set(at, (at + 2) % 3 + 1, toPrevious, routes.AddGroup(at, {toPrevious}));
    }
    return routes;
}

// The short way: nobody waits, because no path has two cables.
TEST(IbRouteCheck, PathsOfOneCableWaitForNothing)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    const auto report = IbRouteCheck::Check(subnet, lids, MakeRoutes(subnet, lids, 1, 2), {});
    EXPECT_TRUE(report.cycles.empty());
    EXPECT_EQ(report.dependencies, 0u);
    EXPECT_EQ(report.unreachablePairs, 0u);
    EXPECT_TRUE(report.unreachable.empty());
}

// All the way round by port 1: a to c goes a:p1, b:p1, and so on, three dependencies in a cycle.
TEST(IbRouteCheck, NamesTheCycleOfAWayRound)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    const auto report = IbRouteCheck::Check(subnet, lids, MakeRoutes(subnet, lids, 1, 1), {});
    EXPECT_EQ(report.cycles,
              (std::vector<std::string>{"a:p1 VL0 -> b:p1 VL0 -> c:p1 VL0 -> a:p1 VL0"}));
    EXPECT_EQ(report.dependencies, 3u);
    EXPECT_EQ(report.unreachablePairs, 0u);
}

// The same on two lanes: packets from c to b (c:p1, a:p1) have service level 1, so lane 1. Then
// a:p1 of lane 0 waits for b:p1, that for c:p1, and that for nothing.
TEST(IbRouteCheck, LanesBreakTheCycle)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    IbRoutes routes = MakeRoutes(subnet, lids, 1, 1);
    routes.SetServiceLevel(2, 1, 1);
    const auto report = IbRouteCheck::Check(subnet, lids, routes, {});
    EXPECT_TRUE(report.cycles.empty()) << report.cycles[0];
    EXPECT_EQ(report.dependencies, 3u);
}

// A map at one switch: whoever comes by a:p2 and leaves by a:p1 goes on by lane 1. That is c to b
// only, by c:p1 VL0 and a:p1 VL1; a to c still takes a:p1 VL0 and b:p1 VL0.
TEST(IbRouteCheck, MapsDependOnBothPorts)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    IbRoutes routes = MakeRoutes(subnet, lids, 1, 1);
    IbLaneMap map{};
    map.fill(1);
    routes.SetLaneMap(0, 2, 1, map);
    EXPECT_TRUE(IbRouteCheck::Check(subnet, lids, routes, {}).cycles.empty());
    // The other way into the switch changes nothing for that packet.
    IbRoutes other = MakeRoutes(subnet, lids, 1, 1);
    other.SetLaneMap(0, 0, 2, map);
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, other, {}).cycles.size(), 1u);
}

// d would send packets for c by a, which would send them by its port to c. But nobody sends by d.
TEST(IbRouteCheck, RoutesThatNobodyUsesDoNotCount)
{
    IbSubnet subnet = MakeTriangle();
    const uint32_t unused = subnet.AddSwitch("d");
    subnet.AddCable({unused, 0}, {0, 3});
    subnet.AddCable({unused, 1}, {1, 3});
    const IbLids lids(3, 0);
    IbRoutes routes = MakeRoutes(subnet, lids, 1, 2);
    routes.Set(unused, 3, 0, routes.AddGroup(unused, {0}));
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, routes, {}).dependencies, 0u);
}

// a sends what is for c to b, and b back to a: it circles between them and never arrives.
TEST(IbRouteCheck, PacketsThatCircleDoNotArrive)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    IbRoutes routes = MakeRoutes(subnet, lids, 1, 2);
    routes.Set(0, 3, 1, routes.AddGroup(0, {1}));
    routes.Set(1, 3, 2, routes.AddGroup(1, {2}));
    const auto report = IbRouteCheck::Check(subnet, lids, routes, {});
    EXPECT_EQ(report.cycles, (std::vector<std::string>{"a:p1 VL0 -> b:p2 VL0 -> a:p1 VL0"}));
    EXPECT_EQ(report.unreachable, (std::vector<std::string>{"ha to hc", "hb to hc"}));
    EXPECT_EQ(report.unreachablePairs, 2u);
}

// Groups: a may send to c both ways round, b too. Without adaptive routing only the tables count.
TEST(IbRouteCheck, GroupsCountWithAdaptiveRoutingOnly)
{
    const IbSubnet subnet = MakeTriangle();
    const IbLids lids(3, 0);
    IbRoutes routes = MakeRoutes(subnet, lids, 1, 2);
    routes.Set(0, 3, 2, routes.AddGroup(0, {1, 2}));
    routes.Set(1, 3, 1, routes.AddGroup(1, {1, 2}));
    EXPECT_TRUE(IbRouteCheck::Check(subnet, lids, routes, {}).cycles.empty());
    IbRouteCheck::Options options;
    options.adaptiveLevels = 1 << 3; // a host may choose it
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, routes, options).cycles.size(), 1u);
    routes.SetServiceLevel(2, 1, 1); // now packets for c have level 0
    EXPECT_TRUE(IbRouteCheck::Check(subnet, lids, routes, options).cycles.empty());
    options.adaptiveLevels = 1;
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, routes, options).cycles.size(), 1u);
}

// Host hc has no cable: four pairs, of which the limit lets two be named.
TEST(IbRouteCheck, HostsWithoutSwitchAreNamed)
{
    IbSubnet subnet;
    const uint32_t at = subnet.AddSwitch("a");
    subnet.Attach(subnet.AddHost("ha"), {at, 0});
    subnet.Attach(subnet.AddHost("hb"), {at, 1});
    subnet.AddHost("hc");
    const IbLids lids(3, 0);
    const IbRoutes routes = MakeEngine("IbMinHopRouting")->Compute(subnet, lids, 1);
    IbRouteCheck::Options options;
    options.limit = 2;
    const auto report = IbRouteCheck::Check(subnet, lids, routes, options);
    EXPECT_EQ(report.unreachablePairs, 4u);
    EXPECT_EQ(report.unreachable, (std::vector<std::string>{"hc to ha", "hc to hb"}));
}

TEST(IbRouteCheck, HostsWithACableBetweenThemReachEachOther)
{
    IbSubnet subnet;
    subnet.ConnectHosts(subnet.AddHost("ha"), subnet.AddHost("hb"));
    const IbLids lids(2, 0);
    const IbRoutes routes = MakeEngine("IbMinHopRouting")->Compute(subnet, lids, 1);
    EXPECT_EQ(IbRouteCheck::Check(subnet, lids, routes, {}).unreachablePairs, 0u);
}

// Channels 3 -> 2 -> 1 -> 0 against their numbers; 0 -> 3 would close the cycle.
TEST(IbLayer, RefusesWhatClosesACycle)
{
    IbLayer layer(5);
    EXPECT_TRUE(layer.TryAdd({{3, 2}, {2, 1}}));
    EXPECT_TRUE(layer.TryAdd({{1, 0}}));
    EXPECT_FALSE(layer.TryAdd({{0, 4}, {4, 3}}));
    // Nothing of the refused path is left: 4 -> 0 would close a cycle with 0 -> 4.
    EXPECT_TRUE(layer.TryAdd({{4, 0}, {4, 3}}));
    EXPECT_FALSE(layer.TryAdd({{0, 3}}));
    layer.Remove({{2, 1}, {3, 2}});
    EXPECT_TRUE(layer.TryAdd({{0, 3}}));
    EXPECT_FALSE(layer.TryAdd({{3, 4}}));
}

TEST(IbLayer, CountsHowOftenADependencyIsNeeded)
{
    IbLayer layer(2);
    EXPECT_TRUE(layer.TryAdd({{0, 1}}));
    EXPECT_TRUE(layer.TryAdd({{0, 1}}));
    layer.Remove({{0, 1}});
    EXPECT_FALSE(layer.TryAdd({{1, 0}}));
    layer.Remove({{0, 1}});
    EXPECT_TRUE(layer.TryAdd({{1, 0}}));
}

} // namespace
} // namespace rdma
} // namespace ns3
