/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * \file
 * What the module costs: instructions and time per packet-hop, memory of what is idle, set-up of a
 * large network. utils/bench runs it and prints the table; each run prints "name value" lines.
 *
 * A packet-hop is one frame (data, acknowledgement, CNP, pause) that crosses one link.
 */

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-flow.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-traffic.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <ctime>
#include <functional>
#include <iostream>
#include <malloc.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
/// Without valgrind's header callgrind counts the set-up too.
#define CALLGRIND_START_INSTRUMENTATION static_cast<void>(0)
/// As above.
#define CALLGRIND_STOP_INSTRUMENTATION static_cast<void>(0)
#endif

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// The command line.
struct Options
{
    std::string mode{"speed"};                                //!< what to measure
    uint32_t k{8};                                            //!< ports per switch of the fat-tree
    uint32_t payload{4096};                                   //!< bytes per packet
    uint64_t bytes{2'000'000};                                //!< bytes per message
    bool runAhead{false};                                     //!< whether switches run ahead
    std::string fabric{"roce"};                               //!< roce, infiniband or srd
    std::string scheduler{"ns3::rdma::FabricWheelScheduler"}; //!< event scheduler
};

/// \return CPU time of this process in seconds.
double
GetCpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// \return Bytes that the heap has given out.
double
GetHeapBytes()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

/// \return The most memory that this process has had, in bytes.
double
GetPeakBytes()
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

/**
 * Prints a result.
 * \param name Its name.
 * \param value Its value.
 */
void
Report(const std::string& name, double value)
{
    std::cout << name << " " << std::fixed << value << std::endl;
}

