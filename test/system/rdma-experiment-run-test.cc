/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole runs of rdma-run: results, warnings, exit codes. */

#include "rdma-run-program.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace
{

/// A network with equal links everywhere, for closed forms.
const std::string FABRIC = R"(
topology:
  type: leaf-spine
  leaves: 2
  spines: 2
  hosts-per-leaf: 9
  link: {rate: 100 Gb/s, delay: 1 us}
)";

/// Nine hosts send to one.
const std::string INCAST = FABRIC + R"(
workload:
  - {type: incast, to: 0, hosts: [9-17], size: 2 MB}
)";

TEST(RdmaExperimentRun, IdlePathHasSlowdownOne)
{
    // One flow after the other, far apart, over 1, 2 and 4 links and with several messages.
    for (const char* topology : {"{type: back-to-back, link: {rate: 400 Gb/s, delay: 30 ns}}",
                                 "{type: star, hosts: 2, link: {rate: 25 Gb/s, delay: 1 us}}",
                                 "{type: dumbbell, left: 1, right: 1,"
                                 " link: {rate: 100 Gb/s, delay: 1 us},"
                                 " fabric-link: {rate: 40 Gb/s, delay: 5 us}}",
                                 "{type: fat-tree, k: 2, link: {rate: 800 Gb/s, delay: 1 us}}"})
    {
        const RdmaRunOutcome run = RunRdma("topology: " + std::string(topology) + R"(
nic: {doorbell-delay: 250 ns}
workload:
  - type: flows
    list:
      - {from: 0, to: 1, size: 1 B}
      - {from: 0, to: 1, size: 4095 B, start: 1 ms}
      - {from: 0, to: 1, size: 4096 B, start: 2 ms}
      - {from: 0, to: 1, size: 4097 B, start: 3 ms}
      - {from: 0, to: 1, size: 1 MB, start: 4 ms}
      - {from: 0, to: 1, size: 9 KB, start: 6 ms, messages: 5}
)");
        ASSERT_EQ(run.status, 0) << run.errors << run.output;
        const auto flows = run.GetRows("flows.csv");
        ASSERT_EQ(flows.size(), 6u);
        for (const auto& flow : flows)
        {
            EXPECT_EQ(flow.at("fct_us"), flow.at("ideal_fct_us")) << topology;
            EXPECT_EQ(flow.at("slowdown"), "1.000000") << topology;
        }
    }
}

// 4096 bytes over one cable of 100 Gb/s and 1 us. Around the payload: Ethernet 14 + 4 and 20 of wire
// time, BTH 12, RETH 16, ICRC 4, and IPv4 20 + UDP 8, or IPv6 40 + UDP 8, or GRH 40; InfiniBand: LRH
// 8, BTH 12, RETH 16, ICRC 4, VCRC 2, 2 delimiters, and GRH 40.
TEST(RdmaExperimentRun, EncapsulationsByHand)
{
    const std::tuple<const char*, const char*, uint32_t> expected[] = {
        {"roce", "rocev2-ipv4", 4096 + 98},
        {"roce", "rocev2-ipv6", 4096 + 118},
        {"roce", "rocev1", 4096 + 110},
        {"infiniband", "lrh", 4096 + 44},
        {"infiniband", "lrh-grh", 4096 + 84}};
    for (const auto& [fabric, encapsulation, bytes] : expected)
    {
        const RdmaRunOutcome run = RunRdma("fabric: " + std::string(fabric) + R"(
topology: {type: back-to-back, link: {rate: 100 Gb/s, delay: 1 us}}
nic: {encapsulation: )" + encapsulation + R"(}
workload:
  - {type: flows, list: [{from: 0, to: 1, size: 4096 B}]}
)");
        ASSERT_EQ(run.status, 0) << run.errors << run.output;
        const auto flow = run.GetRows("flows.csv").at(0);
        EXPECT_NEAR(std::stod(flow.at("fct_us")), 1 + bytes * 8e-5, 1e-9) << encapsulation;
        EXPECT_EQ(flow.at("slowdown"), "1.000000") << encapsulation;
    }
}

