/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds deadlocks of a lossless fabric while a simulation runs. */

#include "ns3/fabric-deadlock-detector.h"

#include "ns3/abort.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-clock.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-switch-base.h"
#include "ns3/fabric-wait-graph.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricDeadlockDetector");
NS_OBJECT_ENSURE_REGISTERED(FabricDeadlockDetector);

namespace
{

/// Queues that a report of a stuck fabric names at most.
constexpr std::size_t MOST_NAMED = 8;

/// \param ps A time in ps. \return The same in words.
std::string
FormatTime(int64_t ps)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(6) << static_cast<double>(ps) / 1e9 << " ms";
    return text.str();
}

} // namespace

TypeId
FabricDeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricDeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricDeadlockDetector>()
            .AddAttribute("Interval",
                          "Time between two looks, while some queue is stopped; never less than "
                          "twice the longest cable with its switch.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&FabricDeadlockDetector::m_interval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("StallTime",
                          "How long no frame leaves any switch, while frames wait for somebody "
                          "else than one another, until the fabric is reported as stuck.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FabricDeadlockDetector::m_stallTime),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("Deadlock",
                            "Queues of switches wait for one another for ever.",
                            MakeTraceSourceAccessor(&FabricDeadlockDetector::m_deadlockTrace),
                            "ns3::rdma::FabricDeadlockDetector::ReportTracedCallback")
            .AddTraceSource("Stuck",
                            "Nothing has moved for the stall time although frames wait, and there "
                            "is no cycle.",
                            MakeTraceSourceAccessor(&FabricDeadlockDetector::m_stuckTrace),
                            "ns3::rdma::FabricDeadlockDetector::ReportTracedCallback");
    return tid;
}

FabricDeadlockDetector::FabricDeadlockDetector()
    : m_stuckSent(std::numeric_limits<uint64_t>::max())
{
}

FabricDeadlockDetector::~FabricDeadlockDetector()
{
    Release();
}

void
FabricDeadlockDetector::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Release();
    Object::DoDispose();
}

void
FabricDeadlockDetector::Release()
{
    m_look.Cancel();
    for (const Watched& watched : m_switches)
    {
        watched.holder->SetStopListener(Callback<void>());
    }
    m_switches.clear();
    m_placeOf.clear();
}

bool
FabricDeadlockDetector::Queue::operator<(const Queue& other) const
{
    return std::tie(place, port, lane) < std::tie(other.place, other.port, other.lane);
}

bool
FabricDeadlockDetector::Queue::operator==(const Queue& other) const
{
    return std::tie(place, port, lane) == std::tie(other.place, other.port, other.lane);
}

void
FabricDeadlockDetector::Watch(Ptr<FabricSwitchBase> fabricSwitch)
{
    NS_LOG_FUNCTION(this << fabricSwitch);
    auto* holder = dynamic_cast<FabricHolder*>(PeekPointer(fabricSwitch));
    NS_ABORT_MSG_IF(!holder,
                    "A deadlock detector watches switches that are a FabricHolder; "
                        << fabricSwitch->GetInstanceTypeId().GetName() << " is none");
    NS_ABORT_MSG_IF(!fabricSwitch->GetNode(),
                    "A deadlock detector watches switches that are on a node");
    const bool added =
        m_placeOf.emplace(fabricSwitch->GetNode()->GetId(), m_switches.size()).second;
    NS_ABORT_MSG_IF(!added,
                    "A deadlock detector watches the switch on node "
                        << fabricSwitch->GetNode()->GetId() << " already");
    m_switches.push_back({fabricSwitch, holder, {}, false});
    holder->SetStopListener(MakeCallback(&FabricDeadlockDetector::QueueStopped, this));
}

void
FabricDeadlockDetector::SetName(Ptr<const Node> node, const std::string& name)
{
    m_names[node->GetId()] = name;
}

bool
FabricDeadlockDetector::IsDeadlocked() const
{
    return m_report.deadlock;
}

const FabricDeadlockReport&
FabricDeadlockDetector::GetReport() const
{
    return m_report;
}

void
FabricDeadlockDetector::QueueStopped()
{
    if (m_report.deadlock || !m_look.IsExpired())
    {
        return;
    }
    const FabricClock clock;
    m_movedPs = clock.Now();
    m_sent = CountSent();
    m_look = Simulator::Schedule(clock.ToTime(GetInterval()), &FabricDeadlockDetector::Look, this);
}

