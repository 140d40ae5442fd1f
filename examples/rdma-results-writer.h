/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as CSV and JSON. */

#ifndef RDMA_RESULTS_WRITER_H
#define RDMA_RESULTS_WRITER_H

#include "rdma-results.h"

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * \file
 * Times are microseconds with six decimals, which is exact to the picosecond; sizes are bytes; the
 * first row names each column with its unit. A field holds nothing when there is no value, such as
 * the completion time of a flow that did not finish.
 */

/** Writes the header row of flows.csv. \param out where to */
void WriteFlowsHeader(std::ostream& out);

/**
 * Writes one row per flow.
 * \param out where to
 * \param result the run
 */
void WriteFlows(std::ostream& out, const RunResult& result);

/** Writes the header row of ports.csv. \param out where to */
void WritePortsHeader(std::ostream& out);

/**
 * Writes one row per port.
 * \param out where to
 * \param result the run
 */
void WritePorts(std::ostream& out, const RunResult& result);

/** What produced the results: name and value pairs such as the ns-3 release. */
using RunProvenance = std::vector<std::pair<std::string, std::string>>;

/**
 * Writes all runs of an experiment as one JSON object.
 * \param out where to
 * \param experiment its name
 * \param provenance what produced the results
 * \param results the runs
 */
void WriteJson(std::ostream& out,
               const std::string& experiment,
               const RunProvenance& provenance,
               const std::vector<RunResult>& results);

/**
 * \param text any text
 * \return the text as a CSV field, quoted where RFC 4180 asks for it
 */
std::string CsvField(const std::string& text);

} // namespace ns3::rdma::runner

#endif // RDMA_RESULTS_WRITER_H
