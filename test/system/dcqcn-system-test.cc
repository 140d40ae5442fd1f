/* SPDX-License-Identifier: GPL-2.0-only */
/* DCQCN in a network: marks, CNPs and rates of real flows; reads; incast of many senders. */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t US = 1'000'000;

/**
 * \param kmin Bytes from which on frames may be marked.
 * \param kmax Bytes from which on all are.
 * \param pmax Probability just below that.
 * \return Makes markers with these numbers at ports of 25 Gb/s.
 */
ObjectFactory
MarkerAt25G(uint64_t kmin, uint64_t kmax, double pmax)
{
    ObjectFactory factory("ns3::rdma::FabricRedMarker");
    factory.Set("Kmin", UintegerValue(kmin));
    factory.Set("Kmax", UintegerValue(kmax));
    factory.Set("Pmax", DoubleValue(pmax));
    factory.Set("ReferenceRate", DataRateValue(DataRate(25 * G)));
    return factory;
}

/// What changes of rates were seen.
using Rates = std::vector<std::pair<uint64_t, uint64_t>>;

/**
 * \param queuePair A queue pair.
 * \param rates Takes the old and the new rate of each change.
 */
void
RecordRates(const Ptr<RdmaQueuePair>& queuePair, Rates& rates)
{
    queuePair->GetCongestion().TraceConnectWithoutContext(
        "Rate",
        Callback<void, uint64_t, uint64_t, int64_t>(
            [&rates](uint64_t from, uint64_t to, int64_t) { rates.emplace_back(from, to); }));
}

// One CNP on a fresh queue pair at line rate: alpha is 1, so the first cut is to one half, by the
// alpha of before the update; the second CNP right after it, alpha still 1 (1 - g + g), to a
// quarter.
TEST(DcqcnSystem, B2_7_B2_8_TheFirstCnpHalvesTheLineRate)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn"); });
    auto& pair = net.Connect(0, 1);
    Rates rates;
    RecordRates(pair.a.queuePair, rates);
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = ROCE_CNP;
    pair.a.queuePair->Receive(frame, 0);
    EXPECT_EQ(pair.a.queuePair->GetCongestion().GetRate(), 50 * G);
    pair.a.queuePair->Receive(frame, 1);
    EXPECT_EQ(rates, (Rates{{100 * G, 50 * G}, {50 * G, 25 * G}}));
    EXPECT_EQ(net.Counters(0).rpCnpHandled, 2u);
}

/// One flow from a link of 100 Gb/s into one of 25.
struct Step
{
    std::vector<int64_t> cnps;  //!< when they left the receiver, ps
    std::vector<int64_t> marks; //!< when marked packets came to it, ps
    uint64_t cuts{0};           //!< of the rate
    uint64_t lowest{100 * G};   //!< rate, bit/s
    uint64_t pauses{0};         //!< pause frames of the switch
};

/**
 * \param delay To make a CNP.
 * \param hold Whether marks are held to the end of an interval.
 * \return What happened.
 */
Step
RunStep(Time delay, bool hold = true)
{
    Step step;
    RdmaTestNet net([delay, hold](RdmaTestPlan& plan) {
        FabricTopology topology;
        const uint32_t sender = topology.AddHost();
        const uint32_t receiver = topology.AddHost();
        const uint32_t middle = topology.AddSwitch();
        topology.AddLink(sender, middle, {100 * G, 1'000'000, 0});
        topology.AddLink(middle, receiver, {25 * G, 1'000'000, 0});
        plan.topology = topology;
        plan.fabric.SetMarker(MarkerAt25G(400'000, 1'625'000, 0.2));
        plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
        plan.rdma.SetNicAttribute("CnpDelay", TimeValue(delay));
        plan.rdma.SetNicAttribute("CnpHoldMarks", BooleanValue(hold));
    });
    auto& pair = net.Connect(0, 1);
    const auto& answers = net.RecordTx(1);
    net.Device(1)->TraceConnectWithoutContext(
        "FrameRx",
        Callback<void, const FabricFrame*, int64_t>([&step](const FabricFrame* f, int64_t ps) {
            if (f->ecn == ECN_CE)
            {
                step.marks.push_back(ps);
            }
        }));
    Rates rates;
    RecordRates(pair.a.queuePair, rates);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 5'000'000, 1)),
              0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(net.Counters(1).deliveredBytes, 5'000'000u);
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
    for (const SeenFrame& frame : answers)
    {
        if (OpcodeIsCnp(frame.opcode))
        {
            EXPECT_EQ(frame.priority, 6);
            EXPECT_TRUE(frame.flags & FabricFrame::BECN);
            step.cnps.push_back(frame.ps);
        }
    }
    EXPECT_EQ(step.marks.size(), net.Counters(1).npEcnMarked);
    EXPECT_EQ(step.cnps.size(), net.Counters(1).npCnpSent);
    EXPECT_EQ(step.cnps.size(), net.Counters(0).rpCnpHandled);
    for (const auto& [from, to] : rates)
    {
        step.cuts += to < from;
        step.lowest = std::min(step.lowest, to);
    }
    step.pauses = CountXoff(net.plan->fabric);
    return step;
}

