/* SPDX-License-Identifier: GPL-2.0-only */
/* The key "workload" of an experiment file. */

#ifndef RDMA_EXPERIMENT_WORKLOAD_H
#define RDMA_EXPERIMENT_WORKLOAD_H

#include "rdma-experiment-reader.h"
#include "rdma-experiment.h"

namespace ns3::rdma::runner
{

/**
 * Reads the workload, the files that it names included, and draws its random part from the seed.
 *
 * \param root the root of the file, which has the key "workload"
 * \param experiment its topology, seed and first congestion control are used; its groups and flows
 *        are filled, and congestion controls of single entries are added
 * \throws FabricInputError for the experiment file or a file that it names
 */
void ReadWorkload(ExperimentReader& root, Experiment& experiment);

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_WORKLOAD_H
