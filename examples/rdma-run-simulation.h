/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of an experiment, from nothing to its results. */

#ifndef RDMA_RUN_SIMULATION_H
#define RDMA_RUN_SIMULATION_H

#include "rdma-experiment.h"
#include "rdma-results.h"

#include <iosfwd>
#include <string>

namespace ns3::rdma::runner
{

/** How an experiment is run; nothing of it changes any result. */
struct RunOptions
{
    std::string scheduler{"ns3::rdma::FabricWheelScheduler"}; //!< TypeId of the event scheduler
    bool progress{false};                                     //!< whether to print a progress line
};

/** Where records of a run go to while it goes on; nullptr when nobody asked for them. */
struct RunStreams
{
    std::ostream* pauses{nullptr}; //!< rows of pfc.csv
    std::ostream* queues{nullptr}; //!< rows of queues.csv
};

/**
 * Simulates one variant of an experiment. Leaves no state behind: the next call gives what it would
 * give in a process of its own.
 *
 * \param experiment the variant
 * \param options how to run it
 * \param streams where records go to
 * \return what was measured
 * \throws FabricInputError when the switches cannot do what the experiment asks of them
 */
RunResult RunExperiment(const Experiment& experiment,
                        const RunOptions& options,
                        const RunStreams& streams);

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_SIMULATION_H
