/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths, broadcast trees and islands of a graph of switches. */

#include "ns3/fabric-forwarding-table.h"
#include "ns3/fabric-reach.h"
#include "ns3/fabric-route-graph.h"
#include "ns3/fabric-topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <queue>
#include <set>
#include <vector>

namespace ns3
{
namespace rdma
{
namespace
{

/// A graph, its tables, and who is at the other end of each port.
struct Network
{
    /// What is at the other end of a port.
    struct Far
    {
        uint32_t number; //!< switch or endpoint
        uint16_t port;   //!< port of the switch
        bool host;       //!< whether it is an endpoint
    };

    explicit Network(const FabricTopology& topology)
        : graph(topology.GetSwitches().size()),
          ports(topology.GetSwitches().size()),
          tables(topology.GetSwitches().size()),
          endpoints(topology.GetHosts().size())
    {
        std::vector<uint32_t> place(topology.GetNodes().size());
        for (uint32_t i = 0; i < topology.GetSwitches().size(); ++i)
        {
            place[topology.GetSwitches()[i]] = i;
        }
        const auto isHost = [&](uint32_t node) {
            return topology.GetNodes()[node].kind == FabricNodeKind::HOST;
        };
        // Ports are numbered in the order of the links.
        for (const auto& link : topology.GetLinks())
        {
            const auto a = static_cast<uint16_t>(isHost(link.a) ? 0 : ports[place[link.a]].size());
            const auto b = static_cast<uint16_t>(isHost(link.b) ? 0 : ports[place[link.b]].size());
            Join(topology, place, link.a, isHost(link.b), link.b, b);
            Join(topology, place, link.b, isHost(link.a), link.a, a);
        }
        for (uint32_t i = 0; i < ports.size(); ++i)
        {
            for (uint16_t port = 0; port < ports[i].size(); ++port)
            {
                const Far& far = ports[i][port];
                if (far.host)
                {
                    graph.AddHost(i, port, far.number);
                }
                else
                {
                    graph.AddCable(i, port, far.number, far.port);
                }
            }
        }
    }

    /// Notes what is at the next port of a switch.
    void Join(const FabricTopology& topology,
              const std::vector<uint32_t>& place,
              uint32_t node,
              bool farIsHost,
              uint32_t far,
              uint16_t farPort)
    {
        if (topology.GetNodes()[node].kind == FabricNodeKind::SWITCH)
        {
            ports[place[node]].push_back(
                {farIsHost ? topology.GetNodes()[far].rank : place[far], farPort, farIsHost});
        }
    }

    /// Fills the tables.
    void Fill()
    {
        std::vector<FabricForwardingTable*> all;
        for (auto& table : tables)
        {
            all.push_back(&table);
        }
        graph.Fill(all, endpoints);
    }

    /// \return The ports of a switch towards an endpoint.
    std::vector<uint16_t> At(uint32_t fabricSwitch, uint32_t endpoint) const
    {
        const auto found = tables[fabricSwitch].Lookup(endpoint);
        return std::vector<uint16_t>(found.first, found.first + found.count);
    }

