/* SPDX-License-Identifier: GPL-2.0-only */
/* InfiniBand links and switches: closed forms, conservation of credits, limits of waiting. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/ib-link.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

namespace ns3
{
namespace
{

using namespace rdma;

/// InfiniBand without transport.
class IbLinks : public FabricSystemTest
{
};

using IbLinksDeath = IbLinks;

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t NS = 1000;
constexpr int64_t LATENCY = 130 * NS; // of a switch, the default
constexpr uint32_t PACKET = 4138;     // RDMA WRITE Only of 4096 bytes

/// Switches in a row between two hosts, or a star.
struct IbNet
{
    FabricHelper fabric;
    std::vector<std::unique_ptr<FabricTestHost>> hosts;
    std::unique_ptr<FabricTopologyHelper> topology;

    IbNet()
    {
        fabric.UseInfiniBand();
    }

    /// \param plan The network; every host is plugged into a switch or another host.
    void Build(const FabricTopology& plan)
    {
        topology = std::make_unique<FabricTopologyHelper>(plan, fabric);
        for (uint32_t rank = 0; rank < plan.GetHosts().size(); ++rank)
        {
            hosts.push_back(std::make_unique<FabricTestHost>(topology->GetDevices(rank).Get(0)));
            fabric.GetNetwork()->SetLid(rank, static_cast<uint16_t>(rank + 1), 0);
        }
    }

    /// h0, switches, h1: port 0 of each switch leads to h0, port 1 to h1.
    void BuildRow(uint32_t switches, uint64_t rate, int64_t delay)
    {
        FabricTopology plan;
        uint32_t last = plan.AddHost();
        for (uint32_t i = 0; i < switches; ++i)
        {
            const uint32_t next = plan.AddSwitch();
            plan.AddLink(last, next, {rate, delay, 0});
            last = next;
        }
        plan.AddLink(last, plan.AddHost(), {rate, delay, 0});
        Build(plan);
        for (const auto& ibSwitch : fabric.GetIbSwitches())
        {
            ibSwitch->SetLft({IbSwitch::NO_PORT, 0, 1});
        }
    }

    /// Hosts around a switch: host i at port i.
    void BuildStar(uint32_t count, uint64_t rate, int64_t delay)
    {
        Build(FabricTopology::Star(count, {rate, delay, 0}));
        std::vector<uint16_t> table{IbSwitch::NO_PORT};
        for (uint32_t i = 0; i < count; ++i)
        {
            table.push_back(static_cast<uint16_t>(i));
        }
        fabric.GetIbSwitches()[0]->SetLft(table);
    }

    IbLink& Link(uint32_t host) const
    {
        return *hosts[host]->GetDevice().GetPort().GetIbLink();
    }

    const Ptr<IbSwitch>& Switch(uint32_t i = 0) const
    {
        return fabric.GetIbSwitches()[i];
    }
};

// An idle path: each of n switches needs the header (8 bytes) and its latency, each of n + 1 cables
// its delay, and the packet is serialized once: n (h + L) + (n + 1) p + S. Store-and-forward has n
// + 1 serializations. The two delimiters of the packet, 2 bytes, count in S.
TEST_F(IbLinks, CutThroughNeedsOneSerializationStoreAndForwardOneForEachLink)
{
    for (uint64_t rate : {100 * G, 200 * G, 800 * G})
    {
        for (uint32_t n = 1; n <= 5; ++n)
        {
            for (uint32_t bytes : {30U, 282U, PACKET})
            {
                for (bool cutThrough : {true, false})
                {
                    IbNet net;
                    net.fabric.SetSwitchAttribute("HeaderBytes", UintegerValue(cutThrough ? 8 : 0));
                    const int64_t delay = 25 * NS;
                    net.BuildRow(n, rate, delay);
                    net.hosts[0]->Send({1, 0, bytes, 1, 1000 * NS});
                    Simulator::Run();
                    const int64_t s = FabricSerializer::Duration(rate, bytes + 2);
                    const int64_t h = FabricSerializer::Duration(rate, 8);
                    const int64_t expected = cutThrough ? n * (h + LATENCY) + (n + 1) * delay + s
                                                        : n * LATENCY + (n + 1) * (delay + s);
                    ASSERT_EQ(net.hosts[1]->GetArrivals().size(), 1U);
                    EXPECT_EQ(net.hosts[1]->GetLastArrival() - 1000 * NS, expected)
                        << n << " switches, " << bytes << " bytes, " << rate / G << " Gb/s";
                    ExpectDrained(net.fabric);
                    Simulator::Destroy();
                }
            }
        }
    }
}

// A packet that comes in at 100 Gb/s and leaves at 400 Gb/s must not run out of bits: its first bit
// leaves so late that its last bit has come, 3/4 of the slow serialization after the header.
TEST_F(IbLinks, CutThroughToAFasterLinkWaitsForTheLastBit)
{
    IbNet net;
    FabricTopology plan;
    const uint32_t a = plan.AddHost();
    const uint32_t s = plan.AddSwitch();
    plan.AddLink(a, s, {100 * G, 25 * NS, 0});
    plan.AddLink(s, plan.AddHost(), {400 * G, 25 * NS, 0});
    net.Build(plan);
    net.Switch()->SetLft({IbSwitch::NO_PORT, 0, 1});
    net.hosts[0]->Send({1, 0, PACKET, 1, 0});
    Simulator::Run();
    // Last bit at the switch: 2 bytes of delimiters are behind it in the model, so it has come at
    // 4138 x 80 ps + 25 ns; the latency; then the two delimiters at 400 Gb/s (20 ps each) and 25
    // ns.
    EXPECT_EQ(net.hosts[1]->GetLastArrival(), PACKET * 80 + 25 * NS + LATENCY + 2 * 20 + 25 * NS);
    ExpectDrained(net.fabric);
}

// B7.6. A lane buffer of B blocks of 64 bytes holds k whole packets. The credit loop is: the
// packet's serialization S, its flight p, and the flow control packet (8 bytes) back. If k S' (S'
// with the gap) is less than the loop the sender stalls, and k packets take one loop.
TEST_F(IbLinks, B7_6_ThroughputIsTheRateOrTheBufferPerCreditLoop)
{
    const uint64_t rate = 100 * G;
    const int64_t delay = 1000 * NS;
    const int64_t s = (PACKET + 2) * 80; // ps
    const int64_t loop = s + delay + 8 * 80 + delay;
    double before = 0;
    for (uint32_t packets = 1; packets <= 16; ++packets)
    {
        IbNet net;
        const uint32_t buffer = std::max(packets * 65U, 66U) * 64;
        net.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(buffer));
        net.Build(FabricTopology::BackToBack({rate, delay, 0}));
        const uint64_t count = 400;
        net.hosts[0]->Send({1, 0, PACKET, count, 0});
        Simulator::Run();
        ASSERT_EQ(net.hosts[1]->GetArrivals().size(), count);
        const auto& arrivals = net.hosts[1]->GetArrivals();
        const double bitsPerPs = 8.0 * PACKET * (count - 1) /
                                 static_cast<double>(arrivals.back().ps - arrivals.front().ps);
        const double line = 8.0 * PACKET / static_cast<double>(s);
        const double credits = 8.0 * PACKET * packets / static_cast<double>(loop);
        const double expected = std::min(line, credits);
        // One packet more or less among 400.
        EXPECT_NEAR(bitsPerPs, expected, expected * packets / count) << packets;
        EXPECT_GE(bitsPerPs, before * 0.9999) << "a larger buffer never makes one flow slower";
        before = bitsPerPs;
        const bool stalled = net.Link(0).GetWaitTime(0, 0) > 0;
        EXPECT_EQ(stalled, packets * s < loop) << packets;
        ExpectDrained(net.fabric);
        Simulator::Destroy();
    }
}

// B7.4. Every size up to the MTU with a buffer of exactly one MTU packet with all headers.
TEST_F(IbLinks, B7_4_EverySizeUpToTheMtuFitsABufferOfOnePacket)
{
    IbNet net;
    net.fabric.SetLinkAttribute("LaneBuffer", UintegerValue((4096 + 126 + 63) / 64 * 64));
    net.BuildRow(2, 100 * G, 100 * NS);
    uint64_t bytes = 0;
    for (uint32_t size = 26; size <= 4096 + 126; size += 4)
    {
        net.hosts[0]->Send({1, 0, size, 1, 0});
        bytes += size;
    }
    Simulator::Run();
    EXPECT_EQ(net.hosts[1]->GetReceivedBytes(), bytes);
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
    ExpectDrained(net.fabric);
}

TEST_F(IbLinksDeath, B7_4_ABufferBelowOnePacketIsRefused)
{
    const auto build = [](uint32_t mtu, uint32_t buffer) {
        IbNet net;
        net.fabric.SetLinkAttribute("Mtu", UintegerValue(mtu));
        net.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(buffer));
        net.Build(FabricTopology::BackToBack({100 * G, 100 * NS, 0}));
    };
    EXPECT_DEATH(build(4096, 2048), "must hold one packet with a payload of 4096 bytes.*got 2048");
    EXPECT_DEATH(build(4096, 131136), "at most the 131072 bytes.*got 131136");
    EXPECT_DEATH(build(3000, 65536), "256, 512, 1024, 2048 or 4096 bytes, got 3000");
}

TEST_F(IbLinksDeath, B7_3_BothEndsSpeakTheSame)
{
    const auto connect = [](const char* other, uint32_t lanes, uint32_t mtu) {
        FabricHelper fabric;
        fabric.UseInfiniBand();
        fabric.SetLinkAttribute("DataLanes", UintegerValue(2));
        NodeContainer nodes;
        nodes.Create(2);
        const auto make = [&](uint32_t node, ObjectFactory link) {
            const auto device = CreateObject<FabricNetDevice>();
            device->SetNetwork(fabric.GetNetwork());
            nodes.Get(node)->AddDevice(device);
            device->SetFlowControl(link.Create<FabricFlowControl>());
            device->MakeEndpoint();
            return device;
        };
        ObjectFactory mine("ns3::rdma::IbLink");
        mine.Set("DataLanes", UintegerValue(2));
        ObjectFactory theirs(other);
        if (lanes)
        {
            theirs.Set("DataLanes", UintegerValue(lanes));
            theirs.Set("Mtu", UintegerValue(mtu));
        }
        const auto channel = CreateObject<FabricChannel>();
        const auto a = make(0, mine);
        const auto b = make(1, theirs);
        a->Attach(channel);
        b->Attach(channel);
    };
    EXPECT_DEATH(connect("ns3::rdma::FabricPfc", 0, 0), "do not speak the same.*InfiniBand");
    EXPECT_DEATH(connect("ns3::rdma::FabricFlowControl", 0, 0), "do not speak the same");
    EXPECT_DEATH(connect("ns3::rdma::IbLink", 4, 4096), "2 data lanes.*4 data lanes");
    EXPECT_DEATH(connect("ns3::rdma::IbLink", 2, 2048), "4096 bytes.*2048 bytes");
}

// B7.9. The wait counter stands still on an idle link and on one that flows, and runs while a
// packet waits for credits: from the moment it is refused to the moment the receiver gives room
// back.
TEST_F(IbLinks, B7_9_TransmitWaitTicksOnlyWithoutCredits)
{
    IbNet net;
    net.Build(FabricTopology::BackToBack({100 * G, 100 * NS, 0}));
    net.hosts[0]->Send({1, 0, PACKET, 15, 0}); // 15 x 65 = 975 of 1024 blocks
    Simulator::Run();
    EXPECT_EQ(net.Link(0).GetWaitTime(0, FabricClock().Now()), 0);

    net.hosts[1]->Hold(true);
    const int64_t start = FabricClock().Now();
    net.hosts[0]->Send({1, 0, PACKET, 16, start});
    const int64_t release = start + 100'000 * NS;
    Simulator::Schedule(FabricClock().ToTime(release - start),
                        &FabricTestHost::Release,
                        net.hosts[1].get());
    Simulator::Run();
    EXPECT_EQ(net.hosts[1]->GetReceived(0), 31U);
    // Refused when the 15th has left; the flow control packet takes 8 bytes and the cable.
    const int64_t refused = start + 15 * (PACKET + 2) * 80;
    EXPECT_EQ(net.Link(0).GetWaitTime(0, FabricClock().Now()),
              release + 8 * 80 + 100 * NS - refused);
}

// Lane 15 knows no credits: it goes ahead of all data, is not stopped by a full receiver, and is
// dropped where its buffer in a switch is full.
TEST_F(IbLinks, ManagementNeedsNoCreditsAndGoesFirst)
{
    IbNet net;
    net.BuildRow(1, 100 * G, 100 * NS);
    net.hosts[1]->Hold(true);
    net.hosts[0]->Send({1, 0, PACKET, 60, 0});
    net.hosts[0]->Send({1, 15, 282, 3, 100'000 * NS});
    Simulator::Stop(MicroSeconds(300));
    Simulator::Run();
    // 1024 blocks of the host hold 15 packets of 65; then data stands still, management does not.
    EXPECT_EQ(net.hosts[1]->GetReceived(0), 15U);
    EXPECT_EQ(net.hosts[1]->GetReceived(15), 3U);
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
}

TEST_F(IbLinks, ManagementIsDroppedWhenItsBufferIsFull)
{
    // Two senders at line rate into one port, 400 packets of 282 bytes each: half of them have to
    // wait, and 4096 bytes hold 14.
    IbNet net;
    net.BuildStar(3, 100 * G, 100 * NS);
    net.hosts[0]->Send({2, 15, 282, 400, 0});
    net.hosts[1]->Send({2, 15, 282, 400, 0});
    Simulator::Run();
    const uint64_t lost = CountDrops(net.fabric, FabricDropReason::QUEUE_FULL);
    EXPECT_EQ(net.hosts[2]->GetReceived(15) + lost, 800U);
    // They come in twice as fast as they leave: 400 serializations let out 400, and 14 or 15 (one
    // is leaving) are still there.
    EXPECT_NEAR(static_cast<double>(net.hosts[2]->GetReceived(15)), 400 + 14.5, 1.5);
    ExpectDrained(net.fabric);
}

// Weights 1:2:3 (64, 128, 192 units of 64 bytes) on a port that two senders keep full.
TEST_F(IbLinks, LanesShareALinkByTheirWeights)
{
    IbNet net;
    net.fabric.SetLinkAttribute("DataLanes", UintegerValue(3));
    net.fabric.SetLinkAttribute("VlArbitrationHigh", StringValue(""));
    net.fabric.SetLinkAttribute("VlArbitrationLow", StringValue("0:64,1:128,2:192"));
    net.BuildStar(4, 100 * G, 100 * NS);
    net.Switch()->SetSlToVl({0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    for (uint8_t lane = 0; lane < 3; ++lane)
    {
        net.hosts[lane]->Send({3, lane, PACKET, 5000, 0});
    }
    Simulator::Stop(MicroSeconds(1000)); // 3,000 packets
    Simulator::Run();
    const double one = static_cast<double>(net.hosts[3]->GetReceived(0));
    EXPECT_GT(one, 480);
    EXPECT_NEAR(static_cast<double>(net.hosts[3]->GetReceived(1)) / one, 2, 0.04);
    EXPECT_NEAR(static_cast<double>(net.hosts[3]->GetReceived(2)) / one, 3, 0.06);
}

// Three inputs for one output: each gets a third, whatever their numbers.
TEST_F(IbLinks, InputsShareAnOutput)
{
    IbNet net;
    net.BuildStar(4, 100 * G, 100 * NS);
    for (uint32_t i = 0; i < 3; ++i)
    {
        net.hosts[i]->Send({3, 0, PACKET, 1000, 0});
    }
    Simulator::Stop(MicroSeconds(300)); // 906 packets
    Simulator::Run();
    std::array<int, 3> from{};
    for (const auto& arrival : net.hosts[3]->GetArrivals())
    {
        ++from[arrival.source];
    }
    EXPECT_GT(from[0] + from[1] + from[2], 890);
    EXPECT_LE(*std::max_element(from.begin(), from.end()) -
                  *std::min_element(from.begin(), from.end()),
              1);
}

// HOQLife towards a host that takes nothing: code 4 is 4.096 us x 16 = 65.536 us. The 16th packet
// (15 fit the host's buffer) is refused when it comes to the head; one is dropped each 65.536 us;
// after 7 the lane is stalled, and everything else is dropped for 8 times that long.
TEST_F(IbLinks, HeadOfQueueLifetimeDropsAndStalls)
{
    IbNet net;
    net.fabric.SetSwitchAttribute("LeafHoqLife", UintegerValue(4));
    net.BuildRow(1, 100 * G, 100 * NS);
    net.hosts[1]->Hold(true);
    net.hosts[0]->Send({1, 0, PACKET, 15 + 7 + 5, 0});
    const int64_t life = 65'536 * NS;
    // The 16th is refused after 15 serializations behind the first start.
    const int64_t refused = 100 * NS + 8 * 80 + LATENCY + 15 * (PACKET + 2) * 80;
    const auto drops = [&net](FabricDropReason reason) { return CountDrops(net.fabric, reason); };
    for (int64_t i = 1; i <= 7; ++i)
    {
        Simulator::Stop(FabricClock().ToTime(refused + i * life - 1) - Simulator::Now());
        Simulator::Run();
        EXPECT_EQ(drops(FabricDropReason::HEAD_OF_QUEUE), static_cast<uint64_t>(i - 1));
        Simulator::Stop(FabricClock().ToTime(refused + i * life) - Simulator::Now());
        Simulator::Run();
        EXPECT_EQ(drops(FabricDropReason::HEAD_OF_QUEUE), static_cast<uint64_t>(i));
    }
    EXPECT_EQ(drops(FabricDropReason::LANE_STALLED), 5U);
    // While it is stalled what comes is dropped; afterwards it waits again.
    const int64_t stalled = refused + 7 * life;
    net.hosts[0]->Send({1, 0, PACKET, 1, stalled + 7 * life});
    net.hosts[0]->Send({1, 0, PACKET, 1, stalled + 9 * life});
    Simulator::Stop(FabricClock().ToTime(stalled + 9 * life + 1000 * NS) - Simulator::Now());
    Simulator::Run();
    EXPECT_EQ(drops(FabricDropReason::LANE_STALLED), 6U);
    EXPECT_EQ(net.Switch()->GetHeld(), 1U);
    net.hosts[1]->Release();
    Simulator::Run();
    EXPECT_EQ(net.hosts[1]->GetReceived(0), 16U);
}

// The lifetime of a packet in a switch: code 5 is 131.072 us. The head does not expire (code 20:
// never).
TEST_F(IbLinks, SwitchLifetimeDrops)
{
    IbNet net;
    net.fabric.SetSwitchAttribute("LeafHoqLife", UintegerValue(20));
    net.fabric.SetSwitchAttribute("PacketLifetime", UintegerValue(5));
    net.BuildRow(1, 100 * G, 100 * NS);
    net.hosts[1]->Hold(true);
    net.hosts[0]->Send({1, 0, PACKET, 15 + 4, 0});
    Simulator::Stop(MicroSeconds(130));
    Simulator::Run();
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
    Simulator::Stop(MicroSeconds(10));
    Simulator::Run();
    EXPECT_EQ(CountDrops(net.fabric, FabricDropReason::SWITCH_LIFETIME), 4U);
    net.hosts[1]->Release();
    Simulator::Run();
    EXPECT_EQ(net.Switch()->GetHeld(), 0U);
    EXPECT_EQ(net.hosts[1]->GetReceived(0), 15U);
}

TEST_F(IbLinks, UnknownLidAndForbiddenLevelAreDropped)
{
    IbNet net;
    net.BuildRow(1, 100 * G, 100 * NS);
    net.Switch()->SetLft({IbSwitch::NO_PORT, 0}); // nobody told it of h1
    net.hosts[0]->Send({1, 0, 282, 1, 0});
    Simulator::Run();
    EXPECT_EQ(CountDrops(net.fabric, FabricDropReason::NO_ROUTE), 1U);
    net.Switch()->SetLft({IbSwitch::NO_PORT, 0, 1});
    net.Switch()->SetSlToVl({15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    net.hosts[0]->Send({1, 0, 282, 1, FabricClock().Now()});
    Simulator::Run();
    EXPECT_EQ(CountDrops(net.fabric, FabricDropReason::NO_LANE), 1U);
    // Their room came back: nothing is missing.
    const IbLink::LaneView view = net.Switch()->GetPort(0)->GetPort().GetIbLink()->GetLaneView(0);
    EXPECT_EQ(view.held, 0U);
    ExpectDrained(net.fabric);
}

/**
 * Four switches in a ring with a host each, which send two switches ahead, always clockwise.
 * \param bubble Whether the bubble rule is on.
 * \param packets What each host sends.
 * \return Packets that came to their hosts.
 */
