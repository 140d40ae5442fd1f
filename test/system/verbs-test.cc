/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs: access errors, completion queues, states, and queue pairs that fail or are reset. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

#include <cerrno>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;

/// Two hosts and one connection.
class Verbs : public testing::Test
{
  protected:
    Verbs()
    {
        attributes.timeout = 8;
        pair = &net.Connect(0, 1, attributes);
    }

    /**
     * Posts three writes, of which the second has something wrong, and runs.
     * \param request The second one.
     * \return Completions of the sender.
     */
    std::vector<IdAndStatus> PostBetweenWrites(const RdmaSendWr& request)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, 3 * MTU, 0), 0);
        EXPECT_EQ(pair->a.queuePair->PostSend(request), 0);
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 2), 0);
        net.Run();
        return IdsOf(TakeAll(pair->a));
    }

    /**
     * Posts on side a.
     * \param opcode What.
     * \param bytes Length.
     * \param id Number.
     * \return As PostSend.
     */
    int Post(RdmaWrOpcode opcode, uint64_t bytes, uint64_t id)
    {
        return pair->a.queuePair->PostSend(MakeSend(*pair, opcode, bytes, id));
    }

    /**
     * \param status Of the second of three work requests.
     * \return What PostBetweenWrites gives then.
     */
    static std::vector<IdAndStatus> SecondFails(RdmaWcStatus status)
    {
        return {{0, RdmaWcStatus::SUCCESS}, {1, status}, {2, RdmaWcStatus::WR_FLUSH_ERR}};
    }

    /**
     * Connects both sides again after a reset.
     * \param psn First number of both directions.
     * \return Whether it worked.
     */
    bool Reconnect(uint32_t psn = 5000)
    {
        for (auto* side : {&pair->a, &pair->b})
        {
            const auto& other = side == &pair->a ? pair->b : pair->a;
            RdmaQpAttributes full = attributes;
            full.accessFlags = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
            full.address.endpoint = other.context->GetEndpoint();
            full.destinationQp = other.queuePair->GetNumber();
            full.sqPsn = full.rqPsn = psn;
            if (side->context->Connect(side->queuePair, full))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * \param side A side.
     * \param state Its new state, ERR or RESET.
     * \return As ModifyQp.
     */
    static int Set(RdmaConnectedPair::Side& side, RdmaQpState state)
    {
        RdmaQpAttributes change;
        change.state = state;
        return side.context->ModifyQp(side.queuePair, change, QP_STATE);
    }

    RdmaTestNet net;             //!< two hosts
    RdmaQpAttributes attributes; //!< of both queue pairs
    RdmaConnectedPair* pair;     //!< the connection
};

TEST_F(Verbs, ABadRemoteKeyIsAnAccessErrorAndBothSidesFail)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, MTU, 9)), 0);
        RdmaSendWr bad = MakeSend(*pair, opcode, 100, 1);
        bad.rkey += 1;
        EXPECT_EQ(PostBetweenWrites(bad), SecondFails(RdmaWcStatus::REM_ACCESS_ERR));
        EXPECT_EQ(static_cast<int>(RdmaWcStatus::REM_ACCESS_ERR), 10);
        EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::ERR);
        EXPECT_EQ(pair->b.queuePair->GetState(), RdmaQpState::ERR);
        EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(9, 1, RdmaWcStatus::WR_FLUSH_ERR));
        EXPECT_EQ(pair->b.queuePair->GetResponder().GetReceivedBytes(), 3 * MTU);
    }
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
}

TEST_F(Verbs, AnAccessBeyondTheRegionIsAnAccessError)
{
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100, 1);
    bad.remoteAddress = (1ULL << 40) - 99;
    EXPECT_EQ(PostBetweenWrites(bad), SecondFails(RdmaWcStatus::REM_ACCESS_ERR));
}

TEST_F(Verbs, TheLastByteOfTheRegionMayBeWritten)
{
    RdmaSendWr good = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100, 1);
    good.remoteAddress = (1ULL << 40) - 100;
    EXPECT_EQ(PostBetweenWrites(good), InOrder(0, 3));
}

