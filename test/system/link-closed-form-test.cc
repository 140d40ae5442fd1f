/* SPDX-License-Identifier: GPL-2.0-only */
/* Idle paths against closed forms: every picosecond of a message is accounted for. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"

#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-ideal-fct.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using namespace rdma;

/// Idle paths.
class LinkClosedForm : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr uint32_t MTU = 4096;
constexpr int64_t LATENCY = 500'000; // of a switch, ps

/// A path of equal links.
struct Path
{
    uint32_t switches; //!< on the way
    uint64_t rate;     //!< of all links, bit/s
    int64_t delay;     //!< of each link, ps
};

/**
 * \param path A path.
 * \return The plan: h0, the switches in a row, h1.
 */
FabricTopology
MakePlan(const Path& path)
{
    FabricTopology plan;
    uint32_t last = plan.AddHost();
    for (uint32_t i = 0; i < path.switches; ++i)
    {
        const uint32_t next = plan.AddSwitch();
        plan.AddLink(last, next, {path.rate, path.delay, 0});
        last = next;
    }
    plan.AddLink(last, plan.AddHost(), {path.rate, path.delay, 0});
    return plan;
}

/**
 * The closed form for equal links: packets follow each other without a gap on every link behind the
 * longest one, so the message takes the time of all its bytes once, and of its longest packet once
 * more for each further link.
 *
 * A packet of P bytes of payload, padded to a multiple of 4, takes P + 82 bytes of wire: 14 MAC
 * header, 20 IPv4, 8 UDP, 12 BTH, 4 ICRC, 4 FCS, 8 preamble, 12 gap; the first one of a WRITE 16
 * more (RETH).
 * \param path The path.
 * \param bytes Length of the message, at least 1.
 * \return Time
 * from the start of the first bit to the arrival of the last, in ps, rounded up.
 */
int64_t
ClosedForm(const Path& path, uint64_t bytes)
{
    const uint64_t packets = (bytes + MTU - 1) / MTU;
    const uint64_t rest = bytes - (packets - 1) * MTU;
    const uint64_t last = (rest + 3) / 4 * 4 + 82;
    const uint64_t first = packets == 1 ? last + 16 : MTU + 82 + 16;
    const uint64_t all = packets == 1 ? first : first + (packets - 2) * (MTU + 82) + last;
    const uint64_t onWires = all + path.switches * first;
    const auto wire = static_cast<int64_t>(
        (static_cast<unsigned __int128>(onWires) * 8 * 1'000'000'000'000 + path.rate - 1) /
        path.rate);
    return wire + (path.switches + 1) * path.delay + path.switches * LATENCY;
}

/// What a write on an idle path came to.
struct WriteResult
{
    int64_t delivered{0};                            //!< when it was placed whole, ps
    uint64_t deliveredBytes{0};                      //!< payload placed
    uint32_t completions{0};                         //!< of the one work request
    RdmaWcStatus status{RdmaWcStatus::WR_FLUSH_ERR}; //!< of the last
};

/**
 * Posts one write before the simulation starts, and runs it.
 * \param path The path.
 * \param bytes Length of the message.
 * \return What came of it.
 */
WriteResult
Write(const Path& path, uint64_t bytes)
{
    WriteResult result;
    {
        FabricHelper fabric;
        fabric.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(LATENCY)));
        FabricTopologyHelper built(MakePlan(path), fabric);
        RdmaHelper rdma;
        const auto contexts = rdma.Install(fabric.GetEndpoints());
        const auto pair = RdmaHelper::Connect(contexts[0], contexts[1]);
        contexts[1]->GetNic()->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
                [&result](const RdmaQueuePair*, uint64_t, int64_t ps) { result.delivered = ps; }));
        RdmaSendWr request;
        request.length = bytes;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        Simulator::Run();
        for (const RdmaWc& completion : pair.a.cq->Poll(10))
        {
            ++result.completions;
            result.status = completion.status;
        }
        result.deliveredBytes = contexts[1]->GetNic()->GetCounters().deliveredBytes;
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
    }
    Simulator::Destroy();
    return result;
}

/// Sizes around the edges of packets, and 10 GB scaled to 10 MB; 10 GB in full is a test of its
/// own.
constexpr uint64_t SIZES[] = {1, MTU - 1, MTU, MTU + 1, 1'000'000, 10'000'000};

