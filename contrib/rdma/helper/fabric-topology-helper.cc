/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a live network from a plan. */

#include "ns3/fabric-topology-helper.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/node.h"
#include "ns3/pointer.h"

namespace ns3
{

FabricTopologyHelper::FabricTopologyHelper(const FabricTopology& topology, FabricHelper& fabric)
    : m_devices(topology.GetHosts().size())
{
    const std::vector<std::string> problems = topology.Validate();
    NS_ABORT_MSG_IF(!problems.empty(), "The topology cannot be built: " << problems.front());

    const auto& plan = topology.GetNodes();
    NodeContainer nodes;
    nodes.Create(plan.size());
    for (uint32_t i = 0; i < plan.size(); ++i)
    {
        if (plan[i].kind == FabricNodeKind::SWITCH)
        {
            fabric.InstallSwitch(nodes.Get(i));
            nodes.Get(i)->GetObject<rdma::FabricSwitchBase>()->SetCoordinates(plan[i].coordinates);
            m_switches.Add(nodes.Get(i));
        }
        else
        {
            m_hosts.Add(nodes.Get(i));
        }
    }
    for (const auto& link : topology.GetLinks())
    {
        const NetDeviceContainer ends =
            fabric.Connect(nodes.Get(link.a), nodes.Get(link.b), link.bitsPerSecond, link.delayPs);
        m_channels.push_back(DynamicCast<rdma::FabricChannel>(ends.Get(0)->GetChannel()));
        const uint32_t numbers[] = {link.a, link.b};
        for (uint32_t end = 0; end < 2; ++end)
        {
            if (plan[numbers[end]].kind == FabricNodeKind::HOST)
            {
                m_devices[plan[numbers[end]].rank].Add(ends.Get(end));
            }
            if (link.errorRate > 0)
            {
                const auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(link.errorRate);
                ends.Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
                m_errors.push_back(errors);
            }
        }
    }
    fabric.ComputeRoutes();
}

FabricTopologyHelper::~FabricTopologyHelper() = default;

NodeContainer
FabricTopologyHelper::GetHosts() const
{
    return m_hosts;
}

NodeContainer
FabricTopologyHelper::GetSwitches() const
{
    return m_switches;
}

NetDeviceContainer
FabricTopologyHelper::GetDevices(uint32_t rank) const
{
    return m_devices.at(rank);
}

Ptr<rdma::FabricChannel>
FabricTopologyHelper::GetChannel(uint32_t link) const
{
    return m_channels.at(link);
}

int64_t
FabricTopologyHelper::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    for (const auto& errors : m_errors)
    {
        used += errors->AssignStreams(stream + used);
    }
    return used;
}

} // namespace ns3
