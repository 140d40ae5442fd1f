/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys "congestion-control" and "recovery" of an experiment file. */

#ifndef RDMA_EXPERIMENT_CONGESTION_H
#define RDMA_EXPERIMENT_CONGESTION_H

#include "rdma-experiment-reader.h"
#include "rdma-experiment.h"

namespace ns3::rdma::runner
{

/**
 * Reads a congestion control: a word, or a map with "type", "preset" and "parameters".
 *
 * Every subclass of RdmaCongestionOps that can be created is known, under its class name without
 * "ns3::rdma::Rdma", in any case and with or without hyphens; its parameters are its attributes,
 * spelled the same way. A preset is a class whose name ends in the preset's; "paper" is the class
 * without such an ending. "none" sends at line rate.
 *
 * \param reader the map that has the key
 * \param key the key
 * \param congestion set when the key is there
 */
void ReadCongestion(ExperimentReader& reader, const std::string& key, AlgorithmSpec& congestion);

/**
 * Reads a loss recovery: a word, or a map with "type" and "parameters". Every subclass of
 * RdmaLossRecovery that can be created is known, spelled as congestion controls are.
 *
 * \param reader the map that has the key
 * \param key the key
 * \param recovery set when the key is there
 */
void ReadRecovery(ExperimentReader& reader, const std::string& key, AlgorithmSpec& recovery);

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_CONGESTION_H
