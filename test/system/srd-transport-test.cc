/* SPDX-License-Identifier: GPL-2.0-only */
/* SRD between a few hosts: each message once, each error by its name. */

#include "srd-test-net.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1'000'000; // ps
constexpr uint64_t MTU = SRD_MAX_PAYLOAD;

using Statuses = std::vector<std::pair<uint64_t, RdmaSrdStatus>>;

/// \return Number and OK of each of \p count work requests from \p first on.
Statuses
AllOk(uint64_t first, uint64_t count)
{
    Statuses statuses;
    for (uint64_t i = 0; i < count; ++i)
    {
        statuses.emplace_back(first + i, RdmaSrdStatus::OK);
    }
    return statuses;
}

/// \return The statuses by number.
Statuses
Sorted(Statuses statuses)
{
    std::sort(statuses.begin(), statuses.end());
    return statuses;
}

/// \return Whether a frame is of a kind.
bool
Is(const FabricFrame& frame, RdmaSrdOpcode opcode)
{
    return frame.kind == FabricFrameKind::SRD && frame.opcode == static_cast<uint8_t>(opcode);
}

} // namespace

TEST(SrdTransport, SendsAMessageInTheTimeOfItsBytes)
{
    SrdTestNet test;
    test.PostReceives(1, 1);
    int64_t placedAt = 0;
    test.hosts[1].srd->TraceConnectWithoutContext(
        "Placed",
        Callback<void, const FabricFrame*, int64_t>(
            [&](const FabricFrame*, int64_t ps) { placedAt = ps; }));
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, MTU, 7)), 0);
    test.Run();
    // 9,002 bytes of frame and 20 of preamble and gap at 100 Gb/s: 721,760 ps; and 1 us of cable.
    EXPECT_EQ(placedAt, 721'760 + US);
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), AllOk(7, 1));
    const auto received = test.Received(1);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].opcode, RdmaWcOpcode::RECV);
    EXPECT_EQ(received[0].byteLength, MTU);
    EXPECT_EQ(received[0].sourceQueuePair, test.hosts[0].queuePair->GetNumber());
    EXPECT_EQ(received[0].sourceEndpoint, test.hosts[0].context->GetEndpoint());
    EXPECT_EQ(test.Counters(0).dataPackets, 1u);
    EXPECT_EQ(test.Counters(1).answers, 1u);
    EXPECT_EQ(test.hosts[0].srd->GetNPeers(), 1u);
}

TEST(SrdTransport, WritesAndReadsAreSplitAndPlacedWhole)
{
    SrdTestNet test;
    const SrdPlacement atOne(test.hosts[1].srd);
    const SrdPlacement atZero(test.hosts[0].srd);
    const uint64_t bytes = 100'000; // 11 full packets and one of 1,792 bytes
    auto write = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, bytes, 1);
    write.remoteAddress = 4096;
    auto immediate = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, bytes, 2);
    immediate.remoteAddress = 1 << 20;
    immediate.immediate = 0xabcd;
    const auto read = test.Make(0, 1, RdmaWrOpcode::RDMA_READ, bytes, 3);
    for (const auto& request : {write, immediate, read})
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(request), 0);
    }
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), AllOk(1, 3));
    EXPECT_TRUE(atOne.IsWhole(4096, bytes));
    EXPECT_TRUE(atOne.IsWhole(1 << 20, bytes));
    EXPECT_EQ(atZero.GetBytes(), bytes);
    EXPECT_EQ(test.Counters(0).dataPackets, 12u + 12u + 1u);
    EXPECT_EQ(test.Counters(1).dataPackets, 12u);
    const auto received = test.Received(1);
    ASSERT_EQ(received.size(), 1u) << "only the write with immediate tells the target";
    EXPECT_EQ(received[0].opcode, RdmaWcOpcode::RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received[0].byteLength, bytes);
    EXPECT_TRUE(received[0].hasImmediate);
    EXPECT_EQ(received[0].immediate, 0xabcdu);
}

TEST(SrdTransport, MessagesOfNoBytesComplete)
{
    SrdTestNet test;
    test.PostReceives(1, 1);
    uint64_t id = 0;
    for (const auto opcode : {RdmaWrOpcode::SEND,
                              RdmaWrOpcode::RDMA_WRITE,
                              RdmaWrOpcode::RDMA_WRITE_WITH_IMM,
                              RdmaWrOpcode::RDMA_READ})
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, opcode, 0, id++)), 0);
    }
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), AllOk(0, 4));
    EXPECT_EQ(test.Received(1).size(), 2u);
}

