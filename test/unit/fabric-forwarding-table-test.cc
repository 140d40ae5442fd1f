/* SPDX-License-Identifier: GPL-2.0-only */
/* From endpoints to ports, and from ports to one of them. */

#include "ns3/fabric-flow-hash.h"
#include "ns3/fabric-forwarding-table.h"
#include "ns3/fabric-path-selector.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// \param table A table. \param endpoint An endpoint. \return The ports towards it.
std::vector<uint16_t>
PortsOf(const FabricForwardingTable& table, uint32_t endpoint)
{
    const auto ports = table.Lookup(endpoint);
    return {ports.first, ports.first + ports.count};
}

TEST(FabricForwardingTable, NothingIsReachableAtFirst)
{
    FabricForwardingTable table;
    EXPECT_EQ(table.Lookup(0).count, 0u);
    table.Reset(3);
    for (uint32_t endpoint = 0; endpoint < 5; ++endpoint)
    {
        EXPECT_EQ(table.Lookup(endpoint).count, 0u);
    }
}

TEST(FabricForwardingTable, EqualPortsShareAGroup)
{
    FabricForwardingTable table;
    table.Reset(4);
    const uint16_t up = table.AddGroup({4, 5, 6});
    EXPECT_EQ(table.AddGroup({4, 5, 6}), up);
    const uint16_t down = table.AddGroup({0});
    EXPECT_NE(down, up);
    EXPECT_EQ(table.AddGroup({}), 0);
    table.Set(0, down);
    table.Set(1, up);
    table.Set(2, up);
    EXPECT_EQ(PortsOf(table, 0), (std::vector<uint16_t>{0}));
    EXPECT_EQ(PortsOf(table, 2), (std::vector<uint16_t>{4, 5, 6}));
    EXPECT_EQ(table.Lookup(3).count, 0u);
    table.Set(1, down);
    EXPECT_EQ(PortsOf(table, 1), (std::vector<uint16_t>{0}));
    table.Reset(2);
    EXPECT_EQ(table.Lookup(0).count, 0u);
}

/// \param seed Seed. \return An ECMP selector.
Ptr<FabricPathSelector>
Ecmp(uint32_t seed)
{
    const auto selector =
        ObjectFactory("ns3::rdma::FabricEcmpSelector").Create<FabricPathSelector>();
    selector->SetSeed(seed);
    return selector;
}

// 10,000 flows that differ in the source port only over 3, 4 and 5 ports: each within 5 sigma of
// its share. Every frame of a flow goes the same way.
TEST(FabricEcmpSelector, B6_2_FlowsThatDifferInOnePortSpread)
{
    const uint16_t numbers[] = {10, 11, 12, 13, 14};
    for (const uint32_t count : {3u, 4u, 5u})
    {
        const auto selector = Ecmp(1);
        std::vector<int> used(5, 0);
        FabricFrame frame{};
        for (uint32_t flow = 0; flow < 10'000; ++flow)
        {
            frame.flowHash = FabricFlowHash(0x0a000001,
                                            0x0a000002,
                                            static_cast<uint16_t>(49152 + flow),
                                            4791,
                                            17);
            const uint16_t port = selector->Select(frame, {numbers, count});
            ASSERT_GE(port, 10);
            ASSERT_LT(port, 10 + count);
            EXPECT_EQ(selector->Select(frame, {numbers, count}), port);
            ++used[port - 10];
        }
        const double share = 10'000.0 / count;
        for (uint32_t i = 0; i < count; ++i)
        {
            EXPECT_NEAR(used[i], share, 5 * std::sqrt(share * (1 - 1.0 / count)));
        }
    }
}

// Flows that one switch sends by its first of 4 ports go by all 4 of the next switch: its seed is
// another. With the same seed they would all go by one, which is hash polarisation.
TEST(FabricEcmpSelector, B6_1_SwitchesDecideIndependently)
{
    const uint16_t numbers[] = {0, 1, 2, 3};
    const auto first = Ecmp(1);
    const auto second = Ecmp(2);
    const auto same = Ecmp(1);
    std::vector<int> used(4, 0);
    std::set<uint16_t> polarised;
    FabricFrame frame{};
    int flows = 0;
    for (uint16_t port = 0; port < 20'000; ++port)
    {
        frame.flowHash = FabricFlowHash(1, 2, port, 4791, 17);
        if (first->Select(frame, {numbers, 4}) == 0)
        {
            ++flows;
            ++used[second->Select(frame, {numbers, 4})];
            polarised.insert(same->Select(frame, {numbers, 4}));
        }
    }
    EXPECT_EQ(polarised.size(), 1u);
    for (const int count : used)
    {
        EXPECT_NEAR(count, flows / 4.0, 5 * std::sqrt(flows * 0.25 * 0.75));
    }
}

// Spraying goes round the ports frame by frame, whatever the flow.
TEST(FabricSpraySelector, GoesRoundThePorts)
{
    const uint16_t numbers[] = {7, 8, 9};
    const auto selector =
        ObjectFactory("ns3::rdma::FabricSpraySelector").Create<FabricPathSelector>();
    selector->SetSeed(5);
    FabricFrame frame{};
    std::vector<int> used(3, 0);
    uint16_t last = 0;
    for (int i = 0; i < 300; ++i)
    {
        const uint16_t port = selector->Select(frame, {numbers, 3});
        EXPECT_NE(port, last);
        last = port;
        ++used[port - 7];
    }
    EXPECT_EQ(used, (std::vector<int>{100, 100, 100}));
    EXPECT_EQ(selector->Select(frame, {numbers, 1}), 7);
}

} // namespace
} // namespace ns3