// Two TCP flows into one link, with a buffer of 20 frames: what does not fit is lost, sent again,
// and all comes. On an idle path each end asks for the other's address (ARP), and a handshake comes before
// the data: 7 x (2 x 1 us of cables and 0.3 us in the switch), and twice the 723 ns of 9038 bytes at
// 100 Gb/s, beside 6 x 2 short frames of less than 10 ns.
TEST(RdmaExperimentRun, TcpOnAnIdlePathAndInASmallBuffer)
{
    const RdmaRunOutcome run = RunRdma(R"(
fabric: tcp
stop-time: 20 s
topology: {type: star, hosts: 3, link: {rate: 100 Gb/s, delay: 1 us}}
switch: {buffer: {policy: static, size: 180 KB, lossy-limit: 180 KB}}
workload:
  - {type: flows, name: idle, list: [{from: 1, to: 0, size: 8948 B}]}
  - {type: incast, to: 2, size: 10 MB, messages: 2, start: 1 ms}
)");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    const auto flows = run.GetRows("flows.csv");
    ASSERT_EQ(flows.size(), 3u);
    const double idle = std::stod(flows[0].at("fct_us"));
    EXPECT_GT(idle, 7 * 2.3 + 2 * 0.723);
    EXPECT_LT(idle, 7 * 2.3 + 2 * 0.723 + 0.12);
    EXPECT_EQ(run.Sum("flows.csv", "delivered_bytes"), 8948 + 4e7);
    EXPECT_GT(run.Sum("ports.csv", "dropped_frames"), 0);
    EXPECT_GT(run.Sum("flows.csv", "retransmitted_packets"), 0);
    // 20 MB of each at 100 Gb/s with 90 bytes around 8948: no faster than the link.
    EXPECT_GT(std::stod(flows[1].at("fct_us")) + std::stod(flows[2].at("fct_us")), 3232);
}

// 8928 bytes in one packet: Ethernet 14 + 4, IPv4 20, UDP 8, SRD 24 + 12 + 8, CRC 4, and 20 of wire
// time: 9042 bytes, 723.36 ns at 100 Gb/s, and 1 us. One byte more is a second packet of 115 bytes.
TEST(RdmaExperimentRun, EfaByHand)
{
    const RdmaRunOutcome run = RunRdma(R"(
fabric: efa
topology: {type: back-to-back, link: {rate: 100 Gb/s, delay: 1 us}}
workload:
  - type: flows
    list:
      - {from: 0, to: 1, size: 8928 B}
      - {from: 0, to: 1, size: 8929 B, start: 1 ms}
      - {from: 1, to: 0, size: 1 MB, messages: 3, start: 2 ms}
)");
    ASSERT_EQ(run.status, 0) << run.errors << run.output;
    const auto flows = run.GetRows("flows.csv");
    EXPECT_EQ(flows.at(0).at("fct_us"), "1.723360");
    EXPECT_EQ(flows.at(1).at("fct_us"), "1.732560");
    for (const auto& flow : flows)
    {
        EXPECT_EQ(flow.at("congestion_control"), "srd");
        EXPECT_LT(std::stod(flow.at("slowdown")), 1.05);
    }
    EXPECT_EQ(flows.at(0).at("slowdown"), "1.000000");
    EXPECT_EQ(flows.at(1).at("slowdown"), "1.000000");
    EXPECT_EQ(flows.at(2).at("delivered_bytes"), "3000000");
}