TEST(SrdTransport, MovesAGigabyteInOneRequest)
{
    SrdTestNet test;
    const uint64_t bytes = SRD_MAX_RDMA_BYTES;
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, bytes)),
              0);
    ASSERT_EQ(
        test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, bytes + 1, 1)),
        0);
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, MTU + 1, 2)),
              0);
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))),
              (Statuses{{0, RdmaSrdStatus::OK},
                        {1, RdmaSrdStatus::BAD_LENGTH},
                        {2, RdmaSrdStatus::BAD_LENGTH}}));
    EXPECT_EQ(test.Counters(1).deliveredBytes, bytes);
}

// B5.4: data may come several times; it is placed once, and completes once.
TEST(SrdTransport, B5_4_ForcedDuplicatesArePlacedOnce)
{
    SrdTestNet test;
    test.PostReceives(1, 100);
    const SrdPlacement placement(test.hosts[1].srd);
    // The first two answers to each packet are lost, and what they say of others with them.
    std::map<uint32_t, int> seen;
    test.net.Drop(0, [&seen](const FabricFrame& frame) {
        return Is(frame, RdmaSrdOpcode::ACK) && seen[frame.psn]++ < 2;
    });
    for (uint64_t i = 0; i < 100; ++i)
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 1000, i)),
                  0);
    }
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), AllOk(0, 100));
    EXPECT_EQ(test.Received(1).size(), 100u);
    EXPECT_EQ(placement.GetBytes(), 100'000u);
    EXPECT_GE(test.Counters(1).duplicates, 100u);
}

class SrdLossSweep : public testing::TestWithParam<double>
{
};

INSTANTIATE_TEST_SUITE_P(SrdTransport,
                         SrdLossSweep,
                         testing::Values(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1));

// Both directions lose, so acknowledgements too. Each byte is placed once, and all ends.
TEST_P(SrdLossSweep, DeliversExactlyOnce)
{
    SrdTestPlan plan;
    plan.init.maxSendWr = 512;
    plan.policy.SetTypeId("ns3::rdma::RdmaSrdPathPolicy");
    plan.congestion.SetTypeId("ns3::rdma::RdmaSrdCongestion");
    FabricLinkSpec lossy;
    lossy.errorRate = GetParam();
    SrdTestNet test(plan, [&](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::BackToBack(lossy);
    });
    const SrdPlacement atOne(test.hosts[1].srd);
    const SrdPlacement atZero(test.hosts[0].srd);
    int64_t lastPs = 0;
    for (const auto& host : test.hosts)
    {
        host.srd->TraceConnectWithoutContext(
            "Placed",
            Callback<void, const FabricFrame*, int64_t>(
                [&lastPs](const FabricFrame*, int64_t ps) { lastPs = std::max(lastPs, ps); }));
    }
    test.PostReceives(1, 128);
    const uint64_t writes = 100;
    const uint64_t bytes = 500'000; // 57 packets
    uint64_t id = 0;
    for (uint64_t i = 0; i < writes; ++i, ++id)
    {
        auto write = test.Make(0,
                               1,
                               i % 2 ? RdmaWrOpcode::RDMA_WRITE_WITH_IMM : RdmaWrOpcode::RDMA_WRITE,
                               bytes,
                               id);
        write.remoteAddress = (i + 1) * bytes;
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(write), 0);
    }
    for (uint64_t i = 0; i < 128; ++i, ++id)
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 100, id)),
                  0);
    }
    for (uint64_t i = 0; i < 20; ++i, ++id)
    {
        ASSERT_EQ(
            test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_READ, bytes, id)),
            0);
    }
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), AllOk(0, id));
    for (uint64_t i = 0; i < writes; ++i)
    {
        EXPECT_TRUE(atOne.IsWhole((i + 1) * bytes, bytes)) << "write " << i;
    }
    EXPECT_EQ(atOne.GetBytes(), writes * bytes + 128 * 100);
    EXPECT_EQ(atZero.GetBytes(), 20 * bytes);
    EXPECT_EQ(test.Received(1).size(), 128u + writes / 2);
    std::cout << "loss " << GetParam() << ": placed by " << lastPs / US << " us, sent again "
              << test.Counters(0).retransmittedPackets + test.Counters(1).retransmittedPackets
              << " of " << test.Counters(0).dataPackets + test.Counters(1).dataPackets
              << ", duplicates " << test.Counters(0).duplicates + test.Counters(1).duplicates
              << "\n";
}

