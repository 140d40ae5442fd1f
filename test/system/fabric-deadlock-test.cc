/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings of lossless switches that deadlock, those that do not, and what is told of both. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"
#include "rdma-test-net.h"

#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// Deadlocks and their detector.
class Deadlock : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t US = 1'000'000;    // ps
constexpr uint32_t RING = 4;         // switches
constexpr uint32_t FRAMES = 1'000;   // of each stream
constexpr uint32_t BYTES = 1'024;    // of each frame
constexpr uint32_t RESERVED = 8'192; // bytes of each ingress lane: 8 frames until it stops

// Ports of each switch: to its host, to the switch before it, to the one after it. The first switch
// is cabled the other way round.
constexpr uint32_t TO_HOST = 0;

/// \param at A switch. \return Its port towards the next one.
uint32_t
Clockwise(uint32_t at)
{
    return at == 0 ? 1 : 2;
}

/// \param at A switch. \return Its port towards the one before it.
uint32_t
Counterclockwise(uint32_t at)
{
    return at == 0 ? 2 : 1;
}

/**
 * \param rates Of the links from each switch to the next.
 * \return Hosts h0 to h3 at switches s0 to s3 in a ring.
 */
FabricTopology
RingPlan(const std::vector<uint64_t>& rates = std::vector<uint64_t>(RING, 100 * G))
{
    FabricTopology plan;
    std::vector<uint32_t> hosts;
    std::vector<uint32_t> switches;
    for (uint32_t i = 0; i < RING; ++i)
    {
        hosts.push_back(plan.AddHost());
    }
    for (uint32_t i = 0; i < RING; ++i)
    {
        switches.push_back(plan.AddSwitch());
        plan.AddLink(hosts[i], switches[i], {100 * G, US, 0});
    }
    for (uint32_t i = 0; i < RING; ++i)
    {
        plan.AddLink(switches[i], switches[(i + 1) % RING], {rates[i], US, 0});
    }
    return plan;
}

/// \param fabric A helper that makes small buffers from now on.
void
UseSmallBuffers(FabricHelper& fabric)
{
    ObjectFactory policy("ns3::rdma::FabricStaticBuffer");
    policy.Set("Reserved", UintegerValue(RESERVED));
    fabric.SetBufferPolicy(policy);
}

/// The port of a switch towards a host.
using Route = std::function<uint32_t(uint32_t at, uint32_t host)>;

/**
 * Replaces the shortest paths.
 * \param fabric A ring.
 * \param route The ways.
 */
void
SetRoutes(const FabricHelper& fabric, const Route& route)
{
    for (uint32_t at = 0; at < RING; ++at)
    {
        FabricForwardingTable& table = fabric.GetSwitches()[at]->GetTable();
        table.Reset(RING);
        for (uint32_t host = 0; host < RING; ++host)
        {
            const uint32_t port = at == host ? TO_HOST : route(at, host);
            table.Set(host, table.AddGroup({static_cast<uint16_t>(port)}));
        }
    }
}

/// Always the same way round: two hops ahead is minimal, and each link waits for the next.
uint32_t
RoundTheRing(uint32_t at, uint32_t)
{
    return Clockwise(at);
}

/// Never over the link between s3 and s0: what is left is a tree.
uint32_t
AlongTheTree(uint32_t at, uint32_t host)
{
    return host > at ? Clockwise(at) : Counterclockwise(at);
}

/**
 * \param fabric Switches to watch.
 * \param names Their nodes and those of the hosts, with names.
 * \return A detector that ends the simulation when it finds a deadlock.
 */
Ptr<FabricDeadlockDetector>
Watch(const FabricHelper& fabric, const FabricTopologyHelper& built)
{
    const auto detector = CreateObject<FabricDeadlockDetector>();
    for (uint32_t i = 0; i < fabric.GetSwitches().size(); ++i)
    {
        detector->Watch(fabric.GetSwitches()[i]);
        detector->SetName(built.GetSwitches().Get(i), "s" + std::to_string(i));
    }
    for (uint32_t i = 0; i < built.GetHosts().GetN(); ++i)
    {
        detector->SetName(built.GetHosts().Get(i), "h" + std::to_string(i));
    }
    detector->TraceConnectWithoutContext(
        "Deadlock",
        Callback<void, const FabricDeadlockReport&>(
            [](const FabricDeadlockReport&) { Simulator::Stop(); }));
    return detector;
}

/// A ring with hosts that send frames without any transport.
struct Ring
{
    FabricHelper fabric;                                //!< what makes it
    std::unique_ptr<FabricTopologyHelper> built;        //!< the network
    std::vector<std::unique_ptr<FabricTestHost>> hosts; //!< by number
    Ptr<FabricDeadlockDetector> detector;               //!< watches it
    std::vector<FabricDeadlockReport> stuck;            //!< reports without a cycle

