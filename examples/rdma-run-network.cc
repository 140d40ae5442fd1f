/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-network.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-buffer-policy.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-clock.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-pfc.h"
#include "ns3/fabric-red-marker.h"
#include "ns3/ib-link.h"
#include "ns3/ib-subnet-manager.h"
#include "ns3/node-list.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-srd-header.h"
#include "ns3/rdma-wire-sizes.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3::rdma::runner
{

namespace
{

/** Random streams of switches and link errors, apart from those of the workload. */
constexpr int64_t SWITCH_STREAM = 0;
constexpr int64_t ERROR_STREAM = 500'000;

/** \return a factory of the class in the module's namespace */
ObjectFactory
Factory(const std::string& name)
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::rdma::" + name);
    return factory;
}

/** \return bytes of the longest frame of RDMA on Ethernet */
uint32_t
GetLongestFrame(const Experiment& experiment)
{
    const NicSpec& nic = experiment.nic;
    if (IsOnTcp(experiment))
    {
        return ETHERNET_HEADER_BYTES + nic.mtu + ETHERNET_FCS_BYTES;
    }
    return IsOnEfa(experiment)
               ? SrdFrameBytes(RdmaSrdOpcode::WRITE_IMM, nic.mtu)
               : RdmaFrameBytes(nic.encapsulation, RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, nic.mtu);
}

} // namespace

RunNetwork::RunNetwork(const Experiment& experiment)
    : m_experiment(experiment)
{
    Configure();
    m_firstNode = NodeList::GetNNodes();
    m_built = std::make_unique<FabricTopologyHelper>(experiment.topology, m_fabric);
    m_fabric.AssignStreams(SWITCH_STREAM);
    m_built->AssignStreams(ERROR_STREAM);
    m_fabric.GetNetwork()->GetDigest().Enable();
    ScheduleLinkEvents();
}

void
RunNetwork::Configure()
{
    const FabricClock clock;
    const SwitchSpec& spec = m_experiment.switches;
    if (IsOnInfiniBand(m_experiment))
    {
        m_fabric.UseInfiniBand(m_experiment.nic.encapsulation);
        ConfigureInfiniBand(spec.infiniBand);
        m_fabric.GetSubnetManager()->SetAttribute("SweepDelay",
                                                  TimeValue(clock.ToTime(spec.convergencePs)));
    }
    else
    {
        ConfigureEthernet(spec);
        m_fabric.GetRouting()->SetAttribute("ConvergenceDelay",
                                            TimeValue(clock.ToTime(spec.convergencePs)));
    }
    m_fabric.SetSwitchAttribute("Latency", TimeValue(clock.ToTime(spec.latencyPs)));
    m_fabric.SetSwitchAttribute("RunAhead", BooleanValue(spec.runAhead));
}

void
RunNetwork::ConfigureInfiniBand(const InfiniBandSpec& spec)
{
    m_fabric.SetLinkAttribute("DataLanes", UintegerValue(spec.dataLanes));
    m_fabric.SetLinkAttribute("LaneBuffer", UintegerValue(spec.laneBuffer));
    m_fabric.SetLinkAttribute("Mtu", UintegerValue(m_experiment.nic.mtu));
    if (spec.fecn)
    {
        ObjectFactory marker = Factory("IbFecnMarker");
        marker.Set("Threshold", UintegerValue(spec.fecnThreshold));
        marker.Set("MarkingRate", UintegerValue(spec.fecnMarkingRate));
        m_fabric.SetFecnMarker(marker);
    }
    uint32_t adaptive = 0;
    for (const uint32_t level : spec.adaptive)
    {
        adaptive |= 1U << level;
    }
    m_fabric.SetSwitchAttribute("AdaptiveServiceLevels", UintegerValue(adaptive));
    m_fabric.SetSwitchAttribute("HeaderBytes", UintegerValue(spec.cutThrough ? LRH_BYTES : 0));
    m_fabric.SetSwitchAttribute("PacketLifetime", UintegerValue(spec.packetLifetime));
    m_fabric.SetSwitchAttribute("HoqLife", UintegerValue(spec.hoqLife));
    m_fabric.SetSwitchAttribute("LeafHoqLife", UintegerValue(spec.leafHoqLife));
    const std::map<std::string, std::string> engines{{"min-hop", "IbMinHopRouting"},
                                                     {"up-down", "IbUpDownRouting"},
                                                     {"fat-tree", "IbFatTreeRouting"},
                                                     {"dimension-order", "IbDimensionOrderRouting"},
                                                     {"layered", "IbLayeredRouting"}};
    m_fabric.SetRoutingEngine(Factory(engines.at(spec.routing)));
}

