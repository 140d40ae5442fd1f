/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-watch.h"

#include "ns3/callback.h"
#include "ns3/fabric-clock.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::rdma::runner
{

namespace
{

/** Looks per stall time while the run moves. */
constexpr int64_t LOOKS = 100;

} // namespace

RunWatch::RunWatch(const RunNetwork& network,
                   RunFlows& flows,
                   RunProgress& progress,
                   int64_t stallPs)
    : m_flows(flows),
      m_progress(progress),
      m_detector(CreateObject<FabricDeadlockDetector>()),
      m_stallPs(stallPs),
      m_intervalPs(std::max<int64_t>(1, stallPs / LOOKS))
{
    const FabricClock clock;
    m_detector->SetAttribute("StallTime", TimeValue(clock.ToTime(stallPs)));
    network.WatchDeadlocks(m_detector);
    const Callback<void, const FabricDeadlockReport&> end(
        [](const FabricDeadlockReport&) { Simulator::Stop(); });
    m_detector->TraceConnectWithoutContext("Deadlock", end);
    m_detector->TraceConnectWithoutContext("Stuck", end);
    Simulator::Schedule(clock.ToTime(m_intervalPs), &RunWatch::Look, this);
}

RunWatch::~RunWatch()
{
    m_detector->Dispose();
}

void
RunWatch::Look()
{
    const FabricClock clock;
    const int64_t now = clock.Now();
    m_flows.NoteProgress(now);
    const uint64_t delivered = m_flows.GetDeliveredBytes();
    if (delivered != m_delivered)
    {
        m_delivered = delivered;
        m_intervalPs = std::max<int64_t>(1, m_stallPs / LOOKS);
    }
    else
    {
        // A long silence, such as a wait for a timeout, needs no close look.
        m_intervalPs = std::min(2 * m_intervalPs, m_stallPs);
    }
    m_progress.Update(delivered, m_flows.GetTotalBytes(), now);
    Simulator::Schedule(clock.ToTime(m_intervalPs), &RunWatch::Look, this);
}

const FabricDeadlockReport&
RunWatch::GetReport() const
{
    return m_detector->GetReport();
}

} // namespace ns3::rdma::runner
