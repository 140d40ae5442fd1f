/* SPDX-License-Identifier: GPL-2.0-only */
/* Reliable connections on paths that lose frames: what is repaired, when, and what is given up. */

#include "rdma-test-net.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-port.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-aeth.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <map>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;
constexpr int64_t TIMEOUT_14 = 67'108'864'000; // 4.096 us x 2^14 in ps
constexpr int64_t TIMEOUT_8 = 1'048'576'000;   // 4.096 us x 2^8
constexpr int64_t DELAY = 1'000'000;           // of the cable, ps

/**
 * \param code Code of the ACK timeout.
 * \return Attributes with it.
 */
RdmaQpAttributes
Timeout(uint8_t code)
{
    RdmaQpAttributes attributes;
    attributes.timeout = code;
    return attributes;
}

/**
 * \param pick Which frames are meant.
 * \param times How many of them are lost.
 * \return A filter that loses the first ones.
 */
RdmaTestNet::Filter
LoseFirst(std::function<bool(const FabricFrame&)> pick, uint32_t times = 1)
{
    return [pick, left = times](const FabricFrame& frame) mutable {
        const bool lose = left && pick(frame);
        left -= lose;
        return lose;
    };
}

/**
 * \param probability Of loss.
 * \param stream Random stream.
 * \return A filter that loses at random.
 */
RdmaTestNet::Filter
LoseAtRandom(double probability, int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    return [=](const FabricFrame&) { return random->GetValue() < probability; };
}

// A later packet than the lost one would make a NAK; the last one leaves only the timer. It runs
// from the moment the last packet, which asks for the answer, starts: the second copy starts
// exactly one timeout later. All of the message is sent again, because nothing of it was
// acknowledged.
TEST(RcLoss, B3_2_TailLossIsRepairedByTheAckTimeout)
{
    for (uint32_t packets = 1; packets <= 4; ++packets)
    {
        SCOPED_TRACE(packets);
        RdmaTestNet net;
        auto& pair = net.Connect(0, 1, Timeout(14));
        const auto& sent = net.RecordTx(0);
        const uint32_t last = packets - 1;
        net.Drop(1, LoseFirst([last](const FabricFrame& f) { return f.psn == last; }));
        const RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, packets * MTU, 1);
        int64_t done = 0;
        pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
            [&done](Ptr<RdmaCompletionQueue>) { done = Simulator::Now().GetPicoSeconds(); }));
        pair.a.cq->RequestNotify();
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        net.Run();
        ASSERT_EQ(sent.size(), 2 * packets);
        EXPECT_EQ(sent[packets].ps - sent[last].ps, TIMEOUT_14);
        // What is left is the message once more, the way there and back and the ACK: under 5 us.
        EXPECT_GT(done, sent[last].ps + TIMEOUT_14);
        EXPECT_LT(done, sent[last].ps + TIMEOUT_14 + 5'000'000);
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
        EXPECT_EQ(net.Counters(1).deliveredBytes, packets * MTU);
        EXPECT_EQ(net.Counters(1).deliveredMessages, 1u);
        EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
        EXPECT_EQ(net.Counters(0).retransmittedPackets, packets);
        EXPECT_EQ(net.Counters(0).packetSeqErr, 0u);
    }
}

// A lost ACK is repaired the same way; what comes again is acknowledged again and placed once.
TEST(RcLoss, ALostAcknowledgementIsAskedForAgain)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    net.Drop(0, LoseFirst([](const FabricFrame& f) { return OpcodeIsAck(f.opcode); }));
    EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, 9)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, MTU, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(9, 1));
    EXPECT_EQ(net.Counters(1).duplicateRequest, 1u);
    EXPECT_EQ(net.Counters(1).deliveredMessages, 1u);
    EXPECT_EQ(net.Counters(1).deliveredBytes, MTU);
}

