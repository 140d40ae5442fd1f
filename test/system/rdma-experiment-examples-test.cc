/* SPDX-License-Identifier: GPL-2.0-only */
/* The experiment files that the project ships run, and show what their headers say. */

#include "rdma-experiment-parser.h"
#include "rdma-results.h"
#include "rdma-run-program.h"
#include "rdma-run-simulation.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace
{

namespace fs = std::filesystem;
namespace runner = ns3::rdma::runner;

const std::string EXAMPLES = RDMA_SOURCE_DIR "/examples/";

/// Runs a file of the project, with its files beside it.
RdmaRunOutcome
RunExample(const std::string& name)
{
    return RunRdma(EXAMPLES + name, "--output=out");
}

/// The largest value of a column over the flows of a group and variant.
double
Slowest(const RdmaRunOutcome& run, const std::string& group, const std::string& variant)
{
    double slowest = 0;
    for (const auto& flow : run.GetRows("flows.csv"))
    {
        if (flow.at("group") == group && flow.at("variant") == variant)
        {
            slowest = std::max(slowest, std::stod(flow.at("fct_us")));
        }
    }
    return slowest;
}

/// The mean of flow completion times over the flows of a group and variant, us.
double
MeanFct(const RdmaRunOutcome& run, const std::string& group, const std::string& variant)
{
    double sum = 0;
    int flows = 0;
    for (const auto& flow : run.GetRows("flows.csv"))
    {
        if (flow.at("group") == group && flow.at("variant") == variant)
        {
            sum += std::stod(flow.at("fct_us"));
            ++flows;
        }
    }
    return sum / flows;
}

TEST(RdmaExperimentExamples, AllAreAccepted)
{
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(EXAMPLES))
    {
        if (entry.path().extension() == ".yaml")
        {
            const RdmaRunOutcome run = RunRdma(entry.path().string(), "--check");
            EXPECT_EQ(run.status, 0) << run.errors;
            ++files;
        }
    }
    EXPECT_GE(files, 4u);
}

// Switches that run ahead need less events, and change no time of any flow: with PFC, marks, CNPs,
// losses, and credits.
TEST(RdmaExperimentExamples, RunAheadChangesNoFlow)
{
    for (const char* name : {"incast-dcqcn", "pfc-victim", "credits-vs-pfc"})
    {
        for (runner::Experiment& experiment : runner::ParseExperiment(EXAMPLES + name + ".yaml"))
        {
            SCOPED_TRACE(name + (" " + experiment.variant));
            experiment.outputs.queuePeriodPs = 0;
            const auto run = [&experiment](bool ahead) {
                experiment.switches.runAhead = ahead;
                return runner::RunExperiment(experiment, {}, {});
            };
            const runner::RunResult off = run(false);
            const runner::RunResult on = run(true);
            ASSERT_EQ(off.flows.size(), on.flows.size());
            for (std::size_t i = 0; i < off.flows.size(); ++i)
            {
                EXPECT_EQ(off.flows[i].finishPs, on.flows[i].finishPs) << "flow " << i;
                EXPECT_EQ(off.flows[i].retransmittedPackets, on.flows[i].retransmittedPackets);
            }
            EXPECT_EQ(off.endPs, on.endPs);
            EXPECT_LT(static_cast<double>(on.events), 0.9 * static_cast<double>(off.events));
        }
    }
}

