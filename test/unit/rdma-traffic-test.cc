/* SPDX-License-Identifier: GPL-2.0-only */
/* The generators of traffic: who sends to whom, how much, and when. */

#include "ns3/rdma-traffic.h"
#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

/// \return What a flow is, in a form that can be compared.
std::vector<uint64_t>
Fields(const RdmaFlow& flow)
{
    return {flow.id,
            flow.source,
            flow.destination,
            flow.bytes,
            static_cast<uint64_t>(flow.startPs),
            flow.priority,
            flow.destinationPort};
}

/// \return All flows in a form that can be compared.
std::vector<std::vector<uint64_t>>
Fields(const std::vector<RdmaFlow>& flows)
{
    std::vector<std::vector<uint64_t>> all;
    for (const RdmaFlow& flow : flows)
    {
        all.push_back(Fields(flow));
    }
    return all;
}

/// \return A flow with given bytes, start and priority, to host 0.
RdmaFlow
Model(uint64_t bytes, int64_t startPs, uint8_t priority)
{
    RdmaFlow flow;
    flow.bytes = bytes;
    flow.startPs = startPs;
    flow.priority = priority;
    return flow;
}

TEST(RdmaTraffic, PermutationSendsAndReceivesOnceNeverToItself)
{
    for (const uint32_t hosts : {2u, 3u, 5u, 17u, 64u, 1000u})
    {
        RdmaTraffic traffic(hosts);
        traffic.AssignStreams(1);
        const auto flows = traffic.Permutation(Model(77, 5, 4));
        ASSERT_EQ(flows.size(), hosts);
        std::set<uint32_t> destinations;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            EXPECT_EQ(flows[i].id, i);
            EXPECT_EQ(flows[i].source, i);
            EXPECT_NE(flows[i].destination, i);
            EXPECT_EQ(flows[i].bytes, 77u);
            EXPECT_EQ(flows[i].startPs, 5);
            EXPECT_EQ(flows[i].priority, 4);
            destinations.insert(flows[i].destination);
        }
        EXPECT_EQ(destinations.size(), hosts);
        EXPECT_EQ(*destinations.rbegin(), hosts - 1);
    }
}

// Four things have 9 derangements. Over 9000 draws each comes 1000 times, with a standard deviation
// of sqrt(9000 x 1/9 x 8/9) = 29.8; 150 is five of them. A cyclic shuffle would give 6 of the 9.
TEST(RdmaTraffic, PermutationsAreEquallyLikely)
{
    RdmaTraffic traffic(4);
    traffic.AssignStreams(7);
    std::map<std::vector<uint32_t>, int> counts;
    for (int i = 0; i < 9000; ++i)
    {
        std::vector<uint32_t> destinations;
        for (const auto& flow : traffic.Permutation(Model(1, 0, 3)))
        {
            destinations.push_back(flow.destination);
        }
        ++counts[destinations];
    }
    EXPECT_EQ(counts.size(), 9u);
    for (const auto& count : counts)
    {
        EXPECT_NEAR(count.second, 1000, 150);
    }
}

TEST(RdmaTraffic, SameSeedSameFlows)
{
    const FabricCdf cdf({{0, 0}, {2000, 100}});
    const auto draw = [&cdf](int64_t stream) {
        RdmaTraffic traffic(50);
        EXPECT_EQ(traffic.AssignStreams(stream), 2);
        auto flows = Fields(traffic.Permutation(Model(1, 0, 3)));
        const auto poisson = Fields(traffic.Poisson(cdf, {}));
        flows.insert(flows.end(), poisson.begin(), poisson.end());
        return flows;
    };
    EXPECT_EQ(draw(10), draw(10));
    EXPECT_NE(draw(10), draw(12));
    const auto before = draw(10);
    RngSeedManager::SetRun(RngSeedManager::GetRun() + 1);
    EXPECT_NE(draw(10), before);
    RngSeedManager::SetRun(RngSeedManager::GetRun() - 1);
    EXPECT_EQ(draw(10), before);
}

