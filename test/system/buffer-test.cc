/* SPDX-License-Identifier: GPL-2.0-only */
/* The shared buffer of a switch: headroom, thresholds, books, and what is refused. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"

#include "ns3/fabric-headroom.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

namespace ns3
{
namespace
{

using namespace rdma;

/// The shared buffer of switches.
class Buffer : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t US = 1'000'000;  // ps
constexpr uint32_t LONGEST = 4178; // MaxFrameBytes of a switch
const FabricLinkSpec LINK{100 * G, US, 0};

/// \param kind TypeId. \param size Bytes. \param reserved Bytes per lane. \return Makes buffers.
ObjectFactory
MakeBuffer(const std::string& kind, uint64_t size, uint64_t reserved = 4096)
{
    ObjectFactory factory(kind);
    factory.Set("Size", UintegerValue(size));
    factory.Set("Reserved", UintegerValue(reserved));
    return factory;
}

/// A network with a test host at every rank.
struct Net
{
    FabricHelper& fabric;                               //!< what made it
    FabricTopologyHelper built;                         //!< the network
    std::vector<std::unique_ptr<FabricTestHost>> hosts; //!< by rank

    /// \param plan The plan. \param helper Makes the parts.
    Net(const FabricTopology& plan, FabricHelper& helper)
        : fabric(helper),
          built(plan, helper)
    {
        for (uint32_t rank = 0; rank < plan.GetHosts().size(); ++rank)
        {
            hosts.push_back(std::make_unique<FabricTestHost>(built.GetDevices(rank).Get(0)));
        }
    }

    /// Sends frames. \param from A rank. \param to Another. \param count How many. \param start
    /// When, ps.
    void Flow(uint32_t from, uint32_t to, uint64_t count, int64_t start = 0, uint8_t priority = 3)
    {
        FabricTestHost::Stream stream;
        stream.destination = to;
        stream.bytes = LONGEST;
        stream.count = count;
        stream.start = start;
        stream.priority = priority;
        hosts[from]->Send(stream);
    }
};

// protocol-facts 4.1, the form of SONiC's script: 100 Gb/s, 40 m, port MTU 9216, lossless MTU 4096,
// MAC and PHY 819 bytes, 394 quanta = 25,216 bytes of response. Cable: 2 x 40 m / (1.98 x 10^8 m/s)
// = 404.04 ns = 5,051 bytes. 9216 + 5051 + 819 + 25216 + 4096 = 44,398, rounded up to KiB 45,056.
TEST_F(Buffer, HeadroomOfSonic)
{
    FabricHeadroom headroom;
    headroom.bitsPerSecond = 100 * G;
    headroom.cableBytes = FabricHeadroom::BytesIn(404'040, 100 * G);
    headroom.portMtu = 9216;
    headroom.losslessMtu = 4096;
    headroom.delayBytes = 819;
    headroom.responseBytes = 64ULL * FabricHeadroom::StandardResponseQuanta(100 * G);
    EXPECT_EQ(headroom.cableBytes, 5'051u);
    EXPECT_EQ(headroom.responseBytes, 25'216u);
    EXPECT_EQ(headroom.Get(), 44'398u);
    EXPECT_EQ(FabricHeadroom::RoundUpToKib(headroom.Get()), 45'056u);
    EXPECT_EQ(FabricHeadroom::RoundUpToKib(45'056), 45'056u);
    EXPECT_EQ(FabricHeadroom::StandardResponseQuanta(10 * G), 67u);
    EXPECT_EQ(FabricHeadroom::StandardResponseQuanta(25 * G), 80u);
    EXPECT_EQ(FabricHeadroom::StandardResponseQuanta(400 * G), 905u);
    EXPECT_EQ(FabricHeadroom::StandardResponseQuanta(800 * G), 905u);
}

/// \param rate bit/s. \param delay Of the cables, ps. \param lossless Mask. \return Headroom of a
/// lane, bytes.
uint64_t
HeadroomOf(uint64_t rate, int64_t delay, uint32_t lossless = 1 << 3)
{
    FabricHelper fabric;
    ObjectFactory pfc("ns3::rdma::FabricPfc");
    pfc.Set("Priorities", UintegerValue(lossless));
    fabric.SetFlowControl(pfc);
    fabric.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 1ULL << 40));
    FabricTopologyHelper built(FabricTopology::Star(2, {rate, delay, 0}), fabric);
    EXPECT_EQ(fabric.CheckConfig(), "");
    const uint64_t headroom =
        fabric.GetSwitches()[0]->GetBufferPolicy()->GetIngress(0, 3).headroomLimit;
    Simulator::Destroy();
    return headroom;
}

// By hand, longest frame 4178, switch latency 500 ns, cables at 5 ns/m:
// 100 Gb/s, 200 m: 2 x 4178 + (4178 + 20 + 84) + 25,000 cable + 6,250 latency + 25,216 response =
// 69,104. 400 Gb/s, 500 m: 2 x 4178 + 4282 + 250,000 + 25,000 + 57,920 = 345,558. With a second
// lossless class its pause frame may go first: 84 more.
TEST_F(Buffer, B1_11_HeadroomFollowsRateAndCable)
{
    EXPECT_EQ(HeadroomOf(100 * G, US), 69'104u);
    EXPECT_EQ(HeadroomOf(400 * G, 2'500'000), 345'558u);
    EXPECT_EQ(HeadroomOf(100 * G, US, 1 << 3 | 1 << 4), 69'188u);
    uint64_t last[4] = {};
    for (const int64_t metres : {5, 40, 300, 2000, 10000})
    {
        uint64_t slower = 0;
        int place = 0;
        for (const uint64_t rate : {100 * G, 200 * G, 400 * G, 800 * G})
        {
            const uint64_t headroom = HeadroomOf(rate, metres * 5'000);
            EXPECT_GT(headroom, slower) << metres << " m at " << rate << " bit/s";
            EXPECT_GT(headroom, last[place]) << metres << " m at " << rate << " bit/s";
            // At least what is on the cable, both ways: 2 x 5 ns/m x rate.
            EXPECT_GT(headroom, 2ULL * metres * 5 * (rate / 8 / G));
            slower = last[place++] = headroom;
        }
    }
}

/// What the worst case came to.
struct Worst
{
    uint64_t limit{0}; //!< bytes of headroom
    uint64_t peak{0};  //!< most bytes that were in it
    uint64_t drops{0}; //!< frames lost
};

/**
 * The worst that can meet a lossless lane: host 0 sends the longest frames at line rate into a lane
 * whose frames cannot leave, while the switch sends the longest frames the other way, so that the
 * pause waits for one of them. The start of those is moved in steps of 2 ns over one frame (335.84
 * ns), so that one has just begun when the pause is wanted.
 * \param headroom Headroom of each lane, 0: by the formula.
 * \param response What the formula believes of the sender's response.
 * \param really What it is.
 * \return The worst of all.
 */
