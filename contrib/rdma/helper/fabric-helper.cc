/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-helper.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-net-device.h"
#include "ns3/node.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

using namespace rdma;

FabricHelper::FabricHelper()
    : m_network(CreateObject<FabricNetwork>()),
      m_routing(CreateObject<FabricRouting>()),
      m_subnetManager(CreateObject<IbSubnetManager>())
{
    m_deviceFactory.SetTypeId("ns3::rdma::FabricNetDevice");
    m_channelFactory.SetTypeId("ns3::rdma::FabricChannel");
    m_switchFactory.SetTypeId("ns3::rdma::FabricSwitch");
    m_flowControlFactory.SetTypeId("ns3::rdma::FabricPfc");
    m_bufferFactory.SetTypeId("ns3::rdma::FabricDynamicBuffer");
    m_selectorFactory.SetTypeId("ns3::rdma::FabricEcmpSelector");
    m_schedulerFactory.SetTypeId("ns3::rdma::FabricStrictScheduler");
    m_markerFactory.SetTypeId("ns3::rdma::FabricRedMarker");
    m_routing->SetNetwork(m_network);
    m_subnetManager->SetNetwork(m_network);
}

void
FabricHelper::UseInfiniBand(RdmaEncapsulation encapsulation)
{
    NS_ABORT_MSG_IF(!IsInfiniBand(encapsulation),
                    "InfiniBand packets have the encapsulation INFINIBAND or INFINIBAND_GRH");
    NS_ABORT_MSG_IF(!m_network->GetDevices().empty() || !m_switches.empty(),
                    "UseInfiniBand is called before switches are installed and cables connected");
    m_infiniBand = true;
    m_network->SetEncapsulation(encapsulation);
    m_switchFactory.SetTypeId("ns3::rdma::IbSwitch");
    m_flowControlFactory.SetTypeId("ns3::rdma::IbLink");
    m_selectorFactory.SetTypeId("ns3::rdma::FabricLeastQueuedSelector");
    m_deviceFactory.Set("FrameOverhead", UintegerValue(INFINIBAND_WIRE_OVERHEAD_BYTES));
}

void
FabricHelper::SetLinkAttribute(const std::string& name, const AttributeValue& value)
{
    m_flowControlFactory.Set(name, value);
}

void
FabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
FabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channelFactory.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
FabricHelper::SetFlowControl(const ObjectFactory& factory)
{
    m_flowControlFactory = factory;
}

void
FabricHelper::SetBufferPolicy(const ObjectFactory& factory)
{
    m_bufferFactory = factory;
}

void
FabricHelper::SetPathSelector(const ObjectFactory& factory)
{
    m_selectorFactory = factory;
}

void
FabricHelper::SetEgressScheduler(const ObjectFactory& factory)
{
    m_schedulerFactory = factory;
}

void
FabricHelper::SetMarker(const ObjectFactory& factory)
{
    m_markerFactory = factory;
}

void
FabricHelper::SetRoutingEngine(const ObjectFactory& factory)
{
    m_subnetManager->SetRoutingEngine(factory);
}

void
FabricHelper::SetFecnMarker(const ObjectFactory& factory)
{
    m_fecnMarkerFactory = factory;
}

void
FabricHelper::InstallSwitch(Ptr<Node> node)
{
    if (m_infiniBand)
    {
        const auto ibSwitch = m_switchFactory.Create<IbSwitch>();
        ibSwitch->SetPathSelector(m_selectorFactory.Create<FabricPathSelector>());
        if (m_fecnMarkerFactory.IsTypeIdSet())
        {
            ibSwitch->SetFecnMarker(m_fecnMarkerFactory.Create<IbFecnMarker>());
        }
        node->AggregateObject(ibSwitch);
        m_subnetManager->AddSwitch(ibSwitch);
        m_ibSwitches.push_back(ibSwitch);
        return;
    }
    const auto fabricSwitch = m_switchFactory.Create<FabricSwitch>();
    fabricSwitch->SetBufferPolicy(m_bufferFactory.Create<FabricBufferPolicy>());
    fabricSwitch->SetPathSelector(m_selectorFactory.Create<FabricPathSelector>());
    fabricSwitch->SetEgressScheduler(m_schedulerFactory);
    fabricSwitch->SetMarker(m_markerFactory);
    node->AggregateObject(fabricSwitch);
    m_routing->AddSwitch(fabricSwitch);
    m_switches.push_back(fabricSwitch);
}