// 100 packets, number 10 lost: the responder says so once, and the requester goes back to it at
// once. The round trip is about 2 us, 6 packets; without the NAK it would take a timeout of 67 ms.
TEST(RcLoss, AGapIsReportedOnceAndRepairedWithinARoundTrip)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(14));
    const auto& answers = net.RecordTx(1);
    net.Drop(1, LoseFirst([](const FabricFrame& f) { return f.psn == 10; }));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100 * MTU, 1)),
              0);
    net.Run();
    uint32_t naks = 0;
    for (const SeenFrame& answer : answers)
    {
        if (RdmaSyndromeKind(answer.syndrome) == RdmaAethKind::NAK)
        {
            ++naks;
            EXPECT_EQ(answer.psn, 10u);
        }
    }
    EXPECT_EQ(naks, 1u);
    EXPECT_EQ(net.Counters(0).packetSeqErr, 1u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
    EXPECT_GE(net.Counters(0).retransmittedPackets, 6u);
    EXPECT_LE(net.Counters(0).retransmittedPackets, 10u);
    EXPECT_EQ(net.Counters(1).outOfSequence, net.Counters(0).retransmittedPackets - 1);
    EXPECT_EQ(net.Counters(1).deliveredBytes, 100 * MTU);
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
}

// 1 + 7 tries, one timeout apart, then status 12; what comes behind is flushed in order, and so are
// the receives.
TEST(RcLoss, B3_3_RetriesAreExceededAfterOneAndSevenTries)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& sent = net.RecordTx(0);
    net.built->GetChannel(0)->SetUp(false);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostRecv(MakeRecv(pair.a, MTU, 10 + i)), 0);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, i)), 0);
    }
    int64_t failed = 0;
    pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue>) {
        failed = Simulator::Now().GetPicoSeconds();
        EXPECT_EQ(pair.a.queuePair->GetState(), RdmaQpState::ERR);
    }));
    pair.a.cq->RequestNotify();
    net.Run();
    std::vector<IdAndStatus> expected{{0, RdmaWcStatus::RETRY_EXC_ERR},
                                      {1, RdmaWcStatus::WR_FLUSH_ERR},
                                      {2, RdmaWcStatus::WR_FLUSH_ERR},
                                      {10, RdmaWcStatus::WR_FLUSH_ERR},
                                      {11, RdmaWcStatus::WR_FLUSH_ERR},
                                      {12, RdmaWcStatus::WR_FLUSH_ERR}};
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), expected);
    EXPECT_EQ(static_cast<int>(RdmaWcStatus::RETRY_EXC_ERR), 12);
    EXPECT_EQ(pair.a.queuePair->GetState(), RdmaQpState::ERR);
    // The timer runs from the first packet that asks for an answer.
    std::vector<int64_t> tries;
    for (const SeenFrame& frame : sent)
    {
        if (frame.psn == 0)
        {
            tries.push_back(frame.ps);
        }
    }
    ASSERT_EQ(tries.size(), 8u);
    for (std::size_t i = 1; i < tries.size(); ++i)
    {
        EXPECT_EQ(tries[i] - tries[i - 1], TIMEOUT_8);
    }
    // Simulation time is in ns here.
    EXPECT_GE(failed, tries[7] + TIMEOUT_8);
    EXPECT_LT(failed, tries[7] + TIMEOUT_8 + 1'000);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 8u);
}

// A peer that is dead while the sender goes on posting: the timer is not pushed ahead by what is
// sent.
TEST(RcLoss, PostingOnDoesNotPutOffTheTimeout)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    net.built->GetChannel(0)->SetUp(false);
    for (uint64_t i = 0; i < 100; ++i)
    {
        Simulator::Schedule(MicroSeconds(100 * i), [&pair, i] {
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1, i));
        });
    }
    Time failed;
    pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
        [&failed](Ptr<RdmaCompletionQueue>) { failed = Simulator::Now(); }));
    pair.a.cq->RequestNotify();
    net.Run();
    // 8 timeouts of 1.049 ms, while the last requests are still to be posted.
    EXPECT_GT(failed, MicroSeconds(8388));
    EXPECT_LT(failed, MicroSeconds(8400));
    const auto done = TakeAll(pair.a);
    ASSERT_EQ(done.size(), 100u);
    EXPECT_EQ(done[0].status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 8u);
    for (uint64_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(done[i].wrId, i);
    }
}