TEST_F(Verbs, ARegionWithoutTheRightIsAnAccessError)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        const bool read = opcode == RdmaWrOpcode::RDMA_READ;
        // The other right is there.
        RdmaMemoryTable& table = pair->b.context->GetNic()->GetState().memory;
        const auto region =
            table.Register(Ptr<RdmaProtectionDomain>(
                               const_cast<RdmaProtectionDomain*>(pair->b.queuePair->GetDomain())),
                           0,
                           1000,
                           read ? ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE : ACCESS_REMOTE_READ);
        ASSERT_TRUE(region);
        RdmaSendWr bad = MakeSend(*pair, opcode, 100, 1);
        bad.rkey = region->rkey;
        EXPECT_EQ(PostBetweenWrites(bad), SecondFails(RdmaWcStatus::REM_ACCESS_ERR));
    }
}

TEST_F(Verbs, AQueuePairWithoutTheRightRefusesAGoodRegion)
{
    RdmaQpInitAttributes init;
    init.domain = pair->b.context->AllocPd();
    init.sendCq = init.recvCq = pair->b.context->CreateCq(10);
    const auto region =
        pair->b.context->RegMr(init.domain, 0, 1000, ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE);
    const auto target = pair->b.context->CreateQp(init);
    RdmaQpAttributes full = attributes;
    full.address.endpoint = 0;
    full.destinationQp = pair->a.queuePair->GetNumber();
    full.accessFlags = ACCESS_REMOTE_READ;
    ASSERT_EQ(pair->b.context->Connect(target, full), 0);
    ASSERT_EQ(Set(pair->a, RdmaQpState::RESET), 0);
    full.address.endpoint = 1;
    full.destinationQp = target->GetNumber();
    ASSERT_EQ(pair->a.context->Connect(pair->a.queuePair, full), 0);
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100, 1);
    bad.rkey = region->rkey;
    EXPECT_EQ(pair->a.queuePair->PostSend(bad), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_ACCESS_ERR));
}

// A read that was taken before is answered in full before the refusal.
TEST_F(Verbs, AReadBeforeARefusedRequestIsStillAnswered)
{
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_READ, 100 * MTU, 0), 0);
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100, 1);
    bad.rkey = 0;
    EXPECT_EQ(pair->a.queuePair->PostSend(bad), 0);
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_READ, 100, 2), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), SecondFails(RdmaWcStatus::REM_ACCESS_ERR));
    EXPECT_EQ(net.Counters(0).deliveredBytes, 100 * MTU);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
}

// The local key: the request fails in its turn, behind those before it.
TEST_F(Verbs, ABadLocalKeyFailsInItsTurn)
{
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100, 1);
    bad.lkey = 0;
    EXPECT_EQ(PostBetweenWrites(bad), SecondFails(RdmaWcStatus::LOC_PROT_ERR));
    EXPECT_EQ(static_cast<int>(RdmaWcStatus::LOC_PROT_ERR), 4);
    EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::ERR);
    EXPECT_EQ(net.Counters(1).deliveredMessages, 1u); // nothing of the bad one was sent
}

TEST_F(Verbs, ABadLocalKeyOfTheOnlyRequestFailsAtOnce)
{
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_READ, 100, 1);
    bad.localAddress = 1ULL << 40;
    EXPECT_EQ(pair->a.queuePair->PostSend(bad), 0);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::LOC_PROT_ERR));
    net.Run();
    EXPECT_EQ(net.Counters(0).dataPackets, 0u);
}

TEST_F(Verbs, ABadLocalKeyBehindAReadWaitsForTheRead)
{
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_READ, 10 * MTU, 0), 0);
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::SEND, 100, 1);
    bad.lkey = 0;
    EXPECT_EQ(pair->a.queuePair->PostSend(bad), 0);
    EXPECT_TRUE(TakeAll(pair->a).empty());
    net.Run();
    const std::vector<IdAndStatus> expected{{0, RdmaWcStatus::SUCCESS},
                                            {1, RdmaWcStatus::LOC_PROT_ERR}};
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
}

