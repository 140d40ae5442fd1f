/* SPDX-License-Identifier: GPL-2.0-only */
/* One performance test in a network of its own. */

#ifndef RDMA_PERFTEST_RUN_H
#define RDMA_PERFTEST_RUN_H

#include "rdma-perftest-options.h"

#include "ns3/rdma-perftest-results.h"

namespace ns3::rdma::perftest
{

/// What came out of a test.
struct Outcome
{
    RdmaLatencyResult latency;     //!< of latency tests
    RdmaBandwidthResult bandwidth; //!< of bandwidth tests; both directions added up
    std::string failure;           //!< why it failed; empty: it did not
};

/**
 * Simulates a test in a new network: two hosts and a chain of switches between them.
 * \param options What to do.
 * \param bytes Size of a message.
 * \return What came out.
 */
Outcome RunTest(const Options& options, uint64_t bytes);

} // namespace ns3::rdma::perftest

#endif // RDMA_PERFTEST_RUN_H