TEST(RdmaExperimentRun, OneByteByHand)
{
    // Star: 1 B makes 4 + 82 + 16 = 102 B on the wire, 8.16 ns at 100 Gb/s, on each of two links of
    // 1 us, and 500 ns in the switch: 2.51632 us.
    const RdmaRunOutcome run = RunRdma(R"(
topology: {type: star, hosts: 2, link: {rate: 100 Gb/s, delay: 1 us}}
switch: {latency: 500 ns}
workload:
  - {type: flows, list: [{from: 0, to: 1, size: 1 B}]}
)");
    EXPECT_EQ(run.GetRows("flows.csv").at(0).at("fct_us"), "2.516320");
}

TEST(RdmaExperimentRun, SlowdownIsNeverBelowOne)
{
    const RdmaRunOutcome run = RunRdma(FABRIC + R"(
switch: {path: spray}
workload:
  - {type: all-to-all, size: 100 KB}
  - {type: permutation, size: 1 MB}
)");
    ASSERT_EQ(run.status, 0) << run.output;
    bool loaded = false;
    for (const auto& flow : run.GetRows("flows.csv"))
    {
        EXPECT_GE(std::stod(flow.at("slowdown")), 1.0);
        loaded |= std::stod(flow.at("slowdown")) > 2;
    }
    EXPECT_TRUE(loaded);
}

TEST(RdmaExperimentRun, SameSeedSameBytesWithEveryScheduler)
{
    const std::string experiment = FABRIC + R"(
workload:
  - {type: incast, to: 0, hosts: [9-17], size: 1 MB}
  - {type: poisson, cdf: sizes.cdf, load: 0.3, duration: 300 us}
outputs: {directory: out, pfc: on, queues: {period: 5 us}}
)";
    const std::map<std::string, std::string> sizes{{"sizes.cdf", "100 0\n10000 80\n400000 100\n"}};
    const RdmaRunOutcome first = RunRdma(experiment, "", sizes);
    ASSERT_EQ(first.status, 0) << first.errors;
    ASSERT_EQ(first.files.size(), 5u);
    for (const char* scheduler : {"ns3::rdma::FabricWheelScheduler",
                                  "ns3::MapScheduler",
                                  "ns3::ListScheduler",
                                  "ns3::HeapScheduler",
                                  "ns3::PriorityQueueScheduler",
                                  "ns3::CalendarScheduler"})
    {
        const RdmaRunOutcome other =
            RunRdma(experiment, "--scheduler=" + std::string(scheduler), sizes);
        EXPECT_EQ(other.files, first.files) << scheduler;
    }
    const RdmaRunOutcome seed = RunRdma("seed: 2\n" + experiment, "", sizes);
    EXPECT_NE(seed.files.at("flows.csv"), first.files.at("flows.csv"));
}

TEST(RdmaExperimentRun, SecondVariantIsAsIfAlone)
{
    const std::string experiment = INCAST + R"(
variants:
  first: {nic: {congestion-control: none}}
  second: {}
)";
    const RdmaRunOutcome both = RunRdma(experiment);
    const RdmaRunOutcome alone = RunRdma(experiment, "--output=out --variant=second");
    ASSERT_EQ(both.status, 0) << both.errors;
    ASSERT_EQ(alone.status, 0) << alone.errors;
    for (const char* file : {"flows.csv", "ports.csv"})
    {
        std::string rows;
        std::istringstream stream(both.files.at(file));
        for (std::string line; std::getline(stream, line);)
        {
            rows += line.compare(0, 6, "first,") == 0 ? "" : line + "\n";
        }
        EXPECT_EQ(rows, alone.files.at(file));
    }
}

