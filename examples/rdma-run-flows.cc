/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-flows.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-clock.h"
#include "ns3/fabric-net-device.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-ideal-fct.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-srd-header.h"
#include "ns3/rdma-srd-transport.h"
#include "ns3/rdma-wire-sizes.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3::rdma::runner
{

namespace
{

/** Completions that the queue of a NIC holds; they are taken out at once. */
constexpr uint32_t COMPLETIONS = 1u << 22;

/** All memory of a host is one region: addresses of messages do not matter to the fabric. */
constexpr uint64_t MEMORY_BYTES = 1ULL << 40;

/** Where the first flow to a host listens. */
constexpr uint16_t FIRST_TCP_PORT = 1024;

/** CNPs and duplicates arrive no later than this after the last acknowledgement. */
constexpr int64_t LINGER_PS = 1'000'000'000;

} // namespace

RunFlows::RunFlows(const Experiment& experiment, const RunNetwork& network)
    : m_experiment(experiment),
      m_network(network),
      m_unfinished(experiment.flows.size())
{
    InstallNics();
    if (IsOnTcp(experiment))
    {
        m_addresses = InstallTcp(network.GetHosts(), experiment.nic);
    }
    FillResults();
    m_order.resize(experiment.flows.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    std::stable_sort(m_order.begin(), m_order.end(), [&](uint32_t a, uint32_t b) {
        return experiment.flows[a].startPs < experiment.flows[b].startPs;
    });
    if (!m_order.empty())
    {
        Simulator::Schedule(FabricClock().ToTime(experiment.flows[m_order.front()].startPs),
                            &RunFlows::StartDue,
                            this);
    }
}

void
RunFlows::Configure(RdmaHelper& helper) const
{
    const NicSpec& spec = m_experiment.nic;
    const FabricClock clock;
    helper.SetNicAttribute("AckInterval", UintegerValue(spec.ackInterval));
    helper.SetNicAttribute("CnpInterval", TimeValue(clock.ToTime(spec.cnpIntervalPs)));
    helper.SetNicAttribute("CnpHoldMarks", BooleanValue(spec.cnpHoldMarks));
    helper.SetNicAttribute("CnpDelay", TimeValue(clock.ToTime(spec.cnpDelayPs)));
    helper.SetNicAttribute("DoorbellDelay", TimeValue(clock.ToTime(spec.doorbellDelayPs)));
    helper.SetNicAttribute("CnpPriority", UintegerValue(spec.cnpPriority));
    helper.SetNicAttribute("AckPriority", UintegerValue(spec.ackPriority));
    // An experiment posts all messages of a flow at once, and has one completion queue per NIC.
    for (const char* limit : {"MaxQp", "MaxQpWr", "MaxCqe"})
    {
        helper.SetNicAttribute(limit, UintegerValue(std::numeric_limits<uint32_t>::max()));
    }
    ObjectFactory recovery(spec.recovery.typeId);
    for (const auto& [name, value] : spec.recovery.attributes)
    {
        recovery.Set(name, *value);
    }
    helper.SetLossRecovery(recovery);
    if (IsOnEfa(m_experiment))
    {
        ObjectFactory srd("ns3::rdma::RdmaSrdTransport");
        srd.Set("Mtu", UintegerValue(spec.mtu));
        helper.EnableSrd(srd);
    }
}

void
RunFlows::InstallNics()
{
    RdmaHelper helper;
    Configure(helper);
    const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
    const NodeContainer hosts = m_network.GetHosts();
    m_nicsOf.resize(hosts.GetN());
    for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
    {
        for (uint32_t i = 0; i < hosts.Get(rank)->GetNDevices(); ++i)
        {
            const auto device = DynamicCast<FabricNetDevice>(hosts.Get(rank)->GetDevice(i));
            RunNic nic;
            nic.context = helper.Install(device);
            nic.domain = nic.context->AllocPd();
            nic.completions = nic.context->CreateCq(COMPLETIONS);
            nic.completions->SetNotify(MakeCallback(&RunFlows::Completed, this));
            nic.completions->RequestNotify();
            nic.memory = nic.context->RegMr(nic.domain, 0, MEMORY_BYTES, rights).value();
            nic.context->GetNic()->TraceConnectWithoutContext(
                "MessageDelivered",
                MakeCallback(&RunFlows::Delivered, this));
            if (IsOnEfa(m_experiment))
            {
                const auto srd = nic.context->GetNic()->GetSrdTransport();
                srd->TraceConnectWithoutContext("Placed", MakeCallback(&RunFlows::SrdPlaced, this));
                srd->TraceConnectWithoutContext("Retransmission",
                                                MakeCallback(&RunFlows::SrdRetransmits, this));
            }
            m_nicsOf[rank].push_back(static_cast<uint32_t>(m_nics.size()));
            m_nics.push_back(nic);
        }
    }
}

void
RunFlows::FillResults()
{
    RdmaPacketSizes sizes;
    sizes.mtu = m_experiment.nic.mtu;
    const RdmaEncapsulation encapsulation = m_experiment.nic.encapsulation;
    sizes.overhead = RdmaFrameBytes(encapsulation, RC_RDMA_WRITE_MIDDLE, sizes.mtu) - sizes.mtu +
                     (IsInfiniBand(encapsulation) ? INFINIBAND_WIRE_OVERHEAD_BYTES
                                                  : ETHERNET_WIRE_OVERHEAD_BYTES);
    if (IsOnTcp(m_experiment))
    {
        sizes.mtu = TcpSegmentBytes(m_experiment.nic.mtu);
        sizes.overhead = m_experiment.nic.mtu - sizes.mtu + ETHERNET_HEADER_BYTES +
                         ETHERNET_FCS_BYTES + ETHERNET_WIRE_OVERHEAD_BYTES;
        sizes.padding = 1;
        sizes.firstExtra = 0;
    }
    if (IsOnEfa(m_experiment))
    {
        sizes.overhead = SrdFrameBytes(RdmaSrdOpcode::WRITE, sizes.mtu) - sizes.mtu +
                         ETHERNET_WIRE_OVERHEAD_BYTES;
        sizes.padding = 1;
        sizes.firstExtra = 0; // every packet says where it belongs
    }
    if (IsOnInfiniBand(m_experiment))
    {
        sizes.cutThrough = m_experiment.switches.infiniBand.cutThrough ? LRH_BYTES : 0;
    }
    const auto& topology = m_experiment.topology;
    for (const FlowSpec& spec : m_experiment.flows)
    {
        FlowResult flow;
        flow.id = static_cast<uint32_t>(m_results.size());
        flow.group = m_experiment.groups[spec.group];
        flow.source = topology.GetNodes()[topology.GetHosts()[spec.source]].name;
        flow.destination = topology.GetNodes()[topology.GetHosts()[spec.destination]].name;
        flow.priority = spec.priority;
        flow.congestionControl = m_experiment.congestions[spec.congestion].name;
        flow.bytes = spec.bytes * spec.messages;
        flow.startPs = spec.startPs;
        m_totalBytes += flow.bytes;

        flow.idealFctPs = m_experiment.nic.doorbellDelayPs +
                          RdmaIdealFct(GetRoute(flow.id).path, spec.bytes, sizes, spec.messages);
        m_results.push_back(std::move(flow));
    }
}

std::vector<RunFlows::Route>
RunFlows::FindRoutes(uint32_t source, uint32_t destination) const
{
    std::vector<Route> routes;
    for (const uint32_t from : m_nicsOf[source])
    {
        for (const uint32_t to : m_nicsOf[destination])
        {
            auto path = m_network.GetPath(m_nics[from].context->GetEndpoint(),
                                          m_nics[to].context->GetEndpoint());
            if (path.empty() || (!routes.empty() && path.size() > routes.front().path.size()))
            {
                continue;
            }
            if (!routes.empty() && path.size() < routes.front().path.size())
            {
                routes.clear();
            }
            routes.push_back({from, to, std::move(path)});
        }
    }
    NS_ABORT_MSG_IF(routes.empty(), "a checked topology has hosts without a path between them");
    return routes;
}

const RunFlows::Route&
RunFlows::GetRoute(uint32_t flow)
{
    const FlowSpec& spec = m_experiment.flows[flow];
    auto& routes = m_routes[{spec.source, spec.destination}];
    if (routes.empty())
    {
        routes = FindRoutes(spec.source, spec.destination);
    }
    return routes[flow % routes.size()];
}

void
RunFlows::SetDone(Callback<void> done)
{
    m_done = done;
}

void
RunFlows::StartDue()
{
    const FabricClock clock;
    const int64_t now = clock.Now();
    DestroyOld(now);
    while (m_next < m_order.size() && m_experiment.flows[m_order[m_next]].startPs <= now)
    {
        Start(m_order[m_next++]);
    }
    if (m_next < m_order.size())
    {
        const int64_t wait = m_experiment.flows[m_order[m_next]].startPs - now;
        Simulator::Schedule(clock.ToTime(wait), &RunFlows::StartDue, this);
    }
}

std::unique_ptr<RunConnection>
RunFlows::Connect(uint32_t flow)
{
    const FlowSpec& spec = m_experiment.flows[flow];
    if (IsOnTcp(m_experiment))
    {
        const NodeContainer hosts = m_network.GetHosts();
        const TcpRunConnection::End from{hosts.Get(spec.source), m_addresses[spec.source]};
        const TcpRunConnection::End to{hosts.Get(spec.destination), m_addresses[spec.destination]};
        // Each flow of a host listens at a port of its own: the checked file has fewer flows.
        const uint16_t port = FIRST_TCP_PORT + m_tcpFlows[spec.destination]++;
        return std::make_unique<TcpRunConnection>(spec, from, to, port, [this, flow] {
            Finish(flow, FabricClock().Now());
            End(flow, "");
        });
    }
    const Route& route = GetRoute(flow);
    const RunNic& source = m_nics[route.source];
    const RunNic& destination = m_nics[route.destination];
    if (IsOnEfa(m_experiment))
    {
        auto connection = std::make_unique<SrdRunConnection>(spec, source, destination);
        m_flowOfKey[connection->GetKey()] = flow;
        return connection;
    }
    auto connection = std::make_unique<RcRunConnection>(m_experiment, spec, source, destination);
    m_flowOfReceiver[connection->GetReceiver()] = flow;
    return connection;
}

void
RunFlows::Start(uint32_t flow)
{
    Live& live = m_live[flow];
    live.connection = Connect(flow);
    m_active.push_back(flow);
    live.connection->Post(flow);
}

void
RunFlows::Finish(uint32_t flow, int64_t ps)
{
    FlowResult& result = m_results[flow];
    result.finishPs = ps;
    result.lastProgressPs = ps;
    result.deliveredBytes = result.bytes;
}

void
RunFlows::SrdPlaced(const FabricFrame* frame, int64_t ps)
{
    const auto found = m_flowOfKey.find(SrdRunConnection::KeyOf(*frame));
    if (found != m_flowOfKey.end())
    {
        auto& connection = static_cast<SrdRunConnection&>(*m_live.at(found->second).connection);
        if (connection.Placed(frame->payload))
        {
            Finish(found->second, ps);
        }
    }
}

void
RunFlows::SrdRetransmits(const FabricFrame* frame, int64_t)
{
    const auto found = m_flowOfKey.find(SrdRunConnection::KeyOf(*frame));
    if (found != m_flowOfKey.end())
    {
        static_cast<SrdRunConnection&>(*m_live.at(found->second).connection).Retransmitted();
    }
}

void
RunFlows::Delivered(const RdmaQueuePair* queuePair, uint64_t, int64_t ps)
{
    const auto found = m_flowOfReceiver.find(queuePair);
    if (found == m_flowOfReceiver.end())
    {
        return;
    }
    Live& live = m_live.at(found->second);
    if (++live.delivered == m_experiment.flows[found->second].messages)
    {
        Finish(found->second, ps);
    }
}

void
RunFlows::Completed(Ptr<RdmaCompletionQueue> completions)
{
    completions->RequestNotify();
    for (auto some = completions->Poll(64); !some.empty(); some = completions->Poll(64))
    {
        for (const RdmaWc& completion : some)
        {
            const auto flow = static_cast<uint32_t>(completion.wrId);
            if (completion.status == RdmaWcStatus::WR_FLUSH_ERR)
            {
                continue; // what stood behind a request that failed
            }
            if (completion.status != RdmaWcStatus::SUCCESS)
            {
                End(flow,
                    completion.vendorError
                        ? RdmaSrdStatusName(static_cast<RdmaSrdStatus>(completion.vendorError))
                        : RdmaWcStatusName(completion.status));
            }
            else if (++m_live.at(flow).completed == m_experiment.flows[flow].messages)
            {
                End(flow, "");
            }
        }
    }
}

void
RunFlows::End(uint32_t flow, const std::string& failure)
{
    FlowResult& result = m_results[flow];
    const Live& live = m_live.at(flow);
    result.failure = failure;
    if (IsOnTcp(m_experiment))
    {
        m_endedTcpBytes += result.bytes;
        m_active.erase(std::find(m_active.begin(), m_active.end(), flow));
    }
    result.retransmittedPackets = live.connection->GetRetransmitted();
    if (!result.Finished())
    {
        result.deliveredBytes = live.connection->GetReceivedBytes();
    }
    m_ended.emplace_back(FabricClock().Now(), flow);
    if (--m_unfinished == 0 && !m_done.IsNull())
    {
        m_done();
    }
}

void
RunFlows::DestroyOld(int64_t now)
{
    while (!m_ended.empty() && m_ended.front().first + LINGER_PS < now)
    {
        const uint32_t flow = m_ended.front().second;
        const RunConnection* connection = m_live.at(flow).connection.get();
        if (IsOnEfa(m_experiment))
        {
            m_flowOfKey.erase(static_cast<const SrdRunConnection*>(connection)->GetKey());
        }
        else if (!IsOnTcp(m_experiment))
        {
            m_flowOfReceiver.erase(static_cast<const RcRunConnection*>(connection)->GetReceiver());
        }
        m_live.erase(flow);
        m_ended.pop_front();
    }
}

void
RunFlows::NoteProgress(int64_t now)
{
    std::size_t kept = 0;
    for (const uint32_t flow : m_active)
    {
        FlowResult& result = m_results[flow];
        if (result.Finished() || !result.failure.empty())
        {
            continue;
        }
        const uint64_t bytes = m_live.at(flow).connection->GetReceivedBytes();
        if (bytes != result.deliveredBytes)
        {
            result.deliveredBytes = bytes;
            result.lastProgressPs = now;
        }
        m_active[kept++] = flow;
    }
    m_active.resize(kept);
}

uint64_t
RunFlows::GetDeliveredBytes() const
{
    uint64_t bytes = 0;
    for (const RunNic& nic : m_nics)
    {
        bytes += nic.context->GetNic()->GetCounters().deliveredBytes;
    }
    for (const uint32_t flow : IsOnTcp(m_experiment) ? m_active : std::vector<uint32_t>())
    {
        bytes += m_live.at(flow).connection->GetReceivedBytes();
    }
    return m_endedTcpBytes + bytes;
}

uint64_t
RunFlows::GetTotalBytes() const
{
    return m_totalBytes;
}

std::size_t
RunFlows::GetUnfinished() const
{
    return m_unfinished;
}

void
RunFlows::Collect(RunResult& result) const
{
    result.flows = m_results;
    for (const uint32_t flow : m_active)
    {
        FlowResult& unfinished = result.flows[flow];
        if (!unfinished.Finished() && unfinished.failure.empty())
        {
            unfinished.retransmittedPackets = m_live.at(flow).connection->GetRetransmitted();
        }
    }
    for (const RunNic& nic : m_nics)
    {
        const RdmaCounters& counters = nic.context->GetNic()->GetCounters();
        result.cnps += counters.rpCnpHandled;
        result.timeouts += counters.localAckTimeoutErr;
    }
}

} // namespace ns3::rdma::runner
