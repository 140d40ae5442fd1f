/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BANDWIDTH_TEST_H
#define RDMA_BANDWIDTH_TEST_H

#include "ns3/rdma-perftest-application.h"
#include "ns3/rdma-perftest-results.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Bandwidth in the manner of ib_write_bw, ib_send_bw and ib_read_bw: the client, and with
 * Bidirectional the server too, keeps TxDepth messages outstanding on each queue pair.
 */
class RdmaBandwidthTest : public RdmaPerftestApplication
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaBandwidthTest();
    ~RdmaBandwidthTest() override;

    /// \return What this side sent; nothing for the server of a test in one direction.
    RdmaBandwidthResult GetResult() const;

  private:
    void DoStart() override;
    void DoSent(uint32_t link) override;
    void DoReceived(uint32_t link) override;

    /// \return Whether this side sends.
    bool IsSender() const
    {
        return m_isClient || m_bidirectional;
    }

    /**
     * Posts as many messages as may be posted.
     * \param link Index of the queue pair.
     */
    void Fill(uint32_t link);
    /// Finishes when there is nothing left to send or receive.
    void CheckFinished();

    /// What was done on a queue pair.
    struct Progress
    {
        uint32_t posted{0};    //!< messages posted
        uint32_t completed{0}; //!< of them completed
    };

    std::vector<Progress> m_progress; //!< by queue pair
    std::vector<int64_t> m_posted;    //!< when messages were posted, ps
    std::vector<int64_t> m_completed; //!< when they were completed, ps
    uint64_t m_received{0};           //!< receives completed
    uint32_t m_postList;              //!< messages posted at a time
    bool m_bidirectional;             //!< both sides send
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_BANDWIDTH_TEST_H */