TEST(RdmaExperimentRun, CongestionControlActsUnderCongestionOnly)
{
    const RdmaRunOutcome busy = RunRdma(INCAST + R"(
variants:
  dcqcn: {}
  none: {nic: {congestion-control: none}}
)");
    EXPECT_GT(busy.Sum("ports.csv", "ecn_marked_frames", "dcqcn"), 0);
    EXPECT_LT(busy.Sum("ports.csv", "ecn_marked_frames", "dcqcn"),
              busy.Sum("ports.csv", "ecn_marked_frames", "none"));
    const RdmaRunOutcome idle = RunRdma(FABRIC + R"(
workload:
  - {type: flows, list: [{from: 0, to: 9, size: 10 MB}]}
variants:
  dcqcn: {}
  none: {nic: {congestion-control: none}}
)");
    const auto flows = idle.GetRows("flows.csv");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0].at("fct_us"), flows[1].at("fct_us"));
}

TEST(RdmaExperimentRun, MarksLeadToNotificationsAndCuts)
{
    const RdmaRunOutcome run = RunRdma(R"(
topology: {type: star, hosts: 3}
workload:
  - {type: incast, to: 0, size: 20 MB}
)");
    ASSERT_EQ(run.status, 0);
    EXPECT_GT(run.Sum("ports.csv", "ecn_marked_frames"), 0);
    const std::string& summary = run.files.at("summary.json");
    EXPECT_EQ(summary.find("\"cnps\": 0,"), std::string::npos) << summary;
    EXPECT_EQ(run.output.find("warning"), std::string::npos) << run.output;
}

TEST(RdmaExperimentRun, WarnsWhenNobodyMarks)
{
    const RdmaRunOutcome run = RunRdma(INCAST + "switch: {ecn: off}\n");
    EXPECT_NE(run.output.find("no switch marks"), std::string::npos) << run.output;
    EXPECT_EQ(run.Sum("ports.csv", "ecn_marked_frames"), 0);
    const RdmaRunOutcome never = RunRdma(INCAST + "switch: {ecn: {pmax: 0}}\n");
    EXPECT_NE(never.output.find("no switch marks"), std::string::npos) << never.output;
    EXPECT_EQ(never.Sum("ports.csv", "ecn_marked_frames"), 0);
    const RdmaRunOutcome far = RunRdma(INCAST + "switch: {ecn: {kmin: 1 TB, kmax: 1 TB}}\n");
    EXPECT_EQ(far.status, 0) << far.errors;
    EXPECT_EQ(far.Sum("ports.csv", "ecn_marked_frames"), 0);
}

TEST(RdmaExperimentRun, WarnsWhenPfcComesBeforeEcn)
{
    // 8 MB of buffer, alpha 1/16: a single sender is paused below 0.5 MB, kmax is 4 x 400 KB.
    const std::string small = "switch: {buffer: {size: 8 MB, alpha: 1/16}}\n";
    const RdmaRunOutcome run = RunRdma(INCAST + small);
    EXPECT_NE(run.output.find("PFC acts before ECN"), std::string::npos) << run.output;
    const RdmaRunOutcome usual = RunRdma(INCAST);
    EXPECT_EQ(usual.output.find("PFC acts before ECN"), std::string::npos) << usual.output;
}

TEST(RdmaExperimentRun, RefusesABufferThatCannotBeLossless)
{
    const RdmaRunOutcome run = RunRdma(INCAST + "switch:\n  buffer: {size: 100 KB}\n");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.errors.find("test.yaml:12: key 'switch.buffer'"), std::string::npos)
        << run.errors;
    EXPECT_TRUE(run.files.empty());
}

TEST(RdmaExperimentRun, EmptyOutputsAreWarnedOf)
{
    const RdmaRunOutcome run = RunRdma(R"(
topology: {type: back-to-back}
workload:
  - {type: flows, list: [{from: 0, to: 1, size: 1 MB}]}
outputs: {directory: out, pfc: on, queues: {period: 1 us}}
)",
                                       "");
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.output.find("pfc.csv has no row"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("queues.csv has no row"), std::string::npos) << run.output;
}