// The receiver's own mistake: it fails with LOC_PROT_ERR, and the sender hears of an operational
// error.
TEST_F(Verbs, ABadLocalKeyOfAReceive)
{
    RdmaRecvWr bad = MakeRecv(pair->b, MTU, 7);
    bad.lkey = 0;
    EXPECT_EQ(pair->b.queuePair->PostRecv(bad), 0);
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, MTU, 8)), 0);
    EXPECT_EQ(Post(RdmaWrOpcode::SEND, 100, 1), 0);
    net.Run();
    const std::vector<IdAndStatus> expected{{7, RdmaWcStatus::LOC_PROT_ERR},
                                            {8, RdmaWcStatus::WR_FLUSH_ERR}};
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), expected);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_OP_ERR));
}

// Length error at the receiver, invalid request at the sender; both fail (IBA, verbs manual).
TEST_F(Verbs, ASendLongerThanTheReceive)
{
    for (const uint32_t room : {100U, MTU, 3 * MTU - 1})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, room, 7)), 0);
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 9 * MTU, 8)), 0);
        EXPECT_EQ(PostBetweenWrites(MakeSend(*pair, RdmaWrOpcode::SEND, 3 * MTU, 1)),
                  SecondFails(RdmaWcStatus::REM_INV_REQ_ERR));
        const std::vector<IdAndStatus> expected{{7, RdmaWcStatus::LOC_LEN_ERR},
                                                {8, RdmaWcStatus::WR_FLUSH_ERR}};
        EXPECT_EQ(IdsOf(TakeAll(pair->b)), expected);
        EXPECT_EQ(pair->b.queuePair->GetState(), RdmaQpState::ERR);
    }
}

// More reads than the responder allows are the requester's mistake: 8 asked for at once, 2 allowed.
TEST_F(Verbs, MoreReadsThanTheResponderAllows)
{
    attributes.maxDestRdAtomic = 2;
    attributes.maxRdAtomic = 8;
    pair = &net.Connect(0, 1, attributes);
    for (uint64_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_READ, 100 * MTU, i), 0);
    }
    net.Run();
    const auto done = IdsOf(TakeAll(pair->a));
    ASSERT_EQ(done.size(), 8u);
    EXPECT_EQ(done[0].second, RdmaWcStatus::SUCCESS);
    EXPECT_EQ(done[1].second, RdmaWcStatus::SUCCESS);
    EXPECT_EQ(done[2].second, RdmaWcStatus::REM_INV_REQ_ERR);
    EXPECT_EQ(done[3].second, RdmaWcStatus::WR_FLUSH_ERR);
}

// The two sides do not agree on the MTU: refused, and never counted as delivered.
TEST_F(Verbs, DifferentMtusAreRefused)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        ASSERT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
        RdmaQpAttributes full = attributes;
        full.accessFlags = ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
        full.address.endpoint = 0;
        full.destinationQp = pair->a.queuePair->GetNumber();
        full.pathMtu = 1024;
        ASSERT_EQ(pair->b.context->Connect(pair->b.queuePair, full), 0);
        EXPECT_EQ(Post(opcode, 2 * MTU, 1), 0);
        net.Run();
        const bool read = opcode == RdmaWrOpcode::RDMA_READ;
        EXPECT_EQ(IdsOf(TakeAll(pair->a)),
                  InOrder(1, 1, read ? RdmaWcStatus::BAD_RESP_ERR : RdmaWcStatus::REM_INV_REQ_ERR));
        EXPECT_EQ(pair->b.queuePair->GetResponder().GetReceivedBytes(), 0u);
    }
    EXPECT_EQ(net.Counters(0).deliveredBytes + net.Counters(1).deliveredBytes, 0u);
}