uint64_t
RunRing(bool bubble, uint64_t packets)
{
    IbNet net;
    net.fabric.SetSwitchAttribute("BubbleRule", BooleanValue(bubble));
    for (const char* limit : {"HoqLife", "LeafHoqLife", "PacketLifetime"})
    {
        net.fabric.SetSwitchAttribute(limit, UintegerValue(20)); // for ever
    }
    net.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(2 * 66 * 64)); // two packets
    // Long enough for two packets of each host to enter before those of the others come along.
    const FabricLinkSpec link{100 * G, 1000 * NS, 0};
    net.Build(FabricTopology::Ring(4, 1, link, link));
    const auto portTowards = [&net](uint32_t at, const Ptr<Node>& node) {
        for (uint16_t port = 0; port < net.Switch(at)->GetNPorts(); ++port)
        {
            const auto device = net.Switch(at)->GetPort(port);
            if (device->GetFabricChannel()->GetPeer(device)->GetNode() == node)
            {
                return port;
            }
        }
        return IbSwitch::NO_PORT;
    };
    for (uint32_t at = 0; at < 4; ++at)
    {
        const uint16_t next = portTowards(at, net.Switch((at + 1) % 4)->GetNode());
        std::vector<uint16_t> table(5, next);
        table[at + 1] = portTowards(at, net.hosts[at]->GetDevice().GetNode());
        net.Switch(at)->SetLft(table);
        net.hosts[at]->Send({(at + 2) % 4, 0, PACKET, packets, 0});
    }
    Simulator::Run();
    uint64_t received = 0;
    uint64_t held = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        received += net.hosts[i]->GetReceived(0);
        held += net.Switch(i)->GetHeld();
    }
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
    // Each of the four ring buffers is full with two packets when nothing moves any more.
    EXPECT_EQ(received == 4 * packets, held == 0);
    Simulator::Destroy();
    return received;
}