    /// \param route The ways that frames take.
    explicit Ring(const Route& route)
    {
        UseSmallBuffers(fabric);
        built = std::make_unique<FabricTopologyHelper>(RingPlan(), fabric);
        SetRoutes(fabric, route);
        for (uint32_t i = 0; i < RING; ++i)
        {
            hosts.push_back(std::make_unique<FabricTestHost>(built->GetDevices(i).Get(0)));
        }
        detector = Watch(fabric, *built);
        detector->TraceConnectWithoutContext(
            "Stuck",
            Callback<void, const FabricDeadlockReport&>(
                [this](const FabricDeadlockReport& report) { stuck.push_back(report); }));
    }

    /// \param from A host. \param to Where it sends to.
    void Send(uint32_t from, uint32_t to)
    {
        FabricTestHost::Stream stream;
        stream.destination = to;
        stream.bytes = BYTES;
        stream.count = FRAMES;
        hosts[from]->Send(stream);
    }

    /// Every host sends to the one two hops ahead.
    void SendTwoHopsAhead()
    {
        for (uint32_t i = 0; i < RING; ++i)
        {
            Send(i, (i + 2) % RING);
        }
    }

    /// All came, and nothing was ever suspected. \param streams How many there were.
    void ExpectAllDelivered(uint32_t streams) const
    {
        uint64_t received = 0;
        for (const auto& host : hosts)
        {
            received += host->GetArrivals().size();
        }
        EXPECT_EQ(received, uint64_t{streams} * FRAMES);
        EXPECT_FALSE(detector->IsDeadlocked());
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
    }
};

/// \param report A deadlock. \param built The ring. \return Nothing; expects the cycle of 4.
void
ExpectTheRing(const FabricDeadlockReport& report, const FabricTopologyHelper& built)
{
    ASSERT_TRUE(report.deadlock) << report.text;
    ASSERT_EQ(report.queues.size(), RING) << report.text;
    for (uint32_t i = 0; i < RING; ++i)
    {
        const FabricStuckQueue& queue = report.queues[i];
        const uint32_t next = (i + 1) % RING;
        EXPECT_EQ(queue.node, built.GetSwitches().Get(i)->GetId());
        EXPECT_EQ(queue.port, Clockwise(i));
        EXPECT_EQ(queue.lane, 3);
        EXPECT_EQ(queue.peer, built.GetSwitches().Get(next)->GetId());
        EXPECT_EQ(queue.peerPort, Counterclockwise(next));
        EXPECT_GT(queue.frames, 0u);
        const std::string text = "s" + std::to_string(i) + " port " + std::to_string(Clockwise(i)) +
                                 " priority 3 holds " + std::to_string(queue.frames) + " frames (" +
                                 std::to_string(queue.bytes) + " B) for s" + std::to_string(next) +
                                 " port " + std::to_string(Counterclockwise(next)) +
                                 ", which is full of frames for";
        EXPECT_NE(report.text.find(text), std::string::npos) << report.text;
    }
}

// Each link carries the frames of two hosts and gives them to a link that does the same. Whatever
// is full waits for what is full, all the way round.
TEST_F(Deadlock, B6_8_ARingDeadlocksAndTheCycleOfFourIsReported)
{
    Ring ring(RoundTheRing);
    ring.SendTwoHopsAhead();
    Simulator::Run();
    ExpectTheRing(ring.detector->GetReport(), *ring.built);
    // The report tells what the switches hold: frames of 1024 bytes, at least until they stop their
    // sender.
    for (const FabricStuckQueue& queue : ring.detector->GetReport().queues)
    {
        EXPECT_EQ(queue.bytes, queue.frames * BYTES);
        EXPECT_GE(queue.bytes, RESERVED);
    }
    // 4000 frames need 160 us on two hops of 100 Gb/s: it was over long before, and was seen at the
    // second look, 100 us after the first.
    EXPECT_LE(ring.detector->GetReport().ps, 400 * US);
    EXPECT_EQ(CountAllDrops(ring.fabric), 0u);
    EXPECT_TRUE(ring.stuck.empty());
}

TEST_F(Deadlock, B6_8_TheSameTrafficOnATreeDoesNotDeadlock)
{
    Ring ring(AlongTheTree);
    ring.SendTwoHopsAhead();
    Simulator::Run();
    ring.ExpectAllDelivered(RING);
}

// Three hosts send to h0: frames leave the ring in one place only, the link from s0 to s1 stays
// empty, and although everything is full of frames that wait, the last of them can always leave.
TEST_F(Deadlock, B6_8_OneExitDoesNotDeadlock)
{
    Ring ring(RoundTheRing);
    for (uint32_t i = 1; i < RING; ++i)
    {
        ring.Send(i, 0);
    }
    Simulator::Run();
    EXPECT_GT(CountXoff(ring.fabric), 0u);
    ring.ExpectAllDelivered(RING - 1);
}