Worst
MeetTheWorst(uint64_t headroom, Time response, Time really)
{
    Worst worst;
    for (int64_t offset = 0; offset < 336'000; offset += 2'000)
    {
        FabricHelper fabric;
        ObjectFactory pfc("ns3::rdma::FabricPfc");
        pfc.Set("ResponseTime", TimeValue(really));
        fabric.SetFlowControl(pfc);
        ObjectFactory buffer =
            MakeBuffer("ns3::rdma::FabricStaticBuffer", 10'000'000, 3 * LONGEST + 1);
        buffer.Set("PeerResponse", TimeValue(response));
        buffer.Set("Headroom", UintegerValue(headroom));
        fabric.SetBufferPolicy(buffer);
        fabric.SetSwitchAttribute("Latency", TimeValue(Time(0)));
        Net net(FabricTopology::Star(3, {100 * G, 335'000, 0}), fabric);
        net.Flow(0, 1, 40);
        net.Flow(2, 0, 40, offset);
        net.hosts[1]->SendPfc(8, 65535);
        Simulator::Schedule(MicroSeconds(30), &FabricTestHost::SendPfc, net.hosts[1].get(), 8, 0);
        Simulator::Run();
        const auto policy = fabric.GetSwitches()[0]->GetBufferPolicy();
        worst.limit = policy->GetIngress(0, 3).headroomLimit;
        worst.peak = std::max(worst.peak, policy->GetIngress(0, 3).headroomPeak);
        worst.drops += CountAllDrops(fabric);
        EXPECT_EQ(CountAllDrops(fabric), CountDrops(fabric, FabricDropReason::HEADROOM_FULL));
        EXPECT_EQ(net.hosts[0]->GetReceived(3), 40u);
        EXPECT_EQ(net.hosts[1]->GetReceived(3) + CountAllDrops(fabric), 40u);
        ExpectDrained(fabric);
        Simulator::Destroy();
        if (testing::Test::HasFailure() || (headroom && worst.drops))
        {
            break;
        }
    }
    return worst;
}

// Cables of 335 ns, no latency, no response time. After the frame that does not fit any more (4178)
// the switch ends a frame (4198 of wire) and sends the pause (84), which travels while 335 ns of
// frames are on their way and 335 ns more are sent (8375): 12,657 bytes of wire, in which 4 frames
// begin, as 3 x 4198 = 12,594. So 5 x 4178 = 20,890 bytes come into the headroom at worst; the
// formula gives 2 x 4178 + 4282 + 8375 = 21,013. One frame less, 16,835, is too small: loss at
// once.
TEST_F(Buffer, HeadroomByTheFormulaIsEnoughAndAFrameLessIsNot)
{
    const Worst enough = MeetTheWorst(0, Time(0), Time(0));
    EXPECT_EQ(enough.limit, 21'013u);
    EXPECT_EQ(enough.peak, 20'890u);
    EXPECT_EQ(enough.drops, 0u);
    const Worst less = MeetTheWorst(21'013 - LONGEST, Time(0), Time(0));
    EXPECT_GT(less.drops, 0u);
}

// A sender that takes 1 us to obey sends 12,500 bytes more (21,013 + 12,500); who does not allow
// for it loses frames.
TEST_F(Buffer, HeadroomAllowsForTheResponseOfTheSender)
{
    const Worst allowed = MeetTheWorst(0, MicroSeconds(1), MicroSeconds(1));
    EXPECT_EQ(allowed.limit, 33'513u);
    EXPECT_EQ(allowed.drops, 0u);
    EXPECT_GT(MeetTheWorst(21'013, Time(0), MicroSeconds(1)).drops, 0u);
}

// Two NICs with two queue pairs each write to one, with 1000 B of payload per packet, through a
// buffer of 9 MB: 100 Gb/s too much fill the 1 MB that a lane may have (alpha 1/8) in 160 us.
TEST_F(Buffer, B1_1_PauseActsOnThePriorityNotOnQueuePairs)
{
    FabricHelper fabric;
    fabric.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 9'000'000));
    FabricTopologyHelper built(FabricTopology::Star(3, LINK), fabric);
    RdmaHelper rdma;
    const auto nics = rdma.Install(fabric.GetEndpoints());
    RdmaQpAttributes attributes;
    attributes.pathMtu = 1000;
    std::vector<RdmaConnectedPair> pairs;
    uint32_t others = 0;
    for (uint32_t host = 0; host < 2; ++host)
    {
        nics[host]->GetNic()->GetDevice()->GetPort().GetFlowControl().TraceConnectWithoutContext(
            "PauseReceived",
            Callback<void, uint8_t, uint16_t, int64_t>(
                [&others](uint8_t lane, uint16_t, int64_t) { others += lane != 3; }));
        for (int i = 0; i < 2; ++i)
        {
            pairs.push_back(RdmaHelper::Connect(nics[host],
                                                nics[2],
                                                attributes,
                                                RdmaQpInitAttributes(),
                                                1 << 30));
            RdmaSendWr request;
            request.length = 2'000'000;
            request.lkey = pairs.back().a.memory.lkey;
            request.rkey = pairs.back().b.memory.rkey;
            EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
        }
    }
    AuditEvery(fabric, MicroSeconds(5), MicroSeconds(700));
    Simulator::Run();
    EXPECT_GT(CountXoff(fabric), 0u);
    EXPECT_EQ(others, 0u);
    for (const auto& pair : pairs)
    {
        const auto completions = pair.a.cq->Poll(10);
        ASSERT_EQ(completions.size(), 1u);
        EXPECT_EQ(completions[0].status, RdmaWcStatus::SUCCESS);
    }
    EXPECT_EQ(nics[2]->GetNic()->GetCounters().deliveredBytes, 8'000'000u);
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
}

/**
 * 1001 flows of 8 packets of 1000 bytes, from 143 hosts to one, at once: 9 switches of 16 hosts at
 * 10 Gb/s, 4 above them at 40 Gb/s, buffers of 8 MB.
 * \param headroom Headroom of each lane; 0: by the formula.
 * \return Frames lost.
 */
uint64_t
TwoTierIncast(uint64_t headroom)
{
    FabricHelper fabric;
    ObjectFactory buffer = MakeBuffer("ns3::rdma::FabricDynamicBuffer", 8'000'000);
    buffer.Set("Headroom", UintegerValue(headroom));
    fabric.SetBufferPolicy(buffer);
    FabricTopologyHelper built(
        FabricTopology::LeafSpine({9, 4, 16}, {10 * G, US, 0}, {40 * G, US, 0}),
        fabric);
    RdmaHelper rdma;
    const auto nics = rdma.Install(fabric.GetEndpoints());
    RdmaQpAttributes attributes;
    attributes.pathMtu = 1000;
    std::vector<RdmaConnectedPair> pairs;
    for (uint32_t flow = 0; flow < 1001; ++flow)
    {
        pairs.push_back(RdmaHelper::Connect(nics[1 + flow % 143],
                                            nics[0],
                                            attributes,
                                            RdmaQpInitAttributes(),
                                            1 << 30));
        RdmaSendWr request;
        request.length = 8000;
        request.lkey = pairs.back().a.memory.lkey;
        request.rkey = pairs.back().b.memory.rkey;
        EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
    }
    AuditEvery(fabric, MicroSeconds(100), MilliSeconds(8));
    Simulator::Run();
    uint32_t completed = 0;
    for (const auto& pair : pairs)
    {
        for (const auto& completion : pair.a.cq->Poll(10))
        {
            completed += completion.status == RdmaWcStatus::SUCCESS;
        }
    }
    EXPECT_EQ(completed, 1001u);
    EXPECT_EQ(nics[0]->GetNic()->GetCounters().deliveredBytes, 8'008'000u);
    EXPECT_GT(CountXoff(fabric), 0u);
    EXPECT_EQ(CountAllDrops(fabric), CountDrops(fabric, FabricDropReason::HEADROOM_FULL));
    if (!headroom)
    {
        ExpectLossless(fabric);
    }
    const uint64_t drops = CountAllDrops(fabric);
    ExpectDrained(fabric);
    Simulator::Destroy();
    return drops;
}

TEST_F(Buffer, B1_9_TwoTierIncastLosesNothing)
{
    EXPECT_EQ(TwoTierIncast(0), 0u);
}

TEST_F(Buffer, B1_9_LossInALosslessClassIsCounted)
{
    EXPECT_GT(TwoTierIncast(1500), 0u);
}

// 8 x 8 leaf-spine without oversubscription, frames sprayed, every host sends to the first host of
// the leaf with the number of its own place: 8 senders, one at each leaf, per receiver. After the
// pause is wanted at most these come in: the frame that caused it (4178), what passes while a frame
// of the other direction ends (4198) and the pause is sent (84), 2 us of the link (25,000), and the
// frame that the sender had begun (4178).
TEST_F(Buffer, B1_10_ArrivalsAfterThePauseAreBounded)
{
    FabricHelper fabric;
    fabric.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 3'000'000));
    fabric.SetPathSelector(ObjectFactory("ns3::rdma::FabricSpraySelector"));
    fabric.SetSwitchAttribute("Latency", TimeValue(Time(0)));
    Net net(FabricTopology::LeafSpine({8, 8, 8}, LINK, LINK), fabric);
    for (uint32_t host = 0; host < 64; ++host)
    {
        net.hosts[host]->Record(false);
        if (host % 8)
        {
            net.Flow(host, host % 8 * 8, 120);
        }
        // Something to wait for in the other direction.
        net.Flow(host, (host + 9) % 64, 40, 0);
    }
    AuditEvery(fabric, MicroSeconds(2), MicroSeconds(300));
    Simulator::Run();
    EXPECT_GT(CountXoff(fabric), 10u);
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    uint64_t peak = 0;
    for (const auto& fabricSwitch : fabric.GetSwitches())
    {
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            peak =
                std::max(peak, fabricSwitch->GetBufferPolicy()->GetIngress(port, 3).headroomPeak);
        }
    }
    EXPECT_GT(peak, 25'000u);
    EXPECT_LE(peak, 4178u + 4198 + 84 + 25'000 + 4178);
    uint64_t received = 0;
    for (const auto& host : net.hosts)
    {
        received += host->GetReceived(3);
    }
    EXPECT_EQ(received, 56u * 120 + 64 * 40);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
}

// 8:1 with fixed thresholds: 20 KB per ingress lane, together 160 KB, and 10 KB for each lossy
// queue of an egress port. Lossless queues have no limit there: all senders are paused, nothing is
// lost.
TEST_F(Buffer, B1_14_PauseComesBeforeAnyEgressLimit)
{
    FabricHelper fabric;
    ObjectFactory buffer = MakeBuffer("ns3::rdma::FabricStaticBuffer", 2'000'000, 20'000);
    buffer.Set("LossyLimit", UintegerValue(10'000));
    fabric.SetBufferPolicy(buffer);
    Net net(FabricTopology::Star(9, LINK), fabric);
    for (uint32_t host = 0; host < 8; ++host)
    {
        net.Flow(host, 8, 50);
    }
    AuditEvery(fabric, MicroSeconds(1), MicroSeconds(150));
    Simulator::Run();
    const auto fabricSwitch = fabric.GetSwitches()[0];
    for (uint32_t host = 0; host < 8; ++host)
    {
        EXPECT_GT(fabricSwitch->GetBufferPolicy()->GetIngress(host, 3).headroomPeak, 0u);
    }
    EXPECT_GT(fabricSwitch->GetBufferPolicy()->GetPeak(), 8u * 20'000);
    EXPECT_EQ(net.hosts[8]->GetReceived(3), 400u);
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
}

// Switches of 65, 257 and 1026 ports: 69,104 bytes of headroom and 4096 reserved for each
// make 4.8, 18.8 and 75.1 MB, so 32 MB are refused for the last. Traffic from the last ports to the
// first.
TEST_F(Buffer, B1_15_SwitchesWithManyPorts)
{
    for (const uint32_t ports : {65U, 257U, 1026U})
    {
        {
            FabricHelper fabric;
            FabricTopologyHelper built(FabricTopology::Star(ports, LINK), fabric);
            const std::string why = fabric.CheckConfig();
            EXPECT_EQ(why.empty(), ports < 1000);
            if (ports > 1000)
            {
                EXPECT_NE(why.find("give it at least 75103200 B"), std::string::npos) << why;
            }
        }
        Simulator::Destroy();
        FabricHelper fabric;
        fabric.SetBufferPolicy(
            MakeBuffer("ns3::rdma::FabricDynamicBuffer", ports * 73'200ULL + 500'000));
        Net net(FabricTopology::Star(ports, LINK), fabric);
        for (uint32_t host = ports - 8; host < ports; ++host)
        {
            net.Flow(host, 0, 50);
        }
        net.Flow(0, ports - 1, 50);
        AuditEvery(fabric, MicroSeconds(20), MicroSeconds(150));
        Simulator::Run();
        EXPECT_EQ(net.hosts[0]->GetReceived(3), 400u);
        EXPECT_EQ(net.hosts[ports - 1]->GetReceived(3), 50u);
        EXPECT_GT(CountXoff(fabric), 0u);
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectLossless(fabric);
        ExpectDrained(fabric);
        Simulator::Destroy();
    }
}

// 2:1 in a lossless class and a lossy flow beside it, for some 20 pauses and resumes; the books are
// compared every 100 ns, and all are zero at the end.
TEST_F(Buffer, B1_17_BooksAgreeAtAllTimes)
{
    for (const char* kind : {"ns3::rdma::FabricDynamicBuffer", "ns3::rdma::FabricStaticBuffer"})
    {
        FabricHelper fabric;
        fabric.SetEgressScheduler(ObjectFactory("ns3::rdma::FabricDwrrScheduler"));
        fabric.SetBufferPolicy(MakeBuffer(kind, 450'000, 10'000));
        Net net(FabricTopology::Star(4, LINK), fabric);
        net.Flow(0, 3, 400);
        net.Flow(1, 3, 400);
        net.Flow(2, 3, 400, 0, 0);
        AuditEvery(fabric, NanoSeconds(100), MicroSeconds(400));
        Simulator::Run();
        EXPECT_GT(CountXoff(fabric), 10u) << kind;
        EXPECT_EQ(net.hosts[3]->GetReceived(3), 800u);
        EXPECT_EQ(net.hosts[3]->GetReceived(0) + CountAllDrops(fabric), 400u);
        EXPECT_GT(CountAllDrops(fabric), 0u);
        ExpectLossless(fabric);
        ExpectDrained(fabric);
        Simulator::Destroy();
    }
}

/// Two hosts write 4 MB each to a third. \param window Bytes that may be unacknowledged. \return
/// Pauses.
uint64_t
PausesOfTwoToOne(uint64_t window)
{
    FabricHelper fabric;
    fabric.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 9'000'000));
    FabricTopologyHelper built(FabricTopology::Star(3, LINK), fabric);
    RdmaHelper rdma;
    const auto nics = rdma.Install(fabric.GetEndpoints());
    RdmaQpInitAttributes init;
    init.window = window;
    std::vector<RdmaConnectedPair> pairs;
    for (uint32_t host = 0; host < 2; ++host)
    {
        pairs.push_back(
            RdmaHelper::Connect(nics[host], nics[2], RdmaQpAttributes(), init, 1 << 30));
        RdmaSendWr request;
        request.length = 4'000'000;
        request.lkey = pairs.back().a.memory.lkey;
        request.rkey = pairs.back().b.memory.rkey;
        EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
    }
    AuditEvery(fabric, MicroSeconds(10), MicroSeconds(700));
    Simulator::Run();
    EXPECT_EQ(nics[2]->GetNic()->GetCounters().deliveredBytes, 8'000'000u);
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
    const uint64_t pauses = CountXoff(fabric);
    Simulator::Destroy();
    return pauses;
}

// Nothing but PFC holds back 2:1, so it has to: 4 MB too much against a lane's share of 1 MB. With
// windows of 200 KB no more than 400 KB can be in the network.
TEST_F(Buffer, B1_23_PfcFiresWithoutAWindowAndNotWithOne)
{
    EXPECT_GT(PausesOfTwoToOne(0), 0u);
    EXPECT_EQ(PausesOfTwoToOne(200'000), 0u);
}

// 4 ports need 4 x 69,104 of headroom and 4 x 4096 reserved, 292,800 bytes.
TEST_F(Buffer, TooSmallABufferIsRefusedWithASentence)
{
    FabricHelper fabric;
    fabric.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 292'799));
    FabricTopologyHelper built(FabricTopology::Star(4, LINK), fabric);
    EXPECT_EQ(fabric.CheckConfig(),
              "a buffer of 292799 B cannot be lossless for 4 lossless lanes on 4 ports: they need "
              "276416 B of headroom and 16384 B reserved; give it at least 292800 B, or use fewer "
              "lossless lanes or shorter cables");
    EXPECT_DEATH(Simulator::Run(), "Switch on node .* cannot be lossless");
    Simulator::Destroy();
    FabricHelper enough;
    enough.SetBufferPolicy(MakeBuffer("ns3::rdma::FabricDynamicBuffer", 292'800));
    FabricTopologyHelper other(FabricTopology::Star(4, LINK), enough);
    EXPECT_EQ(enough.CheckConfig(), "");
}

} // namespace
} // namespace ns3