// B7.7. One lane, and every buffer of the ring fills with packets that have to go on: it locks up.
// With the bubble rule a packet enters only where another one still fits, and everything arrives.
TEST_F(IbLinks, B7_7_TheBubbleRuleKeepsARingAlive)
{
    EXPECT_LT(RunRing(false, 1000), 4000U);
    EXPECT_EQ(RunRing(true, 1000), 4000U);
}

/// Checks the books of one direction of a link, lane by lane.
void
ExpectConserved(const FabricPort& sender, const FabricPort& receiver, bool lossless)
{
    for (uint8_t lane = 0; lane < sender.GetIbLink()->GetNLanes(); ++lane)
    {
        const IbLink::LaneView from = sender.GetIbLink()->GetLaneView(lane);
        const IbLink::LaneView to = receiver.GetIbLink()->GetLaneView(lane);
        uint32_t flying = 0;
        for (const FabricFrame* frame = sender.GetWire()->data.Peek(); frame; frame = frame->next)
        {
            flying += frame->priority == lane ? IbLink::Blocks(frame->bytes) : 0;
        }
        const uint32_t available = (from.limit - from.sent) & 0xfff;
        const uint32_t unread = (to.received + to.capacity - to.held - from.limit) & 0xfff;
        ASSERT_LE(to.held, to.capacity);
        ASSERT_LE(available, to.capacity);
        ASSERT_LE(unread, to.capacity);
        if (lossless)
        {
            // Credits at the sender, blocks that fly, blocks held, credits on their way back.
            ASSERT_EQ((from.sent - to.received) & 0xfff, flying);
            ASSERT_EQ(available + flying + to.held + unread, to.capacity);
        }
        else
        {
            // What the wire has lost is missing, until the next flow control packet repairs it.
            ASSERT_LE(available + flying + to.held + unread, to.capacity);
        }
    }
}

