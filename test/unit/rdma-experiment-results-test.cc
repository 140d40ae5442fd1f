/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-results-files.h"
#include "rdma-results-table.h"
#include "rdma-results-writer.h"
#include "rdma-results.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <sstream>
#include <vector>

namespace
{

using namespace ns3::rdma::runner;

/// Two finished flows of 1 MB and one that stands still half-way.
RunResult
Sample()
{
    RunResult run;
    run.variant = "dcqcn";
    run.status = RunStatus::UNFINISHED;
    run.endPs = 1'000'000'000;
    run.digest = 0xabc;
    run.seed = 7;
    FlowResult flow;
    flow.group = "incast";
    flow.source = "h0";
    flow.destination = "h1";
    flow.priority = 3;
    flow.congestionControl = "dcqcn";
    flow.bytes = 1'000'000;
    flow.startPs = 1'000'000;
    flow.finishPs = 201'000'001;
    flow.idealFctPs = 100'000'000;
    flow.deliveredBytes = 1'000'000;
    flow.lastProgressPs = 201'000'001;
    run.flows.push_back(flow);
    flow.id = 1;
    flow.finishPs = 101'000'000;
    flow.lastProgressPs = 101'000'000;
    run.flows.push_back(flow);
    flow.id = 2;
    flow.group = "back, \"ground\"";
    flow.finishPs = NOT_REACHED;
    flow.deliveredBytes = 500'000;
    flow.lastProgressPs = 41'000'000;
    flow.retransmittedPackets = 5;
    flow.failure = "no answer";
    run.flows.push_back(flow);
    PortResult port;
    port.node = "s0";
    port.peer = "h1";
    port.rate = 100'000'000'000;
    port.marks = 3;
    port.pausesSent = 4;
    port.pausedPs = 1'500'000;
    run.ports.push_back(port);
    port.port = 1;
    port.drops = 1;
    run.ports.push_back(port);
    return run;
}

TEST(RdmaResults, PercentilesAreNearestRank)
{
    // Of 1..100 the 50th, 95th and 99th value; the mean is 50.5.
    std::vector<double> values(100);
    std::iota(values.rbegin(), values.rend(), 1);
    const Distribution d = Distribute(values);
    EXPECT_EQ(d.count, 100u);
    EXPECT_DOUBLE_EQ(d.mean, 50.5);
    EXPECT_DOUBLE_EQ(d.p50, 50);
    EXPECT_DOUBLE_EQ(d.p95, 95);
    EXPECT_DOUBLE_EQ(d.p99, 99);
    EXPECT_DOUBLE_EQ(d.max, 100);
    // Of three values the 50th percentile is the second (at least 1.5 values not above it).
    EXPECT_DOUBLE_EQ(Distribute({30, 10, 20}).p50, 20);
    EXPECT_DOUBLE_EQ(Distribute({30, 10, 20}).p95, 30);
    EXPECT_DOUBLE_EQ(Distribute({4}).p99, 4);
    EXPECT_EQ(Distribute({}).count, 0u);
}

TEST(RdmaResults, GroupsAndTotals)
{
    const RunResult run = Sample();
    const auto groups = SummarizeGroups(run);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].group, "incast");
    EXPECT_EQ(groups[0].flows, 2u);
    EXPECT_EQ(groups[0].finished, 2u);
    EXPECT_DOUBLE_EQ(groups[0].fctUs.max, 200.000001);
    EXPECT_DOUBLE_EQ(groups[0].slowdown.p50, 1.0);
    // 2 MB in 200.000001 us are 80 Gb/s.
    EXPECT_NEAR(groups[0].goodputGbps, 80, 1e-5);
    EXPECT_EQ(groups[1].finished, 0u);
    // 500 kB in 40 us are 100 Gb/s.
    EXPECT_NEAR(groups[1].goodputGbps, 100, 1e-9);
    const RunTotals totals = SummarizeRun(run);
    EXPECT_EQ(totals.bytes, 3'000'000u);
    EXPECT_EQ(totals.deliveredBytes, 2'500'000u);
    EXPECT_EQ(totals.drops, 1u);
    EXPECT_EQ(totals.marks, 6u);
    EXPECT_EQ(totals.pauses, 8u);
    EXPECT_EQ(totals.pausedPs, 3'000'000);
    EXPECT_EQ(totals.retransmittedPackets, 5u);
}