int64_t
FabricDeadlockDetector::GetInterval() const
{
    int64_t interval = FabricClock().ToPs(m_interval);
    for (const Watched& watched : m_switches)
    {
        for (uint32_t i = 0; i < watched.fabricSwitch->GetNPorts(); ++i)
        {
            const FabricPort& port = watched.fabricSwitch->GetPort(i)->GetPort();
            if (port.GetWire())
            {
                interval =
                    std::max(interval, 2 * (port.GetWire()->delay + port.GetIngressLatency()));
            }
        }
    }
    return interval;
}

uint64_t
FabricDeadlockDetector::CountSent() const
{
    uint64_t sent = 0;
    for (const Watched& watched : m_switches)
    {
        for (uint32_t i = 0; i < watched.fabricSwitch->GetNPorts(); ++i)
        {
            sent += watched.fabricSwitch->GetPort(i)->GetPort().GetCounters().txFrames;
        }
    }
    return sent;
}

void
FabricDeadlockDetector::Look()
{
    const FabricClock clock;
    const int64_t now = clock.Now();
    const std::vector<Queue> stopped = FindStopped();
    if (stopped.empty())
    {
        m_suspects.clear();
        return;
    }
    const uint64_t sent = CountSent();
    if (sent != m_sent)
    {
        m_sent = sent;
        m_movedPs = now;
    }
    for (Watched& watched : m_switches)
    {
        watched.asked = false;
    }
    const std::vector<Queue> cycle = FindCycle(stopped);
    if (!cycle.empty() && cycle == m_suspects)
    {
        ReportDeadlock(cycle, now);
        return;
    }
    m_suspects = cycle;
    if (cycle.empty() && now - m_movedPs >= clock.ToPs(m_stallTime))
    {
        ReportStuck(stopped, now);
        return;
    }
    m_look = Simulator::Schedule(clock.ToTime(GetInterval()), &FabricDeadlockDetector::Look, this);
}

std::vector<FabricDeadlockDetector::Queue>
FabricDeadlockDetector::FindStopped() const
{
    std::vector<Queue> stopped;
    for (uint32_t place = 0; place < m_switches.size(); ++place)
    {
        const Watched& watched = m_switches[place];
        for (uint32_t port = 0; port < watched.fabricSwitch->GetNPorts(); ++port)
        {
            const uint32_t lanes = watched.holder->GetStopped(port);
            for (uint8_t lane = 0; lanes >> lane; ++lane)
            {
                if (lanes >> lane & 1)
                {
                    stopped.push_back({place, port, lane});
                }
            }
        }
    }
    return stopped;
}

const std::vector<FabricHolder::Hold>&
FabricDeadlockDetector::GetHolds(uint32_t place)
{
    Watched& watched = m_switches[place];
    if (!watched.asked)
    {
        watched.asked = true;
        watched.holds.clear();
        watched.holder->AppendHolds(watched.holds);
    }
    return watched.holds;
}

Ptr<FabricNetDevice>
FabricDeadlockDetector::GetPeer(const Queue& queue) const
{
    const Ptr<FabricNetDevice> device = m_switches[queue.place].fabricSwitch->GetPort(queue.port);
    return device->GetFabricChannel()->GetPeer(device);
}

std::vector<FabricDeadlockDetector::Queue>
FabricDeadlockDetector::FindCycle(const std::vector<Queue>& stopped)
{
    FabricWaitGraph graph;
    for (std::size_t i = 0; i < stopped.size(); ++i)
    {
        graph.AddQueue(false);
    }
    for (uint32_t i = 0; i < stopped.size(); ++i)
    {
        const Queue& queue = stopped[i];
        const Ptr<FabricNetDevice> peer = GetPeer(queue);
        const auto found = m_placeOf.find(peer->GetNode()->GetId());
        const uint32_t ingress = peer->GetPort().GetIndex();
        if (found == m_placeOf.end() ||
            !m_switches[found->second].holder->IsFull(ingress, queue.lane))
        {
            graph.SetMovable(i); // a host stops it, or a pause or credits are under way
            continue;
        }
        for (const FabricHolder::Hold& hold : GetHolds(found->second))
        {
            if (hold.ingress != ingress || hold.ingressLane != queue.lane)
            {
                continue;
            }
            const Queue other{found->second, hold.egress, hold.egressLane};
            const auto place = std::lower_bound(stopped.begin(), stopped.end(), other);
            if (place == stopped.end() || !(*place == other))
            {
                graph.SetMovable(i); // frames that take its room can leave
                break;
            }
            graph.AddWait(i, static_cast<uint32_t>(place - stopped.begin()));
        }
    }
    std::vector<Queue> cycle;
    for (const uint32_t i : graph.FindCycle())
    {
        cycle.push_back(stopped[i]);
    }
    return cycle;
}