/// Two hosts that send at random on all lanes, both ways, and what is checked at every frame.
struct RandomTraffic
{
    IbNet net;
    Ptr<UniformRandomVariable> random{CreateObject<UniformRandomVariable>()};
    uint64_t checks{0};
    bool lossless;

    RandomTraffic(uint64_t packets, bool lossless)
        : lossless(lossless)
    {
        random->SetStream(7);
        net.fabric.SetLinkAttribute("DataLanes", UintegerValue(4));
        net.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(8192));
        net.BuildRow(1, 400 * G, 50 * NS);
        net.Switch()->SetSlToVl({0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 0});
        for (auto& host : net.hosts)
        {
            host->Record(false);
        }
        const uint64_t each = packets / 2 / 4 / 4;
        for (uint32_t i = 0; i < 32; ++i)
        {
            net.hosts[i % 2]->Send({1 - i % 2,
                                    static_cast<uint8_t>(i / 2 % 4),
                                    26 + 4 * random->GetInteger(0, 1040),
                                    each,
                                    static_cast<int64_t>(random->GetInteger(0, 1000)) * NS});
        }
        for (uint32_t i = 0; i < net.fabric.GetNetwork()->GetDevices().size(); ++i)
        {
            net.fabric.GetNetwork()->GetDevices()[i]->TraceConnectWithoutContext(
                "FrameTx",
                MakeCallback(&RandomTraffic::Check, this));
        }
    }

    void Check(const FabricFrame*, int64_t)
    {
        if (!testing::Test::HasFatalFailure())
        {
            ++checks;
            for (FabricNetDevice* device : net.fabric.GetNetwork()->GetDevices())
            {
                const FabricPort& port = device->GetPort();
                ExpectConserved(port, *port.GetWire()->receiver, lossless);
            }
        }
    }

    /// At the end both ends of every cable know everything, and nothing is missing.
    void ExpectSettled()
    {
        for (FabricNetDevice* device : net.fabric.GetNetwork()->GetDevices())
        {
            const FabricPort& port = device->GetPort();
            ExpectConserved(port, *port.GetWire()->receiver, true);
            for (uint8_t lane = 0; lane < 4; ++lane)
            {
                const IbLink::LaneView from = port.GetIbLink()->GetLaneView(lane);
                EXPECT_EQ((from.limit - from.sent) & 0xfff, 8192U / 64);
            }
        }
    }
};

