/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks at a run now and then: is it moving, is it done? */

#ifndef RDMA_RUN_WATCH_H
#define RDMA_RUN_WATCH_H

#include "rdma-run-flows.h"
#include "rdma-run-network.h"
#include "rdma-run-progress.h"

#include <cstdint>

namespace ns3::rdma::runner
{

/**
 * Updates the progress line and the time at which each flow last moved, and ends the simulation
 * when nothing was delivered for a long time although frames wait in switches: a deadlock.
 */
class RunWatch
{
  public:
    /**
     * Begins to look.
     * \param network the fabric
     * \param flows the flows
     * \param progress the line on the terminal
     * \param stallPs how long nothing may move
     */
    RunWatch(const RunNetwork& network, RunFlows& flows, RunProgress& progress, int64_t stallPs);

    /** \return whether it has ended the simulation because of a deadlock */
    bool IsDeadlocked() const;

  private:
    void Look();

    const RunNetwork& m_network;
    RunFlows& m_flows;
    RunProgress& m_progress;
    const int64_t m_stallPs;  //!< how long nothing may move
    int64_t m_intervalPs;     //!< until the next look
    int64_t m_movedPs{0};     //!< when something was last seen to move
    uint64_t m_delivered{0};  //!< bytes delivered at the last look
    bool m_deadlocked{false}; //!< whether it has ended the simulation
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_WATCH_H
