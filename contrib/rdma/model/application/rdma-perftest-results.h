/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PERFTEST_RESULTS_H
#define RDMA_PERFTEST_RESULTS_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a latency test measured, in picoseconds.
struct RdmaLatencyResult
{
    uint64_t samples{0};      //!< how many messages were timed
    int64_t minimum{0};       //!< shortest
    int64_t maximum{0};       //!< longest
    int64_t typical{0};       //!< median
    double average{0};        //!< mean
    double deviation{0};      //!< standard deviation of all samples
    int64_t percentile99{0};  //!< 99 % are not longer
    int64_t percentile999{0}; //!< 99.9 % are not longer

    /**
     * \param samples Latencies in ps, in any order.
     * \return Their statistics; percentiles are samples, by nearest rank. All zero for none.
     */
    static RdmaLatencyResult Of(std::vector<int64_t> samples);
};

/// \ingroup rdma What a bandwidth test measured.
struct RdmaBandwidthResult
{
    /// Messages from which on the peak is not looked for: it compares each pair of messages.
    static constexpr uint64_t MOST_FOR_PEAK = 20000;

    uint64_t messages{0};        //!< messages sent and completed
    double averageBitsPerSec{0}; //!< payload, from the first post to the last completion
    double peakBitsPerSec{0};    //!< the most between a post and a later completion; 0: not known
    double messagesPerSec{0};    //!< from the first post to the last completion

    /**
     * \param bytes Payload of each message.
     * \param posted When messages were posted, in ps, ascending.
     * \param completed When messages were completed, in ps, ascending; as many.
     * \return The bandwidth. All zero for no messages.
     */
    static RdmaBandwidthResult Of(uint64_t bytes,
                                  const std::vector<int64_t>& posted,
                                  const std::vector<int64_t>& completed);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PERFTEST_RESULTS_H */
