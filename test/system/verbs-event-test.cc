/* SPDX-License-Identifier: GPL-2.0-only */
/* Asynchronous events, the drained send queue, and shared receive queues. */

#include "rdma-test-net.h"

#include "ns3/fabric-channel.h"
#include "ns3/simulator.h"

#include <cerrno>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;

/// Two hosts, a connection, and the events of both sides.
class VerbsEvent : public testing::Test
{
  protected:
    VerbsEvent()
    {
        for (int host : {0, 1})
        {
            net.contexts[host]->OnAsyncEvent(Callback<void, const RdmaAsyncEvent&>(
                [this, host](const RdmaAsyncEvent& event) { events[host].push_back(event); }));
        }
        pair = &net.Connect(0, 1, attributes, init);
    }

    /**
     * \param host A host.
     * \return Types of its events since the last call.
     */
    std::vector<RdmaEventType> Types(int host)
    {
        std::vector<RdmaEventType> types;
        for (const RdmaAsyncEvent& event : events[host])
        {
            types.push_back(event.type);
        }
        events[host].clear();
        return types;
    }

    /**
     * \param side A side.
     * \param state Its new state.
     * \param mask More bits than QP_STATE.
     * \return As ModifyQp.
     */
    static int Set(RdmaConnectedPair::Side& side, RdmaQpState state, uint32_t mask = 0)
    {
        RdmaQpAttributes change;
        change.state = state;
        change.sqDrainedNotify = true;
        return side.context->ModifyQp(side.queuePair, change, QP_STATE | mask);
    }

    using Events = std::vector<RdmaEventType>;

    RdmaTestNet net;                       //!< two hosts
    RdmaQpAttributes attributes;           //!< of both queue pairs
    RdmaQpInitAttributes init;             //!< of both queue pairs
    RdmaConnectedPair* pair;               //!< the connection
    std::vector<RdmaAsyncEvent> events[2]; //!< by host
};

// SQD: what was begun is finished, what was not is kept, and the event comes between. The way back
// is barred until then.
TEST_F(VerbsEvent, TheSendQueueDrains)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
    {
        const auto post = [&](uint64_t id) {
            EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, opcode, 100 * MTU, id)), 0);
        };
        attributes.maxRdAtomic = 1;
        pair = &net.Connect(0, 1, attributes);
        post(0);
        post(1);
        // 100 packets take 33 us: the first request is under way, the second is not.
        Simulator::Schedule(MicroSeconds(10), [&] {
            EXPECT_EQ(Set(pair->a, RdmaQpState::SQD, QP_EN_SQD_ASYNC_NOTIFY), 0);
            post(2);
            EXPECT_EQ(Set(pair->a, RdmaQpState::RTS), EINVAL);
        });
        net.Run();
        EXPECT_EQ(Types(0), Events{RdmaEventType::SQ_DRAINED});
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 1));
        EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::SQD);
        // It still receives.
        EXPECT_EQ(
            pair->b.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, MTU, 9, true)),
            0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(9, 1));
        EXPECT_EQ(Set(pair->a, RdmaQpState::RTS), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 2));
        EXPECT_TRUE(Types(0).empty());
    }
}

// The same with loss, and without asking for the event.
TEST_F(VerbsEvent, TheSendQueueDrainsOverLoss)
{
    attributes.timeout = 1;
    pair = &net.Connect(0, 1, attributes);
    uint32_t seen = 0;
    net.Drop(1, [&seen](const FabricFrame&) { return seen++ % 7 == 6; });
    for (uint64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(
            pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 20 * MTU, i)),
            0);
    }
    Simulator::Schedule(MicroSeconds(9), [&] { EXPECT_EQ(Set(pair->a, RdmaQpState::SQD), 0); });
    Simulator::Run();
    const std::size_t first = TakeAll(pair->a).size();
    EXPECT_GT(first, 0u);
    EXPECT_LT(first, 5u);
    EXPECT_TRUE(Types(0).empty());
    EXPECT_EQ(Set(pair->a, RdmaQpState::RTS), 0);
    Simulator::Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(first, 5 - first));
}