/**
 * Expects the CNPs that the notification point makes of the marks: of the first mark at once, which
 * opens an interval of 50 us. As published, a mark within an interval makes a CNP at its end, which
 * opens the next; when marks are not held, the first mark after an interval makes the next. Each
 * leaves when it is made, or behind an ACK that the wire carries just then: 86 bytes are 28 ns at
 * 25 Gb/s.
 * \param step What happened.
 * \param delay To make a CNP, ps.
 * \param hold Whether marks are held to the end of an interval.
 */
void
ExpectCnpsOfMarks(const Step& step, int64_t delay, bool hold)
{
    std::vector<int64_t> opened; // intervals, without the delay
    for (const int64_t mark : step.marks)
    {
        if (opened.empty() || mark >= opened.back() + 50 * US)
        {
            opened.push_back(mark);
        }
        else if (hold && mark >= opened.back())
        {
            opened.push_back(opened.back() + 50 * US);
        }
    }
    std::vector<int64_t> expected;
    for (const int64_t when : opened)
    {
        expected.push_back(when + delay);
    }
    ASSERT_EQ(step.cnps.size(), expected.size());
    ASSERT_GT(expected.size(), 3u);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_GE(step.cnps[i], expected[i]) << i;
        EXPECT_LE(step.cnps[i], expected[i] + 28'000) << i;
    }
    // Each cuts, unless the rate is at its minimum of 5 Mb/s: 100 Gb/s / 2^15 = 3 Mb/s.
    EXPECT_EQ(step.cuts, step.lowest > 5'000'000 ? step.cnps.size() : 15);
}

TEST(DcqcnSystem, B2_10_CnpsAreSpacedAndTheFirstComesAtOnce)
{
    const Step held = RunStep(Time(0));
    ExpectCnpsOfMarks(held, 0, true);
    const Step forgotten = RunStep(Time(0), false);
    ExpectCnpsOfMarks(forgotten, 0, false);
    EXPECT_NE(held.cnps, forgotten.cnps);
}

// 55 us to make a CNP: the queue grows further meanwhile. And 120 us, when several are under way at
// once and none is forgotten.
TEST(DcqcnSystem, B2_10_TheTimeToMakeACnpDelaysItAndLosesNone)
{
    const Step direct = RunStep(Time(0));
    const Step delayed = RunStep(MicroSeconds(55));
    ExpectCnpsOfMarks(delayed, 55 * US, true);
    EXPECT_EQ(direct.marks.front(), delayed.marks.front());
    EXPECT_GT(delayed.marks.size(), direct.marks.size());
    ExpectCnpsOfMarks(RunStep(MicroSeconds(120)), 120 * US, true);
}