    /// \return How many copies each endpoint gets of a broadcast that a switch receives at a port.
    std::vector<int> Broadcast(uint32_t at, uint16_t port) const
    {
        const auto flood = graph.GetFloodPorts();
        std::vector<int> copies(endpoints);
        std::queue<std::pair<uint32_t, uint16_t>> arrivals;
        arrivals.emplace(at, port);
        for (int steps = 0; !arrivals.empty() && steps < 100'000; ++steps)
        {
            const auto [where, ingress] = arrivals.front();
            arrivals.pop();
            for (const uint16_t egress : flood[where])
            {
                const Far& far = ports[where][egress];
                if (egress == ingress)
                {
                    continue;
                }
                if (far.host)
                {
                    ++copies[far.number];
                }
                else
                {
                    arrivals.emplace(far.number, far.port);
                }
            }
        }
        EXPECT_TRUE(arrivals.empty()) << "the broadcast circles";
        return copies;
    }

    FabricRouteGraph graph;
    std::vector<std::vector<Far>> ports;
    std::vector<FabricForwardingTable> tables;
    uint32_t endpoints;
};

// Leaf 0: ports 0, 1 to h0, h1; 2, 3 to spine 2 (two cables); 4, 5 to spine 3. Leaf 1 likewise with
// h2, h3. Spines: ports 0, 1 to leaf 0; 2, 3 to leaf 1.
TEST(FabricRouteGraph, ParallelCablesAreSeparateNextHops)
{
    Network network(FabricTopology::LeafSpine({2, 2, 2, 2}, {}, {}));
    network.Fill();
    EXPECT_EQ(network.At(0, 0), (std::vector<uint16_t>{0}));
    EXPECT_EQ(network.At(0, 1), (std::vector<uint16_t>{1}));
    EXPECT_EQ(network.At(0, 3), (std::vector<uint16_t>{2, 3, 4, 5}));
    EXPECT_EQ(network.At(1, 0), (std::vector<uint16_t>{2, 3, 4, 5}));
    EXPECT_EQ(network.At(2, 1), (std::vector<uint16_t>{0, 1}));
    EXPECT_EQ(network.At(3, 2), (std::vector<uint16_t>{2, 3}));
    EXPECT_EQ(network.At(3, 4), (std::vector<uint16_t>{})); // no such host
}

// A ring of five switches with a host each: from 0, hosts 1 and 2 lie clockwise (port 1), 3 and 4
// the other way (port 2). In a ring of four, the host across has both.
TEST(FabricRouteGraph, RingsTakeTheShorterWay)
{
    for (const uint32_t size : {4u, 5u})
    {
        FabricTopology ring;
        for (uint32_t i = 0; i < size; ++i)
        {
            const uint32_t host = ring.AddHost();
            ring.AddLink(host, ring.AddSwitch(), {});
        }
        ring.AddLink(1, 3, {});
        for (uint32_t i = 1; i + 1 < size; ++i)
        {
            ring.AddLink(2 * i + 1, 2 * i + 3, {});
        }
        ring.AddLink(1, 2 * size - 1, {});
        Network network(ring);
        network.Fill();
        EXPECT_EQ(network.At(0, 1), (std::vector<uint16_t>{1}));
        EXPECT_EQ(network.At(0, size - 1), (std::vector<uint16_t>{2}));
        EXPECT_EQ(network.At(0, 2),
                  size == 4 ? (std::vector<uint16_t>{1, 2}) : (std::vector<uint16_t>{1}));
        EXPECT_EQ(network.Broadcast(0, 0).size(), size);
    }
}

// In a k-ary fat-tree an edge switch has k/2 ways up, an aggregation switch k/2 to other pods and
// one to each edge switch of its own, a core switch one to each pod.
TEST(FabricRouteGraph, FatTree)
{
    for (const uint32_t k : {4u, 8u, 32u})
    {
        Network network(FabricTopology::FatTree(k, {}, {}));
        network.Fill();
        const uint32_t half = k / 2;
        const uint32_t perPod = half * half;
        const uint32_t firstAggregation = k * half;
        const uint32_t firstCore = 2 * k * half;
        for (const uint32_t endpoint : {0u, half - 1, half, perPod, network.endpoints - 1})
        {
            const uint32_t pod = endpoint / perPod;
            for (uint32_t i = 0; i < network.tables.size(); ++i)
            {
                const bool same = i < firstCore && i % firstAggregation / half == pod;
                const bool below =
                    i < firstAggregation ? endpoint / half == i : same || i >= firstCore;
                ASSERT_EQ(network.At(i, endpoint).size(), below ? 1 : half) << k << " " << i;
            }
        }
    }
}

TEST(FabricRouteGraph, BroadcastsReachEveryHostOnce)
{
    for (const auto& topology : {FabricTopology::LeafSpine({3, 2, 2, 3}, {}, {}),
                                 FabricTopology::FatTree(4, {}, {}),
                                 FabricTopology::Star(1, {}),
                                 FabricTopology::Dumbbell(3, 2, {}, {})})
    {
        const Network network(topology);
        std::vector<int> expected(network.endpoints, 1);
        expected[0] = 0;
        EXPECT_EQ(network.Broadcast(0, 0), expected);
    }
}

TEST(FabricRouteGraph, IslandsHaveNoPaths)
{
    FabricTopology topology;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t host = topology.AddHost();
        topology.AddLink(host, topology.AddSwitch(), {});
    }
    topology.AddLink(1, 5, {});
    topology.AddLink(3, 7, {});
    Network network(topology);
    network.Fill();
    EXPECT_EQ(network.graph.GetIslands(), (std::vector<uint32_t>{0, 1, 0, 1}));
    EXPECT_EQ(network.At(0, 2), (std::vector<uint16_t>{1}));
    EXPECT_TRUE(network.At(0, 1).empty());
    EXPECT_EQ(network.Broadcast(1, 0), (std::vector<int>{0, 0, 0, 1}));
    // What a table held before does not stay.
    FabricRouteGraph cut(4);
    std::vector<FabricForwardingTable*> tables;
    for (auto& table : network.tables)
    {
        tables.push_back(&table);
    }
    cut.Fill(tables, 4);
    EXPECT_TRUE(network.At(0, 2).empty());
}

TEST(FabricReach, FindsOnePairForEachTwoKindsOfHosts)
{
    using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
    EXPECT_EQ(FabricReach::FindSeparated({}, 9), Pairs{});
    EXPECT_EQ(FabricReach::FindSeparated({{}}, 9), Pairs{});
    EXPECT_EQ(FabricReach::FindSeparated({{7}, {7}, {9, 7}}, 9), Pairs{});
    EXPECT_EQ(FabricReach::FindSeparated({{7}, {7}, {9}, {9}, {7, 9}}, 9), (Pairs{{0, 2}}));
    EXPECT_EQ(FabricReach::FindSeparated({{1}, {}, {1}, {}}, 9), (Pairs{{0, 1}, {0, 3}, {1, 3}}));
    EXPECT_EQ(FabricReach::FindSeparated({{1}, {}, {1}, {}}, 2), (Pairs{{0, 1}, {0, 3}}));
    EXPECT_EQ(FabricReach::FindSeparated({{2, 1}, {1, 2}, {3}}, 9), (Pairs{{0, 2}}));
}

} // namespace
} // namespace rdma
} // namespace ns3