TEST(RdmaResults, MicrosecondsAreExact)
{
    EXPECT_EQ(FormatMicroseconds(0), "0.000000");
    EXPECT_EQ(FormatMicroseconds(1), "0.000001");
    EXPECT_EQ(FormatMicroseconds(123'456'789'012'345'678), "123456789012.345678");
    EXPECT_EQ(FormatMicroseconds(-1'500'000), "-1.500000");
}

TEST(RdmaResults, FlowRowsMatchTheHeader)
{
    std::ostringstream out;
    WriteFlowsHeader(out);
    WriteFlows(out, Sample());
    EXPECT_EQ(out.str(),
              "variant,flow,group,source,destination,priority,congestion_control,size_bytes,"
              "start_us,finish_us,fct_us,ideal_fct_us,slowdown,delivered_bytes,last_progress_us,"
              "retransmitted_packets,status\n"
              "dcqcn,0,incast,h0,h1,3,dcqcn,1000000,1.000000,201.000001,200.000001,100.000000,"
              "2.000000,1000000,201.000001,0,done\n"
              "dcqcn,1,incast,h0,h1,3,dcqcn,1000000,1.000000,101.000000,100.000000,100.000000,"
              "1.000000,1000000,101.000000,0,done\n"
              "dcqcn,2,\"back, \"\"ground\"\"\",h0,h1,3,dcqcn,1000000,1.000000,,,100.000000,,"
              "500000,41.000000,5,no answer\n");
}

TEST(RdmaResults, PortRowsMatchTheHeader)
{
    std::ostringstream out;
    WritePortsHeader(out);
    WritePorts(out, Sample());
    EXPECT_EQ(out.str(),
              "variant,node,port,peer,rate_bps,sent_frames,sent_bytes,received_frames,"
              "received_bytes,dropped_frames,ecn_marked_frames,pfc_pauses_sent,"
              "paused_us\n"
              "dcqcn,s0,0,h1,100000000000,0,0,0,0,0,3,4,1.500000\n"
              "dcqcn,s0,1,h1,100000000000,0,0,0,0,1,3,4,1.500000\n");
}

TEST(RdmaResults, JsonEscapesAndNamesTheUnfinished)
{
    std::ostringstream out;
    RunResult run = Sample();
    run.warnings.push_back("a \"quoted\" \\ sentence");
    WriteJson(out, "test\n", {{"seed_of", "x"}}, {run});
    const std::string text = out.str();
    EXPECT_NE(text.find("\"experiment\": \"test\\u000a\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"a \\\"quoted\\\" \\\\ sentence\""), std::string::npos) << text;
    EXPECT_NE(
        text.find("{\"flow\": 2, \"source\": \"h0\", \"destination\": \"h1\", \"status\": \"no "
                  "answer\", \"bytes\": 1000000, \"delivered_bytes\": 500000, "
                  "\"last_progress_us\": 41.000000}"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("\"digest\": \"0000000000000abc\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"fct_us\": null"), std::string::npos) << text;
}

TEST(RdmaResults, TableComparesVariants)
{
    RunResult other = Sample();
    other.variant = "none";
    std::ostringstream out;
    PrintFlowTable(out, {Sample(), other});
    PrintFabricTable(out, {Sample(), other});
    PrintUnfinished(out, other);
    std::vector<std::string> lines;
    std::istringstream text(out.str());
    for (std::string line; std::getline(text, line);)
    {
        lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 11u) << out.str();
    EXPECT_NE(lines[1].find("incast"), std::string::npos);
    EXPECT_NE(lines[1].find("dcqcn"), std::string::npos);
    EXPECT_NE(lines[2].find("incast"), std::string::npos);
    EXPECT_NE(lines[2].find("none"), std::string::npos);
    EXPECT_NE(lines[3].find("0/1"), std::string::npos);
    EXPECT_EQ(lines[8], "none: 1 of 3 flows are unfinished at 1000.000000 us:");
    EXPECT_NE(lines[10].find("500000"), std::string::npos);
}

/// A directory that does not exist before and not after a test.
class RdmaResultFiles : public ::testing::Test
{
  protected:
    void TearDown() override
    {
        std::filesystem::remove_all(m_directory);
    }

    /// \return The text of a file of the directory.
    std::string Read(const std::string& name) const
    {
        std::ifstream stream(m_directory + "/a/b/" + name);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    const std::string m_directory{std::string("rdma-result-files-") +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(RdmaResultFiles, CommitNamesThem)
{
    {
        ResultFiles files(m_directory + "/a/b");
        files.Open("x.csv") << "1\n";
        files.Open("y.csv") << "2\n";
        EXPECT_FALSE(std::filesystem::exists(m_directory + "/a/b/x.csv"));
        files.Commit();
    }
    EXPECT_EQ(Read("x.csv"), "1\n");
    EXPECT_EQ(Read("y.csv"), "2\n");
    EXPECT_FALSE(std::filesystem::exists(m_directory + "/a/b/x.csv.part"));
}

TEST_F(RdmaResultFiles, WithoutCommitNothingIsLeft)
{
    {
        ResultFiles files(m_directory + "/a/b");
        files.Open("x.csv") << "1\n";
        EXPECT_TRUE(std::filesystem::exists(m_directory + "/a/b"));
    }
    EXPECT_FALSE(std::filesystem::exists(m_directory));
}

TEST_F(RdmaResultFiles, WithoutCommitOldResultsStay)
{
    std::filesystem::create_directories(m_directory + "/a/b");
    std::ofstream(m_directory + "/a/b/x.csv") << "old\n";
    {
        ResultFiles files(m_directory + "/a/b");
        files.Open("x.csv") << "new\n";
    }
    EXPECT_EQ(Read("x.csv"), "old\n");
    EXPECT_FALSE(std::filesystem::exists(m_directory + "/a/b/x.csv.part"));
}

TEST_F(RdmaResultFiles, AFileInTheWayIsRefused)
{
    std::ofstream{m_directory} << "a file\n";
    ResultFiles files(m_directory + "/a");
    EXPECT_THROW(files.Open("x.csv"), std::runtime_error);
}

} // namespace