// Eight reads from one initiator to eight targets: the data comes from the targets, each of which
// gets CNPs and slows down, and nobody pays with loss.
TEST(DcqcnSystem, B2_11_ReadResponsesAreUnderCongestionControl)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(9, {100 * G, 1'000'000, 0});
        plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
    });
    std::vector<Rates> rates(8);
    for (uint32_t i = 0; i < 8; ++i)
    {
        auto& pair = net.Connect(0, i + 1);
        RecordRates(pair.b.queuePair, rates[i]);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 2'000'000, i)),
                  0);
    }
    net.Run();
    uint64_t cnps = 0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(IdsOf(TakeAll(net.pairs[i].a)), InOrder(i, 1));
        EXPECT_GT(net.Counters(i + 1).rpCnpHandled, 0u) << "target " << i;
        ASSERT_FALSE(rates[i].empty());
        EXPECT_EQ(rates[i].front().second, 50 * G);
        cnps += net.Counters(i + 1).rpCnpHandled;
    }
    EXPECT_EQ(net.Counters(0).npCnpSent, cnps);
    EXPECT_EQ(net.Counters(0).deliveredBytes, 16'000'000u);
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
}

// A target whose queue pair is ready to receive only answers reads as well, and is slowed down as
// well.
TEST(DcqcnSystem, ACnpCountsBeforeTheQueuePairSends)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn"); });
    RdmaQpInitAttributes init;
    init.domain = net.contexts[0]->AllocPd();
    init.sendCq = init.recvCq = net.contexts[0]->CreateCq(10);
    const auto queuePair = net.contexts[0]->CreateQp(init);
    RdmaQpAttributes values;
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = ROCE_CNP;
    EXPECT_FALSE(queuePair->Takes(ROCE_CNP)); // RESET
    values.state = RdmaQpState::INIT;
    ASSERT_EQ(queuePair->Modify(values, QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0),
              0);
    EXPECT_FALSE(queuePair->Takes(ROCE_CNP));
    values.state = RdmaQpState::RTR;
    values.address.endpoint = 1;
    ASSERT_EQ(queuePair->Modify(values,
                                QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                                    QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER,
                                0),
              0);
    EXPECT_TRUE(queuePair->Takes(ROCE_CNP));
    EXPECT_FALSE(queuePair->Takes(RC_ACKNOWLEDGE));
    queuePair->Receive(frame, 0);
    EXPECT_EQ(queuePair->GetCongestion().GetRate(), 50 * G);
}

/**
 * N senders to one receiver over one switch at 100 Gb/s, and a long flow in the background.
 * \param degree N.
 */