TEST(RcLoss, B3_3_TimeoutZeroWaitsForEver)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(0));
    net.Drop(1, LoseFirst([](const FabricFrame&) { return true; }));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, 1)), 0);
    net.Run();
    EXPECT_TRUE(TakeAll(pair.a).empty());
    EXPECT_EQ(pair.a.queuePair->GetRequester().GetOutstanding(), 1u);
    EXPECT_EQ(pair.a.queuePair->GetState(), RdmaQpState::RTS);
    EXPECT_LT(Simulator::Now(), MicroSeconds(2));
}

// Nothing is left in the event queue (net.Run checks), and no queue pair has anything outstanding.
TEST(RcLoss, B3_9_TimersOfCompletedQueuePairsDoNotKeepTheRunAlive)
{
    RdmaTestNet net;
    for (uint64_t i = 0; i < 100; ++i)
    {
        auto& pair = net.Connect(0, 1, Timeout(8));
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100, i)), 0);
    }
    net.Drop(0, LoseAtRandom(0.01, 11));
    net.Drop(1, LoseAtRandom(0.01, 12));
    net.Run();
    uint64_t timeouts = net.Counters(0).localAckTimeoutErr;
    EXPECT_GT(timeouts, 0u);
    for (uint64_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(IdsOf(TakeAll(net.pairs[i].a)), InOrder(i, 1));
    }
    // A timer that was armed runs out once more, without effect.
    EXPECT_LT(Simulator::Now().GetPicoSeconds(), TIMEOUT_8 * static_cast<int64_t>(timeouts + 2));
}

// The same for queue pairs that are destroyed with work outstanding.
TEST(RcLoss, B3_9_TimersOfDestroyedQueuePairsDoNothing)
{
    RdmaTestNet net;
    net.built->GetChannel(0)->SetUp(false);
    for (uint64_t i = 0; i < 10; ++i)
    {
        auto& pair = net.Connect(0, 1, Timeout(8));
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100, i)), 0);
        Simulator::Schedule(MicroSeconds(500), [&pair] {
            pair.a.context->DestroyQp(pair.a.queuePair);
            pair.a.queuePair = nullptr;
        });
    }
    net.Run();
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net.contexts[0]->GetNic()->GetNQueuePairs(), 0u);
    EXPECT_LE(Simulator::Now().GetPicoSeconds(), TIMEOUT_8 + 1'000'000);
}

// 30 MB each way at a loss of one in a thousand: it ends, a little later, and the bytes are exact.
TEST(RcLoss, B3_1_OneInAThousandBothWays)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(2, {100'000'000'000, 1'000'000, 1e-3});
    });
    net.built->AssignStreams(100);
    auto& pair = net.Connect(0, 1, Timeout(8));
    for (uint64_t i = 0; i < 30; ++i)
    {
        EXPECT_EQ(
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1'000'000, i)),
            0);
        EXPECT_EQ(pair.b.queuePair->PostSend(
                      MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1'000'000, i, true)),
                  0);
    }
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 30));
    EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(0, 30));
    EXPECT_EQ(net.Counters(0).deliveredBytes, 30'000'000u);
    EXPECT_EQ(net.Counters(1).deliveredBytes, 30'000'000u);
    EXPECT_GT(CountDrops(net.plan->fabric, FabricDropReason::LINK_ERROR), 10u);
    EXPECT_EQ(CountDrops(net.plan->fabric, FabricDropReason::LINK_ERROR),
              CountAllDrops(net.plan->fabric));
    EXPECT_GT(net.Counters(0).retransmittedPackets, 0u);
}