// B5.5: one send more than receives; the device tries again 0 to 6 times, or for ever.
TEST(SrdTransport, B5_5_TriesAgainAsOftenAsItMayWhenNoReceiveIsPosted)
{
    for (uint8_t retry = 0; retry <= 6; ++retry)
    {
        SrdTestPlan plan;
        plan.init.rnrRetry = retry;
        SrdTestNet test(plan);
        test.PostReceives(1, 2);
        for (uint64_t i = 0; i < 3; ++i)
        {
            ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 8, i)),
                      0);
        }
        test.Run();
        Statuses expected = AllOk(0, 2);
        expected.emplace_back(2, RdmaSrdStatus::REM_RNR);
        const auto sent = test.Sent(0);
        EXPECT_EQ(Sorted(SrdStatusOf(sent)), expected) << "retry " << +retry;
        EXPECT_EQ(sent.back().status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
        EXPECT_EQ(test.Counters(0).receiverNotReady, 1u + retry);
        EXPECT_EQ(test.Received(1).size(), 2u);
        EXPECT_EQ(test.hosts[0].queuePair->GetState(), RdmaQpState::RTS)
            << "the queue pair goes on";
    }
}

TEST(SrdTransport, B5_5_TriesAgainForEverWithRetryCountSeven)
{
    SrdTestNet test;
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 8, 1)), 0);
    // 50 us, 100 us, ... 3.2 ms each: 30 ms are more than 10 tries.
    Simulator::Schedule(MilliSeconds(30), [&] { test.PostReceives(1, 1); });
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), AllOk(1, 1));
    EXPECT_EQ(test.Received(1).size(), 1u);
    EXPECT_GT(test.Counters(0).receiverNotReady, 10u);
}

// A late copy of a refused packet must not be taken once a receive is posted.
TEST(SrdTransport, B5_5_ARefusalIsFinalForItsPacket)
{
    SrdTestPlan plan;
    plan.init.rnrRetry = 0;
    SrdTestNet test(plan);
    // The first NACK is lost; a receive is posted before the packet comes again.
    bool lost = false;
    test.net.Drop(0, [&lost](const FabricFrame& frame) {
        return Is(frame, RdmaSrdOpcode::NACK) && !std::exchange(lost, true);
    });
    Simulator::Schedule(MicroSeconds(50), [&] { test.PostReceives(1, 1); });
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 8, 1)), 0);
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{1, RdmaSrdStatus::REM_RNR}}));
    EXPECT_TRUE(test.Received(1).empty()) << "the sender was told that it failed";
    EXPECT_EQ(test.Counters(1).duplicates, 1u);
}

// B5.10: each kind of error by its own status.
TEST(SrdTransport, B5_10_ErrorsHaveDistinctStatuses)
{
    SrdTestNet test;
    auto wrongNumber = test.Make(0, 1, RdmaWrOpcode::SEND, 8, 1);
    wrongNumber.remoteQueuePair = 77;
    auto wrongKey = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, 2);
    ++wrongKey.connectionKey;
    auto noMemory = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 20'000, 3);
    noMemory.remoteAddress = (uint64_t{1} << 40) - 10'000; // ends behind the region
    auto noRead = test.Make(0, 1, RdmaWrOpcode::RDMA_READ, 8, 4);
    ++noRead.rkey;
    auto noLocal = test.Make(0, 1, RdmaWrOpcode::SEND, 8, 5);
    ++noLocal.lkey;
    auto noHandle = test.Make(0, 1, RdmaWrOpcode::SEND, 8, 6);
    noHandle.address = nullptr;
    auto atomic = test.Make(0, 1, RdmaWrOpcode::SEND, 8, 7);
    atomic.opcode = static_cast<RdmaWrOpcode>(5); // IBV_WR_ATOMIC_CMP_AND_SWP
    auto destroyed = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 1 << 20, 8);
    for (const auto& request :
         {wrongNumber, wrongKey, noMemory, noRead, noLocal, noHandle, atomic, destroyed})
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(request), 0);
    }
    Simulator::Schedule(MicroSeconds(3),
                        [&] { test.hosts[0].context->DestroySrdAh(destroyed.address); });
    test.Run();
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))),
              (Statuses{{1, RdmaSrdStatus::REM_BAD_DEST_QPN},
                        {2, RdmaSrdStatus::REM_BAD_DEST_QPN},
                        {3, RdmaSrdStatus::REM_BAD_ADDRESS},
                        {4, RdmaSrdStatus::REM_BAD_ADDRESS},
                        {5, RdmaSrdStatus::INVALID_LKEY},
                        {6, RdmaSrdStatus::INVALID_AH},
                        {7, RdmaSrdStatus::UNSUPPORTED_OP},
                        {8, RdmaSrdStatus::INVALID_AH}}));
    EXPECT_EQ(test.Counters(1).badQueuePair, 2u);

    // The context is not stalled by any of them.
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, 9)),
              0);
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), AllOk(9, 1));
}