void
ExpectIncast(uint32_t degree)
{
    SCOPED_TRACE(degree);
    RdmaTestNet net([degree](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(degree + 2, {100 * G, 1'000'000, 0});
        ObjectFactory buffer("ns3::rdma::FabricDynamicBuffer");
        // 256 KB for each port: with 257 ports the headroom alone takes more than the default
        // buffer.
        buffer.Set("Size", UintegerValue(256'000ULL * (degree + 2)));
        plan.fabric.SetBufferPolicy(buffer);
        plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
    });
    // Without end, as far as this run goes. The starts are apart, or all would send their packets
    // in step for ever.
    for (uint32_t i = 0; i <= degree; ++i)
    {
        auto& pair = net.Connect(i + 1, 0);
        Simulator::Schedule(NanoSeconds(997 * i), [&pair, i] {
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1'000'000'000, i));
        });
    }
    AuditEvery(net.plan->fabric, MicroSeconds(100), MilliSeconds(12));
    // After the cuts of the start, additive increase takes some ms to fill the link again.
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    const uint64_t before = net.Counters(0).deliveredBytes;
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    const uint64_t delivered = net.Counters(0).deliveredBytes - before;
    for (uint32_t i = 0; i <= degree; ++i)
    {
        EXPECT_EQ(net.Counters(i + 1).retransmittedPackets, 0u);
        EXPECT_GT(net.Counters(i + 1).rpCnpHandled, 0u);
    }
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
    ExpectLossless(net.plan->fabric);
    // 2 ms at the payload share of the link, 4096 of 4178 bytes.
    const double ideal = 2e-3 * 100e9 / 8 * 4096 / 4178;
    EXPECT_GT(static_cast<double>(delivered) / ideal, 0.99);
    EXPECT_LE(static_cast<double>(delivered) / ideal, 1.001);
}

TEST(DcqcnSystem, B2_15_IncastOfTen)
{
    ExpectIncast(10);
}

TEST(DcqcnSystem, B2_15_IncastOf96)
{
    ExpectIncast(96);
}

TEST(DcqcnSystem, B2_15_IncastOf255)
{
    ExpectIncast(255);
}

/**
 * Two senders of 25 Gb/s into one receiver of 25 Gb/s, 64 KB writes.
 * \param pfc Whether the class is lossless.
 * \param check Called after the run with the goodput in bit/s.
 */
void
RunTwoSenders(bool pfc, const std::function<void(RdmaTestNet&, double)>& check)
{
    RdmaTestNet net([pfc](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(3, {25 * G, 10'000'000, 0});
        if (!pfc)
        {
            plan.fabric.SetFlowControl(ObjectFactory("ns3::rdma::FabricFlowControl"));
            ObjectFactory buffer("ns3::rdma::FabricStaticBuffer");
            buffer.Set("LossyLimit", UintegerValue(50'000));
            plan.fabric.SetBufferPolicy(buffer);
        }
    });
    RdmaQpAttributes attributes;
    attributes.timeout = 8;
    int64_t last = 0;
    net.contexts[2]->GetNic()->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
            [&last](const RdmaQueuePair*, uint64_t, int64_t ps) { last = ps; }));
    constexpr uint64_t COUNT = 100;
    for (const uint32_t host : {0U, 1U})
    {
        // Equal packets would keep step for ever, and the second sender would never get in.
        attributes.pathMtu = host && !pfc ? 1024 : 4096;
        auto& pair = net.Connect(host, 2, attributes);
        for (uint64_t i = 0; i < COUNT; ++i)
        {
            EXPECT_EQ(
                pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 65'536, i)),
                0);
        }
    }
    net.Run();
    for (auto& pair : net.pairs)
    {
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, COUNT));
    }
    EXPECT_EQ(net.Counters(2).deliveredBytes, 2 * COUNT * 65'536);
    check(net, 2.0 * COUNT * 65'536 * 8 / (static_cast<double>(last) * 1e-12));
}

// Lossless: the link carries its payload share, 16 x 4096 of 16 x 4178 + 16 bytes: 98.0 %.
TEST(DcqcnSystem, B3_12_TwoSendersWithPfcFillTheLink)
{
    RunTwoSenders(true, [](RdmaTestNet& net, double goodput) {
        EXPECT_NEAR(goodput / 25e9, 65'536.0 / (16 * 4178 + 16), 0.005);
        EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
        EXPECT_EQ(net.Counters(0).retransmittedPackets + net.Counters(1).retransmittedPackets, 0u);
        EXPECT_GT(CountXoff(net.plan->fabric), 0u);
    });
}

// Lossy: go-back-N sends much again; the counters say where the rate went.
TEST(DcqcnSystem, B3_12_TwoSendersWithoutPfcCollapseAndTheCountersShowIt)
{
    RunTwoSenders(false, [](RdmaTestNet& net, double goodput) {
        const uint64_t drops = CountDrops(net.plan->fabric, FabricDropReason::QUEUE_FULL) +
                               CountDrops(net.plan->fabric, FabricDropReason::BUFFER_FULL);
        EXPECT_EQ(drops, CountAllDrops(net.plan->fabric));
        EXPECT_GT(drops, 100u);
        const auto& a = net.Counters(0);
        const auto& b = net.Counters(1);
        EXPECT_GE(a.retransmittedPackets + b.retransmittedPackets, drops);
        EXPECT_GT(a.packetSeqErr + b.packetSeqErr, 0u);
        // Every packet sent was lost, placed, out of order or a duplicate.
        const auto& r = net.Counters(2);
        const uint64_t useful = 100 * 16 + 100 * 64;
        EXPECT_EQ(a.dataPackets + b.dataPackets,
                  drops + useful + r.outOfSequence + r.duplicateRequest);
        EXPECT_EQ(CountXoff(net.plan->fabric), 0u);
        EXPECT_GT(r.outOfSequence + r.duplicateRequest, 100u);
        EXPECT_LT(goodput, 0.95 * 25e9);
    });
}

} // namespace
} // namespace ns3