/**
 * Reads of 5 packets, the second of which loses frames once.
 * \param host Where frames are lost.
 * \param pick Which frame.
 * \param timeouts How many timers run out.
 * \param gaps How many times the requester sees that responses are missing.
 */
void
ExpectReadRepaired(uint32_t host,
                   const std::function<bool(const FabricFrame&)>& pick,
                   uint64_t timeouts,
                   uint64_t gaps)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& responses = net.RecordTx(1);
    bool lost = false;
    net.Drop(host, [&](const FabricFrame& frame) {
        const bool lose = !lost && pick(frame);
        lost |= lose;
        return lose;
    });
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 5 * MTU, i)),
                  0);
    }
    net.Run();
    EXPECT_TRUE(lost);
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 3));
    EXPECT_EQ(net.Counters(0).deliveredBytes, 15 * MTU);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, timeouts);
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, gaps);
    EXPECT_GE(responses.size(), 15u);
}

TEST(RcLoss, ALostReadRequestIsReportedByTheNextOne)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    net.Drop(1, LoseFirst([](const FabricFrame& f) { return f.psn == 5; }));
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 5 * MTU, i)),
                  0);
    }
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 3));
    EXPECT_EQ(net.Counters(0).deliveredBytes, 15 * MTU);
    EXPECT_EQ(net.Counters(0).packetSeqErr, 1u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
}

TEST(RcLoss, ALostLastReadRequestWaitsForTheTimer)
{
    ExpectReadRepaired(
        1,
        [](const FabricFrame& f) { return f.psn == 10; },
        1,
        0);
}

TEST(RcLoss, LostReadResponsesAreReadAgainFromTheFirstThatIsMissing)
{
    for (const uint32_t psn : {5U, 7U, 9U}) // first, middle, last
    {
        SCOPED_TRACE(psn);
        ExpectReadRepaired(
            0,
            [psn](const FabricFrame& f) { return f.psn == psn; },
            0,
            1);
    }
}

TEST(RcLoss, TheLastResponseOfAllWaitsForTheTimer)
{
    ExpectReadRepaired(
        0,
        [](const FabricFrame& f) { return f.psn == 14; },
        1,
        0);
}

// The part of a read that has come is not asked for again: PSN 7 of 5 to 9 is lost, so 3 packets
// are.
TEST(RcLoss, OnlyTheMissingPartOfAReadIsReadAgain)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& requests = net.RecordTx(0);
    net.Drop(0, LoseFirst([](const FabricFrame& f) { return f.psn == 7; }));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 5 * MTU, 0)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 5 * MTU, 1)), 0);
    net.Run();
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(requests[2].psn, 7u);
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 2));
    EXPECT_EQ(net.Counters(0).deliveredBytes, 10 * MTU);
}

// An acknowledgement of what is behind a read says that the responses of the read were lost.
TEST(RcLoss, AnAckBehindAReadWithoutItsResponsesStartsTheReadAgain)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(14));
    net.Drop(0, LoseFirst([](const FabricFrame& f) { return OpcodeIsReadResponse(f.opcode); }, 2));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 2 * MTU, 0)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 2));
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, 1u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net.Counters(0).deliveredBytes, 2 * MTU);
    EXPECT_EQ(net.Counters(1).deliveredBytes, MTU);
}

// Sixteen reads may be outstanding. All are answered by 16 us, but asked for again at 16.4 us,
// because the answers come after 20 us. The copies wait in the responder, whose port is paused from
// 25 to 60 us, when the requester, which has had the answers, asks for sixteen more: the copies
// must not count against the limit.
TEST(RcLoss, RepeatedReadsDoNotCountAgainstTheLimitOfNewOnes)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::BackToBack({100'000'000'000, 10'000'000, 0});
    });
    auto& pair = net.Connect(0, 1, Timeout(2)); // 16.384 us
    for (uint64_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, MTU, i)), 0);
    }
    FabricPort& port = net.Device(1)->GetPort();
    Simulator::Schedule(MicroSeconds(25), [&port] { port.SetBlocked(1U << 3, 25'000'000); });
    Simulator::Schedule(MicroSeconds(60), [&port] { port.SetBlocked(0, 60'000'000); });
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 100));
    EXPECT_GT(net.Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net.Counters(0).deliveredBytes, 100u * MTU);
}

