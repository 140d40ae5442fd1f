/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the forwarding tables of all switches of a network. */

#include "ns3/fabric-routing.h"

#include "ns3/abort.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/fabric-reach.h"
#include "ns3/fabric-switch.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricRouting");
NS_OBJECT_ENSURE_REGISTERED(FabricRouting);

namespace
{

/// What stands for the switch of a device that is no port of a switch.
constexpr uint32_t NO_SWITCH = std::numeric_limits<uint32_t>::max();

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
FabricRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricRouting")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricRouting>()
            .AddAttribute("ConvergenceDelay",
                          "Time from the moment a cable is cut or mended until all switches have "
                          "new tables. Until then frames are sent into the cut cable and lost.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FabricRouting::m_convergence),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Computed",
                            "All switches have new tables.",
                            MakeTraceSourceAccessor(&FabricRouting::m_computedTrace),
                            "ns3::TracedCallback::Void");
    return tid;
}

FabricRouting::FabricRouting() = default;

FabricRouting::~FabricRouting() = default;

void
FabricRouting::DoDispose()
{
    m_network = nullptr;
    m_switches.clear();
    m_switchOf.clear();
    m_watched.clear();
    Object::DoDispose();
}

void
FabricRouting::SetNetwork(Ptr<FabricNetwork> network)
{
    m_network = network;
}

void
FabricRouting::AddSwitch(Ptr<FabricSwitch> fabricSwitch)
{
    m_switches.push_back(fabricSwitch);
}

Ptr<FabricNetDevice>
FabricRouting::GetPeer(const Ptr<FabricNetDevice>& device)
{
    const Ptr<FabricChannel> channel = device->GetFabricChannel();
    return channel && channel->IsUp() ? channel->GetPeer(device) : nullptr;
}

uint32_t
FabricRouting::GetSwitchOf(const Ptr<FabricNetDevice>& device) const
{
    const uint32_t id = device->GetDigestId();
    return id < m_switchOf.size() ? m_switchOf[id] : NO_SWITCH;
}

FabricRouteGraph
FabricRouting::Explore() const
{
    FabricRouteGraph graph(m_switches.size());
    for (uint32_t i = 0; i < m_switches.size(); ++i)
    {
        for (uint32_t port = 0; port < m_switches[i]->GetNPorts(); ++port)
        {
            const Ptr<FabricNetDevice> peer = GetPeer(m_switches[i]->GetPort(port));
            if (!peer)
            {
                continue;
            }
            if (peer->GetEndpoint() != FABRIC_NO_ENDPOINT)
            {
                graph.AddHost(i, port, peer->GetEndpoint());
            }
            else if (GetSwitchOf(peer) != NO_SWITCH)
            {
                graph.AddCable(i, port, GetSwitchOf(peer), peer->GetPort().GetIndex());
            }
        }
    }
    return graph;
}

void
FabricRouting::Compute()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_network, "FabricRouting needs a network: call SetNetwork");
    m_switchOf.assign(m_network->GetDevices().size(), NO_SWITCH);
    std::vector<FabricForwardingTable*> tables;
    for (uint32_t i = 0; i < m_switches.size(); ++i)
    {
        tables.push_back(&m_switches[i]->GetTable());
        for (uint32_t port = 0; port < m_switches[i]->GetNPorts(); ++port)
        {
            const Ptr<FabricNetDevice> device = m_switches[i]->GetPort(port);
            m_switchOf[device->GetDigestId()] = i;
            const Ptr<FabricChannel> channel = device->GetFabricChannel();
            if (channel && m_watched.insert(PeekPointer(channel)).second)
            {
                // The cable keeps the routing alive, whoever made it may be gone by then.
                channel->TraceConnectWithoutContext(
                    "LinkState",
                    MakeCallback(&FabricRouting::LinkChanged, Ptr<FabricRouting>(this)));
            }
        }
    }
    const FabricRouteGraph graph = Explore();
    graph.Fill(tables, m_network->GetEndpoints().size());
    const std::vector<std::vector<uint16_t>> flood = graph.GetFloodPorts();
    for (uint32_t i = 0; i < m_switches.size(); ++i)
    {
        m_switches[i]->SetFloodPorts(flood[i]);
    }
    m_computedTrace();
}

void
FabricRouting::LinkChanged(Ptr<const FabricChannel> channel, bool up)
{
    NS_LOG_INFO("cable " << channel->GetId() << (up ? " is mended" : " is cut"));
    // A switch that fails cuts all its cables at one time: once is enough.
    const Time due = Simulator::Now() + m_convergence;
    if (due != m_due)
    {
        m_due = due;
        Simulator::Schedule(m_convergence, &FabricRouting::Update, Ptr<FabricRouting>(this));
    }
}

void
FabricRouting::Update()
{
    m_due = Time(-1);
    Compute();
}

std::vector<std::string>
FabricRouting::GetUnreachable(uint32_t limit) const
{
    // Islands of switches have the number of a switch; after those comes a number for each device,
    // for cables from host to host.
    const std::vector<uint32_t> islands = Explore().GetIslands();
    std::vector<Ptr<Node>> nodes;
    std::unordered_map<const Node*, std::size_t> places;
    std::vector<std::vector<uint32_t>> touched;
    for (FabricNetDevice* device : m_network->GetEndpoints())
    {
        const Ptr<Node> node = device->GetNode();
        const auto place = places.emplace(PeekPointer(node), nodes.size());
        if (place.second)
        {
            nodes.push_back(node);
            touched.emplace_back();
        }
        if (const Ptr<FabricNetDevice> peer = GetPeer(device))
        {
            const uint32_t at = GetSwitchOf(peer);
            touched[place.first->second].push_back(
                at == NO_SWITCH
                    ? islands.size() + std::min(device->GetDigestId(), peer->GetDigestId())
                    : islands[at]);
        }
    }
    std::vector<std::string> sentences;
    for (const auto& [first, second] : FabricReach::FindSeparated(std::move(touched), limit))
    {
        sentences.push_back(NameOf(nodes[first]) + " and " + NameOf(nodes[second]));
    }
    return sentences;
}

std::vector<Ptr<FabricChannel>>
FabricRouting::GetPath(uint32_t source, uint32_t destination) const
{
    const auto& endpoints = m_network->GetEndpoints();
    NS_ABORT_MSG_IF(source >= endpoints.size() || destination >= endpoints.size(),
                    "There is no path from endpoint " << source << " to " << destination
                                                      << ": the network has " << endpoints.size()
                                                      << " endpoints");
    std::vector<Ptr<FabricChannel>> path;
    Ptr<FabricNetDevice> device = endpoints[source];
    while (device->GetEndpoint() != destination)
    {
        const Ptr<FabricNetDevice> peer = GetPeer(device);
        if (!peer)
        {
            return {};
        }
        path.push_back(device->GetFabricChannel());
        device = peer;
        if (device->GetEndpoint() == destination)
        {
            break;
        }
        const uint32_t at = GetSwitchOf(device);
        const FabricForwardingTable::Ports ports =
            at == NO_SWITCH ? FabricForwardingTable::Ports{nullptr, 0}
                            : m_switches[at]->GetTable().Lookup(destination);
        if (ports.count == 0)
        {
            return {};
        }
        device = m_switches[at]->GetPort(ports.first[0]);
    }
    return path;
}

} // namespace rdma
} // namespace ns3
