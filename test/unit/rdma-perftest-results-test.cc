/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of performance tests, by hand. */

#include "ns3/rdma-perftest-results.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace ns3::rdma;

TEST(RdmaPerftestResults, LatencyOfFew)
{
    // Mean 3; squares of the distances 4 + 4 + 1 + 1 + 0 = 10, 10 / 5 = 2.
    const RdmaLatencyResult odd = RdmaLatencyResult::Of({5, 1, 4, 2, 3});
    EXPECT_EQ(odd.samples, 5u);
    EXPECT_EQ(odd.minimum, 1);
    EXPECT_EQ(odd.maximum, 5);
    EXPECT_EQ(odd.typical, 3);
    EXPECT_DOUBLE_EQ(odd.average, 3);
    EXPECT_DOUBLE_EQ(odd.deviation, std::sqrt(2.0));
    EXPECT_EQ(odd.percentile99, 5);
    EXPECT_EQ(odd.percentile999, 5);
    EXPECT_EQ(RdmaLatencyResult::Of({10, 40, 20, 30}).typical, 25);
    EXPECT_EQ(RdmaLatencyResult::Of({7}).percentile999, 7);
    EXPECT_EQ(RdmaLatencyResult::Of({}).samples, 0u);
}

TEST(RdmaPerftestResults, PercentilesByNearestRank)
{
    std::vector<int64_t> samples(1000);
    std::iota(samples.begin(), samples.end(), 1);
    const RdmaLatencyResult result = RdmaLatencyResult::Of(samples);
    EXPECT_EQ(result.percentile99, 990);
    EXPECT_EQ(result.percentile999, 999);
    EXPECT_EQ(result.typical, 500); // (500 + 501) / 2, whole picoseconds
}

TEST(RdmaPerftestResults, Bandwidth)
{
    // 1000 bit each. 3 messages in 3 ns: 1000 Gb/s. The most: 2 messages in 1.5 ns.
    const auto result = RdmaBandwidthResult::Of(125, {0, 0, 1000}, {1000, 1500, 3000});
    EXPECT_EQ(result.messages, 3u);
    EXPECT_DOUBLE_EQ(result.messagesPerSec, 1e9);
    EXPECT_DOUBLE_EQ(result.averageBitsPerSec, 1e12);
    EXPECT_DOUBLE_EQ(result.peakBitsPerSec, 2000 / 1.5e-9);
    EXPECT_EQ(RdmaBandwidthResult::Of(125, {}, {}).messages, 0u);
}

TEST(RdmaPerftestResults, PeakIsNotLookedForAmongManyMessages)
{
    std::vector<int64_t> posted(RdmaBandwidthResult::MOST_FOR_PEAK, 0);
    std::vector<int64_t> completed(posted.size());
    std::iota(completed.begin(), completed.end(), 1);
    const auto result = RdmaBandwidthResult::Of(1, posted, completed);
    EXPECT_EQ(result.peakBitsPerSec, 0);
    EXPECT_DOUBLE_EQ(result.averageBitsPerSec, 8e12);
}