// A read that is asked for again while it is being answered is answered from there on only: one
// response of a hundred is lost, and what is sent twice is what was on its way in the round trip,
// about 10 packets.
TEST(RcLoss, ARepeatedReadTakesThePlaceOfTheFirst)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& responses = net.RecordTx(1);
    net.Drop(0, LoseFirst([](const FabricFrame& f) { return f.psn == 5; }));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 100 * MTU, 0)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
    EXPECT_GT(responses.size(), 100u);
    EXPECT_LT(responses.size(), 112u);
}

// What follows a read is acknowledged behind the data of the read.
TEST(RcLoss, AcknowledgementsWaitForTheReadsBeforeThem)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& answers = net.RecordTx(1);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 100 * MTU, 0)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 2));
    ASSERT_EQ(answers.size(), 101u);
    EXPECT_TRUE(OpcodeIsAck(answers.back().opcode));
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, 0u);
}

// An acknowledgement that waits for a paused port when a read comes: it would confirm the read as
// well, so the data goes first, and confirms what was before it.
TEST(RcLoss, AnAckThatWaitsDoesNotConfirmALaterRead)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& answers = net.RecordTx(1);
    FabricPort& port = net.Device(1)->GetPort();
    port.SetBlocked(1U << 3, 0);
    Simulator::Schedule(MicroSeconds(10), [&port] { port.SetBlocked(0, 10'000'000); });
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, 0)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 2 * MTU, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 2));
    ASSERT_GE(answers.size(), 2u);
    EXPECT_EQ(answers[0].opcode, 0x0d);
    EXPECT_EQ(answers[1].opcode, 0x0f);
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, 0u);
}

// The responder's port is paused, so its NAK waits. The timer repairs the gap meanwhile: what
// leaves when the pause ends is no NAK any more. The first request for an answer, packet 15, starts
// at 5.0 us; the second copy of packet 10 arrives 1.049 ms, 11 packets and 1 us later, at 1058.3
// us, that of packet 12 at 1058.9 us, that of packet 15, which asks for an answer, at 1059.9 us.
TEST(RcLoss, ANakThatHasNotLeftIsForgottenWhenTheGapIsClosed)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto& answers = net.RecordTx(1);
    net.Drop(1, LoseFirst([](const FabricFrame& f) { return f.psn == 10; }));
    FabricPort& port = net.Device(1)->GetPort();
    port.SetBlocked(1U << 3, 0);
    Simulator::Schedule(MicroSeconds(1059), [&port] { port.SetBlocked(0, 1'059'000'000); });
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 40 * MTU, 0)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
    ASSERT_FALSE(answers.empty());
    EXPECT_EQ(answers.front().psn, 12u);
    EXPECT_EQ(answers.front().syndrome, RdmaAckSyndrome());
    EXPECT_EQ(net.Counters(0).packetSeqErr, 0u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
}

/// A congestion control whose window a test sets.
class WindowOps : public RdmaCongestionOps
{
  public:
    /// \param bytes The window; 0: none.
    void Set(uint64_t bytes)
    {
        m_window = bytes;
    }
};

// The window closes behind packets of which none asked for an answer, and all are lost.
TEST(RcLoss, AWindowThatClosesLeavesATimerRunning)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, Timeout(8));
    const auto ops = CreateObject<WindowOps>();
    RdmaQpInitAttributes init;
    init.domain = net.contexts[0]->AllocPd();
    init.sendCq = init.recvCq = net.contexts[0]->CreateCq(10);
    init.congestion = ops;
    const auto memory = net.contexts[0]->RegMr(init.domain, 0, 1 << 20, ACCESS_LOCAL_WRITE);
    const auto queuePair = net.contexts[0]->CreateQp(init);
    RdmaQpAttributes attributes = Timeout(8);
    attributes.accessFlags = ACCESS_REMOTE_WRITE;
    attributes.address.endpoint = 1;
    attributes.destinationQp = pair.b.queuePair->GetNumber();
    ASSERT_EQ(net.contexts[0]->Connect(queuePair, attributes), 0);
    RdmaQpAttributes reset;
    ASSERT_EQ(net.contexts[1]->ModifyQp(pair.b.queuePair, reset, QP_STATE), 0);
    attributes.address.endpoint = 0;
    attributes.destinationQp = queuePair->GetNumber();
    ASSERT_EQ(net.contexts[1]->Connect(pair.b.queuePair, attributes), 0);
    net.Drop(1, LoseFirst([](const FabricFrame&) { return true; }, 3)); // all that is sent by 1 us
    RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 40 * MTU, 1);
    request.lkey = memory->lkey;
    EXPECT_EQ(queuePair->PostSend(request), 0);
    Simulator::Schedule(MicroSeconds(1), [&ops] { ops->Set(MTU); });
    net.Run();
    EXPECT_EQ(IdsOf(init.sendCq->Poll(10)), InOrder(1, 1));
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
    EXPECT_EQ(pair.b.queuePair->GetResponder().GetReceivedBytes(), 40 * MTU);
}