TEST(RdmaTraffic, Incast)
{
    const RdmaTraffic traffic(5);
    RdmaFlow model = Model(9, 1, 2);
    model.destination = 3;
    model.destinationPort = 4791;
    const std::vector<std::vector<uint64_t>> three{{0, 4, 3, 9, 1, 2, 4791},
                                                   {1, 0, 3, 9, 1, 2, 4791},
                                                   {2, 1, 3, 9, 1, 2, 4791}};
    EXPECT_EQ(Fields(traffic.FanIn(3, model)), three);
    EXPECT_EQ(Fields(traffic.Incast({4, 0, 1}, model)), three);
    EXPECT_EQ(traffic.FanIn(4, model).back().source, 2u);
    EXPECT_EQ(traffic.Incast({1, 1}, model).size(), 2u);
    EXPECT_TRUE(traffic.FanIn(0, model).empty());
    EXPECT_TRUE(RdmaTraffic(1).FanIn(0, Model(1, 0, 3)).empty());
}

TEST(RdmaTraffic, AllToAll)
{
    EXPECT_TRUE(RdmaTraffic(1).AllToAll(Model(1, 0, 3)).empty());
    EXPECT_EQ(Fields(RdmaTraffic(3).AllToAll(Model(8, 6, 1))),
              (std::vector<std::vector<uint64_t>>{{0, 0, 1, 8, 6, 1, 0},
                                                  {1, 1, 2, 8, 6, 1, 0},
                                                  {2, 2, 0, 8, 6, 1, 0},
                                                  {3, 0, 2, 8, 6, 1, 0},
                                                  {4, 1, 0, 8, 6, 1, 0},
                                                  {5, 2, 1, 8, 6, 1, 0}}));
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const auto& flow : RdmaTraffic(7).AllToAll(Model(1, 0, 3)))
    {
        pairs.insert({flow.source, flow.destination});
    }
    EXPECT_EQ(pairs.size(), 42u);
}

