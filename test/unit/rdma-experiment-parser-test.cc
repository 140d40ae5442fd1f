/* SPDX-License-Identifier: GPL-2.0-only */
/* What an experiment file says arrives in the values that a run is made of. */

#include "rdma-experiment-parser.h"
#include "rdma-experiment-tree.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-input-error.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

using namespace ns3::rdma::runner;

/// A file that is there as long as the object.
class TemporaryFile
{
  public:
    explicit TemporaryFile(const std::string& text)
        : m_path(std::string("rdma-experiment-") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml")
    {
        std::ofstream(m_path, std::ios::binary) << text;
    }

    ~TemporaryFile()
    {
        std::filesystem::remove(m_path);
    }

    const std::string& Path() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

std::vector<Experiment>
Parse(const std::string& text)
{
    const TemporaryFile file(text);
    return ParseExperiment(file.Path());
}

/// The error that a file gets, empty when it is accepted.
std::string
ErrorOf(const std::string& text)
{
    try
    {
        Parse(text);
        return "";
    }
    catch (const ns3::FabricInputError& error)
    {
        return error.what();
    }
}

const std::string STAR = "topology: {type: star, hosts: 8, link: {rate: 25G, delay: 500 ns}}\n";
const std::string FLOW = "workload: [{type: flows, list: [{from: 0, to: 1, size: 1}]}]\n";

TEST(RdmaExperimentParser, EveryKeyArrives)
{
    const Experiment e = Parse(STAR + R"(
name: all keys
expectation: nothing
seed: 4294967295
stop-time: 2 s
stall-time: 3 ms
switch:
  latency: 250 ns
  convergence: 20 us
  buffer: {policy: dynamic, size: 12 MiB, alpha: 1/4, lossy-alpha: 2, reserved: 1 KiB,
           headroom: 22400, xon-offset: 2 KB}
  ecn: {kmin: 5 KB, kmax: 200 KB, pmax: 1e-2, reference-rate: 40 Gb/s}
  pfc: {priorities: [4, 3]}
  scheduler: {type: dwrr, weights: [1, 2, 3, 4, 5, 6, 7, 8]}
  path: spray
nic:
  mtu: 1024
  ack-interval: 4
  retry-count: 3
  timeout: 10
  window: 100 KB
  cnp-interval: 4 us
  cnp-hold-marks: off
  cnp-delay: 55 us
  doorbell-delay: 300 ns
  cnp-priority: 7
  ack-priority: 2
  congestion-control: {type: dcqcn, preset: connectx}
workload:
  - name: mine
    type: flows
    size: 2 KB
    priority: 5
    list:
      - {from: h1, to: 2}
      - {from: 3, to: h4, size: 1 GB, start: 1.5 us, messages: 7, priority: 0}
events:
  - {time: 1 us, link: [s0, h3], state: down}
  - {time: 2 us, link: [h3, s0], state: up}
outputs:
  directory: some/where
  flows: no
  ports: off
  pfc: yes
  summary: false
  queues: {period: 1 us, nodes: [s0]}
)")
                             .at(0);
    EXPECT_EQ(e.name, "all keys");
    EXPECT_EQ(e.variant, "base");
    EXPECT_EQ(e.seed, 4'294'967'295u);
    EXPECT_EQ(e.stopPs, 2'000'000'000'000);
    EXPECT_EQ(e.stallPs, 3'000'000'000);
    ASSERT_EQ(e.topology.GetLinks().size(), 8u);
    EXPECT_EQ(e.topology.GetLinks()[7].bitsPerSecond, 25'000'000'000u);
    EXPECT_EQ(e.topology.GetLinks()[7].delayPs, 500'000);
    EXPECT_EQ(e.switches.latencyPs, 250'000);
    EXPECT_EQ(e.switches.convergencePs, 20'000'000);
    EXPECT_EQ(e.switches.buffer.size, 12u << 20);
    EXPECT_EQ(e.switches.buffer.alpha, 0.25);
    EXPECT_EQ(e.switches.buffer.lossyAlpha, 2);
    EXPECT_EQ(e.switches.buffer.reserved, 1024u);
    EXPECT_EQ(e.switches.buffer.headroom, 22'400u);
    EXPECT_EQ(e.switches.buffer.xonOffset, 2'000u);
    EXPECT_TRUE(e.switches.ecn.enabled);
    EXPECT_EQ(e.switches.ecn.kmin, 5'000u);
    EXPECT_EQ(e.switches.ecn.kmax, 200'000u);
    EXPECT_EQ(e.switches.ecn.pmax, 0.01);
    EXPECT_EQ(e.switches.ecn.referenceRate, 40'000'000'000u);
    EXPECT_EQ(e.switches.losslessPriorities, (std::vector<uint32_t>{3, 4}));
    EXPECT_EQ(e.switches.scheduler, "dwrr");
    EXPECT_EQ(e.switches.weights, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(e.switches.path, "spray");
    EXPECT_EQ(e.nic.mtu, 1024u);
    EXPECT_EQ(e.nic.ackInterval, 4u);
    EXPECT_EQ(e.nic.retryCount, 3u);
    EXPECT_EQ(e.nic.timeout, 10u);
    EXPECT_EQ(e.nic.window, 100'000u);
    EXPECT_EQ(e.nic.cnpIntervalPs, 4'000'000);
    EXPECT_FALSE(e.nic.cnpHoldMarks);
    EXPECT_EQ(e.nic.cnpDelayPs, 55'000'000);
    EXPECT_EQ(e.nic.doorbellDelayPs, 300'000);
    EXPECT_EQ(e.nic.cnpPriority, 7u);
    EXPECT_EQ(e.nic.ackPriority, 2u);
    ASSERT_EQ(e.congestions.size(), 1u);
    EXPECT_EQ(e.congestions[0].typeId, "ns3::rdma::RdmaDcqcnConnectX");
    EXPECT_EQ(e.groups, std::vector<std::string>{"mine"});
    ASSERT_EQ(e.flows.size(), 2u);
    EXPECT_EQ(e.flows[0].source, 1u);
    EXPECT_EQ(e.flows[0].destination, 2u);
    EXPECT_EQ(e.flows[0].bytes, 2'000u);
    EXPECT_EQ(e.flows[0].priority, 5u);
    EXPECT_EQ(e.flows[1].destination, 4u);
    EXPECT_EQ(e.flows[1].bytes, 1'000'000'000u);
    EXPECT_EQ(e.flows[1].startPs, 1'500'000);
    EXPECT_EQ(e.flows[1].messages, 7u);
    EXPECT_EQ(e.flows[1].priority, 0u);
    ASSERT_EQ(e.events.size(), 2u);
    EXPECT_EQ(e.events[0].link, 3u);
    EXPECT_EQ(e.events[0].timePs, 1'000'000);
    EXPECT_FALSE(e.events[0].up);
    EXPECT_TRUE(e.events[1].up);
    EXPECT_EQ(e.outputs.directory, "some/where");
    EXPECT_FALSE(e.outputs.flows);
    EXPECT_FALSE(e.outputs.ports);
    EXPECT_TRUE(e.outputs.pfc);
    EXPECT_FALSE(e.outputs.summary);
    EXPECT_EQ(e.outputs.queuePeriodPs, 1'000'000);
    EXPECT_EQ(e.outputs.queueNodes, std::vector<std::string>{"s0"});
}

TEST(RdmaExperimentParser, PartsCanBeTurnedOff)
{
    const Experiment e =
        Parse(STAR + FLOW + "switch: {pfc: off, ecn: off, buffer: {headroom: auto}}\n").at(0);
    EXPECT_TRUE(e.switches.losslessPriorities.empty());
    EXPECT_FALSE(e.switches.ecn.enabled);
    EXPECT_EQ(e.switches.buffer.headroom, 0u);
    const Experiment any = Parse(STAR + FLOW + "switch: {ecn: {reference-rate: any}}\n").at(0);
    EXPECT_EQ(any.switches.ecn.referenceRate, 0u);
}

TEST(RdmaExperimentParser, LossRecoveries)
{
    const Experiment word = Parse(STAR + FLOW + "nic: {recovery: selective-repeat}\n").at(0);
    EXPECT_EQ(word.nic.recovery.typeId, "ns3::rdma::RdmaSelectiveRepeat");
    EXPECT_TRUE(word.nic.recovery.attributes.empty());
    const Experiment map = Parse(STAR + FLOW + R"(
nic:
  recovery: {type: GoBackN, parameters: {adaptive-timer: on, adaptive-start: 1 ms}}
)")
                               .at(0);
    EXPECT_EQ(map.nic.recovery.typeId, "ns3::rdma::RdmaGoBackN");
    ASSERT_EQ(map.nic.recovery.attributes.size(), 2u);
    EXPECT_EQ(map.nic.recovery.attributes[0].first, "AdaptiveStart");
    EXPECT_EQ(map.nic.recovery.attributes[1].first, "AdaptiveTimer");
    EXPECT_EQ(Parse(STAR + FLOW).at(0).nic.recovery.typeId, "ns3::rdma::RdmaGoBackN");
}

TEST(RdmaExperimentParser, CongestionParametersOfEveryKind)
{
    const Experiment e = Parse(STAR + FLOW + R"(
nic:
  congestion-control:
    type: ns3::rdma::RdmaDcqcn
    parameters: {gain: 1/256, rate-period: 55 us, additive-increase: 40 Mb/s, byte-counter: 10 MB,
                 first-cnp-rate: 0, ClampTarget: off}
)")
                             .at(0);
    std::string text;
    for (const auto& [name, value] : e.congestions.at(0).attributes)
    {
        text += name + ";";
    }
    EXPECT_EQ(text, "AdditiveIncrease;ByteCounter;ClampTarget;FirstCnpRate;Gain;RatePeriod;");
    const auto value = [&](std::size_t i) { return e.congestions[0].attributes.at(i).second; };
    const auto rate = [&](std::size_t i) {
        return dynamic_cast<const ns3::DataRateValue&>(*value(i)).Get().GetBitRate();
    };
    EXPECT_EQ(rate(0), 40'000'000u);
    EXPECT_EQ(dynamic_cast<const ns3::UintegerValue&>(*value(1)).Get(), 10'000'000u);
    EXPECT_FALSE(dynamic_cast<const ns3::BooleanValue&>(*value(2)).Get());
    EXPECT_EQ(rate(3), 0u);
    EXPECT_EQ(dynamic_cast<const ns3::DoubleValue&>(*value(4)).Get(), 1.0 / 256);
    EXPECT_EQ(dynamic_cast<const ns3::TimeValue&>(*value(5)).Get(), ns3::MicroSeconds(55));
}

TEST(RdmaExperimentParser, VariantsOverlayKeyByKey)
{
    const auto runs = Parse(STAR + FLOW + R"(
nic: {mtu: 2048, window: 1 MB}
switch: {ecn: {kmin: 1 KB}}
variants:
  b: {nic: {congestion-control: none}, switch: {ecn: off}}
  a: {nic: {mtu: 1024, congestion-control: {type: dcqcn}}, seed: 5}
  c:
)");
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].variant, "b");
    EXPECT_EQ(runs[1].variant, "a");
    EXPECT_EQ(runs[2].variant, "c");
    EXPECT_EQ(runs[0].nic.mtu, 2048u);
    EXPECT_EQ(runs[1].nic.mtu, 1024u);
    EXPECT_EQ(runs[1].nic.window, 1'000'000u);
    EXPECT_FALSE(runs[0].switches.ecn.enabled);
    EXPECT_EQ(runs[1].switches.ecn.kmin, 1'000u);
    EXPECT_EQ(runs[0].congestions[0].name, "none");
    EXPECT_EQ(runs[1].congestions[0].name, "dcqcn");
    EXPECT_EQ(runs[0].seed, 1u);
    EXPECT_EQ(runs[1].seed, 5u);
}

TEST(RdmaExperimentParser, PatternsUseTheHostsGiven)
{
    const Experiment e = Parse(STAR + R"(
workload:
  - {type: incast, to: 2, hosts: [1-4], size: 1 KB}
  - {name: few, type: incast, to: h7, senders: 2, size: 1 KB}
  - {type: all-to-all, hosts: [5, 1, h3], size: 1 KB, congestion-control: none}
  - {type: permutation, hosts: [4-7], size: 1 KB}
)")
                             .at(0);
    const auto ends = [&](uint32_t group) {
        std::string text;
        for (const FlowSpec& flow : e.flows)
        {
            if (flow.group == group)
            {
                text += std::to_string(flow.source) + ">" + std::to_string(flow.destination) + " ";
            }
        }
        return text;
    };
    EXPECT_EQ(ends(0), "1>2 3>2 4>2 ");
    EXPECT_EQ(ends(1), "0>7 1>7 ");
    EXPECT_EQ(ends(2), "5>1 1>3 3>5 5>3 1>5 3>1 ");
    std::string sources;
    for (const FlowSpec& flow : e.flows)
    {
        if (flow.group == 3)
        {
            EXPECT_NE(flow.source, flow.destination);
            EXPECT_GE(flow.destination, 4u);
            sources += std::to_string(flow.source);
        }
    }
    EXPECT_EQ(sources, "4567");
    ASSERT_EQ(e.congestions.size(), 2u);
    EXPECT_EQ(e.flows[0].congestion, 0u);
    EXPECT_EQ(e.flows[5].congestion, 1u);
    EXPECT_EQ(e.congestions[1].name, "none");
}

TEST(RdmaExperimentParser, SameSeedSameWorkload)
{
    const std::string text = STAR + "workload: [{type: permutation, size: 1 KB}]\nseed: ";
    const auto destinations = [&](const std::string& seed) {
        std::string all;
        const auto runs = Parse(text + seed + "\n");
        for (const FlowSpec& flow : runs.at(0).flows)
        {
            all += std::to_string(flow.destination);
        }
        return all;
    };
    EXPECT_EQ(destinations("7"), destinations("7"));
    EXPECT_NE(destinations("7"), destinations("8"));
}

TEST(RdmaExperimentParser, FilesAreReadBesideTheExperiment)
{
    const std::string data = RDMA_SOURCE_DIR "/examples/data/";
    const Experiment e =
        Parse("topology: {type: hpcc-file, file: " + data + "leaf-spine-8.topology.txt}\n" +
              "workload:\n  - {name: hpcc, type: file, format: hpcc, file: " + data +
              "leaf-spine-8.flow.txt}\n  - {name: htsim, type: file, format: htsim, priority: 4,"
              " congestion-control: none, file: " +
              data + "leaf-spine-8.cm}\n")
            .at(0);
    EXPECT_EQ(e.topology.GetHosts().size(), 8u);
    ASSERT_EQ(e.flows.size(), 12u);
    EXPECT_EQ(e.flows[2].bytes, 500'000u);
    EXPECT_EQ(e.flows[3].startPs, 20'000'000);
    EXPECT_EQ(e.flows[3].priority, 3u);
    EXPECT_EQ(e.flows[4].priority, 4u);
    EXPECT_EQ(e.congestions.at(e.flows[4].congestion).name, "none");
}

TEST(RdmaExperimentParser, AnchorsRepeatAValue)
{
    const Experiment e = Parse(R"(
topology:
  type: leaf-spine
  leaves: &two 2
  spines: *two
  hosts-per-leaf: 1
  link: &fast {rate: 400 Gb/s, delay: 5 ns}
  fabric-link: *fast
workload: [{type: flows, list: [{from: 0, to: 1, size: 1}]}]
)")
                             .at(0);
    EXPECT_EQ(e.topology.GetSwitches().size(), 4u);
    EXPECT_EQ(e.topology.GetLinks().back().bitsPerSecond, 400'000'000'000u);
}

TEST(RdmaExperimentParser, ErrorsSayWhereAndWhatIsAllowed)
{
    EXPECT_EQ(ErrorOf(STAR + FLOW + "seed: 0\n"),
              "rdma-experiment-ErrorsSayWhereAndWhatIsAllowed.yaml:3: key 'seed': value \"0\" is "
              "out of range; allowed: 1 to 4294967295");
    EXPECT_EQ(ErrorOf(STAR + FLOW + "sede: 0\n"),
              "rdma-experiment-ErrorsSayWhereAndWhatIsAllowed.yaml:3: key 'sede' is unknown here; "
              "did you mean 'seed'? Known keys: events, expectation, fabric, name, nic, "
              "outputs, seed, stall-time, stop-time, switch, topology, variants, workload");
}

TEST(RdmaExperimentTree, LimitsHold)
{
    const TemporaryFile file("a: [1, 2, {b: 3}]\n");
    EXPECT_NO_THROW(ReadExperimentTree(file.Path()));
    EXPECT_THROW(ReadExperimentTree(file.Path(), {10, 100, 24}), ns3::FabricInputError);
    EXPECT_THROW(ReadExperimentTree(file.Path(), {1000, 3, 24}), ns3::FabricInputError);
    EXPECT_THROW(ReadExperimentTree(file.Path(), {1000, 100, 2}), ns3::FabricInputError);
}

TEST(RdmaExperimentParser, InfiniBandHasKeysOfItsOwn)
{
    const Experiment e =
        Parse(STAR + FLOW +
              "fabric: infiniband\n"

              "switch: {latency: 90 ns, data-lanes: 2, lane-buffer: 16 KiB, routing: up-down, "
              "adaptive-levels: [1, 3], cut-through: off, hoq-life: 20, fecn: {threshold: 4}}\n"
              "nic: {mtu: 2048}\n")
            .front();
    EXPECT_TRUE(IsOnInfiniBand(e));
    EXPECT_EQ(e.switches.latencyPs, 90'000);
    EXPECT_EQ(e.switches.infiniBand.dataLanes, 2u);
    EXPECT_EQ(e.switches.infiniBand.laneBuffer, 16'384u);
    EXPECT_EQ(e.switches.infiniBand.routing, "up-down");
    EXPECT_EQ(e.switches.infiniBand.adaptive, (std::vector<uint32_t>{1, 3}));
    EXPECT_FALSE(e.switches.infiniBand.cutThrough);
    EXPECT_EQ(e.switches.infiniBand.hoqLife, 20u);
    EXPECT_TRUE(e.switches.infiniBand.fecn);
    EXPECT_EQ(e.switches.infiniBand.fecnThreshold, 4u);
    // Its defaults.
    const Experiment plain = Parse(STAR + FLOW + "fabric: infiniband\n").front();
    EXPECT_EQ(plain.switches.latencyPs, 130'000);
    EXPECT_EQ(plain.congestions.front().name, "none");
    EXPECT_EQ(plain.flows.front().priority, 0u);
    EXPECT_FALSE(IsOnInfiniBand(Parse(STAR + FLOW).front()));
}

TEST(RdmaExperimentParser, InfiniBandRefusesWhatIsNotItsOwn)
{
    const std::string ib = STAR + FLOW + "fabric: infiniband\n";
    const auto says = [](const std::string& text, const std::string& part) {
        const std::string error = ErrorOf(text);
        EXPECT_NE(error.find(part), std::string::npos) << error;
    };
    says(STAR + FLOW + "fabric: infinband\n", "roce, infiniband");
    says(ib + "switch: {ecn: off}\n", "key 'switch.ecn' is unknown here");
    says(ib + "switch: {fecn: {threshold: 16}}\n", "allowed: 1 to 15");
    says(ib + "switch: {data-lanes: 16}\n", "allowed: 1 to 15");
    says(ib + "switch: {routing: magic}\n", "min-hop, up-down, fat-tree");
    says(ib + "switch: {lane-buffer: 4 KiB}\n",
         "4096B does not hold a packet of 4096B with its headers; allowed: 4224B to 131072B");
    says(ib + "switch: {lane-buffer: 1 MB}\n", "131072");
    says(ib + "nic: {mtu: 3000}\n", "256, 512, 1024, 2048, 4096");
    says(ib + "switch: {adaptive-levels: [16]}\n", "0 to 15");
}

} // namespace