TEST_F(Verbs, PostIsPossibleFromTheRightStateOn)
{
    RdmaQpInitAttributes init;
    init.domain = pair->a.context->AllocPd();
    init.sendCq = init.recvCq = pair->a.context->CreateCq(10);
    const auto memory = pair->a.context->RegMr(init.domain, 0, MTU, ACCESS_LOCAL_WRITE);
    const auto queuePair = pair->a.context->CreateQp(init);
    RdmaSendWr send;
    send.length = 100;
    send.lkey = memory->lkey;
    RdmaRecvWr recv;
    recv.length = 100;
    recv.lkey = memory->lkey;
    RdmaQpAttributes step = attributes;
    step.address.endpoint = 1;
    step.destinationQp = pair->b.queuePair->GetNumber();

    EXPECT_EQ(queuePair->PostRecv(recv), EINVAL); // RESET
    EXPECT_EQ(queuePair->PostSend(send), EINVAL);
    step.state = RdmaQpState::INIT;
    ASSERT_EQ(queuePair->Modify(step, QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0), 0);
    EXPECT_EQ(queuePair->PostRecv(recv), 0);
    EXPECT_EQ(queuePair->PostSend(send), EINVAL);
    step.state = RdmaQpState::RTR;
    ASSERT_EQ(queuePair->Modify(step,
                                QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                                    QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER,
                                0),
              0);
    EXPECT_EQ(queuePair->PostRecv(recv), 0);
    EXPECT_EQ(queuePair->PostSend(send), EINVAL);
    step.state = RdmaQpState::RTS;
    ASSERT_EQ(queuePair->Modify(step,
                                QP_STATE | QP_SQ_PSN | QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY |
                                    QP_MAX_QP_RD_ATOMIC,
                                0),
              0);
    EXPECT_EQ(queuePair->PostRecv(recv), 0);
    EXPECT_EQ(queuePair->PostSend(send), 0);
    EXPECT_EQ(queuePair->GetResponder().GetPostedReceives(), 3u);
    step.state = RdmaQpState::ERR;
    ASSERT_EQ(queuePair->Modify(step, QP_STATE, 0), 0);
    EXPECT_EQ(queuePair->PostRecv(recv), 0);
    EXPECT_EQ(queuePair->PostSend(send), 0);
    const auto done = init.sendCq->Poll(10);
    EXPECT_EQ(done.size(), 6u);
    for (const RdmaWc& completion : done)
    {
        EXPECT_EQ(completion.status, RdmaWcStatus::WR_FLUSH_ERR);
    }
    net.Run();
}

TEST_F(Verbs, FullQueuesRefuseAndTakeAgainWhenThereIsRoom)
{
    RdmaQpInitAttributes init;
    init.maxSendWr = init.maxRecvWr = 2;
    pair = &net.Connect(0, 1, attributes, init);
    for (uint64_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::SEND, 10, i), 0);
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 10, i)), 0);
    }
    EXPECT_EQ(Post(RdmaWrOpcode::SEND, 10, 2), ENOMEM);
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 10, 2)), ENOMEM);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(0, 2));
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 10, 2)), 0);
    EXPECT_EQ(Post(RdmaWrOpcode::SEND, 10, 2), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(2, 1));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(2, 1));
}

// Success makes no completion when it was not asked for; failure always does (IBA, 10.7.3.1).
TEST_F(Verbs, UnsignaledRequestsCompleteOnlyWhenTheyFail)
{
    RdmaSendWr quiet = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, MTU, 0);
    quiet.signaled = false;
    EXPECT_EQ(pair->a.queuePair->PostSend(quiet), 0);
    quiet.wrId = 1;
    quiet.rkey = 0;
    EXPECT_EQ(pair->a.queuePair->PostSend(quiet), 0);
    quiet.wrId = 2;
    EXPECT_EQ(pair->a.queuePair->PostSend(quiet), 0);
    net.Run();
    const std::vector<IdAndStatus> expected{{1, RdmaWcStatus::REM_ACCESS_ERR},
                                            {2, RdmaWcStatus::WR_FLUSH_ERR}};
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
}

