/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LATENCY_TEST_H
#define RDMA_LATENCY_TEST_H

#include "ns3/rdma-perftest-application.h"
#include "ns3/rdma-perftest-results.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Latency in the manner of ib_write_lat, ib_send_lat and ib_read_lat. Writes and sends go to and
 * fro, each side answering what it has seen: in memory for writes, by a completion for sends. A
 * latency is half of the round trip; that of reads is the time from post to completion.
 */
class RdmaLatencyTest : public RdmaPerftestApplication
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaLatencyTest();
    ~RdmaLatencyTest() override;

    /// \return What the client measured.
    RdmaLatencyResult GetResult() const;

    /// \return The latencies that the client measured, in ps, in the order of the messages.
    const std::vector<int64_t>& GetSamples() const
    {
        return m_samples;
    }

  private:
    void DoStart() override;
    void DoSent(uint32_t link) override;
    void DoReceived(uint32_t link) override;

    /// Posts a message.
    void Send();
    /// The round trip that Send began is over.
    void RoundTrip();

    std::vector<int64_t> m_samples; //!< latencies, ps
    int64_t m_posted{0};            //!< when the last message was posted, ps
    uint32_t m_sent{0};             //!< messages posted
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_LATENCY_TEST_H */