// Sizes even from 0 to 2000 bytes: mean 1000, mean square 4/3 x 10^6. Five hosts of 100 Gb/s at
// load 0.3 for 10 ms offer 0.3 x 5 x 12.5e9 x 0.01 = 187.5 MB in 187,500 messages. The sum of a
// Poisson number of sizes has the variance number x mean square: sigma = sqrt(187500 x 4/3e6) = 500
// kB. A host has 37,500 messages with sigma 194; a tenth of the time 18,750 with sigma 137.
TEST(RdmaTraffic, PoissonOffersTheLoad)
{
    const FabricCdf cdf({{0, 0}, {2000, 100}});
    RdmaTraffic traffic(5);
    traffic.AssignStreams(3);
    RdmaTraffic::PoissonSpec spec;
    spec.load = 0.3;
    spec.startPs = 1'000'000;
    spec.durationPs = 10'000'000'000;
    spec.priority = 6;
    const auto flows = traffic.Poisson(cdf, spec);
    EXPECT_NEAR(static_cast<double>(flows.size()), 187'500, 3 * std::sqrt(187'500));

    double offered = 0;
    std::vector<double> bySource(5);
    std::vector<double> byDestination(5);
    std::vector<double> byTenth(10);
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const RdmaFlow& flow = flows[i];
        ASSERT_EQ(flow.id, i);
        ASSERT_NE(flow.source, flow.destination);
        ASSERT_LT(flow.source, 5u);
        ASSERT_LT(flow.destination, 5u);
        ASSERT_GE(flow.bytes, 1u);
        ASSERT_EQ(flow.priority, 6);
        ASSERT_GE(flow.startPs, i ? flows[i - 1].startPs : spec.startPs);
        ASSERT_LT(flow.startPs, spec.startPs + spec.durationPs);
        offered += static_cast<double>(flow.bytes);
        ++bySource[flow.source];
        ++byDestination[flow.destination];
        ++byTenth[static_cast<std::size_t>((flow.startPs - spec.startPs) / 1'000'000'000)];
    }
    EXPECT_NEAR(offered, 187.5e6, 3 * 500e3);
    for (uint32_t host = 0; host < 5; ++host)
    {
        EXPECT_NEAR(bySource[host], 37'500, 4 * 194);
        EXPECT_NEAR(byDestination[host], 37'500, 4 * 194);
    }
    for (const double count : byTenth)
    {
        EXPECT_NEAR(count, 18'750, 4 * 137);
    }
}

// The intervals of a Poisson process are as scattered as they are long: standard deviation over
// mean is 1. Over 37,500 intervals the estimate scatters by 1 / sqrt(37500) = 0.5 %.
TEST(RdmaTraffic, PoissonIntervalsAreExponential)
{
    RdmaTraffic traffic(2);
    traffic.AssignStreams(11);
    RdmaTraffic::PoissonSpec spec;
    spec.load = 0.6;
    spec.hostBitsPerSecond = 25'000'000'000;
    spec.durationPs = 10'000'000'000;
    const auto flows = traffic.Poisson(FabricCdf({{1000, 100}}), spec);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 1; i < flows.size(); ++i)
    {
        const auto interval = static_cast<double>(flows[i].startPs - flows[i - 1].startPs);
        sum += interval;
        squares += interval * interval;
        EXPECT_EQ(flows[i].bytes, 1000u);
    }
    const double mean = sum / static_cast<double>(flows.size() - 1);
    const double variance = squares / static_cast<double>(flows.size() - 1) - mean * mean;
    // 2 hosts x 25 Gb/s x 0.6 / 8000 bit: a message each 266.67 ns.
    EXPECT_NEAR(mean, 266'667, 266'667 * 0.02);
    EXPECT_NEAR(std::sqrt(variance) / mean, 1, 0.02);
}

TEST(RdmaTraffic, ExplicitListsAreSortedAndNumbered)
{
    RdmaFlow late = Model(1, 9, 3);
    late.source = 1;
    RdmaFlow early = Model(2, 4, 3);
    early.destination = 1;
    EXPECT_EQ(Fields(RdmaTraffic(2).Explicit({late, early, late})),
              (std::vector<std::vector<uint64_t>>{{0, 0, 1, 2, 4, 3, 0},
                                                  {1, 1, 0, 1, 9, 3, 0},
                                                  {2, 1, 0, 1, 9, 3, 0}}));
}

TEST(RdmaTrafficDeathTest, RefusesWhatCannotBe)
{
    const FabricCdf cdf({{1000, 100}});
    EXPECT_DEATH(RdmaTraffic(0), "at least 1 host, got 0");
    EXPECT_DEATH(RdmaTraffic(1).Permutation({}), "at least 2 hosts, got 1");
    EXPECT_DEATH(RdmaTraffic(1).Poisson(cdf, {}), "at least 2 hosts, got 1");
    EXPECT_DEATH(RdmaTraffic(2).Poisson(cdf, {0}), "load must be above 0, got 0");
    EXPECT_DEATH(RdmaTraffic(2).Poisson(cdf, {NAN}), "load must be above 0, got nan");
    EXPECT_DEATH(RdmaTraffic(2).Poisson(cdf, {1, 0}), "rate of a host must be above 0");
    EXPECT_DEATH(RdmaTraffic(2).Poisson(cdf, {1, 1, 0, -1}), "must not be negative, got -1 ps");
    EXPECT_DEATH(RdmaTraffic(4).FanIn(4, {}), "at most 3 sources, got 4");
    EXPECT_DEATH(RdmaTraffic(4).Incast({0}, {}), "two hosts, got host 0 as both");
    EXPECT_DEATH(RdmaTraffic(4).Incast({9}, {}), "from host 9 to host 0 .*exist: 0 to 3");
    EXPECT_DEATH(RdmaTraffic(2).AllToAll(Model(0, 0, 3)), "at least 1 byte, got 0");
    EXPECT_DEATH(RdmaTraffic(2).AllToAll(Model(1, -1, 3)), "0 ps or later, got -1 ps");
    EXPECT_DEATH(RdmaTraffic(2).AllToAll(Model(1, 0, 8)), "0 to 7, got 8");
    EXPECT_DEATH(FabricCdf({{5, 99}}), "must be 100 percent");
    EXPECT_DEATH(FabricCdf({{0, 100}}), "at least 1 byte");
    EXPECT_DEATH(FabricCdf({{5, 50}, {4, 100}}), "point 1 has 4 bytes");
}

} // namespace
} // namespace ns3