/// A fat-tree with a NIC on each host and flows that write one message each.
class Bench
{
  public:
    /// \param options The command line.
    explicit Bench(const Options& options)
        : m_options(options)
    {
        if (options.fabric == "infiniband")
        {
            m_fabric.UseInfiniBand();
        }
        else if (options.fabric == "srd")
        {
            ObjectFactory srd("ns3::rdma::RdmaSrdTransport");
            srd.Set("Mtu", UintegerValue(options.payload));
            m_fabric.SetFlowControl(ObjectFactory("ns3::rdma::FabricFlowControl"));
            m_fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(9216));
            m_rdma.EnableSrd(srd);
        }
        else
        {
            m_rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
        }
        m_fabric.SetSwitchAttribute("RunAhead", BooleanValue(options.runAhead));
    }

    /// Builds the network: 100 Gb/s, 1 us links; PFC and ECN, or credits, as the helpers set them.
    void Build()
    {
        const FabricTopology plan =
            FabricTopology::FatTree(m_options.k, FabricLinkSpec(), FabricLinkSpec());
        const FabricTopologyHelper network(plan, m_fabric);
        m_fabric.AssignStreams(0);
        m_nics = m_rdma.Install(m_fabric.GetEndpoints());
        const std::string why = m_fabric.CheckConfig();
        NS_ABORT_MSG_IF(!why.empty(), why);
    }

    /**
     * Lets one host write to another.
     * \param flow The flow.
     */
    void Start(const RdmaFlow& flow)
    {
        if (m_options.fabric == "srd")
        {
            StartSrd(flow);
            return;
        }
        RdmaQpAttributes attributes;
        attributes.pathMtu = m_options.payload;
        const RdmaConnectedPair pair = RdmaHelper::Connect(m_nics[flow.source],
                                                           m_nics[flow.destination],
                                                           attributes,
                                                           RdmaQpInitAttributes(),
                                                           flow.bytes);
        RdmaSendWr request;
        request.length = flow.bytes;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        NS_ABORT_MSG_IF(pair.a.queuePair->PostSend(request), "a write is refused");
        m_queues.push_back(pair.a.cq);
    }

    /**
     * The same with SRD.
     * \param flow The flow.
     */
    void StartSrd(const RdmaFlow& flow)
    {
        const auto make = [this](uint32_t host, RdmaMemoryRegion& memory) {
            RdmaSrdQpInitAttributes init;
            init.domain = m_nics[host]->AllocPd();
            init.sendCq = init.recvCq = m_nics[host]->CreateCq(16);
            const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE;
            memory = m_nics[host]->RegMr(init.domain, 0, m_options.bytes, rights).value();
            m_srd.push_back(m_nics[host]->CreateSrdQp(init));
            return init.sendCq;
        };
        RdmaMemoryRegion here;
        RdmaMemoryRegion there;
        make(flow.destination, there);
        m_queues.push_back(make(flow.source, here));
        RdmaSrdSendWr request;
        request.length = flow.bytes;
        request.lkey = here.lkey;
        request.rkey = there.rkey;
        request.address = m_nics[flow.source]->CreateSrdAh(m_nics[flow.destination]->GetEndpoint());
        request.remoteQueuePair = m_srd[m_srd.size() - 2]->GetNumber();
        NS_ABORT_MSG_IF(m_srd.back()->PostSend(request), "a write is refused");
    }

    /// Starts a write from each host to another, and to each from another.
    void StartPermutation()
    {
        RdmaTraffic traffic(static_cast<uint32_t>(m_nics.size()));
        traffic.AssignStreams(1'000'000);
        RdmaFlow model;
        model.bytes = m_options.bytes;
        for (const RdmaFlow& flow : traffic.Permutation(model))
        {
            Start(flow);
        }
    }

    /// Starts a write from the first host to the last.
    void StartOne()
    {
        RdmaFlow flow;
        flow.destination = static_cast<uint32_t>(m_nics.size()) - 1;
        flow.bytes = m_options.bytes;
        Start(flow);
    }

    /// Checks that all is written.
    void Check() const
    {
        for (const auto& queue : m_queues)
        {
            const auto completions = queue->Poll(2);
            NS_ABORT_MSG_IF(completions.size() != 1 ||
                                completions[0].status != RdmaWcStatus::SUCCESS,
                            "a write has not succeeded");
        }
    }

    /**
     * \return How many frames have crossed a link, each time that they did. Flow control packets of
     *         InfiniBand are not counted: they are part of what a packet costs.
     */
    double CountHops() const
    {
        uint64_t hops = 0;
        for (FabricNetDevice* device : m_fabric.GetNetwork()->GetDevices())
        {
            const FabricPort& port = device->GetPort();
            const FabricPort::Counters& counters = port.GetCounters();
            hops += counters.rxFrames + (port.GetIbLink() ? 0 : counters.rxControlFrames);
        }
        return static_cast<double>(hops);
    }

  private:
    const Options& m_options;                       //!< the command line
    FabricHelper m_fabric;                          //!< the network
    RdmaHelper m_rdma;                              //!< makes NICs
    std::vector<Ptr<RdmaContext>> m_nics;           //!< by host
    std::vector<Ptr<RdmaSrdQueuePair>> m_srd;       //!< receiver and sender of each flow of SRD
    std::vector<Ptr<RdmaCompletionQueue>> m_queues; //!< one for each flow
};

/// A permutation on a fat-tree; only the simulation itself is counted and timed.
void
MeasureSpeed(const Options& options)
{
    Bench bench(options);
    bench.Build();
    bench.StartPermutation();
    const double start = GetCpuSeconds();
    CALLGRIND_START_INSTRUMENTATION;
    Simulator::Run();
    CALLGRIND_STOP_INSTRUMENTATION;
    Report("seconds", GetCpuSeconds() - start);
    Report("hops", bench.CountHops());
    Report("events", static_cast<double>(Simulator::GetEventCount()));
    Report("peak", GetPeakBytes());
    bench.Check();
}

/// One flow on a fat-tree; the set-up counts.
void
MeasureSetup(const Options& options)
{
    const double start = GetCpuSeconds();
    Bench bench(options);
    bench.Build();
    bench.StartOne();
    Report("setup", GetCpuSeconds() - start);
    Simulator::Run();
    Report("seconds", GetCpuSeconds() - start);
    Report("peak", GetPeakBytes());
    bench.Check();
}