/**
 * h0 writes to h2 and h1 to h3, in packets as small as acknowledgements, which go round the rest of
 * the ring. The links from s2 to s3 and s3 to s0 are slow, so both directions queue there.
 * \param ackPriority 802.1p priority of acknowledgements.
 * \param check Called at the end.
 */
void
WriteHalfRound(uint8_t ackPriority,
               const std::function<void(RdmaTestNet&, const FabricDeadlockDetector&)>& check)
{
    RdmaTestNet net([&](RdmaTestPlan& plan) {
        plan.topology = RingPlan({100 * G, 100 * G, 10 * G, 10 * G});
        UseSmallBuffers(plan.fabric);
        ObjectFactory pfc("ns3::rdma::FabricPfc");
        pfc.Set("Priorities", UintegerValue(1 << 3 | 1 << 4));
        plan.fabric.SetFlowControl(pfc);
        plan.rdma.SetNicAttribute("AckInterval", UintegerValue(1));
        plan.rdma.SetNicAttribute("AckPriority", UintegerValue(ackPriority));
    });
    SetRoutes(net.plan->fabric, RoundTheRing);
    const Ptr<FabricDeadlockDetector> detector = Watch(net.plan->fabric, *net.built);
    RdmaQpAttributes attributes;
    attributes.pathMtu = 64;
    for (uint32_t from = 0; from < 2; ++from)
    {
        RdmaConnectedPair& pair = net.Connect(from, from + 2, attributes);
        pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 200'000));
    }
    Simulator::Run();
    check(net, *detector);
}

// Data on s0 -> s1 -> s2 -> s3, acknowledgements on s2 -> s3 -> s0 -> s1: only both together close
// the ring.
TEST_F(Deadlock, B6_8_AcknowledgementsCloseTheRing)
{
    WriteHalfRound(3, [](RdmaTestNet& net, const FabricDeadlockDetector& detector) {
        ExpectTheRing(detector.GetReport(), *net.built);
    });
}

TEST_F(Deadlock, B6_8_WithoutAcknowledgementsInItsLaneTheRingIsOpen)
{
    WriteHalfRound(4, [](RdmaTestNet& net, const FabricDeadlockDetector& detector) {
        EXPECT_FALSE(detector.IsDeadlocked()) << detector.GetReport().text;
        EXPECT_GT(CountXoff(net.plan->fabric), 0u);
        for (auto& pair : net.pairs)
        {
            EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
        }
        ExpectDrained(net.plan->fabric);
        ExpectLossless(net.plan->fabric);
    });
}

// The same ring of InfiniBand switches, with one lane and room for one packet in each buffer: hosts
// write half way round. There are no pauses; what is missing is credits. Nothing is dropped before
// the packets' lifetime of 1 s, long after the report.
TEST_F(Deadlock, B6_8_ARingOfInfiniBandDeadlocks)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = RingPlan();
        plan.fabric.UseInfiniBand();
        plan.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(4224)); // 66 blocks
    });
    const auto& switches = net.plan->fabric.GetIbSwitches();
    const auto detector = CreateObject<FabricDeadlockDetector>();
    detector->TraceConnectWithoutContext(
        "Deadlock",
        Callback<void, const FabricDeadlockReport&>(
            [](const FabricDeadlockReport&) { Simulator::Stop(); }));
    for (uint32_t at = 0; at < RING; ++at)
    {
        std::vector<uint16_t> table{IbSwitch::NO_PORT};
        for (uint32_t host = 0; host < RING; ++host)
        {
            table.push_back(static_cast<uint16_t>(at == host ? TO_HOST : Clockwise(at)));
        }
        switches[at]->SetLft(table);
        detector->Watch(switches[at]);
        net.plan->fabric.GetNetwork()->SetLid(at, static_cast<uint16_t>(at + 1), 0);
    }
    for (uint32_t i = 0; i < RING; ++i)
    {
        RdmaConnectedPair& pair = net.Connect(i, (i + 2) % RING);
        pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1'000'000));
    }
    Simulator::Run();
    const FabricDeadlockReport& report = detector->GetReport();
    ASSERT_TRUE(report.deadlock) << report.text;
    EXPECT_LE(report.ps, 400 * US);
    ASSERT_EQ(report.queues.size(), RING) << report.text;
    for (uint32_t i = 0; i < RING; ++i)
    {
        const FabricStuckQueue& queue = report.queues[i];
        EXPECT_EQ(queue.node, switches[i]->GetNode()->GetId());
        EXPECT_EQ(queue.port, Clockwise(i));
        EXPECT_EQ(queue.lane, 0);
        EXPECT_EQ(queue.peer, switches[(i + 1) % RING]->GetNode()->GetId());
        EXPECT_GE(queue.frames, 1u);
    }
    EXPECT_NE(report.text.find(" VL 0 holds "), std::string::npos) << report.text;
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
}

