/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of rings, tori, dragonflies and rail-optimized networks against their definitions. */

#include "ns3/fabric-topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

/// \return The nodes at the other ends of the links of a node, in port order.
std::vector<std::string>
Neighbours(const FabricTopology& topology, const std::string& name)
{
    std::vector<std::string> found;
    for (const auto& link : topology.GetLinks())
    {
        const auto& a = topology.GetNodes()[link.a].name;
        const auto& b = topology.GetNodes()[link.b].name;
        if (a == name || b == name)
        {
            found.push_back(a == name ? b : a);
        }
    }
    return found;
}

/// \return The node of a name.
const FabricTopology::Node&
NodeOf(const FabricTopology& topology, const std::string& name)
{
    const auto& nodes = topology.GetNodes();
    return *std::find_if(nodes.begin(), nodes.end(), [&](const FabricTopology::Node& node) {
        return node.name == name;
    });
}

// Links in the order s0-s1, s1-s2, s2-s3, s3-s0, after those of the two hosts of each switch.
TEST(FabricDirectTopology, RingClosesAndNumbersItsSwitches)
{
    const auto ring = FabricTopology::Ring(4, 2, {}, {});
    EXPECT_TRUE(ring.Validate().empty());
    EXPECT_EQ(ring.GetHosts().size(), 8u);
    EXPECT_EQ(ring.GetLinks().size(), 8u + 4u);
    EXPECT_EQ(Neighbours(ring, "s0"), (std::vector<std::string>{"h0", "h1", "s1", "s3"}));
    EXPECT_EQ(Neighbours(ring, "s2"), (std::vector<std::string>{"h4", "h5", "s1", "s3"}));
    EXPECT_EQ(NodeOf(ring, "s3").coordinates, (std::vector<uint32_t>{3}));
}

// A torus of n switches in d dimensions of more than two has d n links between switches.
TEST(FabricDirectTopology, TorusHasTwoNeighboursInEachDimension)
{
    const auto torus = FabricTopology::Torus({3, 4}, 1, {}, {});
    EXPECT_TRUE(torus.Validate().empty());
    EXPECT_EQ(torus.GetSwitches().size(), 12u);
    EXPECT_EQ(torus.GetLinks().size(), 12u + 24u);
    EXPECT_EQ(NodeOf(torus, "s2-3").coordinates, (std::vector<uint32_t>{2, 3}));
    auto corner = Neighbours(torus, "s2-3");
    std::sort(corner.begin(), corner.end());
    EXPECT_EQ(corner, (std::vector<std::string>{"h11", "s0-3", "s1-3", "s2-0", "s2-2"}));
}

// 2 x 3 switches: one link in each of the three rows of two, three in each of the two rows of
// three.
TEST(FabricDirectTopology, TorusHasOneLinkInARowOfTwo)
{
    const auto torus = FabricTopology::Torus({2, 3}, 1, {}, {});
    EXPECT_TRUE(torus.Validate().empty());
    EXPECT_EQ(torus.GetLinks().size(), 6u + 3u + 6u);
    auto first = Neighbours(torus, "s0-0");
    std::sort(first.begin(), first.end());
    EXPECT_EQ(first, (std::vector<std::string>{"h0", "s0-1", "s0-2", "s1-0"}));
}

// a = 4, p = 2, h = 2: 9 groups, 36 switches of 2 + 3 + 2 ports, 72 hosts, 9 x 6 local and 9 x 8 /
// 2 global links. Links 0 to 7 of group 0 lead to groups 1 to 8, so those of switch 3 to groups
// 7, 8. Links 0 to 7 of group 8 lead to groups 0 to 7.
TEST(FabricDirectTopology, DragonflyJoinsEveryTwoGroupsOnce)
{
    const auto dragonfly = FabricTopology::Dragonfly({4, 2, 2}, {}, {}, {});
    EXPECT_TRUE(dragonfly.Validate().empty());
    EXPECT_EQ(dragonfly.GetHosts().size(), 72u);
    EXPECT_EQ(dragonfly.GetSwitches().size(), 36u);
    EXPECT_EQ(dragonfly.GetLinks().size(), 72u + 54u + 36u);
    EXPECT_EQ(Neighbours(dragonfly, "r0-3"),
              (std::vector<std::string>{"h6", "h7", "r0-0", "r0-1", "r0-2", "r7-0", "r8-0"}));
    EXPECT_EQ(Neighbours(dragonfly, "r8-1"),
              (std::vector<std::string>{"h66", "h67", "r8-0", "r8-2", "r8-3", "r2-3", "r3-3"}));
    std::map<std::pair<uint32_t, uint32_t>, int> between;
    for (const auto& link : dragonfly.GetLinks())
    {
        const auto& a = dragonfly.GetNodes()[link.a].coordinates;
        const auto& b = dragonfly.GetNodes()[link.b].coordinates;
        if (!a.empty() && a[0] != b[0])
        {
            ++between[{std::min(a[0], b[0]), std::max(a[0], b[0])}];
        }
    }
    EXPECT_EQ(between.size(), 36u);
    EXPECT_TRUE(std::all_of(between.begin(), between.end(), [](const auto& entry) {
        return entry.second == 1;
    }));
    for (const uint32_t node : dragonfly.GetSwitches())
    {
        EXPECT_EQ(dragonfly.GetNodes()[node].degree, 7u);
    }
}

// Two units of three servers with four cards: leaves of 3 cards and 2 spines.
TEST(FabricDirectTopology, RailsKeepTheCardsOfAServerApart)
{
    const auto rails = FabricTopology::RailOptimized({2, 3, 4, 2}, {}, {});
    EXPECT_TRUE(rails.Validate().empty());
    EXPECT_EQ(rails.GetHosts().size(), 6u);
    EXPECT_EQ(rails.GetLinks().size(), 24u + 16u);
    EXPECT_EQ(Neighbours(rails, "h4"),
              (std::vector<std::string>{"leaf1-0", "leaf1-1", "leaf1-2", "leaf1-3"}));
    EXPECT_EQ(Neighbours(rails, "leaf0-2"),
              (std::vector<std::string>{"h0", "h1", "h2", "spine0", "spine1"}));
}

TEST(FabricDirectTopologyDeathTest, ImpossibleSizesAreRefused)
{
    EXPECT_DEATH(FabricTopology::Ring(2, 1, {}, {}), "at least 3 switches, got 2");
    EXPECT_DEATH(FabricTopology::Torus({}, 1, {}, {}), "1 to 8 dimensions, got 0");
    EXPECT_DEATH(FabricTopology::Torus({3, 1}, 1, {}, {}), "at least 2 switches, got 1");
    EXPECT_DEATH(FabricTopology::Torus({3}, 0, {}, {}), "at least 1 host at each switch, got 0");
    EXPECT_DEATH(FabricTopology::Torus({65'536, 65'536}, 1, {}, {}), "at most 65535 switches");
    EXPECT_DEATH(FabricTopology::Dragonfly({4, 0, 2}, {}, {}, {}), "got 4, 0 and 2");
    EXPECT_DEATH(FabricTopology::Dragonfly({65'536, 1, 65'536}, {}, {}, {}), "65535 switches");
    EXPECT_DEATH(FabricTopology::RailOptimized({1, 0, 8, 4}, {}, {}), "got 1, 0 and 8");
    EXPECT_DEATH(FabricTopology::RailOptimized({2, 1, 1, 0}, {}, {}), "at least 1 spine, got 0");
    EXPECT_DEATH(FabricTopology::Star(1, {}).SetCoordinates(0, {1}), "node 0 is none");
}

} // namespace
} // namespace ns3