// A packet for a queue pair in RTR says that the other side is there.
TEST_F(VerbsEvent, CommunicationEstablished)
{
    ASSERT_EQ(Set(pair->b, RdmaQpState::RESET), 0);
    RdmaQpAttributes full;
    full.accessFlags = ACCESS_REMOTE_WRITE;
    full.address.endpoint = 0;
    full.destinationQp = pair->a.queuePair->GetNumber();
    full.state = RdmaQpState::INIT;
    ASSERT_EQ(pair->b.context->ModifyQp(pair->b.queuePair,
                                        full,
                                        QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS),
              0);
    full.state = RdmaQpState::RTR;
    ASSERT_EQ(pair->b.context->ModifyQp(pair->b.queuePair,
                                        full,
                                        QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                                            QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER),
              0);
    for (uint64_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, MTU, i)),
                  0);
    }
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
    EXPECT_EQ(events[1].at(0).queuePair, pair->b.queuePair->GetNumber());
    EXPECT_EQ(Types(1), Events{RdmaEventType::COMM_EST});
}

// What the peer does wrong and no receive can tell.
TEST_F(VerbsEvent, TheMistakesOfThePeer)
{
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 10);
    bad.rkey += 1;
    EXPECT_EQ(pair->a.queuePair->PostSend(bad), 0);
    net.Run();
    EXPECT_EQ(Types(1), Events{RdmaEventType::QP_ACCESS_ERR});
    attributes.maxDestRdAtomic = 1;
    attributes.maxRdAtomic = 2;
    pair = &net.Connect(0, 1, attributes);
    for (uint64_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(
            pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::RDMA_READ, 100 * MTU, i)),
            0);
    }
    net.Run();
    EXPECT_EQ(Types(1), Events{RdmaEventType::QP_REQ_ERR});
    EXPECT_TRUE(Types(0).empty());
}

// A completion queue of two connections for 4 completions: the fifth takes both down.
TEST_F(VerbsEvent, B4_6_AnOverrunTakesAllQueuePairsDown)
{
    init.domain = pair->a.context->AllocPd();
    init.sendCq = init.recvCq = pair->a.context->CreateCq(4);
    const auto memory = pair->a.context->RegMr(init.domain, 0, MTU, ACCESS_LOCAL_WRITE);
    std::vector<Ptr<RdmaQueuePair>> queuePairs;
    for (int i = 0; i < 2; ++i)
    {
        RdmaConnectedPair& peer = net.Connect(0, 1);
        ASSERT_EQ(Set(peer.b, RdmaQpState::RESET), 0);
        queuePairs.push_back(pair->a.context->CreateQp(init));
        RdmaQpAttributes full;
        full.accessFlags = ACCESS_REMOTE_WRITE;
        full.address.endpoint = 1;
        full.destinationQp = peer.b.queuePair->GetNumber();
        ASSERT_EQ(pair->a.context->Connect(queuePairs.back(), full), 0);
        full.address.endpoint = 0;
        full.destinationQp = queuePairs.back()->GetNumber();
        ASSERT_EQ(peer.b.context->Connect(peer.b.queuePair, full), 0);
        for (uint64_t k = 0; k < 3; ++k)
        {
            RdmaSendWr request = MakeSend(peer, RdmaWrOpcode::RDMA_WRITE, 10, k);
            request.lkey = memory->lkey;
            EXPECT_EQ(queuePairs.back()->PostSend(request), 0);
        }
    }
    net.Run();
    EXPECT_EQ(queuePairs[0]->GetState(), RdmaQpState::ERR);
    EXPECT_EQ(queuePairs[1]->GetState(), RdmaQpState::ERR);
    EXPECT_EQ(events[0].at(0).completionQueue, PeekPointer(init.sendCq));
    EXPECT_EQ(Types(0),
              (Events{RdmaEventType::CQ_ERR, RdmaEventType::QP_FATAL, RdmaEventType::QP_FATAL}));
    EXPECT_EQ(init.sendCq->Poll(10).size(), 4u);
}

