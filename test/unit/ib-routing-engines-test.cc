/* SPDX-License-Identifier: GPL-2.0-only */
/* Routing engines on rings, trees, tori and dragonflies, against values worked out by hand. */

#include "ib-test-subnet.h"

#include "ns3/boolean.h"
#include "ns3/string.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace ns3
{
namespace rdma
{
namespace
{

/// A subnet with its LIDs.
struct Net
{
    explicit Net(const FabricTopology& plan, uint8_t lmc = 0)
        : subnet(MakeSubnet(plan)),
          lids(subnet.GetNHosts(), lmc)
    {
    }

    /// \return The routes of an engine, which must have some.
    IbRoutes Route(const Ptr<IbRoutingEngine>& engine, uint8_t lanes) const
    {
        IbRoutes routes = engine->Compute(subnet, lids, lanes);
        EXPECT_EQ(routes.GetProblem(), "");
        return routes;
    }

    /// \return What the static check says of routes.
    IbRouteReport Check(const IbRoutes& routes, bool adaptive = false) const
    {
        IbRouteCheck::Options options;
        options.adaptiveLevels = adaptive ? 0xffff : 0;
        return IbRouteCheck::Check(subnet, lids, routes, options);
    }

    /// \return The channels from a host to another.
    std::vector<IbHop> Follow(const IbRoutes& routes, uint32_t source, uint32_t destination) const
    {
        std::vector<IbHop> hops;
        EXPECT_TRUE(FollowRoute(subnet, lids, routes, source, lids.GetBase(destination), hops));
        return hops;
    }

    IbSubnet subnet;
    IbLids lids;
};

/// \return Dimension-order routing on one lane.
Ptr<IbRoutingEngine>
MakeWithoutDateline()
{
    const auto engine = MakeEngine("IbDimensionOrderRouting");
    engine->SetAttribute("Dateline", BooleanValue(false));
    return engine;
}

// Ports of the ring of 4: s0 1 to s1, 2 to s3; the others 1 to the switch before, 2 to the next.
// Two hops, both ways equally long, lead forwards: 0 to 2 makes s0:p1 wait for s1:p2, and so on for
// 1 to 3, 2 to 0 and 3 to 1. Backwards paths have one hop.
TEST(IbDimensionOrderRouting, B6_8_RingOfFourDeadlocksOnOneLane)
{
    const Net net(FabricTopology::Ring(4, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeWithoutDateline(), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    const auto report = net.Check(routes);
    EXPECT_EQ(report.cycles,
              (std::vector<std::string>{
                  "s0:p1 VL0 -> s1:p2 VL0 -> s2:p2 VL0 -> s3:p2 VL0 -> s0:p1 VL0"}));
    EXPECT_EQ(report.dependencies, 4u);
    EXPECT_EQ(report.unreachablePairs, 0u);
}

// The dateline lies between s3 and s0. 2 to 0 and 3 to 1 cross it, so they use lane 1 all the way;
// 0 to 2 and 1 to 3 do not. The dependencies are the same four, but no longer a cycle.
TEST(IbDimensionOrderRouting, B6_8_DatelineFreesTheRingOfFour)
{
    const Net net(FabricTopology::Ring(4, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbDimensionOrderRouting"), 2);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_EQ(net.Follow(routes, 0, 2), (std::vector<IbHop>{{0, 1, 0}, {1, 2, 0}}));
    EXPECT_EQ(net.Follow(routes, 2, 0), (std::vector<IbHop>{{2, 2, 1}, {3, 2, 1}}));
    EXPECT_EQ(net.Follow(routes, 3, 1), (std::vector<IbHop>{{3, 2, 1}, {0, 1, 1}}));
    EXPECT_EQ(net.Follow(routes, 0, 3), (std::vector<IbHop>{{0, 2, 1}}));
    EXPECT_EQ(routes.GetServiceLevel(2, 0), 1);
    EXPECT_EQ(routes.GetServiceLevel(0, 2), 0);
    const auto report = net.Check(routes);
    EXPECT_TRUE(report.cycles.empty());
    EXPECT_EQ(report.dependencies, 4u);
}

// In the ring of 5 all shortest paths are unique: five of two hops in each direction.
TEST(IbMinHopRouting, B6_8_RingOfFiveHasACycleInBothDirections)
{
    const Net net(FabricTopology::Ring(5, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbMinHopRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    const auto report = net.Check(routes);
    EXPECT_EQ(report.cycles,
              (std::vector<std::string>{
                  "s0:p1 VL0 -> s1:p2 VL0 -> s2:p2 VL0 -> s3:p2 VL0 -> s4:p2 VL0 -> s0:p1 VL0",
                  "s0:p2 VL0 -> s4:p1 VL0 -> s3:p1 VL0 -> s2:p1 VL0 -> s1:p1 VL0 -> s0:p2 VL0"}));
    EXPECT_EQ(report.dependencies, 10u);
}

// LIDs in the order of hosts 0 to 3. s0: host 1 by p1; host 2 by p2, which has none yet; host 3 by
// p2. s1: 0 by p1, 2 by p2, 3 by p1 (one LID each, the lower port). s2: 0 by p1 (none yet, the
// lower port), 1 by p1, 3 by p2. s3: 0 by p2, 1 by p1, which has none, 2 by p1. So all four long
// paths lead backwards: one cycle of four.
TEST(IbMinHopRouting, B6_8_RingOfFourDeadlocks)
{
    const Net net(FabricTopology::Ring(4, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbMinHopRouting"), 4);
    EXPECT_EQ(routes.GetLft(0), (std::vector<uint16_t>{IbRoutes::NO_PORT, 0, 1, 2, 2}));
    EXPECT_EQ(routes.GetLft(1), (std::vector<uint16_t>{IbRoutes::NO_PORT, 1, 0, 2, 1}));
    EXPECT_EQ(routes.GetLft(2), (std::vector<uint16_t>{IbRoutes::NO_PORT, 1, 1, 0, 2}));
    EXPECT_EQ(routes.GetLft(3), (std::vector<uint16_t>{IbRoutes::NO_PORT, 2, 1, 1, 0}));
    EXPECT_EQ(net.Check(routes).cycles,
              (std::vector<std::string>{
                  "s0:p2 VL0 -> s3:p1 VL0 -> s2:p1 VL0 -> s1:p1 VL0 -> s0:p2 VL0"}));
    // With both ways open to host 2 and host 3, adaptive routing can also deadlock forwards.
    EXPECT_EQ(routes.GetGroups(0)[routes.GetGroupOfDlid(0)[3]], (std::vector<uint16_t>{1, 2}));
    EXPECT_EQ(net.Check(routes, true).cycles.size(), 2u);
}

// Four leaves with four hosts and four spines: each leaf has 12 LIDs elsewhere for 4 ports up.
TEST(IbMinHopRouting, PortsAreBalanced)
{
    const Net net(FabricTopology::LeafSpine({4, 4, 4, 1}, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbMinHopRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        const auto& lft = routes.GetLft(leaf);
        for (uint16_t port = 4; port < 8; ++port)
        {
            EXPECT_EQ(std::count(lft.begin(), lft.end(), port), 3) << leaf << " " << port;
        }
    }
    EXPECT_TRUE(net.Check(routes).cycles.empty());
}

// Two cables to each of four spines, four LIDs of a host: one by each spine, never two by the
// cables to one spine. The eight ports of a leaf share the 4 x 2 LIDs of the two hosts at the other
// leaf.
TEST(IbMinHopRouting, PathsOfAHostTakeDifferentNeighbours)
{
    const Net net(FabricTopology::LeafSpine({2, 4, 2, 2}, {}, {}), 2);
    for (const char* name : {"IbMinHopRouting", "IbUpDownRouting"})
    {
        const IbRoutes routes = net.Route(MakeEngine(name), 1);
        ExpectShortestRoutes(net.subnet, net.lids, routes);
        for (const uint32_t host : {2u, 3u})
        {
            std::set<uint32_t> spines;
            for (uint16_t path = 0; path < 4; ++path)
            {
                const uint16_t port = routes.GetPort(0, net.lids.GetBase(host) + path);
                spines.insert(net.subnet.GetPorts(0)[port].peer);
            }
            EXPECT_EQ(spines.size(), 4u) << name;
        }
        const auto& lft = routes.GetLft(0);
        for (uint16_t port = 2; port < 10; ++port)
        {
            EXPECT_EQ(std::count(lft.begin(), lft.end(), port), 1) << name;
        }
    }
}

// In a ring of 4 every switch is two hops from the furthest, so s0 is the root; s1 and s3 have rank
// 1, s2 has 2. 1 to 3 and back must go by the root: by s2 they would go down, then up.
TEST(IbUpDownRouting, B6_8_RingOfFourCannotDeadlock)
{
    const Net net(FabricTopology::Ring(4, 1, {}, {}));
    const auto engine = MakeEngine("IbUpDownRouting");
    const IbRoutes routes = net.Route(engine, 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_EQ(net.Follow(routes, 1, 3), (std::vector<IbHop>{{1, 1, 0}, {0, 2, 0}}));
    EXPECT_EQ(net.Follow(routes, 3, 1), (std::vector<IbHop>{{3, 2, 0}, {0, 1, 0}}));
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
    engine->SetAttribute("Roots", StringValue("s2"));
    const IbRoutes other = net.Route(engine, 1);
    EXPECT_EQ(net.Follow(other, 1, 3), (std::vector<IbHop>{{1, 2, 0}, {2, 2, 0}}));
    EXPECT_TRUE(net.Check(other, true).cycles.empty());
    engine->SetAttribute("Roots", StringValue("s2 spine7"));
    EXPECT_EQ(engine->Compute(net.subnet, net.lids, 1).GetProblem(),
              "up/down routing has the root spine7, which is no switch of the subnet");
}

// Ring of 5, root s0, ranks 0 1 2 2 1; s2 is above s3, having the lower number. 2 to 4 by s3 would
// go down, then up, and so would 4 to 2: both take three hops by the root instead of two. 1 to 3
// goes down twice by s2, 3 to 1 up twice.
TEST(IbUpDownRouting, SomePathsAreLongerThanTheShortest)
{
    const Net net(FabricTopology::Ring(5, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbUpDownRouting"), 1);
    EXPECT_EQ(net.Follow(routes, 2, 4), (std::vector<IbHop>{{2, 1, 0}, {1, 1, 0}, {0, 2, 0}}));
    EXPECT_EQ(net.Follow(routes, 4, 2), (std::vector<IbHop>{{4, 2, 0}, {0, 1, 0}, {1, 2, 0}}));
    EXPECT_EQ(net.Follow(routes, 1, 3).size(), 2u);
    EXPECT_EQ(net.Follow(routes, 3, 1), (std::vector<IbHop>{{3, 1, 0}, {2, 1, 0}}));
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
}

// In trees the ranks are the tiers, so up/down paths are the shortest paths, all of them.
TEST(IbUpDownRouting, TreesLoseNothing)
{
    const Net net(FabricTopology::FatTree(8, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbUpDownRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
    for (uint32_t edge = 0; edge < 32; ++edge)
    {
        // 128 - 4 LIDs elsewhere for 4 ports up.
        const auto& lft = routes.GetLft(edge);
        for (uint16_t port = 4; port < 8; ++port)
        {
            EXPECT_EQ(std::count(lft.begin(), lft.end(), port), 31);
        }
        EXPECT_EQ(routes.GetGroups(edge)[routes.GetGroupOfDlid(edge)[edge < 16 ? 128 : 1]].size(),
                  4u);
    }
}

// Two stars without a cable between them have a root each, and pairs across are unreachable.
TEST(IbUpDownRouting, PartsHaveTheirOwnRoots)
{
    IbSubnet subnet;
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
    {
        subnet.Attach(subnet.AddHost(std::string("h") + name), {subnet.AddSwitch(name), 0});
    }
    for (const uint32_t first : {0u, 3u})
    {
        subnet.AddCable({first, 1}, {first + 1, 1});
        subnet.AddCable({first + 1, 2}, {first + 2, 1});
        subnet.AddCable({first + 2, 2}, {first, 2});
    }
    const IbLids lids(6, 0);
    const IbRoutes routes = MakeEngine("IbUpDownRouting")->Compute(subnet, lids, 1);
    const auto report = IbRouteCheck::Check(subnet, lids, routes, {});
    EXPECT_TRUE(report.cycles.empty());
    EXPECT_EQ(report.unreachablePairs, 18u);
    EXPECT_EQ(report.unreachable.size(), 10u);
    EXPECT_EQ(report.unreachable[0], "hd to ha");
}

// d mod k: from a leaf to host d by port d mod (spines x cables), 3 of the 12 LIDs elsewhere for
// each of 4 ports; the spine sends it down by the cable with the same number.
TEST(IbFatTreeRouting, LeafSpineWithParallelCables)
{
    const Net net(FabricTopology::LeafSpine({4, 2, 4, 2}, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbFatTreeRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    for (uint32_t destination = 0; destination < 16; ++destination)
    {
        const uint32_t number = destination % 4;
        for (uint32_t source = 0; source < 16; ++source)
        {
            if (source / 4 != destination / 4)
            {
                const IbHop up{source / 4, static_cast<uint16_t>(4 + number), 0};
                const IbHop down{4 + number / 2,
                                 static_cast<uint16_t>(destination / 4 * 2 + number % 2),
                                 0};
                EXPECT_EQ(net.Follow(routes, source, destination), (std::vector<IbHop>{up, down}));
            }
        }
    }
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
}

// k-ary fat-tree, half = k/2, N = k^3/4 hosts. Edge switches go up by port d mod half, the switch
// above by port (d / half) mod half. So an edge switch has (N - half) / half LIDs on each port up,
// an aggregation switch (N - half^2) / half; and between a core switch and a pod, and between an
// aggregation and an edge switch below, exactly one host's packets come down.
TEST(IbFatTreeRouting, EveryPortCarriesTheSame)
{
    for (const uint32_t k : {4u, 8u})
    {
        const Net net(FabricTopology::FatTree(k, {}, {}));
        const IbRoutes routes = net.Route(MakeEngine("IbFatTreeRouting"), 1);
        ExpectShortestRoutes(net.subnet, net.lids, routes);
        const uint32_t half = k / 2;
        const uint32_t hosts = k * half * half;
        for (uint32_t at = 0; at < 2 * k * half; ++at)
        {
            const uint32_t below = at < k * half ? half : half * half;
            const auto& lft = routes.GetLft(at);
            for (uint32_t port = half; port < k; ++port)
            {
                EXPECT_EQ(std::count(lft.begin(), lft.end(), port), (hosts - below) / half);
            }
        }
        std::map<std::pair<uint32_t, uint16_t>, std::set<uint32_t>> down;
        for (uint32_t destination = 0; destination < hosts; ++destination)
        {
            for (uint32_t source = 0; source < hosts; ++source)
            {
                for (const IbHop& hop : net.Follow(routes, source, destination))
                {
                    if (hop.at >= 2 * k * half || (hop.at >= k * half && hop.port < half))
                    {
                        down[{hop.at, hop.port}].insert(destination);
                    }
                }
            }
        }
        // Each core switch has k ports down, each aggregation switch half.
        EXPECT_EQ(down.size(), half * half * k + k * half * half);
        for (const auto& [port, destinations] : down)
        {
            EXPECT_EQ(destinations.size(), 1u) << port.first << " " << port.second;
        }
        EXPECT_TRUE(net.Check(routes, true).cycles.empty());
        EXPECT_EQ(net.Check(routes).unreachablePairs, 0u);
    }
}

// With h = k/2: a port up of an edge switch waits for the h ports up of the switch above and for
// its h - 1 ports down to other edge switches; a port up to a core switch for k - 1 pods; a port
// down from a core switch for one port, because only one host below has that core switch. There are
// k h^2 ports of each kind. 1024 hosts show that the check does not go by pairs.
TEST(IbRouteCheck, CountsTheDependenciesOfAFatTree)
{
    for (const uint32_t k : {4u, 16u})
    {
        const Net net(FabricTopology::FatTree(k, {}, {}));
        const uint32_t h = k / 2;
        const auto report = net.Check(net.Route(MakeEngine("IbFatTreeRouting"), 1));
        EXPECT_EQ(report.dependencies, k * h * h * (h + (h - 1) + (k - 1) + 1));
        EXPECT_TRUE(report.cycles.empty());
    }
}

TEST(IbFatTreeRouting, NetworksThatAreNoTreeAreRefused)
{
    const Net net(FabricTopology::Ring(4, 1, {}, {}));
    EXPECT_EQ(
        MakeEngine("IbFatTreeRouting")->Compute(net.subnet, net.lids, 1).GetProblem(),
        "fat-tree routing needs a fat-tree, but the cable from s0 to s1 joins two switches of "
        "tier 0");
}

// In rows of three no path has two hops in a row, so nothing can close. In rows of four two hops
// lead forwards: a cycle for each of the 4 + 4 rows. In rows of five there is one in each
// direction. The order of the dimensions keeps the rows apart.
TEST(IbDimensionOrderRouting, TorusHasTheCyclesOfItsRows)
{
    const std::map<uint32_t, std::size_t> cycles{{3, 0}, {4, 8}, {5, 20}};
    for (const auto& [size, expected] : cycles)
    {
        const Net net(FabricTopology::Torus({size, size}, 1, {}, {}));
        const IbRoutes one = net.Route(MakeWithoutDateline(), 1);
        ExpectShortestRoutes(net.subnet, net.lids, one);
        EXPECT_EQ(net.Check(one).cycles.size(), expected) << size;
        const IbRoutes two = net.Route(MakeEngine("IbDimensionOrderRouting"), 2);
        ExpectShortestRoutes(net.subnet, net.lids, two);
        EXPECT_TRUE(net.Check(two).cycles.empty()) << size;
    }
}

// From (0, 3) to (3, 1) of a 4 x 4 torus: back across the first dateline, lane 1, then forwards
// across the second, lane 1 again: level 3. From (0, 3) to (1, 1): lane 0, then lane 1: level 2.
TEST(IbDimensionOrderRouting, LevelsTellTheDatelinesThatArePassed)
{
    const Net net(FabricTopology::Torus({4, 4}, 1, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbDimensionOrderRouting"), 2);
    EXPECT_EQ(routes.GetServiceLevel(12, 7), 3);
    EXPECT_EQ(routes.GetServiceLevel(12, 5), 2);
    const auto way = [&](uint32_t source, uint32_t destination) {
        std::vector<std::string> lanes;
        for (const IbHop& hop : net.Follow(routes, source, destination))
        {
            lanes.push_back(net.subnet.GetName(hop.at) + " VL" + std::to_string(hop.lane));
        }
        return lanes;
    };
    EXPECT_EQ(way(12, 7), (std::vector<std::string>{"s0-3 VL1", "s3-3 VL1", "s3-0 VL1"}));
    EXPECT_EQ(way(12, 5), (std::vector<std::string>{"s0-3 VL0", "s1-3 VL1", "s1-0 VL1"}));
}

TEST(IbDimensionOrderRouting, FiveDimensionsHaveTooManyDatelines)
{
    const auto engine = MakeEngine("IbDimensionOrderRouting");
    const Net four(FabricTopology::Torus({3, 3, 3, 3}, 1, {}, {}));
    EXPECT_TRUE(four.Check(four.Route(engine, 2)).cycles.empty());
    // Rows of two do not close.
    const Net five(FabricTopology::Torus({3, 2, 3, 3, 3}, 1, {}, {}));
    EXPECT_TRUE(five.Check(five.Route(engine, 2)).cycles.empty());
    const Net many(FabricTopology::Torus({3, 3, 3, 3, 3}, 1, {}, {}));
    EXPECT_EQ(engine->Compute(many.subnet, many.lids, 2).GetProblem(),
              "dimension-order routing has service levels for the datelines of 4 dimensions, but "
              "more close");
}

TEST(IbDimensionOrderRouting, WhatIsNoTorusIsRefused)
{
    const auto problem = [](const IbSubnet& subnet, uint8_t lanes) {
        return MakeEngine("IbDimensionOrderRouting")
            ->Compute(subnet, IbLids(subnet.GetNHosts(), 0), lanes)
            .GetProblem();
    };
    EXPECT_EQ(problem(MakeSubnet(FabricTopology::Ring(4, 1, {}, {})), 1),
              "dimension-order routing with datelines needs 2 data lanes, got 1");
    EXPECT_EQ(problem(MakeSubnet(FabricTopology::LeafSpine({2, 1, 1, 1}, {}, {})), 2),
              "dimension-order routing needs switches with coordinates in a torus or mesh, but "
              "leaf0 has none");
    IbSubnet mixed;
    mixed.AddSwitch("a", {0, 0});
    mixed.AddSwitch("b", {1});
    EXPECT_EQ(problem(mixed, 2),
              "dimension-order routing needs switches with coordinates in a torus or mesh, but b "
              "has 1 and a has 2");
    IbSubnet twice;
    twice.AddSwitch("a", {1});
    twice.AddSwitch("b", {1});
    EXPECT_EQ(problem(twice, 2),
              "dimension-order routing needs a place for each switch, but a and b have the same");
    IbSubnet diagonal;
    diagonal.AddSwitch("a", {0, 0});
    diagonal.AddSwitch("b", {1, 1});
    diagonal.AddCable({0, 0}, {1, 0});
    EXPECT_EQ(problem(diagonal, 2),
              "dimension-order routing needs cables between neighbours of a torus or mesh, but the "
              "one from a to b joins no neighbours");
    IbSubnet wide;
    wide.AddSwitch("a", {4'000'000'000});
    EXPECT_EQ(problem(wide, 2),
              "dimension-order routing has room for 65536 places; the coordinates of the switches "
              "span more");
}

// A mesh does not close, so it needs one lane only.
TEST(IbDimensionOrderRouting, MeshNeedsOneLane)
{
    IbSubnet mesh;
    for (uint32_t i = 0; i < 9; ++i)
    {
        const uint32_t at = mesh.AddSwitch("m" + std::to_string(i), {i % 3, i / 3});
        mesh.Attach(mesh.AddHost("h" + std::to_string(i)), {at, 0});
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        if (i % 3 < 2)
        {
            mesh.AddCable({i, 1}, {i + 1, 2});
        }
        if (i / 3 < 2)
        {
            mesh.AddCable({i, 3}, {i + 3, 4});
        }
    }
    const IbLids lids(9, 0);
    const IbRoutes routes = MakeEngine("IbDimensionOrderRouting")->Compute(mesh, lids, 1);
    EXPECT_EQ(routes.GetProblem(), "");
    ExpectShortestRoutes(mesh, lids, routes);
    EXPECT_TRUE(IbRouteCheck::Check(mesh, lids, routes, {}).cycles.empty());
}

// Ring of 5: the two-hop paths in the order of their sources are 0-2, 0-3, 1-3, 1-4, 2-4, 2-0, 3-0,
// 3-1, 4-1, 4-2. Layer 0 takes all but the last of each direction, 4-1 and 4-2; layer 1 takes
// those. 18 and 2 of the 20 pairs become 10 and 10.
TEST(IbLayeredRouting, RingOfFiveNeedsTwoLayers)
{
    const Net net(FabricTopology::Ring(5, 1, {}, {}));
    const auto engine = MakeEngine("IbLayeredRouting");
    EXPECT_EQ(engine->Compute(net.subnet, net.lids, 1).GetProblem(),
              "layered routing needs more than the 1 data lanes: none has room for the paths from "
              "s4 to s1");
    const IbRoutes routes = net.Route(engine, 8);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
    std::map<uint8_t, uint32_t> pairs;
    for (uint32_t source = 0; source < 5; ++source)
    {
        for (uint32_t destination = 0; destination < 5; ++destination)
        {
            if (source != destination)
            {
                ++pairs[routes.GetServiceLevel(source, destination)];
            }
        }
    }
    EXPECT_EQ(pairs, (std::map<uint8_t, uint32_t>{{0, 10}, {1, 10}}));
}

// In trees shortest paths have no cycle: one layer.
TEST(IbLayeredRouting, TreesNeedOneLayer)
{
    const Net net(FabricTopology::FatTree(4, {}, {}));
    const IbRoutes routes = net.Route(MakeEngine("IbLayeredRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_TRUE(net.Check(routes).cycles.empty());
}

// A dragonfly's shortest paths go local, global, local; on one lane a second local hop waits for
// first ones. Kim et al. (ISCA 2008) use two lanes for such paths.
TEST(IbLayeredRouting, DragonflyNeedsMoreThanOneLane)
{
    const Net net(FabricTopology::Dragonfly({4, 2, 2}, {}, {}, {}));
    const IbRoutes minimal = net.Route(MakeEngine("IbMinHopRouting"), 1);
    ExpectShortestRoutes(net.subnet, net.lids, minimal);
    EXPECT_FALSE(net.Check(minimal).cycles.empty());
    const auto engine = MakeEngine("IbLayeredRouting");
    EXPECT_NE(engine->Compute(net.subnet, net.lids, 1).GetProblem(), "");
    const IbRoutes routes = net.Route(engine, 4);
    ExpectShortestRoutes(net.subnet, net.lids, routes);
    EXPECT_TRUE(net.Check(routes, true).cycles.empty());
}

} // namespace
} // namespace rdma
} // namespace ns3