TEST(SrdTransport, B5_10_ASendLongerThanTheReceiveFailsOnBothSides)
{
    SrdTestNet test;
    RdmaRecvWr small;
    small.wrId = 5;
    small.length = 100;
    small.lkey = test.hosts[1].memory.lkey;
    ASSERT_EQ(test.hosts[1].queuePair->PostRecv(small), 0);
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::SEND, 101, 1)), 0);
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{1, RdmaSrdStatus::REM_BAD_LENGTH}}));
    EXPECT_EQ(SrdStatusOf(test.Received(1)), (Statuses{{5, RdmaSrdStatus::BAD_LENGTH}}));
}

TEST(SrdTransport, B5_10_ClosingTheQueuePairFlushesWhatIsPosted)
{
    SrdTestNet test;
    test.PostReceives(0, 2);
    for (uint64_t i = 0; i < 4; ++i)
    {
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(
                      test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 1 << 20, i)),
                  0);
    }
    Simulator::Schedule(MicroSeconds(5),
                        [&] { test.hosts[0].queuePair->Modify(RdmaQpState::ERR); });
    test.Run();
    const Statuses flushed{{0, RdmaSrdStatus::FLUSHED},
                           {1, RdmaSrdStatus::FLUSHED},
                           {2, RdmaSrdStatus::FLUSHED},
                           {3, RdmaSrdStatus::FLUSHED}};
    EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), flushed);
    EXPECT_EQ(test.Received(0).size(), 2u);
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, 9)),
              0);
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{9, RdmaSrdStatus::FLUSHED}}));
}

// B5.10: a peer that has answered and stops, against one that never did.
TEST(SrdTransport, B5_10_TellsASilentPeerFromOneThatWasNeverThere)
{
    for (const bool answeredBefore : {true, false})
    {
        SrdTestNet test;
        if (answeredBefore)
        {
            ASSERT_EQ(
                test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, 1)),
                0);
            Simulator::Run();
            EXPECT_EQ(SrdStatusOf(test.Sent(0)), AllOk(1, 1));
        }
        bool dead = true;
        test.net.Drop(1, [&dead](const FabricFrame&) { return dead; });
        ASSERT_EQ(
            test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 20'000, 2)),
            0);
        ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_READ, 8, 3)),
                  0);
        const Time start = Simulator::Now();
        Simulator::Run();
        const auto status =
            answeredBefore ? RdmaSrdStatus::UNRESP_REMOTE : RdmaSrdStatus::UNREACH_REMOTE;
        EXPECT_EQ(Sorted(SrdStatusOf(test.Sent(0))), (Statuses{{2, status}, {3, status}}));
        EXPECT_GE(Simulator::Now() - start, MilliSeconds(200));
        EXPECT_EQ(test.hosts[0].queuePair->GetState(), RdmaQpState::RTS);

        // It comes back: the context goes on, and what was given up is not delivered.
        dead = false;
        ASSERT_EQ(
            test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, 4)),
            0);
        test.Run();
        EXPECT_EQ(SrdStatusOf(test.Sent(0)), AllOk(4, 1));
        EXPECT_EQ(test.Counters(1).deliveredBytes, answeredBefore ? 16u : 8u);
    }
}

TEST(SrdTransport, APeerThatOwesReadDataAndDiesIsFound)
{
    SrdTestNet test;
    // The request is acknowledged, but no data comes.
    test.net.Drop(0, [](const FabricFrame& frame) {
        return !Is(frame, RdmaSrdOpcode::ACK) || frame.psn != 0xffffff00;
    });
    ASSERT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_READ, 8, 1)), 0);
    Simulator::Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{1, RdmaSrdStatus::UNRESP_REMOTE}}));
}