/// Heap bytes of what is there but idle, from the difference that many of a kind make.
void
MeasureMemory(const Options&)
{
    const uint32_t count = 256;
    FabricHelper fabric;
    NodeContainer switches;
    switches.Create(2);
    fabric.InstallSwitch(switches);
    RdmaHelper rdma;
    rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");

    double before = GetHeapBytes();
    for (uint32_t i = 0; i < count; ++i)
    {
        fabric.Connect(switches.Get(0), switches.Get(1));
    }
    const double port = (GetHeapBytes() - before) / (2 * count);
    Report("port", port);

    NodeContainer hosts;
    before = GetHeapBytes();
    hosts.Create(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        fabric.Connect(hosts.Get(i), switches.Get(0));
    }
    const std::vector<Ptr<RdmaContext>> nics = rdma.Install(fabric.GetEndpoints());
    Report("host", (GetHeapBytes() - before) / count - port);

    const uint32_t pairs = 4096;
    const auto prepare = [](Ptr<RdmaContext> context) {
        RdmaQpInitAttributes init;
        init.domain = context->AllocPd();
        init.sendCq = init.recvCq = context->CreateCq(pairs);
        return init;
    };
    const RdmaQpInitAttributes first = prepare(nics[0]);
    const RdmaQpInitAttributes second = prepare(nics[1]);
    const auto connect = [](Ptr<RdmaContext> own, Ptr<RdmaQueuePair> a, uint32_t peer, uint32_t b) {
        RdmaQpAttributes attributes;
        attributes.address.endpoint = peer;
        attributes.destinationQp = b;
        NS_ABORT_MSG_IF(own->Connect(a, attributes), "queue pairs cannot be connected");
    };
    before = GetHeapBytes();
    for (uint32_t i = 0; i < pairs; ++i)
    {
        const Ptr<RdmaQueuePair> a = nics[0]->CreateQp(first);
        const Ptr<RdmaQueuePair> b = nics[1]->CreateQp(second);
        connect(nics[0], a, nics[1]->GetEndpoint(), b->GetNumber());
        connect(nics[1], b, nics[0]->GetEndpoint(), a->GetNumber());
    }
    Report("queuePair", (GetHeapBytes() - before) / (2 * pairs));
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    CommandLine cmd(__FILE__);
    cmd.Usage("Measures what the module costs; utils/bench runs it and prints a table.");
    cmd.AddValue("mode", "speed, setup or memory", options.mode);
    cmd.AddValue("k", "Ports per switch of the fat-tree", options.k);
    cmd.AddValue("payload", "Payload bytes per packet", options.payload);
    cmd.AddValue("bytes", "Bytes of each message", options.bytes);
    cmd.AddValue("runAhead", "Whether switches run ahead of the clock", options.runAhead);
    cmd.AddValue("fabric", "roce, infiniband or srd", options.fabric);
    cmd.AddValue("scheduler", "TypeId of the event scheduler", options.scheduler);
    cmd.Parse(argc, argv);

    const std::map<std::string, std::function<void(const Options&)>> modes{
        {"speed", MeasureSpeed},
        {"setup", MeasureSetup},
        {"memory", MeasureMemory},
    };
    const auto mode = modes.find(options.mode);
    NS_ABORT_MSG_IF(mode == modes.end(),
                    "--mode is '" << options.mode << "'; allowed: speed, setup, memory");
    NS_ABORT_MSG_IF(options.fabric != "roce" && options.fabric != "infiniband" &&
                        options.fabric != "srd",
                    "--fabric is '" << options.fabric << "'; allowed: roce, infiniband, srd");
    Time::SetResolution(Time::PS);
    Simulator::SetScheduler(ObjectFactory(options.scheduler));
    mode->second(options);
    Simulator::Destroy();
    return 0;
}