void
RunNetwork::ConfigureEthernet(const SwitchSpec& spec)
{
    m_fabric.SetSwitchAttribute("MaxFrameBytes",
                                UintegerValue(GetLongestFrame(m_experiment)));
    m_fabric.GetNetwork()->SetEncapsulation(m_experiment.nic.encapsulation);

    const BufferSpec& buffer = spec.buffer;
    ObjectFactory policy =
        Factory(buffer.policy == "dynamic" ? "FabricDynamicBuffer" : "FabricStaticBuffer");
    policy.Set("Size", UintegerValue(buffer.size));
    policy.Set("Reserved", UintegerValue(buffer.reserved));
    policy.Set("Headroom", UintegerValue(buffer.headroom));
    policy.Set("XonOffset", UintegerValue(buffer.xonOffset));
    if (buffer.policy == "dynamic")
    {
        policy.Set("Alpha", DoubleValue(buffer.alpha));
        policy.Set("LossyAlpha", DoubleValue(buffer.lossyAlpha));
    }
    else
    {
        policy.Set("LossyLimit", UintegerValue(buffer.lossyLimit));
    }
    m_fabric.SetBufferPolicy(policy);

    ObjectFactory marker = Factory(spec.ecn.enabled ? "FabricRedMarker" : "FabricMarker");
    if (spec.ecn.enabled)
    {
        marker.Set("Kmin", UintegerValue(spec.ecn.kmin));
        marker.Set("Kmax", UintegerValue(spec.ecn.kmax));
        marker.Set("Pmax", DoubleValue(spec.ecn.pmax));
        marker.Set("ReferenceRate", DataRateValue(DataRate(spec.ecn.referenceRate)));
    }
    m_fabric.SetMarker(marker);

    ObjectFactory flowControl =
        Factory(spec.losslessPriorities.empty() ? "FabricFlowControl" : "FabricPfc");
    if (!spec.losslessPriorities.empty())
    {
        uint32_t mask = 0;
        for (const uint32_t priority : spec.losslessPriorities)
        {
            mask |= 1U << priority;
        }
        flowControl.Set("Priorities", UintegerValue(mask));
    }
    m_fabric.SetFlowControl(flowControl);

    ObjectFactory scheduler =
        Factory(spec.scheduler == "dwrr" ? "FabricDwrrScheduler" : "FabricStrictScheduler");
    if (spec.scheduler == "dwrr")
    {
        std::string weights;
        for (const uint32_t weight : spec.weights)
        {
            weights += (weights.empty() ? "" : " ") + std::to_string(weight);
        }
        scheduler.Set("Weights", StringValue(weights));
    }
    m_fabric.SetEgressScheduler(scheduler);
    m_fabric.SetPathSelector(
        Factory(spec.path == "spray" ? "FabricSpraySelector" : "FabricEcmpSelector"));
}

void
RunNetwork::ScheduleLinkEvents()
{
    const FabricClock clock;
    for (const LinkEventSpec& event : m_experiment.events)
    {
        Simulator::Schedule(clock.ToTime(event.timePs),
                            &FabricChannel::SetUp,
                            m_built->GetChannel(event.link),
                            event.up);
    }
}

std::string
RunNetwork::CheckConfig() const
{
    return m_fabric.CheckConfig();
}

