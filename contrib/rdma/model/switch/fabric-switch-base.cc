/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/fabric-switch-base.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricSwitchBase");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitchBase);

TypeId
FabricSwitchBase::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricSwitchBase")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("RunAhead",
                          "Whether the switch may work up to the shortest delay of its links ahead "
                          "of the simulator's clock. Everything happens at the same picosecond "
                          "either way, with fewer events; but who looks at the switch from outside "
                          "sees it that much early, and a cut of a link is seen that much late.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitchBase::m_runAhead),
                          MakeBooleanChecker());
    return tid;
}

FabricSwitchBase::FabricSwitchBase()
    : m_driver(Create<FabricDriver>())
{
}

FabricSwitchBase::~FabricSwitchBase() = default;

void
FabricSwitchBase::NotifyNewAggregate()
{
    if (!m_node)
    {
        if (const Ptr<Node> node = GetObject<Node>())
        {
            m_node = PeekPointer(node);
            m_driver->SetContext(node->GetId());
        }
    }
    Object::NotifyNewAggregate();
}

void
FabricSwitchBase::DoInitialize()
{
    const std::string why = CheckConfig();
    NS_ABORT_MSG_IF(!why.empty(),
                    "Switch on node " << (m_node ? m_node->GetId() : 0) << ": " << why);
    Object::DoInitialize();
}

void
FabricSwitchBase::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_driver->Stop();
    m_ports.clear();
    m_node = nullptr;
    Object::DoDispose();
}

uint32_t
FabricSwitchBase::AddPort(Ptr<FabricNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_configured, "Ports are added to a switch before the simulation starts");
    NS_ABORT_MSG_IF(m_ports.size() >= 65535, "A switch has at most 65535 ports");
    m_ports.push_back(device);
    FabricPort& port = device->GetPort();
    device->SetDriver(m_driver, m_driver->AddUnit(&port));
    port.SetSource(this);
    port.SetSink(this);
    // Hosts may send before the simulation, and with it this switch, starts.
    port.SetIngressLatency(GetLatency());
    DoAddPort(port);
    return m_ports.size() - 1;
}

void
FabricSwitchBase::DoAddPort(FabricPort&)
{
}

std::string
FabricSwitchBase::CheckConfig()
{
    if (m_configured)
    {
        return "";
    }
    int64_t lookahead = FABRIC_NEVER;
    for (const auto& device : m_ports)
    {
        FabricPort& port = device->GetPort();
        port.SetIngressLatency(GetLatency());
        if (port.GetWire())
        {
            lookahead = std::min(lookahead, port.GetWire()->delay);
        }
    }
    const std::string why = DoConfigure();
    if (!why.empty())
    {
        return why;
    }
    if (m_runAhead && lookahead != FABRIC_NEVER)
    {
        m_driver->SetRunAhead(lookahead);
    }
    m_configured = true;
    return "";
}

void
FabricSwitchBase::SetCoordinates(std::vector<uint32_t> coordinates)
{
    m_coordinates = std::move(coordinates);
}

const std::vector<uint32_t>&
FabricSwitchBase::GetCoordinates() const
{
    return m_coordinates;
}

uint32_t
FabricSwitchBase::GetNPorts() const
{
    return m_ports.size();
}

Ptr<FabricNetDevice>
FabricSwitchBase::GetPort(uint32_t port) const
{
    return m_ports.at(port);
}

Ptr<FabricDriver>
FabricSwitchBase::GetDriver() const
{
    return m_driver;
}

Ptr<Node>
FabricSwitchBase::GetNode() const
{
    return m_node;
}

int64_t
FabricSwitchBase::GetLatency() const
{
    return FabricClock().ToPs(m_latency);
}

} // namespace rdma
} // namespace ns3