TEST(RdmaExperimentRun, AFastSamplerDoesNotKeepTheRunAlive)
{
    const RdmaRunOutcome run = RunRdma(R"(
stop-time: 1000 s
topology: {type: star, hosts: 3}
workload:
  - {type: incast, to: 0, size: 1 MB}
outputs: {directory: out, queues: {period: 100 ns}}
)",
                                       "");
    ASSERT_EQ(run.status, 0);
    // 2 MB into one 100 Gb/s link take about 170 us.
    const auto rows = run.GetRows("queues.csv");
    ASSERT_GT(rows.size(), 100u);
    EXPECT_LT(std::stod(rows.back().at("time_us")), 300);
    EXPECT_EQ(rows.back().at("queue_bytes"), "0");
}

TEST(RdmaExperimentRun, UnfinishedFlowsAreListed)
{
    const RdmaRunOutcome run = RunRdma("stop-time: 500 us\nstall-time: 1 ms\n" + INCAST);
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("9 of 9 flows are unfinished at 500.000000 us"), std::string::npos)
        << run.output;
    for (const auto& flow : run.GetRows("flows.csv"))
    {
        EXPECT_EQ(flow.at("status"), "unfinished");
        EXPECT_EQ(flow.at("fct_us"), "");
        EXPECT_GT(std::stoul(flow.at("delivered_bytes")), 0u);
        EXPECT_GT(std::stod(flow.at("last_progress_us")), 400);
    }
}

TEST(RdmaExperimentRun, ACutLinkFailsTheFlow)
{
    // Timeouts of 4.096 us x 2^4 = 65.5 us, 3 retries: the sender gives up long before the end.
    const RdmaRunOutcome run = RunRdma(R"(
stop-time: 100 ms
topology: {type: star, hosts: 3}
nic: {timeout: 4, retry-count: 3}
workload:
  - {type: flows, size: 10 MB, list: [{from: 0, to: 2}, {from: 1, to: 0}]}
events:
  - {time: 100 us, link: [h2, s0], state: down}
)");
    EXPECT_EQ(run.status, 2);
    const auto flows = run.GetRows("flows.csv");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_NE(flows[0].at("status").find("retry"), std::string::npos) << flows[0].at("status");
    EXPECT_EQ(flows[1].at("status"), "done");
}

TEST(RdmaExperimentRun, ARingDeadlocksAndSaysWhere)
{
    // Five lossless switches in a ring; every host sends two hops ahead, so each link between
    // switches waits for the next one. A deadlock is right: this is physics, not an error.
    std::string ring = "10 5 10\n5 6 7 8 9\n";
    for (int i = 0; i < 5; ++i)
    {
        ring += std::to_string(i) + " " + std::to_string(5 + i) + " 100Gbps 1us 0\n";
        ring += std::to_string(5 + i) + " " + std::to_string(5 + (i + 1) % 5) + " 100Gbps 1us 0\n";
    }
    const RdmaRunOutcome run = RunRdma(R"(
topology: {type: hpcc-file, file: ring.txt}
switch: {buffer: {size: 1 MB}}
nic: {congestion-control: none}
workload:
  - type: flows
    size: 10 MB
    list: [{from: 0, to: 2}, {from: 1, to: 3}, {from: 2, to: 4}, {from: 3, to: 0}, {from: 4, to: 1}]
)",
                                       "--output=out",
                                       {{"ring.txt", ring}});
    EXPECT_EQ(run.status, 3) << run.output;
    EXPECT_NE(run.output.find("a cycle of 5: s5 port 1 priority 3 holds "), std::string::npos)
        << run.output;
    for (const char* waits : {"s6 port 0, which is full of frames for s6 port 2 priority 3 holds ",
                              "s7 port 0, which is full of frames for s7 port 2 priority 3 holds ",
                              "s8 port 0, which is full of frames for s8 port 2 priority 3 holds ",
                              "s9 port 0, which is full of frames for s9 port 2 priority 3 holds ",
                              "s5 port 2, which is full of frames for s5 port 1 priority 3"})
    {
        EXPECT_NE(run.output.find(std::string(" B) for ") + waits), std::string::npos)
            << run.output;
    }
    EXPECT_NE(run.files.at("summary.json").find("\"status\": \"deadlock\""), std::string::npos);
}

