/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-simulation.h"

#include "rdma-run-flows.h"
#include "rdma-run-network.h"
#include "rdma-run-progress.h"
#include "rdma-run-recorder.h"
#include "rdma-run-watch.h"

#include "ns3/fabric-clock.h"
#include "ns3/fabric-input-error.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <memory>

namespace ns3::rdma::runner
{

namespace
{

/** Destroys what is left in the simulator, however a run ends. */
class SimulatorScope
{
  public:
    SimulatorScope() = default;
    SimulatorScope(const SimulatorScope&) = delete;
    SimulatorScope& operator=(const SimulatorScope&) = delete;

    ~SimulatorScope()
    {
        Simulator::Destroy();
    }
};

/** Sentences about what the run shows to be other than the experiment seems to mean. */
void
AddWarnings(const Experiment& experiment,
            const RunNetwork& network,
            const PauseRecorder* pauses,
            const QueueSampler* queues,
            RunResult& result)
{
    const auto late =
        std::count_if(experiment.flows.begin(), experiment.flows.end(), [&](const FlowSpec& flow) {
            return flow.startPs >= experiment.stopPs;
        });
    if (late > 0)
    {
        result.warnings.push_back(std::to_string(late) + " flows start after the stop time");
    }
    if (pauses != nullptr && pauses->GetCount() == 0)
    {
        result.warnings.push_back("pfc.csv has no row of this variant: no PFC frame was sent");
    }
    if (queues != nullptr && queues->GetCount() == 0)
    {
        result.warnings.push_back("queues.csv has no row of this variant: at every sample all "
                                  "queues were empty");
    }
    const EcnSpec& ecn = experiment.switches.ecn;
    const RunTotals totals = SummarizeRun(result);
    if (ecn.enabled && ecn.pmax > 0 && totals.marks == 0 && totals.pauses > 0)
    {
        result.warnings.push_back(
            "PFC paused senders, but no packet was marked: either no flow that waited is ECN "
            "capable (its congestion control does not use it), or kmin is above the point at which "
            "PFC acts");
    }
    for (const std::string& warning : network.GetWarnings())
    {
        result.warnings.push_back(warning);
    }
}

} // namespace

RunResult
RunExperiment(const Experiment& experiment, const RunOptions& options, const RunStreams& streams)
{
    const SimulatorScope scope;
    ObjectFactory scheduler(options.scheduler);
    Simulator::SetScheduler(scheduler);
    RngSeedManager::SetSeed(experiment.seed);
    RngSeedManager::SetRun(1);

    RunNetwork network(experiment);
    const std::string refusal = network.CheckConfig();
    if (!refusal.empty())
    {
        throw FabricInputError(experiment.file,
                               experiment.switches.line,
                               "key 'switch.buffer': " + refusal);
    }
    RunProgress progress(options.progress, experiment.name + " " + experiment.variant);
    RunFlows flows(experiment, network);
    RunWatch watch(network, flows, progress, experiment.stallPs);
    std::unique_ptr<PauseRecorder> pauses;
    std::unique_ptr<QueueSampler> queues;
    if (streams.pauses != nullptr)
    {
        pauses = std::make_unique<PauseRecorder>(network);
    }
    if (streams.queues != nullptr)
    {
        queues = std::make_unique<QueueSampler>(network,
                                                experiment.outputs,
                                                experiment.variant,
                                                *streams.queues);
    }
    const FabricClock clock;
    flows.SetDone(Callback<void>([] { Simulator::Stop(); }));
    Simulator::Stop(clock.ToTime(experiment.stopPs));
    Simulator::Run();

    RunResult result;
    result.variant = experiment.variant;
    result.seed = experiment.seed;
    result.endPs = clock.Now();
    result.wallSeconds = progress.GetElapsed();
    result.events = Simulator::GetEventCount();
    result.digest = network.GetNetwork()->GetDigest().Get();
    result.peakBufferBytes = network.GetPeakBufferBytes();
    flows.NoteProgress(result.endPs);
    flows.Collect(result);
    result.ports = network.GetPorts(result.endPs);
    const bool finished = std::all_of(result.flows.begin(),
                                      result.flows.end(),
                                      [](const FlowResult& flow) { return flow.Finished(); });
    const FabricDeadlockReport& report = watch.GetReport();
    result.status = report.deadlock        ? RunStatus::DEADLOCK
                    : !report.text.empty() ? RunStatus::STUCK
                    : finished             ? RunStatus::DONE
                                           : RunStatus::UNFINISHED;
    if (!report.text.empty())
    {
        result.warnings.push_back(report.text);
    }
    AddWarnings(experiment, network, pauses.get(), queues.get(), result);
    if (pauses != nullptr)
    {
        pauses->Write(*streams.pauses, experiment.variant);
    }
    return result;
}

} // namespace ns3::rdma::runner