// Late packets of a dead queue pair are dropped, although a new one has its number.
TEST(SrdTransport, LatePacketsOfADeadQueuePairAreRefused)
{
    SrdTestNet test;
    const SrdPlacement placement(test.hosts[1].srd);
    ASSERT_EQ(
        test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 1 << 20, 1)),
        0);
    ASSERT_EQ(
        test.hosts[1].queuePair->PostSend(test.Make(1, 0, RdmaWrOpcode::RDMA_WRITE, 1 << 20, 2)),
        0);
    uint64_t before = 0;
    Ptr<RdmaSrdQueuePair> second;
    Simulator::Schedule(MicroSeconds(20), [&] {
        auto& host = test.hosts[1];
        const uint16_t number = host.queuePair->GetNumber();
        host.context->DestroySrdQp(host.queuePair);
        RdmaSrdQpInitAttributes init;
        init.domain = host.domain;
        init.sendCq = host.sendCq;
        init.recvCq = host.recvCq;
        init.connectionKey = 0x9999;
        second = host.context->CreateSrdQp(init);
        EXPECT_EQ(second->GetNumber(), number);
        before = placement.GetBytes();
    });
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{1, RdmaSrdStatus::REM_BAD_DEST_QPN}}));
    EXPECT_TRUE(test.Sent(1).empty()) << "nobody is told of the work of a destroyed queue pair";
    EXPECT_GT(before, 0u);
    EXPECT_EQ(placement.GetBytes(), before);
    EXPECT_GT(test.Counters(1).badQueuePair, 0u);
}

TEST(SrdTransport, ReadsOfADestroyedQueuePairAreAborted)
{
    SrdTestNet test;
    ASSERT_EQ(
        test.hosts[0].queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_READ, 1 << 20, 1)),
        0);
    Simulator::Schedule(MicroSeconds(20),
                        [&] { test.hosts[1].context->DestroySrdQp(test.hosts[1].queuePair); });
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)), (Statuses{{1, RdmaSrdStatus::REM_ABORT}}));
}

// B5.8: a write with immediate takes no receive, but room in the completion queue.
TEST(SrdTransport, B5_8_UnsolicitedWritesNeedRoomInTheCompletionQueue)
{
    for (const uint32_t count : {8U, 9U})
    {
        SrdTestPlan plan;
        plan.cqSize = 8;
        SrdTestNet test(plan);
        for (uint64_t i = 0; i < count; ++i)
        {
            auto write = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 8, i);
            write.signaled = false;
            ASSERT_EQ(test.hosts[0].queuePair->PostSend(write), 0);
        }
        test.Run();
        const bool overrun = count > 8;
        EXPECT_EQ(test.Received(1).size(), 8u);
        EXPECT_EQ(test.hosts[1].recvCq->IsOverrun(), overrun);
        EXPECT_EQ(test.Counters(1).overruns, overrun ? 1u : 0u);
        EXPECT_EQ(test.hosts[1].queuePair->GetState(),
                  overrun ? RdmaQpState::ERR : RdmaQpState::RTS);
    }
}

// B5.8: many small batches, each waited for, do not hang.
TEST(SrdTransport, B5_8_SmallBatchesOfUnsolicitedWritesDoNotHang)
{
    SrdTestPlan plan;
    plan.cqSize = 4;
    SrdTestNet test(plan);
    uint64_t posted = 0;
    uint64_t received = 0;
    const auto post = [&] {
        for (int i = 0; i < 4 && posted < 400; ++i, ++posted)
        {
            auto write = test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 64, posted);
            write.signaled = false;
            ASSERT_EQ(test.hosts[0].queuePair->PostSend(write), 0);
        }
    };
    std::function<void(Ptr<RdmaCompletionQueue>)> take = [&](Ptr<RdmaCompletionQueue> queue) {
        received += queue->Poll(4).size();
        queue->RequestNotify();
        if (received % 4 == 0)
        {
            Simulator::ScheduleNow(post);
        }
    };
    test.hosts[1].recvCq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(take));
    test.hosts[1].recvCq->RequestNotify();
    post();
    test.Run();
    EXPECT_EQ(received, 400u);
    EXPECT_EQ(test.Counters(1).overruns, 0u);
}

TEST(SrdTransport, QueuePairsTakeTurns)
{
    SrdTestNet test;
    auto& host = test.hosts[0];
    RdmaSrdQpInitAttributes init;
    init.domain = host.domain;
    init.sendCq = init.recvCq = host.sendCq;
    const auto other = host.context->CreateSrdQp(init);
    // 100 packets of the one are not in the way of the other's single packet.
    ASSERT_EQ(host.queuePair->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 100 * MTU, 1)), 0);
    ASSERT_EQ(other->PostSend(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, MTU, 2)), 0);
    test.Run();
    EXPECT_EQ(SrdStatusOf(test.Sent(0)),
              (Statuses{{2, RdmaSrdStatus::OK}, {1, RdmaSrdStatus::OK}}));
    EXPECT_EQ(host.srd->GetNPeers(), 1u) << "they share the context of the peer";
}