TEST(RdmaExperimentRun, FlowsKeepTheirOwnParameters)
{
    // Two flows share a queue: one obeys DCQCN, the other nothing. A third has a class of its own.
    const RdmaRunOutcome run = RunRdma(R"(
topology: {type: star, hosts: 4}
workload:
  - type: flows
    list:
      - {from: 0, to: 3, size: 8 MB, congestion-control: dcqcn}
      - {from: 1, to: 3, size: 8 MB, congestion-control: none}
      - {from: 2, to: 3, size: 1 KB, priority: 5, start: 500 us, congestion-control: none}
)");
    ASSERT_EQ(run.status, 0) << run.errors;
    const auto flows = run.GetRows("flows.csv");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[0].at("congestion_control"), "dcqcn");
    EXPECT_EQ(flows[1].at("congestion_control"), "none");
    EXPECT_EQ(flows[0].at("priority"), "3");
    EXPECT_EQ(flows[2].at("priority"), "5");
    EXPECT_EQ(flows[2].at("size_bytes"), "1000");
    // 8 MB alone take 0.65 ms, and both together 1.3 ms: the one that slows down ends last, the
    // other takes more than its half.
    EXPECT_LT(std::stod(flows[1].at("fct_us")), 1'100);
    EXPECT_GT(std::stod(flows[0].at("fct_us")), 1'200);
    // The higher class passes the queue of the others: one frame of 4178 B (334 ns) at most is
    // ahead of it.
    EXPECT_LT(std::stod(flows[2].at("fct_us")), std::stod(flows[2].at("ideal_fct_us")) + 0.35);
}

TEST(RdmaExperimentRun, HostsMayBeConnectedDirectly)
{
    // Four hosts in a full mesh, without any switch: three NICs each.
    const RdmaRunOutcome run =
        RunRdma(R"(
topology: {type: hpcc-file, file: mesh.txt}
workload:
  - {type: permutation, size: 1 MB}
  - {name: single, type: flows, list: [{from: 1, to: 2, size: 1 MB, start: 1 ms}]}
)",
                "--output=out",
                {{"mesh.txt",
                  "4 0 6\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n"
                  "1 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n"}});
    ASSERT_EQ(run.status, 0) << run.errors;
    const auto flows = run.GetRows("flows.csv");
    ASSERT_EQ(flows.size(), 5u);
    EXPECT_EQ(flows[4].at("slowdown"), "1.000000");
}

TEST(RdmaExperimentRun, OptionsAreChecked)
{
    EXPECT_EQ(RunRdma(INCAST, "--scheduler=ns3::Nothing").status, 1);
    EXPECT_EQ(RunRdma(INCAST, "--scheduler=ns3::Node").status, 1);
    EXPECT_EQ(RunRdma(INCAST, "--resolution=fortnights").status, 1);
    const RdmaRunOutcome variant = RunRdma(INCAST, "--variant=none");
    EXPECT_EQ(variant.status, 1);
    EXPECT_NE(variant.errors.find("'none'"), std::string::npos) << variant.errors;
}

TEST(RdmaExperimentRun, NanosecondsChangeNothingThatMatters)
{
    const std::string experiment = FABRIC + R"(
workload:
  - {type: flows, list: [{from: 0, to: 9, size: 1 MB}]}
)";
    const double ps = std::stod(RunRdma(experiment).GetRows("flows.csv").at(0).at("fct_us"));
    const double ns = std::stod(RunRdma(experiment, "--output=out --resolution=ns")
                                    .GetRows("flows.csv")
                                    .at(0)
                                    .at("fct_us"));
    EXPECT_NEAR(ps, ns, 0.004); // one tick per hop
}

} // namespace