FabricStuckQueue
FabricDeadlockDetector::Describe(const Queue& queue)
{
    const Ptr<FabricNetDevice> peer = GetPeer(queue);
    FabricStuckQueue words{m_switches[queue.place].fabricSwitch->GetNode()->GetId(),
                           queue.port,
                           queue.lane,
                           0,
                           0,
                           peer->GetNode()->GetId(),
                           peer->GetIfIndex()};
    if (m_placeOf.count(words.peer))
    {
        words.peerPort = peer->GetPort().GetIndex();
    }
    for (const FabricHolder::Hold& hold : GetHolds(queue.place))
    {
        if (hold.egress == queue.port && hold.egressLane == queue.lane)
        {
            words.frames += hold.frames;
            words.bytes += hold.bytes;
        }
    }
    return words;
}

std::string
FabricDeadlockDetector::NameOf(uint32_t id) const
{
    const auto given = m_names.find(id);
    if (given != m_names.end())
    {
        return given->second;
    }
    const std::string name = Names::FindName(NodeList::GetNode(id));
    return name.empty() ? "node " + std::to_string(id) : name;
}

std::string
FabricDeadlockDetector::NameOf(const Queue& queue, const FabricStuckQueue& words) const
{
    return NameOf(words.node) + " port " + std::to_string(queue.port) + " " +
           m_switches[queue.place].holder->GetLaneWord() + " " + std::to_string(queue.lane);
}

void
FabricDeadlockDetector::ReportDeadlock(const std::vector<Queue>& queues, int64_t now)
{
    m_report = {now, true, {}, ""};
    std::string text =
        "deadlock at " + FormatTime(now) + ", a cycle of " + std::to_string(queues.size()) + ": ";
    std::string first;
    for (const Queue& queue : queues)
    {
        const FabricStuckQueue words = Describe(queue);
        const std::string name = NameOf(queue, words);
        text += (first.empty() ? "" : ", which is full of frames for ") + name + " holds " +
                std::to_string(words.frames) + " frames (" + std::to_string(words.bytes) +
                " B) for " + NameOf(words.peer) + " port " + std::to_string(words.peerPort);
        first = first.empty() ? name : first;
        m_report.queues.push_back(words);
    }
    m_report.text = text + ", which is full of frames for " + first;
    NS_LOG_INFO(m_report.text);
    m_deadlockTrace(m_report);
}

void
FabricDeadlockDetector::ReportStuck(const std::vector<Queue>& stopped, int64_t now)
{
    if (m_sent == m_stuckSent)
    {
        return; // nothing has moved since the report before
    }
    m_stuckSent = m_sent;
    m_report = {now, false, {}, ""};
    std::string text;
    for (const Queue& queue : stopped)
    {
        const FabricStuckQueue words = Describe(queue);
        if (m_placeOf.count(words.peer))
        {
            continue;
        }
        if (m_report.queues.size() < MOST_NAMED)
        {
            text += (text.empty() ? "" : "; ") + NameOf(queue, words) + " holds " +
                    std::to_string(words.frames) + " frames (" + std::to_string(words.bytes) +
                    " B), stopped by " + NameOf(words.peer);
        }
        m_report.queues.push_back(words);
    }
    if (m_report.queues.size() > MOST_NAMED)
    {
        text += "; and " + std::to_string(m_report.queues.size() - MOST_NAMED) + " more";
    }
    m_report.text = "stuck at " + FormatTime(now) + ", no cycle: nothing has moved for " +
                    FormatTime(now - m_movedPs) + "; " +
                    (text.empty() ? std::to_string(stopped.size()) +
                                        " queues between switches wait for a pause or credits"
                                  : text);
    NS_LOG_INFO(m_report.text);
    m_stuckTrace(m_report);
}

} // namespace rdma
} // namespace ns3