// A completion queue of 3 for 10 sends: what is lost is said, and the queue pair fails.
TEST_F(Verbs, AnOverrunCompletionQueueIsNeverSilent)
{
    RdmaQpInitAttributes init;
    init.domain = pair->a.context->AllocPd();
    init.sendCq = pair->a.context->CreateCq(3);
    init.recvCq = pair->a.context->CreateCq(10);
    const auto memory = pair->a.context->RegMr(init.domain, 0, MTU, ACCESS_LOCAL_WRITE);
    const auto queuePair = pair->a.context->CreateQp(init);
    RdmaQpAttributes full = attributes;
    full.address.endpoint = 1;
    full.destinationQp = pair->b.queuePair->GetNumber();
    ASSERT_EQ(pair->a.context->Connect(queuePair, full), 0);
    ASSERT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
    full.address.endpoint = 0;
    full.destinationQp = queuePair->GetNumber();
    full.accessFlags = ACCESS_REMOTE_WRITE;
    ASSERT_EQ(pair->b.context->Connect(pair->b.queuePair, full), 0);
    RdmaSendWr request = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 10);
    request.lkey = memory->lkey;
    for (uint64_t i = 0; i < 10; ++i)
    {
        request.wrId = i;
        EXPECT_EQ(queuePair->PostSend(request), 0);
    }
    net.Run();
    EXPECT_TRUE(init.sendCq->IsOverrun());
    EXPECT_EQ(queuePair->GetState(), RdmaQpState::ERR);
    EXPECT_EQ(IdsOf(init.sendCq->Poll(10)), InOrder(0, 3));
    EXPECT_EQ(queuePair->GetRequester().GetOutstanding(), 0u);
}

// The same at the receiver.
TEST_F(Verbs, AnOverrunOfReceiveCompletionsIsNeverSilent)
{
    RdmaQpInitAttributes init;
    init.maxSendWr = 1;
    init.maxRecvWr = 2; // the queue of the pair holds 3
    pair = &net.Connect(0, 1, attributes, init);
    for (uint64_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, MTU, i)), 0);
        EXPECT_EQ(Post(RdmaWrOpcode::SEND, MTU, i), 0);
        net.Run();
        TakeAll(pair->a);
    }
    EXPECT_TRUE(pair->b.cq->IsOverrun());
    EXPECT_EQ(pair->b.queuePair->GetState(), RdmaQpState::ERR);
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(0, 3));
}

TEST_F(Verbs, NotificationComesOnceForEachRequest)
{
    int calls = 0;
    pair->a.cq->SetNotify(
        Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> cq) {
            ++calls;
            EXPECT_EQ(cq, pair->a.cq);
            EXPECT_EQ(cq->GetDepth(), 1u);
        }));
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 0), 0);
    net.Run();
    EXPECT_EQ(calls, 0); // not requested
    pair->a.cq->RequestNotify();
    EXPECT_EQ(calls, 0); // only for what comes later
    TakeAll(pair->a);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
    }
    net.Run();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 3));
}

// Forced into error with work outstanding: flushed in order; two more posts are taken and flushed;
// the way back to RTS works, with nothing left of before, although old packets are still on their
// way.
TEST_F(Verbs, FromErrorOverResetToWorkAgain)
{
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, 100 * MTU, i), 0);
    }
    EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, MTU, 20)), 0);
    Simulator::Schedule(MicroSeconds(20), [this] {
        EXPECT_EQ(Set(pair->a, RdmaQpState::ERR), 0);
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 3), 0);
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 4), 0);
        std::vector<IdAndStatus> expected = InOrder(0, 3, RdmaWcStatus::WR_FLUSH_ERR);
        expected.emplace_back(20, RdmaWcStatus::WR_FLUSH_ERR);
        expected.emplace_back(3, RdmaWcStatus::WR_FLUSH_ERR);
        expected.emplace_back(4, RdmaWcStatus::WR_FLUSH_ERR);
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
        EXPECT_EQ(Set(pair->a, RdmaQpState::RESET), 0);
        EXPECT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
    });
    // What is on the wire is gone after 1 us.
    Simulator::Schedule(MicroSeconds(22), [this] {
        ASSERT_TRUE(Reconnect());
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, 10 * MTU, 7), 0);
    });
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(7, 1));
    EXPECT_TRUE(TakeAll(pair->b).empty());
    EXPECT_EQ(pair->b.queuePair->GetResponder().GetReceivedBytes(), 10 * MTU);
    EXPECT_GT(net.Device(1)->GetDrops(FabricDropReason::BAD_STATE), 0u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 0u);
}

// Taken straight to RESET the work is discarded without completions (verbs manual).
TEST_F(Verbs, B4_18_ResetDiscardsAndErrorFlushes)
{
    for (const bool error : {false, true})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        net.Drop(1, [](const FabricFrame&) { return true; });
        for (uint64_t i = 0; i < 4; ++i)
        {
            EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
        }
        if (error)
        {
            EXPECT_EQ(Set(pair->a, RdmaQpState::ERR), 0);
        }
        EXPECT_EQ(Set(pair->a, RdmaQpState::RESET), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)),
                  error ? InOrder(0, 4, RdmaWcStatus::WR_FLUSH_ERR) : std::vector<IdAndStatus>());
    }
}

