/* SPDX-License-Identifier: GPL-2.0-only */
/* From an experiment file to the runs that it describes. */

#ifndef RDMA_EXPERIMENT_PARSER_H
#define RDMA_EXPERIMENT_PARSER_H

#include "rdma-experiment.h"

#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Reads an experiment file and every file that it names, checks all of it, and draws the random
 * part of the workload. Nothing is simulated and nothing is written.
 *
 * \param file the experiment file
 * \return one experiment per variant, in file order; a file without "variants" gives one
 * \throws FabricInputError naming file, line, key, value and what is allowed
 */
std::vector<Experiment> ParseExperiment(const std::string& file);

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_PARSER_H
