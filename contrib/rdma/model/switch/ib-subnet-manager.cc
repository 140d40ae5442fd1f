/* SPDX-License-Identifier: GPL-2.0-only */
/* The subnet manager: addresses, routes and lanes of an InfiniBand subnet. */

#include "ns3/ib-subnet-manager.h"

#include "ns3/abort.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/ib-link.h"
#include "ns3/ib-path-records.h"
#include "ns3/ib-routing-engine.h"
#include "ns3/ib-switch.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("IbSubnetManager");
NS_OBJECT_ENSURE_REGISTERED(IbSubnetManager);

namespace
{

/**
 * \param node A node.
 * \return Its name (ns3::Names), or its number.
 */
std::string
NameOf(const Ptr<Node>& node)
{
    const std::string name = Names::FindName(node);
    return name.empty() ? "node " + std::to_string(node->GetId()) : name;
}

} // namespace

TypeId
IbSubnetManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbSubnetManager")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<IbSubnetManager>()
            .AddAttribute("Lmc",
                          "LID mask control of the hosts: each has 2^LMC LIDs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbSubnetManager::m_lmc),
                          MakeUintegerChecker<uint8_t>(0, IbLids::MAX_LMC))
            .AddAttribute("SweepDelay",
                          "Time from the moment a cable is cut or mended until all switches have "
                          "new tables. Until then packets are sent into the cut cable and lost.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&IbSubnetManager::m_sweepDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Swept",
                            "All switches have new tables, which have been checked.",
                            MakeTraceSourceAccessor(&IbSubnetManager::m_sweptTrace),
                            "ns3::rdma::IbSubnetManager::SweptTracedCallback");
    return tid;
}

IbSubnetManager::IbSubnetManager()
{
    m_engineFactory.SetTypeId("ns3::rdma::IbMinHopRouting");
}

IbSubnetManager::~IbSubnetManager() = default;

void
IbSubnetManager::DoDispose()
{
    m_network = nullptr;
    m_switches.clear();
    m_watched.clear();
    Object::DoDispose();
}

void
IbSubnetManager::SetNetwork(Ptr<FabricNetwork> network)
{
    m_network = network;
}

void
IbSubnetManager::AddSwitch(Ptr<IbSwitch> ibSwitch)
{
    m_switches.push_back(ibSwitch);
}

void
IbSubnetManager::SetRoutingEngine(const ObjectFactory& factory)
{
    m_engineFactory = factory;
}

Ptr<FabricNetDevice>
IbSubnetManager::Watch(const Ptr<FabricNetDevice>& device)
{
    const Ptr<FabricChannel> channel = device->GetFabricChannel();
    if (!channel)
    {
        return nullptr;
    }
    if (m_watched.insert(PeekPointer(channel)).second)
    {
        // The cable keeps the manager alive, whoever made it may be gone by then.
        channel->TraceConnectWithoutContext(
            "LinkState",
            MakeCallback(&IbSubnetManager::LinkChanged, Ptr<IbSubnetManager>(this)));
    }
    return channel->IsUp() ? channel->GetPeer(device) : nullptr;
}

IbSubnet
IbSubnetManager::Explore()
{
    IbSubnet subnet;
    // For each device of the network its switch, if any.
    std::vector<uint32_t> switchOf(m_network->GetDevices().size(), IbSubnet::NO_SWITCH);
    for (uint32_t at = 0; at < m_switches.size(); ++at)
    {
        subnet.AddSwitch(NameOf(m_switches[at]->GetNode()), m_switches[at]->GetCoordinates());
        for (uint32_t port = 0; port < m_switches[at]->GetNPorts(); ++port)
        {
            switchOf[m_switches[at]->GetPort(port)->GetDigestId()] = at;
        }
    }
    for (FabricNetDevice* device : m_network->GetEndpoints())
    {
        const Ptr<Node> node = device->GetNode();
        subnet.AddHost(NameOf(node) + (node->GetNDevices() > 1
                                             ? " device " + std::to_string(device->GetIfIndex())
                                             : ""));
    }
    for (FabricNetDevice* device : m_network->GetEndpoints())
    {
        const Ptr<FabricNetDevice> peer = Watch(device);
        if (!peer)
        {
            continue;
        }
        if (peer->GetEndpoint() != FABRIC_NO_ENDPOINT)
        {
            subnet.ConnectHosts(device->GetEndpoint(), peer->GetEndpoint());
        }
        else if (switchOf[peer->GetDigestId()] != IbSubnet::NO_SWITCH)
        {
            subnet.Attach(device->GetEndpoint(),
                            {switchOf[peer->GetDigestId()], peer->GetPort().GetIndex()});
        }
    }
    for (uint32_t at = 0; at < m_switches.size(); ++at)
    {
        for (uint16_t port = 0; port < m_switches[at]->GetNPorts(); ++port)
        {
            const Ptr<FabricNetDevice> peer = Watch(m_switches[at]->GetPort(port));
            const uint32_t other = peer ? switchOf[peer->GetDigestId()] : IbSubnet::NO_SWITCH;
            if (other == IbSubnet::NO_SWITCH)
            {
                continue;
            }
            // Both ends see the cable; it is added from the lower one.
            const std::pair<uint32_t, uint16_t> here{at, port};
            const std::pair<uint32_t, uint16_t> there{other, peer->GetPort().GetIndex()};
            if (here < there)
            {
                subnet.AddCable(here, there);
            }
        }
    }
    return subnet;
}

