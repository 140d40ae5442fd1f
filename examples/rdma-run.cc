/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs an experiment file and prints what came out. See --help.
 *
 * Exit codes: 0 every flow finished; 1 the experiment file, a file it names, or an option is wrong,
 * or results could not be written; 2 flows are unfinished; 3 queues of switches wait for one another
 * for ever; 4 nothing moved any more for another reason.
 */

#include "rdma-experiment-parser.h"
#include "rdma-results-files.h"
#include "rdma-results-table.h"
#include "rdma-results-writer.h"
#include "rdma-run-recorder.h"
#include "rdma-run-simulation.h"

#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/rdma-release.h"
#include "ns3/scheduler.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::rdma::runner;

namespace
{

/** What the command line says. */
struct Arguments
{
    std::string file;                              //!< the experiment file
    std::string output;                            //!< directory instead of the file's
    std::string variant;                           //!< the only variant to run
    std::string resolution{"ps"};                  //!< tick of the simulator
    std::string scheduler{RunOptions().scheduler}; //!< TypeId of the event scheduler
    bool check{false};                             //!< only check the file
    bool progress{false};                          //!< progress line even without a terminal
    bool noOutput{false};                          //!< no files
};

/** The files of all variants. */
struct OutputFiles
{
    explicit OutputFiles(const OutputSpec& spec)
        : files(spec.directory)
    {
        if (spec.flows)
        {
            flows = &files.Open("flows.csv");
            WriteFlowsHeader(*flows);
        }
        if (spec.ports)
        {
            ports = &files.Open("ports.csv");
            WritePortsHeader(*ports);
        }
        if (spec.pfc)
        {
            streams.pauses = &files.Open("pfc.csv");
            WritePausesHeader(*streams.pauses);
        }
        if (spec.queuePeriodPs > 0)
        {
            streams.queues = &files.Open("queues.csv");
            WriteQueuesHeader(*streams.queues);
        }
        if (spec.summary)
        {
            summary = &files.Open("summary.json");
        }
    }

