/* SPDX-License-Identifier: GPL-2.0-only */
/* The plans of networks: what the builders build, and what a check finds. */

#include "ns3/fabric-topology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

const FabricLinkSpec FAST{400'000'000'000, 500'000, 0};
const FabricLinkSpec SLOW{100'000'000'000, 1'000'000, 0.25};

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

TEST(FabricTopology, BackToBackIsOneLink)
{
    const auto topology = FabricTopology::BackToBack(SLOW);
    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{0, 1}));
    EXPECT_TRUE(topology.GetSwitches().empty());
    ASSERT_EQ(topology.GetLinks().size(), 1u);
    EXPECT_EQ(topology.GetLinks()[0].bitsPerSecond, 100'000'000'000u);
    EXPECT_EQ(topology.GetLinks()[0].delayPs, 1'000'000);
    EXPECT_EQ(topology.GetLinks()[0].errorRate, 0.25);
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(FabricTopology, StarHasOneSwitch)
{
    const auto topology = FabricTopology::Star(5, SLOW);
    EXPECT_EQ(topology.GetHosts().size(), 5u);
    ASSERT_EQ(topology.GetSwitches().size(), 1u);
    EXPECT_EQ(topology.GetNodes()[topology.GetSwitches()[0]].degree, 5u);
    EXPECT_EQ(Neighbours(topology, "s0"), (std::vector<std::string>{"h0", "h1", "h2", "h3", "h4"}));
    EXPECT_TRUE(topology.Validate().empty());
    EXPECT_TRUE(FabricTopology::Star(1, SLOW).Validate().empty());
}

TEST(FabricTopology, DumbbellHasTheBottleneckBetweenItsSwitches)
{
    const auto topology = FabricTopology::Dumbbell(2, 3, FAST, SLOW);
    EXPECT_EQ(Neighbours(topology, "s0"), (std::vector<std::string>{"h0", "h1", "s1"}));
    EXPECT_EQ(Neighbours(topology, "s1"), (std::vector<std::string>{"h2", "h3", "h4", "s0"}));
    EXPECT_EQ(topology.GetLinks().back().bitsPerSecond, SLOW.bitsPerSecond);
    EXPECT_EQ(topology.GetLinks().front().bitsPerSecond, FAST.bitsPerSecond);
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(FabricTopology, LeafSpineHasParallelLinks)
{
    const auto topology = FabricTopology::LeafSpine({3, 2, 4, 2}, SLOW, FAST);
    EXPECT_EQ(topology.GetHosts().size(), 12u);
    EXPECT_EQ(topology.GetSwitches().size(), 5u);
    EXPECT_EQ(topology.GetLinks().size(), 12u + 3 * 2 * 2);
    EXPECT_EQ(
        Neighbours(topology, "leaf1"),
        (std::vector<std::string>{"h4", "h5", "h6", "h7", "spine0", "spine0", "spine1", "spine1"}));
    EXPECT_EQ(Neighbours(topology, "spine1"),
              (std::vector<std::string>{"leaf0", "leaf0", "leaf1", "leaf1", "leaf2", "leaf2"}));
    EXPECT_EQ(topology.GetNodes()[topology.GetSwitches()[2]].tier, 1);
    EXPECT_EQ(topology.GetNodes()[topology.GetSwitches()[3]].tier, 2);
    EXPECT_TRUE(topology.Validate().empty());
    EXPECT_TRUE(FabricTopology::LeafSpine({1, 0, 2}, SLOW, FAST).Validate().empty());
}

// Al-Fares et al., figure 3: k = 4 has 16 hosts, 8 edge, 8 aggregation and 4 core switches; core
// switches 0 and 1 hang on the first aggregation switch of each pod, 2 and 3 on the second.
TEST(FabricTopology, FatTreeOfFourPorts)
{
    const auto topology = FabricTopology::FatTree(4, SLOW, FAST);
    EXPECT_EQ(topology.GetHosts().size(), 16u);
    EXPECT_EQ(topology.GetSwitches().size(), 20u);
    EXPECT_EQ(topology.GetLinks().size(), 48u);
    EXPECT_EQ(Neighbours(topology, "edge3"),
              (std::vector<std::string>{"h6", "h7", "agg2", "agg3"}));
    EXPECT_EQ(Neighbours(topology, "agg3"),
              (std::vector<std::string>{"edge2", "edge3", "core2", "core3"}));
    EXPECT_EQ(Neighbours(topology, "core1"),
              (std::vector<std::string>{"agg0", "agg2", "agg4", "agg6"}));
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(FabricTopology, FatTreesOfAllSizesFillTheirPorts)
{
    for (const uint32_t k : {2u, 6u, 8u, 32u})
    {
        const auto topology = FabricTopology::FatTree(k, SLOW, FAST);
        EXPECT_EQ(topology.GetHosts().size(), k * k * k / 4);
        EXPECT_EQ(topology.GetSwitches().size(), 5 * k * k / 4);
        EXPECT_EQ(topology.GetLinks().size(), 3 * k * k * k / 4);
        for (const auto& node : topology.GetNodes())
        {
            EXPECT_EQ(node.degree, node.kind == FabricNodeKind::HOST ? 1 : k) << node.name;
        }
        EXPECT_TRUE(topology.Validate().empty()) << k;
    }
}

TEST(FabricTopologyDeathTest, BuildersRefuseImpossibleSizes)
{
    EXPECT_DEATH(FabricTopology::Star(0, SLOW), "A star needs at least 1 host, got 0");
    EXPECT_DEATH(FabricTopology::Dumbbell(1, 0, SLOW, SLOW), "got 1 and 0");
    EXPECT_DEATH(FabricTopology::LeafSpine({2, 0, 1}, SLOW, SLOW), "at least 1 spine, got 0");
    EXPECT_DEATH(FabricTopology::LeafSpine({2, 1, 0}, SLOW, SLOW), "got 2, 0 and 1");
    EXPECT_DEATH(FabricTopology::FatTree(5, SLOW, SLOW), "even k from 2 to 128, got 5");
    EXPECT_DEATH(FabricTopology::FatTree(130, SLOW, SLOW), "even k from 2 to 128, got 130");
}

TEST(FabricTopology, RanksCountHostsOnly)
{
    FabricTopology topology;
    EXPECT_EQ(topology.AddSwitch(), 0u);
    EXPECT_EQ(topology.AddHost(), 1u);
    EXPECT_EQ(topology.AddSwitch("core", 3), 2u);
    EXPECT_EQ(topology.AddHost("gpu"), 3u);
    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(topology.GetNodes()[3].rank, 1u);
    EXPECT_EQ(topology.GetNodes()[3].name, "gpu");
    EXPECT_EQ(topology.GetNodes()[1].name, "h0");
    EXPECT_EQ(topology.GetNodes()[2].rank, FabricTopology::NO_RANK);
    EXPECT_EQ(topology.GetNodes()[2].tier, 3);
}

TEST(FabricTopology, HostWithTwoCardsReachesBothSides)
{
    // h0 at both switches, h1 and h2 at one each: h0 reaches both, but does not forward.
    FabricTopology topology;
    const uint32_t h0 = topology.AddHost();
    const uint32_t h1 = topology.AddHost();
    const uint32_t h2 = topology.AddHost();
    const uint32_t s0 = topology.AddSwitch();
    const uint32_t s1 = topology.AddSwitch();
    topology.AddLink(h0, s0, SLOW);
    topology.AddLink(s1, h0, SLOW);
    topology.AddLink(h1, s0, SLOW);
    topology.AddLink(h2, s1, SLOW);
    EXPECT_EQ(topology.GetNodes()[h0].degree, 2u);
    EXPECT_EQ(topology.Validate(),
              (std::vector<std::string>{"hosts h1 and h2 have no path between them"}));
    topology.AddLink(s0, s1, FAST);
    topology.AddLink(s0, s1, FAST);
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(FabricTopology, LinkBetweenHostsServesOnlyThem)
{
    FabricTopology topology;
    for (int i = 0; i < 3; ++i)
    {
        topology.AddHost();
    }
    topology.AddLink(0, 1, SLOW);
    topology.AddLink(1, 2, SLOW);
    EXPECT_EQ(topology.Validate(),
              (std::vector<std::string>{"hosts h0 and h2 have no path between them"}));
}

TEST(FabricTopology, HostWithoutLinkIsNamed)
{
    auto topology = FabricTopology::Star(2, SLOW);
    topology.AddHost("lonely");
    EXPECT_EQ(topology.Validate(), (std::vector<std::string>{"host lonely has no link"}));
    FabricTopology single;
    single.AddHost();
    EXPECT_TRUE(single.Validate().empty());
}

TEST(FabricTopology, EveryMistakeInALinkHasItsSentence)
{
    const std::vector<std::pair<FabricTopology::Link, std::string>> cases{
        {{SLOW, 0, 0}, "link 3 between h0 and h0: the two ends must be different nodes"},
        {{SLOW, 0, 9}, "link 3 ends at the unknown node 9; allowed: 0 to 3"},
        {{{0, 1, 0}, 0, 3},
         "link 3 between h0 and s0: the rate must be > 0 and at most 100Tbps, got 0bps"},
        {{{1, 0, 0}, 0, 3},
         "link 3 between h0 and s0: the delay must be > 0 and at most 1000000s, got 0ps"},
        {{{1, -5, 0}, 0, 3},
         "link 3 between h0 and s0: the delay must be > 0 and at most 1000000s, got -5ps"},
        {{{1, 1, 1.5}, 0, 3},
         "link 3 between h0 and s0: the error rate must be from 0 to 1, got 1.5"},
    };
    for (const auto& [link, sentence] : cases)
    {
        auto topology = FabricTopology::Star(3, SLOW);
        topology.AddLink(link.a, link.b, link);
        EXPECT_EQ(topology.Validate(), (std::vector<std::string>{sentence}));
    }
}

TEST(FabricTopology, OtherMistakes)
{
    EXPECT_EQ(FabricTopology().Validate(),
              (std::vector<std::string>{"the topology has no host; at least 1 is needed"}));
    auto twins = FabricTopology::Star(2, SLOW);
    twins.AddLink(twins.AddHost("h1"), 2, SLOW);
    EXPECT_EQ(twins.Validate(),
              (std::vector<std::string>{"two nodes have the name h1; names must be unique"}));
    // 40 pairs of hosts that do not know each other: the check stops at ten sentences.
    FabricTopology islands;
    for (uint32_t i = 0; i < 40; ++i)
    {
        const uint32_t host = islands.AddHost();
        islands.AddLink(host, islands.AddHost(), SLOW);
    }
    EXPECT_EQ(islands.Validate().size(), 10u);
}

} // namespace
} // namespace ns3