#ifdef NDEBUG
constexpr uint64_t RANDOM_PACKETS = 1'000'000;
#else
constexpr uint64_t RANDOM_PACKETS = 50'000; // assertions make it slow
#endif

TEST_F(IbLinks, CreditsAreConservedAtEveryFrame)
{
    RandomTraffic traffic(RANDOM_PACKETS, true);
    Simulator::Run();
    EXPECT_GT(traffic.checks, RANDOM_PACKETS);
    uint64_t received = 0;
    for (const auto& host : traffic.net.hosts)
    {
        for (uint8_t lane = 0; lane < 4; ++lane)
        {
            received += host->GetReceived(lane);
        }
    }
    EXPECT_EQ(received, RANDOM_PACKETS / 32 * 32);
    EXPECT_EQ(CountAllDrops(traffic.net.fabric), 0U);
    traffic.ExpectSettled();
    ExpectDrained(traffic.net.fabric);
}

// One flow control packet in ten and one data packet in a hundred are lost. The next flow control
// packet makes good for the first, and FCTBS in it for the second.
TEST_F(IbLinks, CreditsSurviveLostPackets)
{
    RandomTraffic traffic(RANDOM_PACKETS / 10, false);
    uint64_t lost = 0;
    for (FabricNetDevice* device : traffic.net.fabric.GetNetwork()->GetDevices())
    {
        device->SetDropFilter(Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
            const bool control = frame.kind == FabricFrameKind::CREDIT;
            const bool drop = traffic.random->GetValue() < (control ? 0.1 : 0.01);
            lost += drop && !control;
            return drop;
        }));
    }
    Simulator::Run();
    uint64_t received = 0;
    for (const auto& host : traffic.net.hosts)
    {
        for (uint8_t lane = 0; lane < 4; ++lane)
        {
            received += host->GetReceived(lane);
        }
    }
    EXPECT_EQ(received + lost, RANDOM_PACKETS / 10 / 32 * 32);
    EXPECT_GT(lost, RANDOM_PACKETS / 10 / 100);
    traffic.ExpectSettled();
    ExpectDrained(traffic.net.fabric);
}