// Its frames are dropped and counted, and the peer gives up.
TEST_F(Verbs, ADestroyedQueuePairGetsNothing)
{
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, 1000 * MTU, 0), 0);
    EXPECT_EQ(
        pair->b.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 1000 * MTU, 1, true)),
        0);
    Simulator::Schedule(MicroSeconds(50), [this] {
        pair->b.context->DestroyQp(pair->b.queuePair);
        pair->b.queuePair = nullptr;
    });
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 1, RdmaWcStatus::RETRY_EXC_ERR));
    EXPECT_TRUE(TakeAll(pair->b).empty());
    EXPECT_GT(net.Device(1)->GetDrops(FabricDropReason::UNKNOWN_QUEUE_PAIR), 0u);
    EXPECT_EQ(CountDrops(net.plan->fabric, FabricDropReason::UNKNOWN_QUEUE_PAIR),
              CountAllDrops(net.plan->fabric));
}

TEST_F(Verbs, ADestroyedQueuePairCannotBeRevived)
{
    const auto queuePair = pair->a.queuePair;
    pair->a.context->DestroyQp(queuePair);
    RdmaQpAttributes full = attributes;
    EXPECT_EQ(pair->a.context->Connect(queuePair, full), EINVAL);
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 0), EINVAL);
    net.Run();
}

/// What an application does to a queue pair when it is told of a completion.
class VerbsCallback : public Verbs
{
  protected:
    /**
     * \param act Called with the number of calls before it, inside the notification of side a.
     */
    void OnCompletion(std::function<void(int)> act)
    {
        pair->a.cq->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([this, act](Ptr<RdmaCompletionQueue> cq) {
                for (const RdmaWc& completion : cq->Poll(100))
                {
                    done.push_back(completion);
                }
                cq->RequestNotify();
                act(calls++);
            }));
        pair->a.cq->RequestNotify();
    }

    std::vector<RdmaWc> done; //!< completions of side a
    int calls{0};             //!< notifications
};

// Posts of a callback, made while the error flushes the queue, complete behind what was posted
// before.
TEST_F(VerbsCallback, PostsWhileFlushingKeepTheOrder)
{
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
        EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, MTU, 10 + i)), 0);
    }
    OnCompletion([this](int call) {
        EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::ERR);
        if (call == 0)
        {
            EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 3), 0);
        }
        if (call == 4)
        {
            EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, MTU, 13)), 0);
        }
    });
    EXPECT_EQ(Set(pair->a, RdmaQpState::ERR), 0);
    std::vector<IdAndStatus> expected = InOrder(0, 4, RdmaWcStatus::WR_FLUSH_ERR);
    for (uint64_t i = 10; i < 14; ++i)
    {
        expected.emplace_back(i, RdmaWcStatus::WR_FLUSH_ERR);
    }
    EXPECT_EQ(IdsOf(done), expected);
    net.Run();
}

// Destroyed inside its own completion, with more acknowledged by the same frame, and more to send.
TEST_F(VerbsCallback, DestroyInsideASuccess)
{
    for (const RdmaWrOpcode opcode :
         {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ, RdmaWrOpcode::SEND})
    {
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        done.clear();
        calls = 0;
        for (uint64_t i = 0; i < 20; ++i)
        {
            EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, MTU, i)), 0);
            EXPECT_EQ(Post(opcode, MTU, i), 0);
        }
        OnCompletion([this](int) {
            pair->a.context->DestroyQp(pair->a.queuePair);
            pair->a.queuePair = nullptr;
        });
        net.Run();
        EXPECT_EQ(IdsOf(done), InOrder(0, 1));
    }
}