/// Everything at once under random loss.
class RcLossMixed : public testing::TestWithParam<int>
{
};

// Reads, writes and sends of many sizes in both directions; 1 % or 5 % of all frames are lost, ACKs
// and NAKs too, and every third time the timer is shorter than the way there and back. Each
// completes once and in order, and each byte is placed once.
TEST_P(RcLossMixed, ReadsWritesAndSendsCompleteInOrder)
{
    const bool impatient = GetParam() % 3 == 2; // 16.4 us for a round trip of 20 us
    const double loss = GetParam() % 2 ? 0.05 : 0.01;
    RdmaTestNet net([&](RdmaTestPlan& plan) {
        plan.topology =
            FabricTopology::BackToBack({100'000'000'000, impatient ? 10'000'000 : 1'000'000, 0});
        plan.rdma.SetNicAttribute("AckInterval", UintegerValue(1 + GetParam() % 7));
    });
    RdmaQpAttributes attributes = Timeout(impatient ? 2 : 5); // 131 us
    attributes.pathMtu = 1024;
    attributes.minRnrTimer = 1; // 10 us
    attributes.maxRdAtomic = 1 + GetParam() % 5;
    attributes.sqPsn = attributes.rqPsn = 0xffffff - 300;
    RdmaQpInitAttributes init;
    init.maxSendWr = init.maxRecvWr = 600;
    init.window = GetParam() % 3 == 1 ? 20'000 : 0;
    auto& pair = net.Connect(0, 1, attributes, init);
    net.Drop(0, LoseAtRandom(loss, 20 + 2 * GetParam()));
    net.Drop(1, LoseAtRandom(loss, 21 + 2 * GetParam()));
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(90 + GetParam());
    const RdmaWrOpcode kinds[] = {RdmaWrOpcode::RDMA_READ,
                                  RdmaWrOpcode::RDMA_WRITE,
                                  RdmaWrOpcode::SEND,
                                  RdmaWrOpcode::RDMA_WRITE_WITH_IMM};
    constexpr uint64_t COUNT = 300;
    uint64_t placed[2] = {0, 0};
    uint64_t receives[2] = {0, 0};
    for (uint64_t i = 0; i < COUNT; ++i)
    {
        for (const bool reverse : {false, true})
        {
            const RdmaWrOpcode kind = kinds[random->GetInteger(0, 3)];
            const uint64_t bytes = random->GetInteger(0, 3) ? random->GetInteger(1, 12'000) : 0;
            auto& from = reverse ? pair.b : pair.a;
            auto& to = reverse ? pair.a : pair.b;
            const bool read = kind == RdmaWrOpcode::RDMA_READ;
            placed[read == reverse ? 1 : 0] += bytes;
            if (kind == RdmaWrOpcode::SEND || kind == RdmaWrOpcode::RDMA_WRITE_WITH_IMM)
            {
                // Half of the receives come late, some of them too late.
                const uint64_t id = 1000 + receives[!reverse]++;
                const Time when = id < 1000 + COUNT / 8 ? Time(0) : NanoSeconds(700 * (id - 1000));
                Simulator::Schedule(when, [&to, id] {
                    EXPECT_EQ(to.queuePair->PostRecv(MakeRecv(to, 12'000, id)), 0);
                });
            }
            EXPECT_EQ(from.queuePair->PostSend(MakeSend(pair, kind, bytes, i, reverse)), 0);
        }
    }
    net.Run();
    for (const bool reverse : {false, true})
    {
        std::vector<RdmaWc> sends;
        std::vector<RdmaWc> received;
        for (const RdmaWc& done : TakeAll(reverse ? pair.b : pair.a))
        {
            (done.wrId >= 1000 ? received : sends).push_back(done);
        }
        EXPECT_EQ(IdsOf(sends), InOrder(0, COUNT));
        EXPECT_EQ(IdsOf(received), InOrder(1000, receives[reverse]));
        EXPECT_EQ(net.Counters(reverse).deliveredBytes, placed[reverse]);
    }
    EXPECT_GT(CountDrops(net.plan->fabric, FabricDropReason::LINK_ERROR), 20u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RcLossMixed, testing::Range(0, 40));

/// Receiver not ready.
class RcRnr : public testing::Test
{
  protected:
    /**
     * Sends without a receive.
     * \param retry rnr_retry.
     * \param posted When a receive is posted, if ever.
     */
    void Send(uint8_t retry, Time posted)
    {
        RdmaQpAttributes attributes = Timeout(14);
        attributes.rnrRetry = retry;
        attributes.minRnrTimer = 13; // 0.96 ms
        pair = &net.Connect(0, 1, attributes);
        sent = &net.RecordTx(0);
        answers = &net.RecordTx(1);
        EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::SEND, 3 * MTU, 1)), 0);
        EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::SEND, MTU, 2)), 0);
        if (posted.IsStrictlyPositive())
        {
            Simulator::Schedule(posted, [this] {
                pair->b.queuePair->PostRecv(MakeRecv(pair->b, 3 * MTU, 7));
                pair->b.queuePair->PostRecv(MakeRecv(pair->b, 3 * MTU, 8));
            });
        }
        net.Run();
    }

    /// \return When the first packet was sent, each time.
    std::vector<int64_t> Tries() const
    {
        std::vector<int64_t> tries;
        for (const SeenFrame& frame : *sent)
        {
            if (frame.psn == 0)
            {
                tries.push_back(frame.ps);
            }
        }
        return tries;
    }

    RdmaTestNet net;                                //!< two hosts
    RdmaConnectedPair* pair{nullptr};               //!< their connection
    const std::vector<SeenFrame>* sent{nullptr};    //!< by the sender
    const std::vector<SeenFrame>* answers{nullptr}; //!< by the receiver
};

TEST_F(RcRnr, RetryZeroFailsAtOnce)
{
    Send(0, MilliSeconds(1));
    const std::vector<IdAndStatus> expected{{1, RdmaWcStatus::RNR_RETRY_EXC_ERR},
                                            {2, RdmaWcStatus::WR_FLUSH_ERR}};
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
    EXPECT_LT(Simulator::Now(), MilliSeconds(68));
    EXPECT_EQ(Tries().size(), 1u);
    EXPECT_EQ(answers->size(), 1u); // once, whatever comes behind
    EXPECT_EQ(answers->front().psn, 0u);
}

TEST_F(RcRnr, RetryThreeTriesFourTimes)
{
    Send(3, Time(0));
    EXPECT_EQ(TakeAll(pair->a).front().status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
    const auto tries = Tries();
    ASSERT_EQ(tries.size(), 4u);
    // The timer of the responder, from the arrival of its NAK: one round trip later.
    for (std::size_t i = 1; i < tries.size(); ++i)
    {
        EXPECT_GT(tries[i] - tries[i - 1], 960'000'000 + 2 * DELAY);
        EXPECT_LT(tries[i] - tries[i - 1], 960'000'000 + 3 * DELAY);
    }
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
}

TEST_F(RcRnr, RetrySevenWaitsForEver)
{
    Send(7, MilliSeconds(20));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 2));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 2));
    // At 0.96 ms each, 20 ms are over with the 21st wait: the first try and 21 more.
    EXPECT_EQ(Tries().size(), 22u);
    EXPECT_EQ(net.Counters(1).deliveredBytes, 4 * MTU);
}