TEST(RdmaExperimentExamples, IncastDcqcn)
{
    const RdmaRunOutcome run = RunExample("incast-dcqcn.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    EXPECT_GT(MeanFct(run, "victims", "none"), 2 * MeanFct(run, "victims", "dcqcn"));
    EXPECT_NEAR(Slowest(run, "incast", "dcqcn") / Slowest(run, "incast", "none"), 1, 0.1);
    EXPECT_GT(run.Sum("ports.csv", "pfc_pauses_sent", "none"),
              15 * run.Sum("ports.csv", "pfc_pauses_sent", "dcqcn"));
    EXPECT_EQ(run.Sum("ports.csv", "dropped_frames"), 0);
    EXPECT_NE(run.output.find("What one should see"), std::string::npos);
}

TEST(RdmaExperimentExamples, PfcVictim)
{
    const RdmaRunOutcome run = RunExample("pfc-victim.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    EXPECT_GT(Slowest(run, "to-h5", "none"), 2.5 * Slowest(run, "to-h5", "lossy"));
    EXPECT_LT(Slowest(run, "to-h5", "dcqcn"), 1.1 * Slowest(run, "to-h5", "lossy"));
    EXPECT_EQ(run.Sum("ports.csv", "dropped_frames", "none"), 0);
    EXPECT_GT(run.Sum("ports.csv", "dropped_frames", "lossy"), 0);
    EXPECT_GT(run.Sum("flows.csv", "retransmitted_packets", "lossy"), 0);
    EXPECT_EQ(run.Sum("ports.csv", "pfc_pauses_sent", "lossy"), 0);
}

// Spraying fills all links; flows with one path each collide. A cut link costs SRD less than the
// time until routes change, and nothing is missing at the end.
TEST(RdmaExperimentExamples, SrdVsRoce)
{
    const RdmaRunOutcome run = RunExample("srd-vs-roce.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    const double srd = Slowest(run, "all", "efa");
    EXPECT_LT(srd, 1.15 * std::stod(run.GetRows("flows.csv").at(0).at("ideal_fct_us")));
    EXPECT_GT(Slowest(run, "all", "roce"), 3 * srd);
    EXPECT_LT(Slowest(run, "all", "efa-cut"), srd + 1000);
    EXPECT_GT(run.Sum("ports.csv", "dropped_frames", "efa-cut"), 0);
    EXPECT_GT(run.Sum("flows.csv", "retransmitted_packets", "efa-cut"), 0);
    EXPECT_GT(run.Sum("flows.csv", "retransmitted_packets", "roce-cut"), 0);
    EXPECT_GT(Slowest(run, "all", "tcp"), 1.5 * srd);
    EXPECT_LT(Slowest(run, "all", "tcp"), Slowest(run, "all", "roce"));
    EXPECT_EQ(run.Sum("flows.csv", "delivered_bytes"), 5 * 16 * 20e6);
}

// 48 MB of payload through 100 Gb/s take 3.84 ms. SRD must not collapse; the slowest of each kind
// is near its median.
TEST(RdmaExperimentExamples, Incast48)
{
    const RdmaRunOutcome run = RunExample("incast-48.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    for (const char* variant : {"efa", "roce", "tcp"})
    {
        SCOPED_TRACE(variant);
        const double slowest = Slowest(run, "incast", variant);
        EXPECT_GT(slowest, 3840);
        EXPECT_LT(slowest, 1.2 * MeanFct(run, "incast", variant));
    }
    EXPECT_LT(Slowest(run, "incast", "efa"), 1.05 * 3840);
    EXPECT_LT(Slowest(run, "incast", "tcp"), 1.05 * 3840);
    EXPECT_EQ(run.Sum("flows.csv", "delivered_bytes"), 3 * 48e6);
}

TEST(RdmaExperimentExamples, LinkFailure)
{
    const RdmaRunOutcome run = RunExample("link-failure.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    EXPECT_EQ(run.Sum("ports.csv", "dropped_frames", "intact"), 0);
    EXPECT_GT(run.Sum("ports.csv", "dropped_frames", "failure"), 0);
    EXPECT_GT(Slowest(run, "all-to-all", "failure"), 1.2 * Slowest(run, "all-to-all", "intact"));
}

TEST(RdmaExperimentExamples, ImportFiles)
{
    const RdmaRunOutcome run = RunExample("import-files.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    EXPECT_EQ(run.GetRows("flows.csv").size(), 12u);
}

TEST(RdmaExperimentExamples, CreditsVsPfc)
{
    const RdmaRunOutcome run = RunExample("credits-vs-pfc.yaml");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    EXPECT_GT(Slowest(run, "to-h5", "pfc"), 2.5 * Slowest(run, "to-h5", "two-lanes"));
    EXPECT_GT(Slowest(run, "to-h5", "credits"), 2.5 * Slowest(run, "to-h5", "two-lanes"));
    EXPECT_LT(Slowest(run, "to-h5", "congestion-control"), 0.7 * Slowest(run, "to-h5", "credits"));
    // Alone 10 MB take 2442 packets of 4124 bytes at 100 Gb/s, 806 us.
    EXPECT_NEAR(Slowest(run, "to-h5", "two-lanes"), 806, 3);
    EXPECT_EQ(run.Sum("ports.csv", "dropped_frames"), 0);
    EXPECT_GT(run.Sum("ports.csv", "pfc_pauses_sent", "pfc"), 0);
    EXPECT_EQ(run.Sum("ports.csv", "pfc_pauses_sent", "credits"), 0);
    for (const auto& flow : run.GetRows("flows.csv"))
    {
        EXPECT_GE(std::stod(flow.at("slowdown")), 1) << flow.at("variant");
    }
}

} // namespace