// The same inside a failure that a timer or a NAK brings.
TEST_F(VerbsCallback, DestroyInsideAFailure)
{
    for (const bool timer : {false, true})
    {
        attributes.retryCount = 0;
        RdmaConnectedPair& fresh = net.Connect(0, 1, attributes);
        pair = &fresh;
        done.clear();
        calls = 0;
        net.Drop(1, [timer](const FabricFrame&) { return timer; });
        RdmaSendWr request = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, MTU, 0);
        request.rkey = 0;
        for (uint64_t i = 0; i < 5; ++i)
        {
            request.wrId = i;
            EXPECT_EQ(pair->a.queuePair->PostSend(request), 0);
        }
        OnCompletion([this](int) {
            pair->a.context->DestroyQp(pair->a.queuePair);
            pair->a.queuePair = nullptr;
        });
        net.Run();
        EXPECT_EQ(
            IdsOf(done),
            InOrder(0, 1, timer ? RdmaWcStatus::RETRY_EXC_ERR : RdmaWcStatus::REM_ACCESS_ERR));
    }
}

// Reset, connected again and used inside the completion that says it has failed: the rest of the
// old work is discarded, the new work is not flushed with it.
TEST_F(VerbsCallback, ResetAndReuseInsideAFlush)
{
    for (uint64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
        EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, MTU, 10 + i)), 0);
    }
    OnCompletion([this](int call) {
        if (call == 0)
        {
            EXPECT_EQ(Set(pair->a, RdmaQpState::RESET), 0);
            EXPECT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
            ASSERT_TRUE(Reconnect());
            EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, MTU, 30)), 0);
            EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 7), 0);
        }
    });
    EXPECT_EQ(Set(pair->a, RdmaQpState::ERR), 0);
    EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::RTS);
    net.Run();
    const std::vector<IdAndStatus> expected{{0, RdmaWcStatus::WR_FLUSH_ERR},
                                            {7, RdmaWcStatus::SUCCESS}};
    EXPECT_EQ(IdsOf(done), expected);
    EXPECT_EQ(pair->a.queuePair->GetResponder().GetPostedReceives(), 1u);
}

// The same inside a success, with numbers that the same acknowledgement seems to confirm.
TEST_F(VerbsCallback, ResetAndReuseInsideASuccess)
{
    uint32_t lost = 0;
    net.Drop(0, [&lost](const FabricFrame& f) { return OpcodeIsAck(f.opcode) && lost++ < 4; });
    for (uint64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
    }
    Time reused;
    Time completed;
    OnCompletion([&](int call) {
        if (call == 0)
        {
            reused = Simulator::Now();
            EXPECT_EQ(Set(pair->a, RdmaQpState::RESET), 0);
            EXPECT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
            ASSERT_TRUE(Reconnect(0));
            EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, 7), 0);
        }
        completed = Simulator::Now();
    });
    net.Run();
    EXPECT_EQ(IdsOf(done),
              (std::vector<IdAndStatus>{{0, RdmaWcStatus::SUCCESS}, {7, RdmaWcStatus::SUCCESS}}));
    EXPECT_GT(completed - reused, MicroSeconds(2)); // the way there and back
}

// Taken to the error state inside a success: what the same ACK confirms is flushed instead.
TEST_F(VerbsCallback, ErrorInsideASuccess)
{
    for (uint64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, MTU, i), 0);
    }
    OnCompletion([this](int call) {
        if (call == 0)
        {
            EXPECT_EQ(Set(pair->a, RdmaQpState::ERR), 0);
        }
    });
    net.Run();
    std::vector<IdAndStatus> expected = InOrder(0, 1);
    for (uint64_t i = 1; i < 5; ++i)
    {
        expected.emplace_back(i, RdmaWcStatus::WR_FLUSH_ERR);
    }
    EXPECT_EQ(IdsOf(done), expected);
}

// A ping-pong through callbacks: each completion posts the next.
TEST_F(VerbsCallback, PostsInsideASuccessGoOn)
{
    OnCompletion([this](int call) {
        if (call < 99)
        {
            EXPECT_EQ(Post(call % 2 ? RdmaWrOpcode::RDMA_READ : RdmaWrOpcode::RDMA_WRITE,
                           3 * MTU,
                           call + 1),
                      0);
        }
    });
    EXPECT_EQ(Post(RdmaWrOpcode::RDMA_WRITE, 3 * MTU, 0), 0);
    net.Run();
    EXPECT_EQ(IdsOf(done), InOrder(0, 100));
}

} // namespace
} // namespace ns3