TEST_F(VerbsEvent, TheCableGoesAndComes)
{
    const auto channel = DynamicCast<FabricChannel>(net.Device(0)->GetChannel());
    Simulator::Schedule(MicroSeconds(1), [&] { channel->SetUp(false); });
    Simulator::Schedule(MicroSeconds(2), [&] { channel->SetUp(true); });
    Simulator::Run();
    const Events expected{RdmaEventType::PORT_ERR, RdmaEventType::PORT_ACTIVE};
    EXPECT_EQ(events[0].at(0).port, 1);
    EXPECT_EQ(Types(0), expected);
    EXPECT_EQ(Types(1), expected);
}

// The sender waits for the time that the receiver names: a receive that is posted after 1 ms is
// found by the first repetition with code 0 (655.36 ms), by the second with code 13 (0.96 ms). A
// message and its answer take less than 5 us.
TEST_F(VerbsEvent, B4_1_TheReceiverNamesTheTime)
{
    for (const auto& [code, expected] :
         {std::pair<uint8_t, Time>{0, MicroSeconds(655'360)}, {13, MicroSeconds(1920)}})
    {
        attributes.minRnrTimer = code;
        pair = &net.Connect(0, 1, attributes);
        const uint64_t before = net.Counters(0).rnrNakRetryErr;
        const Time start = Simulator::Now();
        Time done;
        pair->a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
            [&done](Ptr<RdmaCompletionQueue>) { done = Simulator::Now(); }));
        pair->a.cq->RequestNotify();
        EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::SEND, 10, 1)), 0);
        Simulator::Schedule(MilliSeconds(1), [&] {
            EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 10, 2)), 0);
        });
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1));
        EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(2, 1));
        EXPECT_GT(done - start, expected);
        EXPECT_LT(done - start, expected + MicroSeconds(10));
        EXPECT_EQ(net.Counters(0).rnrNakRetryErr - before, code ? 2u : 1u);
    }
}