void
FabricHelper::InstallSwitch(const NodeContainer& nodes)
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        InstallSwitch(*it);
    }
}

Ptr<FabricNetDevice>
FabricHelper::MakeDevice(Ptr<Node> node, uint64_t rate)
{
    const auto device = m_deviceFactory.Create<FabricNetDevice>();
    if (rate)
    {
        device->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
    }
    device->SetNetwork(m_network);
    node->AddDevice(device);
    device->SetFlowControl(m_flowControlFactory.Create<FabricFlowControl>());
    if (const auto fabricSwitch = node->GetObject<FabricSwitchBase>())
    {
        fabricSwitch->AddPort(device);
    }
    else
    {
        device->MakeEndpoint();
    }
    return device;
}

NetDeviceContainer
FabricHelper::Connect(Ptr<Node> a, Ptr<Node> b)
{
    return Connect(a, b, 0, 0);
}

NetDeviceContainer
FabricHelper::Connect(Ptr<Node> a, Ptr<Node> b, uint64_t bitsPerSecond, int64_t delayPs)
{
    const auto first = MakeDevice(a, bitsPerSecond);
    const auto second = MakeDevice(b, bitsPerSecond);
    const auto channel = m_channelFactory.Create<FabricChannel>();
    if (delayPs)
    {
        channel->SetAttribute("Delay", TimeValue(FabricClock().ToTime(delayPs)));
    }
    first->Attach(channel);
    second->Attach(channel);
    NetDeviceContainer devices;
    devices.Add(first);
    devices.Add(second);
    return devices;
}

void
FabricHelper::ComputeRoutes()
{
    if (m_infiniBand)
    {
        m_routesProblem = m_subnetManager->TrySweep();
        Simulator::ScheduleNow(&IbSubnetManager::ExpectSwept, m_subnetManager);
    }
    else
    {
        m_routing->Compute();
    }
}

std::string
FabricHelper::CheckConfig() const
{
    std::string why = m_routesProblem;
    ForEachSwitch([&why](FabricSwitchBase& fabricSwitch) {
        why = why.empty() ? fabricSwitch.CheckConfig() : why;
    });
    return why;
}

std::vector<std::string>
FabricHelper::GetWarnings() const
{
    std::vector<std::string> warnings;
    for (const auto& fabricSwitch : m_switches)
    {
        const uint64_t stop = fabricSwitch->GetBufferPolicy()->GetStopBytes();
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            const uint64_t mark = fabricSwitch->GetEgress(port).GetMarker()->GetFullMarking();
            const auto& flowControl = fabricSwitch->GetPort(port)->GetPort().GetFlowControl();
            if (mark > stop && flowControl.GetLossless())
            {
                std::ostringstream why;
                why << "switch on node " << fabricSwitch->GetNode()->GetId() << ": port " << port
                    << " marks every frame when more than " << mark
                    << " B are queued, but a lossless sender is stopped at " << stop
                    << " B already: PFC acts before ECN";
                warnings.push_back(why.str());
                break;
            }
        }
    }
    return warnings;
}

int64_t
FabricHelper::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    ForEachSwitch([&used, stream](FabricSwitchBase& fabricSwitch) {
        used += fabricSwitch.AssignStreams(stream + used);
    });
    return used;
}

template <typename F>
void
FabricHelper::ForEachSwitch(F function) const
{
    for (const auto& fabricSwitch : m_switches)
    {
        function(*fabricSwitch);
    }
    for (const auto& ibSwitch : m_ibSwitches)
    {
        function(*ibSwitch);
    }
}

Ptr<FabricNetwork>
FabricHelper::GetNetwork() const
{
    return m_network;
}

Ptr<IbSubnetManager>
FabricHelper::GetSubnetManager() const
{
    return m_subnetManager;
}

Ptr<FabricRouting>
FabricHelper::GetRouting() const
{
    return m_routing;
}

const std::vector<Ptr<FabricSwitch>>&
FabricHelper::GetSwitches() const
{
    return m_switches;
}

const std::vector<Ptr<IbSwitch>>&
FabricHelper::GetIbSwitches() const
{
    return m_ibSwitches;
}

NetDeviceContainer
FabricHelper::GetEndpoints() const
{
    NetDeviceContainer devices;
    for (FabricNetDevice* device : m_network->GetEndpoints())
    {
        devices.Add(device);
    }
    return devices;
}

void
FabricHelper::UseWheelScheduler()
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::rdma::FabricWheelScheduler");
    Simulator::SetScheduler(factory);
}

} // namespace ns3
