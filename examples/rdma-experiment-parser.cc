/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-parser.h"

#include "rdma-experiment-congestion.h"
#include "rdma-experiment-reader.h"
#include "rdma-experiment-topology.h"
#include "rdma-experiment-tree.h"
#include "rdma-experiment-workload.h"

#include "ns3/fabric-input-error.h"
#include "ns3/fabric-types.h"
#include "ns3/ib-link.h"
#include "ns3/rdma-srd-header.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

namespace ns3::rdma::runner
{

namespace
{

/** Longest IP packet on Ethernet with jumbo frames. */
constexpr uint32_t MOST_IP_MTU = 9000;

/** Flows that a host can get by TCP: each has a port from 1024 on. */
constexpr uint32_t MOST_TCP_FLOWS = 40'000;

constexpr int64_t PS_PER_NS = 1'000;
constexpr int64_t PS_PER_S = 1'000'000'000'000;

/** Largest memory of a switch, 1 TB: beyond any device, and far from overflow. */
constexpr uint64_t MOST_BUFFER = 1'000'000'000'000;

/**
 * Reads a part that is either the word "off" or a map.
 * \param reader the map that has the key
 * \param key the key
 * \param read reads the map
 * \return false when it is off
 */
bool
ReadMapOrOff(ExperimentReader& reader,
             const std::string& key,
             const std::function<void(ExperimentReader&)>& read)
{
    const ExperimentNode* node = reader.Find(key);
    if (node == nullptr || node->kind != ExperimentNode::Kind::SCALAR)
    {
        reader.ReadMap(key, read);
        return true;
    }
    if (node->text != "off" && node->text != "no" && node->text != "false")
    {
        reader.RefuseValue(key, "is neither a map nor off", "a map of keys, off");
    }
    return false;
}

void
ReadBuffer(ExperimentReader& reader, BufferSpec& buffer)
{
    reader.ReadWord("policy", buffer.policy, {"dynamic", "static"});
    reader.ReadBytes("size", buffer.size, 1'000, MOST_BUFFER);
    if (buffer.policy == "dynamic")
    {
        reader.ReadNumber("alpha", buffer.alpha, 1.0 / 1024, 64);
        reader.ReadNumber("lossy-alpha", buffer.lossyAlpha, 1.0 / 1024, 64);
    }
    else
    {
        reader.ReadBytes("lossy-limit", buffer.lossyLimit, 0, MOST_BUFFER);
    }
    reader.ReadBytes("reserved", buffer.reserved, 0, MOST_BUFFER);
    reader.ReadBytes("xon-offset", buffer.xonOffset, 0, MOST_BUFFER);
    const ExperimentNode* headroom = reader.Find("headroom");
    if (headroom != nullptr && headroom->text != "auto")
    {
        reader.ReadBytes("headroom", buffer.headroom, 1, MOST_BUFFER);
    }
}

void
ReadEcn(ExperimentReader& reader, EcnSpec& ecn)
{
    reader.ReadBytes("kmin", ecn.kmin, 0, MOST_BUFFER);
    reader.ReadBytes("kmax", ecn.kmax, 0, MOST_BUFFER);
    reader.ReadNumber("pmax", ecn.pmax, 0, 1);
    const ExperimentNode* reference = reader.Find("reference-rate");
    if (reference != nullptr && reference->text == "any")
    {
        ecn.referenceRate = 0;
    }
    else
    {
        reader.ReadRate("reference-rate", ecn.referenceRate);
    }
    if (ecn.kmin > ecn.kmax)
    {
        reader.RefuseMap("key '" + reader.FullKey("kmin") + "': " + std::to_string(ecn.kmin) +
                         "B is above kmax; allowed: 0B to " + std::to_string(ecn.kmax) + "B");
    }
}

void
ReadScheduler(ExperimentReader& reader, SwitchSpec& spec)
{
    const ExperimentNode* node = reader.Find("scheduler");
    if (node == nullptr || node->kind != ExperimentNode::Kind::MAP)
    {
        reader.ReadWord("scheduler", spec.scheduler, {"strict", "dwrr"});
    }
    else
    {
        reader.ReadMap("scheduler", [&](ExperimentReader& map) {
            map.Require({"type"});
            map.ReadWord("type", spec.scheduler, {"strict", "dwrr"});
            if (spec.scheduler != "dwrr")
            {
                return;
            }
            map.ReadIntegers("weights", spec.weights, 1, 1'000);
            if (map.Has("weights") && spec.weights.size() != FABRIC_PRIORITIES)
            {
                map.RefuseValue("weights",
                                "has " + std::to_string(spec.weights.size()) + " items",
                                "a list of 8 weights, one per priority from 0 to 7");
            }
        });
    }
    if (spec.scheduler == "dwrr" && spec.weights.empty())
    {
        spec.weights.assign(FABRIC_PRIORITIES, 1);
    }
}

void
ReadSwitch(ExperimentReader& reader, SwitchSpec& spec, bool lossy)
{
    spec.line = reader.LineOf("buffer");
    reader.ReadTime("latency", spec.latencyPs, 0, PS_PER_S);
    reader.ReadTime("convergence", spec.convergencePs, 0, 1000 * PS_PER_S);
    spec.runAheadLine = reader.LineOf("run-ahead");
    reader.ReadSwitch("run-ahead", spec.runAhead);
    reader.ReadMap("buffer", [&](ExperimentReader& map) { ReadBuffer(map, spec.buffer); });
    // A lossy fabric has neither, unless it is asked for.
    const auto read = [&](const char* key, const std::function<void(ExperimentReader&)>& parts) {
        return (!lossy || reader.Has(key)) && ReadMapOrOff(reader, key, parts);
    };
    spec.ecn.enabled = read("ecn", [&](ExperimentReader& map) { ReadEcn(map, spec.ecn); });
    const bool pfc = read("pfc", [&](ExperimentReader& map) {
        map.Require({"priorities"});
        map.ReadIntegers("priorities", spec.losslessPriorities, 0, FABRIC_PRIORITIES - 1);
        std::sort(spec.losslessPriorities.begin(), spec.losslessPriorities.end());
        const auto twice =
            std::adjacent_find(spec.losslessPriorities.begin(), spec.losslessPriorities.end());
        if (twice != spec.losslessPriorities.end())
        {
            map.RefuseValue("priorities",
                            "has priority " + std::to_string(*twice) + " twice",
                            "each of 0 to 7 at most once");
        }
    });
    if (!pfc)
    {
        spec.losslessPriorities.clear();
    }
    ReadScheduler(reader, spec);
    reader.ReadWord("path", spec.path, {"ecmp", "spray"});
}

void
ReadInfiniBandSwitch(ExperimentReader& reader, SwitchSpec& spec)
{
    InfiniBandSpec& infiniBand = spec.infiniBand;
    spec.line = reader.LineOf("lane-buffer");
    reader.ReadTime("latency", spec.latencyPs, 0, PS_PER_S);
    reader.ReadTime("convergence", spec.convergencePs, 0, 1000 * PS_PER_S);
    spec.runAheadLine = reader.LineOf("run-ahead");
    reader.ReadSwitch("run-ahead", spec.runAhead);
    reader.ReadInteger("data-lanes", infiniBand.dataLanes, 1, 15);
    reader.ReadBytes("lane-buffer", infiniBand.laneBuffer, 384, 131'072);
    reader.ReadWord("routing",
                    infiniBand.routing,
                    {"min-hop", "up-down", "fat-tree", "dimension-order", "layered"});
    reader.ReadIntegers("adaptive-levels", infiniBand.adaptive, 0, 15);
    infiniBand.fecn =
        reader.Has("fecn") && ReadMapOrOff(reader, "fecn", [&](ExperimentReader& map) {
            map.ReadInteger("threshold", infiniBand.fecnThreshold, 1, 15);
            map.ReadInteger("marking-rate", infiniBand.fecnMarkingRate, 0, 65'535);
        });
    reader.ReadSwitch("cut-through", infiniBand.cutThrough);
    reader.ReadInteger("packet-lifetime", infiniBand.packetLifetime, 0, 31);
    reader.ReadInteger("hoq-life", infiniBand.hoqLife, 0, 31);
    reader.ReadInteger("leaf-hoq-life", infiniBand.leafHoqLife, 0, 31);
}

/** Refuses a lane buffer that does not hold one packet. */
void
CheckLaneBuffer(const Experiment& experiment)
{
    const uint64_t least =
        IbLink::Blocks(experiment.nic.mtu + IbLink::MOST_HEADER_BYTES) * IbLink::BLOCK;
    const uint64_t buffer = experiment.switches.infiniBand.laneBuffer;
    if (buffer < least)
    {
        throw FabricInputError(experiment.file,
                               experiment.switches.line,
                               "key 'switch.lane-buffer': " + std::to_string(buffer) +
                                   "B does not hold a packet of " +
                                   std::to_string(experiment.nic.mtu) +
                                   "B with its headers; allowed: " + std::to_string(least) +
                                   "B to 131072B");
    }
}

/** Refuses switches that run ahead of the clock where others than them read it. */
void
CheckRunAhead(const Experiment& experiment)
{
    const bool events = !experiment.events.empty();
    if (experiment.switches.runAhead && (events || experiment.outputs.queuePeriodPs > 0))
    {
        throw FabricInputError(
            experiment.file,
            experiment.switches.runAheadLine,
            std::string("key 'switch.run-ahead': on goes without ") +
                (events ? "'events': switches would see a cut cable late"
                        : "'outputs.queues': samples would show queues early") +
                "; allowed here: off");
    }
}

/** Defaults that are others on InfiniBand. */
void
UseInfiniBandDefaults(Experiment& experiment)
{
    experiment.switches.latencyPs = 130'000;
    experiment.switches.losslessPriorities.clear();
    experiment.switches.ecn.enabled = false;
    experiment.congestions.front().name = "none";
    experiment.congestions.front().typeId = "ns3::rdma::RdmaNoCongestion";
}

/** What packets are wrapped in; a fabric of Ethernet has other choices than one of InfiniBand. */
void
ReadEncapsulation(ExperimentReader& reader, RdmaEncapsulation& encapsulation, bool infiniBand)
{
    static const std::map<std::string, RdmaEncapsulation> known{
        {"rocev1", RdmaEncapsulation::ROCE_V1},
        {"rocev2-ipv4", RdmaEncapsulation::ROCE_V2_IPV4},
        {"rocev2-ipv6", RdmaEncapsulation::ROCE_V2_IPV6},
        {"lrh", RdmaEncapsulation::INFINIBAND},
        {"lrh-grh", RdmaEncapsulation::INFINIBAND_GRH}};
    std::string name = infiniBand ? "lrh" : "rocev2-ipv4";
    if (infiniBand)
    {
        reader.ReadWord("encapsulation", name, {"lrh", "lrh-grh"});
    }
    else
    {
        reader.ReadWord("encapsulation", name, {"rocev1", "rocev2-ipv4", "rocev2-ipv6"});
    }
    encapsulation = known.at(name);
}

void
ReadNic(ExperimentReader& reader, NicSpec& nic, AlgorithmSpec& congestion, bool infiniBand)
{
    ReadEncapsulation(reader, nic.encapsulation, infiniBand);
    reader.ReadInteger("mtu", nic.mtu, 64, 9'000);
    if (nic.mtu % 4 != 0)
    {
        reader.RefuseValue("mtu", "is not a multiple of 4", "multiples of 4 from 64 to 9000");
    }
    if (infiniBand && (nic.mtu < 256 || nic.mtu > 4096 || (nic.mtu & (nic.mtu - 1)) != 0))
    {
        reader.RefuseValue("mtu", "is no MTU of InfiniBand", "256, 512, 1024, 2048, 4096");
    }
    reader.ReadInteger("ack-interval", nic.ackInterval, 1, 65'536);
    reader.ReadInteger("retry-count", nic.retryCount, 0, 7);
    reader.ReadInteger("timeout", nic.timeout, 0, 31);
    reader.ReadBytes("window", nic.window, 0, MOST_BUFFER);
    reader.ReadTime("cnp-interval", nic.cnpIntervalPs, 0, PS_PER_S);
    reader.ReadSwitch("cnp-hold-marks", nic.cnpHoldMarks);
    reader.ReadTime("cnp-delay", nic.cnpDelayPs, 0, PS_PER_S);
    reader.ReadTime("doorbell-delay", nic.doorbellDelayPs, 0, PS_PER_S);
    reader.ReadInteger("cnp-priority", nic.cnpPriority, 0, FABRIC_PRIORITIES - 1);
    const ExperimentNode* ackPriority = reader.Find("ack-priority");
    if (ackPriority != nullptr && ackPriority->text == "data")
    {
        nic.ackPriority = FABRIC_PRIORITIES;
    }
    else
    {
        reader.ReadInteger("ack-priority", nic.ackPriority, 0, FABRIC_PRIORITIES - 1);
    }
    ReadRecovery(reader, "recovery", nic.recovery);
    ReadCongestion(reader, "congestion-control", congestion);
}

/** Of SRD and TCP, which have parameters of their own elsewhere. */
void
ReadLossyNic(ExperimentReader& reader, NicSpec& nic, bool tcp)
{
    reader.ReadInteger("mtu", nic.mtu, tcp ? 576 : 64, tcp ? MOST_IP_MTU : SRD_MAX_PAYLOAD);
    reader.ReadTime("doorbell-delay", nic.doorbellDelayPs, 0, PS_PER_S);
}

/** Defaults that are others on EFA and TCP. */
void
UseLossyDefaults(Experiment& experiment, bool tcp)
{
    experiment.nic.mtu = tcp ? MOST_IP_MTU : SRD_MAX_PAYLOAD;
    experiment.switches.losslessPriorities.clear();
    experiment.switches.ecn.enabled = false;
    experiment.congestions.front().name = tcp ? "tcp" : "srd";
    experiment.congestions.front().typeId = "ns3::rdma::RdmaNoCongestion"; // of RDMA; they have their own
}

/** Refuses flows whose messages are longer than what a NIC splits. */
void
CheckEfaFlows(const Experiment& experiment)
{
    for (const FlowSpec& flow : experiment.flows)
    {
        if (flow.bytes > SRD_MAX_RDMA_BYTES)
        {
            throw FabricInputError(experiment.file,
                                   experiment.workloadLine,
                                   "key 'workload': entry '" + experiment.groups[flow.group] +
                                       "' has messages of " + std::to_string(flow.bytes) +
                                       "B; allowed on EFA: up to " +
                                       std::to_string(SRD_MAX_RDMA_BYTES) + "B");
        }
    }
}

/** Refuses hosts with several ports, which routes by address cannot tell apart, and too many flows. */
void
CheckTcpHosts(const Experiment& experiment)
{
    const FabricTopology& topology = experiment.topology;
    std::vector<uint32_t> ports(topology.GetNodes().size(), 0);
    for (const auto& link : topology.GetLinks())
    {
        ++ports[link.a];
        ++ports[link.b];
    }
    std::map<uint32_t, uint32_t> flowsTo;
    for (const FlowSpec& flow : experiment.flows)
    {
        const uint32_t node = topology.GetHosts()[flow.destination];
        const bool several = ports[node] > 1 || ports[topology.GetHosts()[flow.source]] > 1;
        if (several || ++flowsTo[flow.destination] > MOST_TCP_FLOWS)
        {
            throw FabricInputError(
                experiment.file,
                experiment.workloadLine,
                "key 'workload': entry '" + experiment.groups[flow.group] + "' " +
                    (several ? "uses a host with several links; allowed on TCP: hosts with one"
                             : "makes too many flows to " + topology.GetNodes()[node].name +
                                   "; allowed on TCP: up to " + std::to_string(MOST_TCP_FLOWS)));
        }
    }
}

void
ReadOutputs(ExperimentReader& reader, const FabricTopology& topology, OutputSpec& outputs)
{
    reader.Require({"directory"});
    reader.ReadText("directory", outputs.directory);
    reader.ReadSwitch("flows", outputs.flows);
    reader.ReadSwitch("ports", outputs.ports);
    reader.ReadSwitch("pfc", outputs.pfc);
    reader.ReadSwitch("summary", outputs.summary);
    const bool queues = ReadMapOrOff(reader, "queues", [&](ExperimentReader& map) {
        map.Require({"period"});
        map.ReadTime("period", outputs.queuePeriodPs, PS_PER_NS, PS_PER_S);
        std::vector<uint32_t> nodes;
        ReadNodes(map, "nodes", topology, nodes);
        for (const uint32_t node : nodes)
        {
            if (topology.GetNodes()[node].kind != FabricNodeKind::SWITCH)
            {
                map.RefuseValue("nodes",
                                "has the host " + topology.GetNodes()[node].name,
                                "switches; queues of hosts are empty by design");
            }
            outputs.queueNodes.push_back(topology.GetNodes()[node].name);
        }
    });
    if (!queues)
    {
        outputs.queuePeriodPs = 0;
    }
}

Experiment
ReadVariant(const std::string& file, const ExperimentNode& tree, const std::string& variant)
{
    ExperimentReader root(file, tree, "");
    Experiment experiment;
    experiment.file = file;
    experiment.variant = variant;
    experiment.name = std::filesystem::path(file).stem().string();
    root.Has("variants");
    root.ReadText("name", experiment.name);
    root.ReadText("expectation", experiment.expectation);
    root.ReadInteger("seed", experiment.seed, 1, 4'294'967'295);
    root.ReadTime("stop-time", experiment.stopPs, 1, 1'000 * PS_PER_S);
    root.ReadTime("stall-time", experiment.stallPs, PS_PER_NS, 1'000 * PS_PER_S);

    root.Require({"topology", "workload"});
    root.ReadMap("topology", [&](ExperimentReader& map) {
        experiment.topology = ReadTopology(map, experiment.notes);
    });
    experiment.congestions.emplace_back();
    root.ReadWord("fabric", experiment.fabric, {"roce", "infiniband", "efa", "tcp"});
    const bool infiniBand = IsOnInfiniBand(experiment);
    if (infiniBand)
    {
        UseInfiniBandDefaults(experiment);
    }
    const bool efa = IsOnEfa(experiment);
    const bool tcp = IsOnTcp(experiment);
    if (efa || tcp)
    {
        UseLossyDefaults(experiment, tcp);
    }
    root.ReadMap("switch", [&](ExperimentReader& map) {
        infiniBand ? ReadInfiniBandSwitch(map, experiment.switches)
                   : ReadSwitch(map, experiment.switches, efa || tcp);
    });
    root.ReadMap("nic", [&](ExperimentReader& map) {
        efa || tcp
            ? ReadLossyNic(map, experiment.nic, tcp)
            : ReadNic(map, experiment.nic, experiment.congestions.front(), infiniBand);
    });
    if (infiniBand)
    {
        CheckLaneBuffer(experiment);
    }
    experiment.workloadLine = root.LineOf("workload");
    ReadWorkload(root, experiment);
    if (efa)
    {
        CheckEfaFlows(experiment);
    }
    if (tcp)
    {
        CheckTcpHosts(experiment);
    }
    root.ReadMaps("events", [&](ExperimentReader& map) {
        experiment.events.push_back(ReadLinkEvent(map, experiment.topology));
    });
    root.ReadMap("outputs", [&](ExperimentReader& map) {
        ReadOutputs(map, experiment.topology, experiment.outputs);
    });
    CheckRunAhead(experiment);
    root.Finish();
    return experiment;
}

} // namespace

std::vector<Experiment>
ParseExperiment(const std::string& file)
{
    const ExperimentNode tree = ReadExperimentTree(file);
    std::vector<Experiment> experiments;
    ExperimentReader root(file, tree, "");
    const ExperimentNode* variants = root.Find("variants");
    if (variants == nullptr)
    {
        experiments.push_back(ReadVariant(file, tree, "base"));
        return experiments;
    }
    ExperimentReader reader(file, *variants, "variants");
    for (const ExperimentNode& variant : reader.All())
    {
        ExperimentNode merged = tree;
        if (variant.kind != ExperimentNode::Kind::NOTHING)
        {
            ExperimentReader changes(file, variant, reader.FullKey(variant.key));
            for (const char* fixed : {"variants", "name", "outputs", "expectation"})
            {
                if (changes.Has(fixed))
                {
                    changes.RefuseValue(fixed, "is the same for all variants", "");
                }
            }
            OverlayExperimentTree(merged, variant);
        }
        experiments.push_back(ReadVariant(file, merged, variant.key));
    }
    if (experiments.empty())
    {
        reader.RefuseMap("key 'variants' names no variant");
    }
    return experiments;
}

} // namespace ns3::rdma::runner