    ResultFiles files;              //!< the directory
    std::ostream* flows{nullptr};   //!< flows.csv
    std::ostream* ports{nullptr};   //!< ports.csv
    std::ostream* summary{nullptr}; //!< summary.json
    RunStreams streams;             //!< what is written while a run goes on
};

void
Parse(int argc, char* argv[], Arguments& arguments)
{
    CommandLine cmd(__FILE__);
    cmd.Usage("Runs an RDMA experiment: rdma-run [options] experiment.yaml\n"
              "Exit codes: 0 all flows finished, 1 wrong input, 2 flows unfinished, 3 deadlock, "
              "4 stuck.");
    cmd.AddValue("check", "Only check the experiment file", arguments.check);
    cmd.AddValue("output", "Directory for results instead of the file's", arguments.output);
    cmd.AddValue("no-output", "Write no files", arguments.noOutput);
    cmd.AddValue("variant", "Run this variant only", arguments.variant);
    cmd.AddValue("progress", "Progress line even without a terminal", arguments.progress);
    cmd.AddValue("resolution", "Tick of the simulator: ps or ns", arguments.resolution);
    cmd.AddValue("scheduler", "TypeId of the event scheduler", arguments.scheduler);
    cmd.AddNonOption("file", "The experiment file", arguments.file);
    cmd.Parse(argc, argv);
}

/** Refuses options that make no sense; the rest is known when the experiment is read. */
void
Check(const Arguments& arguments)
{
    if (arguments.file.empty())
    {
        throw std::invalid_argument("rdma-run: no experiment file given; see --help");
    }
    if (arguments.resolution != "ps" && arguments.resolution != "ns")
    {
        throw std::invalid_argument("rdma-run: --resolution is '" + arguments.resolution +
                                    "'; allowed: ps, ns");
    }
    TypeId scheduler;
    if (!TypeId::LookupByNameFailSafe(arguments.scheduler, &scheduler) ||
        !scheduler.IsChildOf(Scheduler::GetTypeId()))
    {
        throw std::invalid_argument("rdma-run: --scheduler is '" + arguments.scheduler +
                                    "'; allowed: the TypeId of a scheduler such as "
                                    "ns3::MapScheduler");
    }
}

/** \return the variants to run, with the output directory of the command line */
std::vector<Experiment>
ReadExperiments(const Arguments& arguments)
{
    std::vector<Experiment> experiments = ParseExperiment(arguments.file);
    if (!arguments.variant.empty())
    {
        const auto chosen =
            std::find_if(experiments.begin(), experiments.end(), [&](const Experiment& experiment) {
                return experiment.variant == arguments.variant;
            });
        if (chosen == experiments.end())
        {
            throw std::invalid_argument("rdma-run: --variant is '" + arguments.variant +
                                        "', which the experiment file does not have");
        }
        experiments = {*chosen};
    }
    for (Experiment& experiment : experiments)
    {
        if (!arguments.output.empty())
        {
            experiment.outputs.directory = arguments.output;
        }
        if (arguments.noOutput)
        {
            experiment.outputs.directory.clear();
        }
    }
    return experiments;
}

/** \return what produced the results */
RunProvenance
GetProvenance(const Arguments& arguments)
{
#ifdef NS3_ASSERT_ENABLE
    const char* profile = "debug";
#else
    const char* profile = "optimized";
#endif
    return {{"module_version", RDMA_MODULE_VERSION},
            {"ns3_release", RDMA_NS3_VERSION},
            {"build_profile", profile},
            {"resolution", arguments.resolution}};
}

void
PrintHead(const std::vector<Experiment>& experiments, const Arguments& arguments)
{
    const Experiment& first = experiments.front();
    std::cout << first.name << ": " << first.topology.GetHosts().size() << " hosts, "
              << first.topology.GetSwitches().size() << " switches, " << first.flows.size()
              << " flows, seed " << first.seed;
    for (const auto& [name, value] : GetProvenance(arguments))
    {
        std::string words = name;
        std::replace(words.begin(), words.end(), '_', ' ');
        std::cout << ", " << words << ' ' << value;
    }
    std::cout << "\n" << std::flush;
    for (const std::string& note : first.notes)
    {
        std::cerr << "note: " << note << '\n';
    }
}

void
PrintResults(const Experiment& experiment, const std::vector<RunResult>& results)
{
    std::cout << '\n';
    PrintFlowTable(std::cout, results);
    std::cout << '\n';
    PrintFabricTable(std::cout, results);
    std::cout << '\n';
    for (const RunResult& result : results)
    {
        PrintUnfinished(std::cout, result);
        for (const std::string& warning : result.warnings)
        {
            std::cout << result.variant << ": warning: " << warning << '\n';
        }
    }
    if (!experiment.expectation.empty())
    {
        std::cout << "What one should see: " << experiment.expectation << '\n';
    }
}

/** \return the exit code */
int
Run(const Arguments& arguments)
{
    const std::vector<Experiment> experiments = ReadExperiments(arguments);
    PrintHead(experiments, arguments);
    if (arguments.check)
    {
        return 0;
    }
    RunOptions options;
    options.scheduler = arguments.scheduler;
    options.progress = arguments.progress || isatty(STDERR_FILENO);

    std::unique_ptr<OutputFiles> output;
    if (!experiments.front().outputs.directory.empty())
    {
        output = std::make_unique<OutputFiles>(experiments.front().outputs);
    }
    std::vector<RunResult> results;
    double seconds = 0;
    for (const Experiment& experiment : experiments)
    {
        results.push_back(
            RunExperiment(experiment, options, output ? output->streams : RunStreams()));
        seconds += results.back().wallSeconds;
        if (output && output->flows != nullptr)
        {
            WriteFlows(*output->flows, results.back());
        }
        if (output && output->ports != nullptr)
        {
            WritePorts(*output->ports, results.back());
        }
    }
    PrintResults(experiments.front(), results);
    if (output)
    {
        if (output->summary != nullptr)
        {
            WriteJson(*output->summary,
                      experiments.front().name,
                      GetProvenance(arguments),
                      results);
        }
        output->files.Commit();
        std::cout << "Results are in " << output->files.Directory() << ".\n";
    }
    char took[32];
    std::snprintf(took, sizeof(took), "%.1f", seconds);
    std::cout << "Simulation took " << took << " s.\n";
    int code = 0;
    for (const RunResult& result : results)
    {
        code = std::max(code, static_cast<int>(result.status));
    }
    return code;
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        Arguments arguments;
        Parse(argc, argv, arguments);
        Check(arguments);
        // Before the first Time is made, which reading an experiment does.
        Time::SetResolution(arguments.resolution == "ns" ? Time::NS : Time::PS);
        return Run(arguments);
    }
    catch (const std::exception& error)
    {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