TEST_F(RcRnr, AReceivePostedInTimeIsUsed)
{
    Send(3, MilliSeconds(2));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 2));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 2));
    EXPECT_EQ(Tries().size(), 4u); // at 0, 0.96, 1.92 and 2.88 ms
    EXPECT_EQ(net.Counters(0).rnrNakRetryErr, 3u);
}

// The RNR NAK is lost: the timer of the requester repairs it.
TEST_F(RcRnr, ALostRnrNakIsRepeated)
{
    net.Drop(0, LoseFirst([](const FabricFrame&) { return true; }));
    Send(1, MilliSeconds(1));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 2));
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
}

// Responses of a read in front of a message without a receive are lost. The RNR NAK tells of it
// too.
TEST(RcLoss, AnRnrNakBehindALostReadStartsTheReadAgain)
{
    RdmaTestNet net;
    RdmaQpAttributes attributes = Timeout(14);
    attributes.minRnrTimer = 1; // 10 us
    auto& pair = net.Connect(0, 1, attributes);
    net.Drop(0, LoseFirst([](const FabricFrame& f) { return OpcodeIsReadResponse(f.opcode); }));
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, MTU, 1)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, MTU, 2)), 0);
    Simulator::Schedule(MicroSeconds(100),
                        [&pair] { pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, 3)); });
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 2));
    EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(3, 1));
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, 1u);
}

