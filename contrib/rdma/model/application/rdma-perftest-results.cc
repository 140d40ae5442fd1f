/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-perftest-results.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{
namespace rdma
{

RdmaLatencyResult
RdmaLatencyResult::Of(std::vector<int64_t> samples)
{
    RdmaLatencyResult result;
    if (samples.empty())
    {
        return result;
    }
    std::sort(samples.begin(), samples.end());
    const std::size_t count = samples.size();
    // Nearest rank: the smallest sample that so many thousandths of all do not exceed.
    const auto rank = [&](std::size_t thousandths) {
        return samples[(count * thousandths + 999) / 1000 - 1];
    };
    result.samples = count;
    result.minimum = samples.front();
    result.maximum = samples.back();
    result.typical = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    result.average = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
    double squares = 0;
    for (const int64_t sample : samples)
    {
        squares += (sample - result.average) * (sample - result.average);
    }
    result.deviation = std::sqrt(squares / count);
    result.percentile99 = rank(990);
    result.percentile999 = rank(999);
    return result;
}

RdmaBandwidthResult
RdmaBandwidthResult::Of(uint64_t bytes,
                        const std::vector<int64_t>& posted,
                        const std::vector<int64_t>& completed)
{
    NS_ASSERT_MSG(posted.size() == completed.size(), "each message was posted and completed");
    RdmaBandwidthResult result;
    const std::size_t count = posted.size();
    if (!count)
    {
        return result;
    }
    const double seconds = (completed.back() - posted.front()) * 1e-12;
    result.messages = count;
    result.messagesPerSec = count / seconds;
    result.averageBitsPerSec = result.messagesPerSec * bytes * 8;
    if (count < MOST_FOR_PEAK)
    {
        double shortest = completed.back() - posted.front();
        for (std::size_t i = 0; i < count; ++i)
        {
            for (std::size_t j = i; j < count; ++j)
            {
                const double each = static_cast<double>(completed[j] - posted[i]) / (j - i + 1);
                shortest = std::min(shortest, each);
            }
        }
        result.peakBitsPerSec = bytes * 8 / (shortest * 1e-12);
    }
    return result;
}

} // namespace rdma
} // namespace ns3
