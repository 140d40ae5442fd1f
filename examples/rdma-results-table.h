/* SPDX-License-Identifier: GPL-2.0-only */
/* Results for people: aligned tables on a terminal. */

#ifndef RDMA_RESULTS_TABLE_H
#define RDMA_RESULTS_TABLE_H

#include "rdma-results.h"

#include <iosfwd>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Prints the flows of all runs side by side: for each workload entry one line per variant with
 * completion times, slowdown and goodput.
 *
 * \param out where to
 * \param results the runs
 */
void PrintFlowTable(std::ostream& out, const std::vector<RunResult>& results);

/**
 * Prints what the fabric did in each run: marks, pauses, drops, the largest queue, and the digest.
 *
 * \param out where to
 * \param results the runs
 */
void PrintFabricTable(std::ostream& out, const std::vector<RunResult>& results);

/**
 * Lists the flows that did not finish, with bytes delivered and the time of the last progress.
 *
 * \param out where to
 * \param result the run
 * \param most how many flows are listed before the rest is only counted
 */
void PrintUnfinished(std::ostream& out, const RunResult& result, std::size_t most = 20);

} // namespace ns3::rdma::runner

#endif // RDMA_RESULTS_TABLE_H
