/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-ideal-fct.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace
{

using ns3::RdmaIdealFct;
using ns3::RdmaPacketSizes;
using ns3::RdmaPathHop;

/// The recurrence of the header, packet by packet, in units of 1 / lcm of the rates: here the rates
/// divide 8e12, so a byte takes a whole number of picoseconds and nothing is rounded.
int64_t
ByRecurrence(const std::vector<RdmaPathHop>& path,
             uint64_t bytes,
             const RdmaPacketSizes& sizes,
             uint64_t messages)
{
    const uint64_t packets = std::max<uint64_t>(1, (bytes + sizes.mtu - 1) / sizes.mtu);
    std::vector<int64_t> free(path.size(), 0);
    int64_t arrival = 0;
    for (uint64_t k = 0; k < packets * messages; ++k)
    {
        const uint64_t n = k % packets;
        const uint64_t payload = std::min<uint64_t>(sizes.mtu, bytes - n * sizes.mtu);
        const uint64_t wire =
            (payload + 3) / 4 * 4 + sizes.overhead + (n == 0 ? sizes.firstExtra : 0);
        int64_t ready = 0;
        for (std::size_t i = 0; i < path.size(); ++i)
        {
            const int64_t start = std::max(free[i], ready);
            free[i] = start + static_cast<int64_t>(wire * (8'000'000'000'000 / path[i].rate));
            arrival = free[i] + path[i].delay;
            ready = arrival + path[i].latency;
        }
    }
    return arrival;
}

TEST(RdmaIdealFct, OnePacketByHand)
{
    // 1 B is padded to 4: 4 + 82 + 16 = 102 B; at 100 Gb/s a byte takes 80 ps: 8160 ps per link.
    // Two links of 1 us and a switch of 300 ns: 2 x 8160 + 2 x 1000000 + 300000 = 2316320 ps.
    EXPECT_EQ(
        RdmaIdealFct({{100'000'000'000, 1'000'000, 300'000}, {100'000'000'000, 1'000'000, 0}}, 1),
        2'316'320);
}

TEST(RdmaIdealFct, BackToBackByHand)
{
    // MTU+1 bytes at 400 Gb/s (20 ps per byte) on one 500 ns link:
    // (4096 + 82 + 16) + (4 + 82) = 4280 B, 85600 ps + 500000 ps.
    EXPECT_EQ(RdmaIdealFct({{400'000'000'000, 500'000, 0}}, 4097), 585'600);
}

TEST(RdmaIdealFct, SlowestLinkRulesLongMessages)
{
    // 1000 full packets, 100 -> 25 -> 100 Gb/s: the first packet (4194 B) crosses the first link,
    // all bytes (1000 x 4178 + 16) the second at 320 ps, the last packet (4178 B) the third.
    const int64_t expected = 4194 * 80 + (1000 * 4178 + 16) * 320LL + 4178 * 80 + 3 * 1000;
    EXPECT_EQ(
        RdmaIdealFct(
            {{100'000'000'000, 1000, 0}, {25'000'000'000, 1000, 0}, {100'000'000'000, 1000, 0}},
            4'096'000),
        expected);
}

TEST(RdmaIdealFct, RoundsDownOnly)
{
    // 54.54 Gb/s: 4194 B take 615181.518... ps.
    EXPECT_EQ(RdmaIdealFct({{54'540'000'000, 0, 0}}, 4096), 615'181);
    // 10 TB at 1 Tb/s: 2441406250 packets, 10^13 + 2441406250 x 82 + 16 bytes at 8 ps.
    EXPECT_EQ(RdmaIdealFct({{1'000'000'000'000, 0, 0}}, 10'000'000'000'000),
              (10'000'000'000'000 + 2'441'406'250LL * 82 + 16) * 8);
}

TEST(RdmaIdealFct, EqualsTheRecurrence)
{
    std::mt19937 random(7);
    const std::vector<uint64_t> rates{10'000'000'000,
                                      25'000'000'000,
                                      40'000'000'000,
                                      100'000'000'000,
                                      200'000'000'000,
                                      400'000'000'000,
                                      800'000'000'000};
    const auto draw = [&](uint64_t below) { return random() % below; };
    for (int round = 0; round < 20000; ++round)
    {
        std::vector<RdmaPathHop> path(1 + draw(6));
        for (auto& hop : path)
        {
            hop = {rates[draw(rates.size())],
                   static_cast<int64_t>(draw(2'000'000)),
                   static_cast<int64_t>(draw(500'000))};
        }
        path.back().latency = 0;
        const RdmaPacketSizes sizes{256u << draw(5), 82, draw(2) ? 16u : 4000u};
        const uint64_t bytes = draw(8) * sizes.mtu + draw(sizes.mtu + 1);
        const uint64_t messages = 1 + draw(2) * draw(9);
        ASSERT_EQ(RdmaIdealFct(path, bytes, sizes, messages),
                  ByRecurrence(path, bytes, sizes, messages))
            << messages << " messages of " << bytes << " bytes, links " << path.size();
    }
}

} // namespace