std::vector<std::string>
RunNetwork::GetWarnings() const
{
    std::vector<std::string> warnings;
    if (IsOnInfiniBand(m_experiment))
    {
        for (const std::string& cycle : m_fabric.GetSubnetManager()->GetReport().cycles)
        {
            warnings.push_back("routes can deadlock: " + cycle);
        }
        return warnings;
    }
    const SwitchSpec& spec = m_experiment.switches;
    if (!spec.ecn.enabled || spec.ecn.pmax == 0)
    {
        for (const AlgorithmSpec& congestion : m_experiment.congestions)
        {
            ObjectFactory factory;
            factory.SetTypeId(congestion.typeId);
            if (factory.Create<RdmaCongestionOps>()->GetSignals() & RdmaCongestionOps::CNP)
            {
                warnings.push_back(congestion.name + " is told of congestion by ECN marks, but no "
                                                     "switch marks (switch.ecn)");
                break;
            }
        }
        return warnings;
    }
    if (spec.losslessPriorities.empty())
    {
        return warnings;
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : GetSwitches())
    {
        // A queue that one sender alone fills stops growing where that sender is paused: with
        // dynamic thresholds at x = alpha (shared - x).
        const Ptr<FabricBufferPolicy> policy = fabricSwitch->GetBufferPolicy();
        const double alpha = spec.buffer.alpha;
        const double shared =
            spec.buffer.policy == "dynamic" ? alpha / (1 + alpha) * policy->GetSharedSize() : 0;
        const uint64_t pause = spec.buffer.reserved + static_cast<uint64_t>(shared);
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            const uint64_t rate = fabricSwitch->GetPort(port)->GetRate();
            const double scale = spec.ecn.referenceRate == 0
                                     ? 1
                                     : static_cast<double>(rate) / spec.ecn.referenceRate;
            const auto kmax = static_cast<uint64_t>(spec.ecn.kmax * scale);
            if (kmax > pause)
            {
                warnings.push_back("PFC acts before ECN: at " + GetName(fabricSwitch->GetNode()) +
                                   " port " + std::to_string(port) + " kmax is " +
                                   std::to_string(kmax) + "B, but one sender is paused at " +
                                   std::to_string(pause) + "B");
                return warnings;
            }
        }
    }
    return warnings;
}

Ptr<FabricNetwork>
RunNetwork::GetNetwork() const
{
    return m_fabric.GetNetwork();
}

NodeContainer
RunNetwork::GetHosts() const
{
    return m_built->GetHosts();
}

const std::vector<Ptr<FabricSwitch>>&
RunNetwork::GetSwitches() const
{
    return m_fabric.GetSwitches();
}

const std::string&
RunNetwork::GetName(Ptr<const Node> node) const
{
    return m_experiment.topology.GetNodes().at(node->GetId() - m_firstNode).name;
}

std::vector<Ptr<FabricChannel>>
RunNetwork::FollowLid(uint32_t source, uint32_t destination) const
{
    std::vector<Ptr<FabricChannel>> cables;
    const std::vector<FabricNetDevice*>& endpoints = GetNetwork()->GetEndpoints();
    const uint16_t lid = GetNetwork()->GetLid(destination);
    Ptr<FabricNetDevice> device(endpoints[source]);
    while (cables.size() <= m_fabric.GetIbSwitches().size() && device->GetFabricChannel())
    {
        cables.push_back(device->GetFabricChannel());
        const Ptr<FabricNetDevice> peer = cables.back()->GetPeer(device);
        if (peer->GetEndpoint() == destination)
        {
            return cables;
        }
        const auto ibSwitch = peer->GetNode()->GetObject<IbSwitch>();
        const uint16_t port = ibSwitch ? ibSwitch->GetOutput(lid) : IbSwitch::NO_PORT;
        if (port == IbSwitch::NO_PORT)
        {
            break;
        }
        device = ibSwitch->GetPort(port);
    }
    return {};
}