// All hosts pause priority 3 for 30 ms, by a pause of 335.5 us every 300 us. The ring is as full as
// in a deadlock, but frames for hosts are among those that fill it: it is stuck. A ring of other
// frames than before may even deadlock when the hosts let go; before, it must not be said.
TEST_F(Deadlock, HostsThatPauseForLongAreNoDeadlock)
{
    Ring ring(AlongTheTree);
    ring.SendTwoHopsAhead();
    for (int64_t us = 0; us < 30'000; us += 300)
    {
        for (const auto& host : ring.hosts)
        {
            Simulator::Schedule(MicroSeconds(us),
                                &FabricTestHost::SendPfc,
                                host.get(),
                                1 << 3,
                                65535);
        }
    }
    Simulator::Run();
    ring.ExpectAllDelivered(RING);
    ASSERT_EQ(ring.stuck.size(), 1u);
    const FabricDeadlockReport& report = ring.stuck[0];
    EXPECT_FALSE(report.deadlock);
    EXPECT_NE(report.text.find("no cycle"), std::string::npos) << report.text;
    EXPECT_GT(report.ps, 10'000 * US);
    EXPECT_LT(report.ps, 10'300 * US);
    ASSERT_EQ(report.queues.size(), RING) << report.text;
    for (uint32_t i = 0; i < RING; ++i)
    {
        const FabricStuckQueue& queue = report.queues[i];
        EXPECT_EQ(queue.peer, ring.built->GetHosts().Get(i)->GetId());
        const std::string text =
            "s" + std::to_string(i) + " port 0 priority 3 holds " + std::to_string(queue.frames) +
            " frames (" + std::to_string(queue.bytes) + " B), stopped by h" + std::to_string(i);
        EXPECT_NE(report.text.find(text), std::string::npos) << report.text;
    }
}

// The same on the ring: the hosts pause all the time, and everything between the switches is full
// and stopped in a circle. What fills it are also frames that would leave if a host let them.
TEST_F(Deadlock, ARingWithAWayOutIsNoDeadlock)
{
    Ring ring(RoundTheRing);
    ring.SendTwoHopsAhead();
    for (int64_t us = 0; us < 15'000; us += 300)
    {
        for (const auto& host : ring.hosts)
        {
            Simulator::Schedule(MicroSeconds(us),
                                &FabricTestHost::SendPfc,
                                host.get(),
                                1 << 3,
                                65535);
        }
    }
    Simulator::Stop(MilliSeconds(15));
    Simulator::Run();
    EXPECT_FALSE(ring.detector->IsDeadlocked());
    ASSERT_EQ(ring.stuck.size(), 1u);
    for (uint32_t i = 0; i < RING; ++i)
    {
        const auto& port = ring.fabric.GetSwitches()[i]->GetPort(Clockwise(i))->GetPort();
        EXPECT_TRUE(port.GetBlocked() >> 3 & 1) << "s" << i << " is not stopped by the next switch";
    }
}

// 15 hosts send to one: pauses reach all of them, and queues of switches wait for one another in
// chains. Nothing is reported, and the detector adds nothing to the time that the run takes but, at
// most, its last look.
TEST_F(Deadlock, AnIncastIsNoDeadlockAndTheWatchEnds)
{
    int64_t ends[2];
    for (const bool watched : {false, true})
    {
        FabricHelper fabric;
        UseSmallBuffers(fabric);
        FabricTopologyHelper built(
            FabricTopology::LeafSpine({4, 2, 4}, {100 * G, US, 0}, {100 * G, US, 0}),
            fabric);
        std::vector<std::unique_ptr<FabricTestHost>> hosts;
        for (uint32_t i = 0; i < 16; ++i)
        {
            hosts.push_back(std::make_unique<FabricTestHost>(built.GetDevices(i).Get(0)));
            FabricTestHost::Stream stream;
            stream.count = i ? 200 : 0;
            stream.bytes = BYTES;
            hosts.back()->Send(stream);
        }
        Ptr<FabricDeadlockDetector> detector;
        if (watched)
        {
            detector = Watch(fabric, built);
        }
        Simulator::Run();
        ends[watched] = Simulator::Now().GetPicoSeconds();
        EXPECT_EQ(hosts[0]->GetArrivals().size(), 15u * 200);
        EXPECT_GT(CountXoff(fabric), 0u);
        ExpectDrained(fabric);
        if (watched)
        {
            EXPECT_EQ(detector->GetReport().text, "");
        }
        Simulator::Destroy();
    }
    EXPECT_LE(ends[1], ends[0] + 100 * US);
}

} // namespace
} // namespace ns3
