/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks at a run now and then: is it moving, is it done, is it deadlocked? */

#ifndef RDMA_RUN_WATCH_H
#define RDMA_RUN_WATCH_H

#include "rdma-run-flows.h"
#include "rdma-run-network.h"
#include "rdma-run-progress.h"

#include "ns3/fabric-deadlock-detector.h"

#include <cstdint>

namespace ns3::rdma::runner
{

/**
 * Updates the progress line and the time at which each flow last moved, and ends the simulation
 * when queues of switches wait for one another for ever, or when nothing has moved for a long time
 * because hosts stop switches.
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
    ~RunWatch();
    RunWatch(const RunWatch&) = delete;
    RunWatch& operator=(const RunWatch&) = delete;

    /** \return why it has ended the simulation; its text is empty when it has not */
    const rdma::FabricDeadlockReport& GetReport() const;

  private:
    void Look();

    RunFlows& m_flows;
    RunProgress& m_progress;
    Ptr<FabricDeadlockDetector> m_detector; //!< looks for deadlocks
    const int64_t m_stallPs;                //!< how long nothing may move
    int64_t m_intervalPs;                   //!< until the next look
    uint64_t m_delivered{0};                //!< bytes delivered at the last look
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_WATCH_H
