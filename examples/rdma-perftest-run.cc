/* SPDX-License-Identifier: GPL-2.0-only */
/* One performance test in a network of its own. */

#include "rdma-perftest-run.h"

#include "ns3/boolean.h"
#include "ns3/fabric-helper.h"
#include "ns3/rdma-bandwidth-test.h"
#include "ns3/rdma-compat.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-latency-test.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/rdma-perftest-helper.h"
#include "ns3/uinteger.h"

namespace ns3::rdma::perftest
{

namespace
{

/// The receive buffer of a lane: the most that can be advertised, so that credits are no limit.
constexpr uint32_t LANE_BUFFER = 131072;

/// Builds the hosts and the switches between them.
void
Build(const Options& options, FabricHelper& fabric)
{
    const Preset& preset = options.preset;
    if (preset.infiniband)
    {
        fabric.UseInfiniBand();
        fabric.SetLinkAttribute("LaneBuffer", UintegerValue(LANE_BUFFER));
    }
    fabric.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(preset.switchLatencyPs)));
    NodeContainer hosts(2);
    NodeContainer switches(options.hops);
    fabric.InstallSwitch(switches);
    Ptr<Node> last = hosts.Get(0);
    for (uint32_t i = 0; i < options.hops; ++i)
    {
        fabric.Connect(last, switches.Get(i), preset.rate, CABLE_PS);
        last = switches.Get(i);
    }
    fabric.Connect(last, hosts.Get(1), preset.rate, CABLE_PS);
    fabric.ComputeRoutes();
}

/// Makes the test of the options.
RdmaPerftestHelper
MakeTest(const Options& options, uint64_t bytes)
{
    RdmaPerftestHelper test(options.latency ? "ns3::rdma::RdmaLatencyTest"
                                            : "ns3::rdma::RdmaBandwidthTest");
    test.SetAttribute("Verb", RdmaEnumValue<RdmaPerftestVerb>(options.verb));
    test.SetAttribute("MessageSize", UintegerValue(bytes));
    test.SetAttribute("Iterations", UintegerValue(options.iterations));
    test.SetAttribute("QueuePairs", UintegerValue(options.queuePairs));
    test.SetAttribute("TxDepth", UintegerValue(options.txDepth));
    test.SetAttribute("RxDepth", UintegerValue(options.rxDepth));
    test.SetAttribute("InlineSize", UintegerValue(options.inlineSize));
    if (!options.latency)
    {
        test.SetAttribute("PostList", UintegerValue(options.postList));
        test.SetAttribute("Bidirectional", BooleanValue(options.bidirectional));
    }
    RdmaQpAttributes attributes;
    attributes.pathMtu = options.mtu;
    attributes.address.priority = options.serviceLevel;
    test.SetQueuePairAttributes(attributes);
    return test;
}

/// Reads the results of both sides.
Outcome
Collect(const Options& options, const ApplicationContainer& sides)
{
    Outcome outcome;
    for (uint32_t i = 0; i < sides.GetN(); ++i)
    {
        const auto side = DynamicCast<RdmaPerftestApplication>(sides.Get(i));
        if (side->GetStatus() != RdmaWcStatus::SUCCESS)
        {
            outcome.failure =
                std::string("a work request failed: ") + RdmaWcStatusName(side->GetStatus());
            return outcome;
        }
        if (!side->IsFinished())
        {
            outcome.failure = "messages are missing, and nothing moves any more";
            return outcome;
        }
        if (!options.latency)
        {
            const auto result = DynamicCast<RdmaBandwidthTest>(side)->GetResult();
            outcome.bandwidth.messages += result.messages;
            outcome.bandwidth.averageBitsPerSec += result.averageBitsPerSec;
            outcome.bandwidth.peakBitsPerSec += result.peakBitsPerSec;
            outcome.bandwidth.messagesPerSec += result.messagesPerSec;
        }
    }
    if (options.latency)
    {
        outcome.latency = DynamicCast<RdmaLatencyTest>(sides.Get(0))->GetResult();
    }
    return outcome;
}

} // namespace

Outcome
RunTest(const Options& options, uint64_t bytes)
{
    Outcome outcome;
    {
        FabricHelper fabric;
        Build(options, fabric);
        RdmaHelper rdma;
        rdma.SetNicAttribute("DoorbellDelay", TimeValue(PicoSeconds(GetHostDelays().doorbellPs)));
        rdma.SetHostInterface(MakeHostInterface(options.preset));
        const auto nics = rdma.Install(fabric.GetEndpoints());
        if (!options.pcap.empty())
        {
            RdmaPcapHelper().EnablePcap(options.pcap, nics[0]->GetNic()->GetDevice(), true, true);
        }
        const ApplicationContainer sides = MakeTest(options, bytes).Install(nics[0], nics[1]);
        FabricHelper::UseWheelScheduler();
        Simulator::Run();
        outcome = Collect(options, sides);
    }
    Simulator::Destroy();
    return outcome;
}

} // namespace ns3::rdma::perftest