/// Every size at every rate over every path.
void
ExpectClosedForms()
{
    for (const uint32_t switches : {0U, 1U, 3U})
    {
        for (const uint64_t rate : {25 * G, 100 * G, 400 * G, 800 * G})
        {
            for (const uint64_t bytes : SIZES)
            {
                const Path path{switches, rate, 1'000'000};
                const WriteResult result = Write(path, bytes);
                EXPECT_EQ(result.delivered, ClosedForm(path, bytes))
                    << switches << " switches, " << rate << " bit/s, " << bytes << " B";
                EXPECT_EQ(result.deliveredBytes, bytes);
                EXPECT_EQ(result.completions, 1u);
                EXPECT_EQ(result.status, RdmaWcStatus::SUCCESS);
            }
        }
    }
}

// By hand. 1 byte is padded to 4: 4 + 82 + 16 = 102 bytes of wire, 8.16 ns at 100 Gb/s.
// Back to back: 8.16 ns + 1 us. By one switch: 2 x 8.16 ns + 2 us + 0.5 us.
// 4097 bytes: packets of 4096 + 98 = 4194 and 4 + 82 = 86 bytes; by one switch 4194 x 2 + 86 = 8474
// bytes, 677.92 ns at 100 Gb/s, and 2.5 us.
TEST_F(LinkClosedForm, TheClosedFormIsWhatAHandComputes)
{
    EXPECT_EQ(ClosedForm({0, 100 * G, 1'000'000}, 1), 1'008'160);
    EXPECT_EQ(ClosedForm({1, 100 * G, 1'000'000}, 1), 2'516'320);
    EXPECT_EQ(ClosedForm({1, 100 * G, 1'000'000}, 4097), 3'177'920);
}

TEST_F(LinkClosedForm, ClosedFormsAtOneNanosecond)
{
    ExpectClosedForms();
}

TEST_F(LinkClosedForm, ClosedFormsAtOnePicosecond)
{
    ExpectPassesAt(Time::PS, ExpectClosedForms);
}

// 10 GB as five writes of 2 GB: 488,282 packets each, the last one of 1024 bytes. The wire is never
// idle, so by one switch they take their bytes of wire once and the longest packet (4194) once
// more: 5 x (2 x 10^9 + 488,282 x 82 + 16) + 4194 = 10,200,199,894 bytes, 204.003997880 ms at 400
// Gb/s.
TEST_F(LinkClosedForm, TenGigabytesOverASwitch)
{
    FabricHelper fabric;
    FabricTopologyHelper built(MakePlan({1, 400 * G, 1'000'000}), fabric);
    RdmaHelper rdma;
    const auto contexts = rdma.Install(fabric.GetEndpoints());
    const auto pair = RdmaHelper::Connect(contexts[0], contexts[1]);
    int64_t delivered = 0;
    contexts[1]->GetNic()->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
            [&delivered](const RdmaQueuePair*, uint64_t, int64_t ps) { delivered = ps; }));
    RdmaSendWr request;
    request.length = 2'000'000'000;
    request.lkey = pair.a.memory.lkey;
    request.rkey = pair.b.memory.rkey;
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    }
    Simulator::Run();
    EXPECT_EQ(delivered, 204'003'997'880 + 2'000'000 + LATENCY);
    EXPECT_EQ(contexts[1]->GetNic()->GetCounters().deliveredBytes, 10'000'000'000u);
    EXPECT_EQ(pair.a.cq->Poll(10).size(), 5u);
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectDrained(fabric);
}

// B9.4: the time that slowdowns are measured against is never above the simulated one, and at most
// the rounding of one picosecond per link below it, also for links of different rates.
TEST_F(LinkClosedForm, B9_4_SlowdownIsOneOnAnIdlePath)
{
    const std::vector<uint64_t> rates{100 * G, 400 * G, 25 * G};
    for (const uint64_t bytes : {uint64_t{1}, uint64_t{MTU}, uint64_t{1'000'000}})
    {
        FabricTopology plan;
        uint32_t last = plan.AddHost();
        std::vector<RdmaPathHop> hops;
        for (std::size_t i = 0; i < rates.size(); ++i)
        {
            const bool end = i + 1 == rates.size();
            const uint32_t next = end ? plan.AddHost() : plan.AddSwitch();
            plan.AddLink(last, next, {rates[i], 2'000'000, 0});
            hops.push_back({rates[i], 2'000'000, end ? 0 : LATENCY});
            last = next;
        }
        FabricHelper fabric;
        FabricTopologyHelper built(plan, fabric);
        RdmaHelper rdma;
        const auto contexts = rdma.Install(fabric.GetEndpoints());
        const auto pair = RdmaHelper::Connect(contexts[0], contexts[1]);
        int64_t delivered = 0;
        contexts[1]->GetNic()->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
                [&delivered](const RdmaQueuePair*, uint64_t, int64_t ps) { delivered = ps; }));
        RdmaSendWr request;
        request.length = bytes;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        Simulator::Run();
        const int64_t ideal = RdmaIdealFct(hops, bytes);
        EXPECT_GE(delivered, ideal) << bytes << " B";
        EXPECT_LE(delivered - ideal, 3) << bytes << " B";
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
        Simulator::Destroy();
    }
}