// A cable that is cut loses what is on it; mended, it is initialized anew and has all its credits.
TEST_F(IbLinks, ARepairedLinkStartsWithAllItsCredits)
{
    IbNet net;
    net.BuildRow(1, 100 * G, 1000 * NS);
    net.hosts[0]->Send({1, 0, PACKET, 300, 0});
    const auto channel = net.hosts[0]->GetDevice().GetFabricChannel();
    Simulator::Schedule(MicroSeconds(20), &FabricChannel::SetUp, channel, false);
    Simulator::Schedule(MicroSeconds(40), &FabricChannel::SetUp, channel, true);
    Simulator::Run();
    // Of a packet each 331.2 ns those are lost that start within the 20 us, and those that have
    // started in the 1.13 us before and are not through cable and pipeline: 60.4 + 3.4.
    const uint64_t lost = 300 - net.hosts[1]->GetReceived(0);
    EXPECT_NEAR(static_cast<double>(lost), 63.8, 1);
    EXPECT_GE(CountDrops(net.fabric, FabricDropReason::LINK_DOWN), lost); // and flow control
    const IbLink::LaneView view = net.Link(0).GetLaneView(0);
    EXPECT_EQ((view.limit - view.sent) & 0xfff, 1024U);
    ExpectDrained(net.fabric);
}

} // namespace
} // namespace ns3