// A write is acknowledged after the requester has gone back to it, while the copy waits for the
// wire; the completion posts the next one at once. The copy must not be sent, and the numbers must
// fit.
TEST(RcLoss, ALateAckAfterGoingBackCompletesOnceAndTheNextPostFits)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::BackToBack({100'000'000'000, 10'000'000, 0});
    });
    // 8.192 us: it runs out before the ACK can come (20 us), again and again.
    auto& pair = net.Connect(0, 1, Timeout(1));
    uint64_t posted = 0;
    std::vector<RdmaWc> done;
    pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> cq) {
        const auto taken = cq->Poll(100);
        done.insert(done.end(), taken.begin(), taken.end());
        cq->RequestNotify();
        while (posted < done.size() + 2 && posted < 50)
        {
            EXPECT_EQ(pair.a.queuePair->PostSend(
                          MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 40 * MTU, posted++)),
                      0);
        }
    }));
    pair.a.cq->RequestNotify();
    EXPECT_EQ(
        pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 40 * MTU, posted++)),
        0);
    net.Run();
    EXPECT_EQ(IdsOf(done), InOrder(0, 50));
    EXPECT_EQ(net.Counters(1).deliveredBytes, 50u * 40 * MTU);
    EXPECT_EQ(net.Counters(1).deliveredMessages, 50u);
    EXPECT_GT(net.Counters(0).localAckTimeoutErr, 0u);
}

} // namespace
} // namespace ns3