uint8_t
IbSubnetManager::GetLanes() const
{
    uint32_t lanes = 15;
    for (const FabricNetDevice* device : m_network->GetDevices())
    {
        const IbLink* link = device->GetPort().GetIbLink();
        NS_ABORT_MSG_IF(!link,
                        "A subnet manager is for InfiniBand, but "
                            << NameOf(device->GetNode()) << " has a port without virtual lanes");
        lanes = std::min(lanes, link->GetNLanes());
    }
    return lanes;
}

uint16_t
IbSubnetManager::GetAdaptiveLevels() const
{
    uint16_t levels = 0;
    for (const auto& ibSwitch : m_switches)
    {
        UintegerValue mask;
        ibSwitch->GetAttribute("AdaptiveServiceLevels", mask);
        levels |= mask.Get();
    }
    return levels;
}

void
IbSubnetManager::Sweep()
{
    const std::string problem = TrySweep();
    NS_ABORT_MSG_IF(!problem.empty(), "The subnet has no routes: " << problem);
}

std::string
IbSubnetManager::TrySweep()
{
    return SweepWith(m_engineFactory);
}

std::string
IbSubnetManager::SweepWith(const ObjectFactory& factory)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_network, "IbSubnetManager needs a network: call SetNetwork");
    IbSubnet subnet = Explore();
    const IbLids lids(subnet.GetNHosts(), m_lmc);
    const auto engine = factory.Create<IbRoutingEngine>();
    const auto routes =
        std::make_shared<const IbRoutes>(engine->Compute(subnet, lids, GetLanes()));
    if (!routes->GetProblem().empty())
    {
        m_problem = routes->GetProblem();
        return m_problem;
    }
    m_routes = routes;
    m_subnet = std::move(subnet);
    for (FabricNetDevice* device : m_network->GetEndpoints())
    {
        m_network->SetLid(device->GetEndpoint(), lids.GetBase(device->GetEndpoint()), m_lmc);
        device->GetPort().GetIbLink()->SetMap(m_routes->GetDefaultLaneMap());
    }
    for (uint32_t at = 0; at < m_switches.size(); ++at)
    {
        Load(at);
    }
    m_network->SetPathRecords(Create<IbPathRecords>(m_subnet, m_routes));
    IbRouteCheck::Options options;
    options.adaptiveLevels = GetAdaptiveLevels();
    m_report = IbRouteCheck::Check(m_subnet, lids, *m_routes, options);
    for (const std::string& cycle : m_report.cycles)
    {
        NS_LOG_WARN("can deadlock: " << cycle);
    }
    for (const std::string& pair : m_report.unreachable)
    {
        NS_LOG_WARN("no route: " << pair);
    }
    m_sweptTrace(m_report);
    return "";
}

void
IbSubnetManager::Load(uint32_t at)
{
    IbSwitch& ibSwitch = *m_switches[at];
    ibSwitch.SetLft(m_routes->GetLft(at));
    // Group 0 is the empty one, which a switch does not have.
    const auto& groups = m_routes->GetGroups(at);
    std::vector<uint16_t> groupOf;
    for (const uint16_t group : m_routes->GetGroupOfDlid(at))
    {
        groupOf.push_back(group == 0 ? IbSwitch::NO_PORT : group - 1);
    }
    ibSwitch.SetAdaptiveGroups({groups.begin() + 1, groups.end()}, std::move(groupOf));
    ibSwitch.SetSlToVl(m_routes->GetDefaultLaneMap());
    const uint32_t ports = m_subnet.GetPorts(at).size();
    for (uint32_t in = 0; in < ports; ++in)
    {
        for (uint32_t out = 0; out < ports; ++out)
        {
            const IbLaneMap& map = m_routes->GetLaneMap(at, in, out);
            if (map != m_routes->GetDefaultLaneMap())
            {
                ibSwitch.SetSlToVl(in, out, map);
            }
        }
    }
}

void
IbSubnetManager::LinkChanged(Ptr<const FabricChannel> channel, bool up)
{
    NS_LOG_INFO("cable " << channel->GetId() << (up ? " is mended" : " is cut"));
    // A switch that fails cuts all its cables at one time: once is enough.
    const Time due = Simulator::Now() + m_sweepDelay;
    if (due != m_due)
    {
        m_due = due;
        Simulator::Schedule(m_sweepDelay, &IbSubnetManager::Update, Ptr<IbSubnetManager>(this));
    }
}

void
IbSubnetManager::Update()
{
    m_due = Time(-1);
    const std::string problem = TrySweep();
    if (!problem.empty())
    {
        NS_LOG_WARN("up*/down* routes are used: " << problem);
        SweepWith(ObjectFactory("ns3::rdma::IbUpDownRouting"));
    }
}

void
IbSubnetManager::ExpectSwept() const
{
    NS_ABORT_MSG_IF(!m_routes, "The subnet has no routes: " << m_problem);
}

const IbRouteReport&
IbSubnetManager::GetReport() const
{
    return m_report;
}

const IbSubnet&
IbSubnetManager::GetSubnet() const
{
    return m_subnet;
}

std::shared_ptr<const IbRoutes>
IbSubnetManager::GetRoutes() const
{
    return m_routes;
}

} // namespace rdma
} // namespace ns3