std::vector<RdmaPathHop>
RunNetwork::GetPath(uint32_t source, uint32_t destination) const
{
    const FabricClock clock;
    std::vector<RdmaPathHop> path;
    for (const auto& channel : IsOnInfiniBand(m_experiment)
                                   ? FollowLid(source, destination)
                                   : m_fabric.GetRouting()->GetPath(source, destination))
    {
        const auto device = DynamicCast<FabricNetDevice>(channel->GetDevice(0));
        path.push_back(
            {device->GetRate(), clock.ToPs(channel->GetDelay()), m_experiment.switches.latencyPs});
    }
    if (!path.empty())
    {
        path.back().latency = 0;
    }
    return path;
}

void
RunNetwork::WatchDeadlocks(Ptr<FabricDeadlockDetector> detector) const
{
    for (const Ptr<FabricSwitch>& fabricSwitch : GetSwitches())
    {
        detector->Watch(fabricSwitch);
    }
    for (const Ptr<IbSwitch>& ibSwitch : m_fabric.GetIbSwitches())
    {
        detector->Watch(ibSwitch);
    }
    const auto nodes = static_cast<uint32_t>(m_experiment.topology.GetNodes().size());
    for (uint32_t i = 0; i < nodes; ++i)
    {
        const Ptr<Node> node = NodeList::GetNode(m_firstNode + i);
        detector->SetName(node, GetName(node));
    }
}

uint64_t
RunNetwork::GetPeakBufferBytes() const
{
    uint64_t peak = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : GetSwitches())
    {
        peak = std::max(peak, fabricSwitch->GetBufferPolicy()->GetPeak());
    }
    for (const Ptr<IbSwitch>& ibSwitch : m_fabric.GetIbSwitches())
    {
        peak = std::max(peak, ibSwitch->GetPeak());
    }
    return peak;
}

std::vector<PortResult>
RunNetwork::GetPorts(int64_t now) const
{
    std::vector<PortResult> ports;
    const auto nodes = static_cast<uint32_t>(m_experiment.topology.GetNodes().size());
    for (uint32_t i = 0; i < nodes; ++i)
    {
        const Ptr<Node> node = NodeList::GetNode(m_firstNode + i);
        const Ptr<FabricSwitch> fabricSwitch = node->GetObject<FabricSwitch>();
        for (uint32_t j = 0; j < node->GetNDevices(); ++j)
        {
            const auto device = DynamicCast<FabricNetDevice>(node->GetDevice(j));
            if (!device)
            {
                continue; // the loopback of a network stack
            }
            const FabricPort::Counters& counters = device->GetPort().GetCounters();
            PortResult port;
            port.node = GetName(node);
            port.port = j;
            port.peer = GetName(device->GetFabricChannel()->GetPeer(device)->GetNode());
            port.rate = device->GetRate();
            port.sentFrames = counters.txFrames;
            port.sentBytes = counters.txBytes;
            port.receivedFrames = counters.rxFrames;
            port.receivedBytes = counters.rxBytes;
            for (int reason = 0; reason < static_cast<int>(FabricDropReason::COUNT); ++reason)
            {
                port.drops += device->GetDrops(static_cast<FabricDropReason>(reason));
            }
            if (const IbLink* link = device->GetPort().GetIbLink())
            {
                for (uint8_t lane = 0; lane < link->GetNLanes(); ++lane)
                {
                    port.pausedPs += link->GetWaitTime(lane, now);
                }
            }
            if (const auto pfc = dynamic_cast<FabricPfc*>(&device->GetPort().GetFlowControl()))
            {
                port.pausesSent = pfc->GetXoffSent();
                for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
                {
                    port.pausedPs += pfc->GetPausedTime(lane, now);
                }
            }
            for (uint8_t lane = 0; fabricSwitch && lane < FABRIC_PRIORITIES; ++lane)
            {
                port.marks += fabricSwitch->GetEgress(j).GetMarks(lane);
            }
            ports.push_back(std::move(port));
        }
    }
    return ports;
}

} // namespace ns3::rdma::runner