/**
 * Sends frames without a gap from one host to another, and checks the end.
 * \param rate Rate of the link, bit/s.
 * \param bytes Length of a frame.
 * \param count How many.
 */
void
ExpectTrain(uint64_t rate, uint32_t bytes, uint64_t count)
{
    FabricHelper fabric;
    FabricTopologyHelper built(FabricTopology::BackToBack({rate, 1'000'000, 0}), fabric);
    FabricTestHost a(built.GetDevices(0).Get(0));
    FabricTestHost b(built.GetDevices(1).Get(0));
    b.Record(false);
    FabricTestHost::Stream stream;
    stream.destination = 1;
    stream.bytes = bytes;
    stream.count = count;
    a.Send(stream);
    Simulator::Run();
    const auto end = static_cast<int64_t>(
        (static_cast<unsigned __int128>(count) * (bytes + 20) * 8 * 1'000'000'000'000 + rate - 1) /
        rate);
    EXPECT_EQ(b.GetLastArrival(), end + 1'000'000) << rate << " bit/s";
    EXPECT_EQ(b.GetReceived(3), count);
    EXPECT_EQ(b.GetReceivedBytes(), count * bytes);
    EXPECT_EQ(b.GetDevice().GetPort().GetCounters().rxBytes, count * bytes);
    ExpectDrained(fabric);
    Simulator::Destroy();
}

// 10^6 frames of 64 bytes: 84 x 8 = 672 bits of wire each. At 54.55 Gb/s a byte takes 146.65 ps and
// a frame 12318.97 ps; 10^6 of them 12 318 973 418.88 ps, not the 12 319 000 000 of rounded frames.
TEST_F(LinkClosedForm, AMillionFramesEndToThePicosecond)
{
    ExpectTrain(54'550'000'000, 64, 1'000'000);
}

// The same at 800 Gb/s and 1 ns resolution: 0.84 ns for a frame, less than a tick.
TEST_F(LinkClosedForm, FramesShorterThanATickEndToThePicosecond)
{
    ExpectTrain(800 * G, 64, 200'000);
}

// 10 GB as 10,000 frames of 1 MB, over the same 64-bit counters: 32 bits would wrap twice.
TEST_F(LinkClosedForm, FramesOfTenGigabytesAreCountedInFull)
{
    ExpectTrain(400 * G, 1'000'000, 10'000);
    ExpectTrain(54'550'000'000, 1'000'000, 10'000);
}

// protocol-facts 1.4: a packet of P bytes takes P + 82 on the wire, so a link carries P / (P + 82)
// of its rate as payload: 98.04 % at 4096, 96.15 % at 2048, 92.59 % at 1024. The ends of the
// messages cost one RETH of 16 bytes in 1000 packets, less than 5e-6.
TEST_F(LinkClosedForm, GoodputOfASaturatedLink)
{
    for (const uint32_t payload : {1024U, 2048U, 4096U})
    {
        FabricHelper fabric;
        FabricTopologyHelper built(FabricTopology::Star(2, {100 * G, 1'000'000, 0}), fabric);
        RdmaHelper rdma;
        const auto contexts = rdma.Install(fabric.GetEndpoints());
        RdmaQpAttributes attributes;
        attributes.pathMtu = payload;
        const auto pair = RdmaHelper::Connect(contexts[0],
                                              contexts[1],
                                              attributes,
                                              RdmaQpInitAttributes(),
                                              1ULL << 40);
        std::vector<int64_t> delivered;
        contexts[1]->GetNic()->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
                [&](const RdmaQueuePair*, uint64_t, int64_t ps) { delivered.push_back(ps); }));
        RdmaSendWr request;
        request.length = 1000ULL * payload;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        for (int i = 0; i < 4; ++i)
        {
            EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        }
        Simulator::Run();
        ASSERT_EQ(delivered.size(), 4u);
        const double seconds = static_cast<double>(delivered[3] - delivered[0]) * 1e-12;
        const double goodput = 3.0 * 8 * static_cast<double>(request.length) / seconds;
        EXPECT_NEAR(goodput / 100e9, payload / (payload + 82.0), 2e-5) << payload;
        EXPECT_EQ(pair.a.cq->Poll(10).size(), 4u);
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
        Simulator::Destroy();
    }
}

} // namespace
} // namespace ns3