// A queue pair that fails takes no more from the shared queue; the others do.
TEST_F(VerbsEvent, AFailedQueuePairLeavesTheSharedQueue)
{
    const auto domain = pair->b.context->AllocPd();
    init.srq = pair->b.context->CreateSrq(domain, 10);
    pair = &net.Connect(0, 1, attributes, init);
    const auto memory = pair->b.context->RegMr(domain, 0, MTU, ACCESS_LOCAL_WRITE);
    RdmaRecvWr receive;
    receive.length = MTU;
    receive.lkey = memory->lkey;
    for (uint64_t i = 0; i < 3; ++i)
    {
        receive.wrId = i;
        EXPECT_EQ(init.srq->Post(receive), 0);
    }
    EXPECT_EQ(pair->b.queuePair->PostRecv(receive), EINVAL);
    EXPECT_EQ(pair->a.queuePair->PostSend(MakeSend(*pair, RdmaWrOpcode::SEND, 10, 5)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(0, 1));
    EXPECT_EQ(Set(pair->b, RdmaQpState::ERR), 0);
    net.Run();
    EXPECT_EQ(Types(1), Events{RdmaEventType::QP_LAST_WQE_REACHED});
    EXPECT_TRUE(TakeAll(pair->b).empty());
    EXPECT_EQ(init.srq->GetPosted(), 2u);
}

// 191 senders of 1 to 64 bytes, a shared queue that holds 64 receives and is filled again at each
// limit event: everything comes once, senders meet RNR each for itself, and the event comes once
// for each time that it is armed.
TEST(VerbsSharedReceiveQueue, B4_11_ManySendersOneQueue)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.topology = FabricTopology::Star(5, FabricLinkSpec()); });
    const auto context = net.contexts[0];
    RdmaQpInitAttributes init;
    init.domain = context->AllocPd();
    init.sendCq = init.recvCq = context->CreateCq(1000);
    init.srq = context->CreateSrq(init.domain, 64);
    const auto memory = context->RegMr(init.domain, 0, MTU, ACCESS_LOCAL_WRITE);
    uint32_t armed = 0;
    uint32_t limits = 0;
    uint64_t posted = 0;
    const auto fill = [&] {
        RdmaRecvWr receive;
        receive.length = 64;
        receive.lkey = memory->lkey;
        while (init.srq->GetPosted() < 64)
        {
            receive.wrId = posted++;
            ASSERT_EQ(init.srq->Post(receive), 0);
        }
        ASSERT_EQ(init.srq->SetLimit(16), 0);
        ++armed;
    };
    context->OnAsyncEvent(Callback<void, const RdmaAsyncEvent&>([&](const RdmaAsyncEvent& event) {
        EXPECT_EQ(event.type, RdmaEventType::SRQ_LIMIT_REACHED);
        EXPECT_EQ(event.sharedReceiveQueue, PeekPointer(init.srq));
        EXPECT_EQ(init.srq->GetLimit(), 0u);
        ++limits;
        Simulator::Schedule(MicroSeconds(5), fill);
    }));
    fill();
    EXPECT_EQ(init.srq->SetLimit(65), EINVAL);
    RdmaRecvWr receive;
    receive.wrId = 1000;
    EXPECT_EQ(init.srq->Post(receive), ENOMEM);

    std::vector<RdmaConnectedPair*> senders;
    uint64_t sentBytes = 0;
    for (uint32_t i = 0; i < 191; ++i)
    {
        RdmaQpAttributes attributes;
        attributes.minRnrTimer = 1; // 10 us
        RdmaConnectedPair& sender = net.Connect(1 + i % 4, 0, attributes);
        const auto receiver = context->CreateQp(init);
        attributes.address.endpoint = sender.a.context->GetEndpoint();
        attributes.destinationQp = sender.a.queuePair->GetNumber();
        ASSERT_EQ(context->Connect(receiver, attributes), 0);
        RdmaQpAttributes reset;
        ASSERT_EQ(sender.a.queuePair->Modify(reset, QP_STATE, 0), 0);
        attributes.address.endpoint = 0;
        attributes.destinationQp = receiver->GetNumber();
        ASSERT_EQ(sender.a.context->Connect(sender.a.queuePair, attributes), 0);
        senders.push_back(&sender);
        for (uint64_t k = 0; k < 4; ++k)
        {
            const uint64_t bytes = 1 + (i + 16 * k) % 64;
            sentBytes += bytes;
            EXPECT_EQ(sender.a.queuePair->PostSend(MakeSend(sender, RdmaWrOpcode::SEND, bytes, k)),
                      0);
        }
    }
    net.Run();
    uint64_t received = 0;
    const auto completions = init.recvCq->Poll(1000);
    EXPECT_EQ(completions.size(), 4u * 191);
    for (std::size_t i = 0; i < completions.size(); ++i)
    {
        EXPECT_EQ(completions[i].status, RdmaWcStatus::SUCCESS);
        received += completions[i].byteLength;
    }
    EXPECT_EQ(received, sentBytes);
    for (const RdmaConnectedPair* sender : senders)
    {
        EXPECT_EQ(IdsOf(TakeAll(sender->a)), InOrder(0, 4));
    }
    uint64_t rnr = 0;
    for (uint32_t host = 1; host < 5; ++host)
    {
        rnr += net.Counters(host).rnrNakRetryErr;
    }
    EXPECT_GT(rnr, 0u);
    // 764 receives of 64 and then some at a time; the last arming is still good.
    EXPECT_GE(limits, 764u / 64);
    EXPECT_LE(armed - limits, 1u);
}

} // namespace
} // namespace ns3
