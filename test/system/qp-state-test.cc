/* SPDX-License-Identifier: GPL-2.0-only */
/* The state machine of queue pairs: every transition, and every one that is refused. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

#include <cerrno>
#include <map>

namespace ns3
{
namespace
{

using namespace rdma;

using State = RdmaQpState;

constexpr uint32_t TO_INIT = QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS;
constexpr uint32_t TO_RTR = QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                            QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER;
constexpr uint32_t TO_RTS =
    QP_STATE | QP_SQ_PSN | QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC;
constexpr uint32_t EVERY_BIT = TO_INIT | TO_RTR | TO_RTS;
constexpr State STATES[] = {State::RESET, State::INIT, State::RTR, State::RTS, State::ERR};

/// A queue pair without a connection.
class QpState : public testing::Test
{
  protected:
    /// \param state The state to be in. \return A new queue pair in it.
    Ptr<RdmaQueuePair> Make(State state)
    {
        RdmaQpInitAttributes init;
        init.domain = net.contexts[0]->AllocPd();
        init.sendCq = init.recvCq = net.contexts[0]->CreateCq(10);
        const auto queuePair = net.contexts[0]->CreateQp(init);
        EXPECT_EQ(queuePair->GetState(), State::RESET);
        const std::pair<State, uint32_t> steps[] = {{State::INIT, TO_INIT},
                                                    {State::RTR, TO_RTR},
                                                    {State::RTS, TO_RTS},
                                                    {State::ERR, QP_STATE}};
        for (const auto& [to, mask] : steps)
        {
            if (queuePair->GetState() != state)
            {
                RdmaQpAttributes values = Values();
                values.state = to;
                EXPECT_EQ(queuePair->Modify(values, mask, 0), 0);
                EXPECT_EQ(queuePair->GetState(), to);
            }
        }
        return queuePair;
    }

    /// \return Values that differ from the defaults, and from those of Others().
    static RdmaQpAttributes Values()
    {
        RdmaQpAttributes values;
        values.accessFlags = ACCESS_REMOTE_READ;
        values.address.endpoint = 1;
        values.address.priority = 2;
        values.pathMtu = 512;
        values.destinationQp = 17;
        values.rqPsn = 100;
        values.sqPsn = 200;
        values.maxDestRdAtomic = 3;
        values.maxRdAtomic = 5;
        values.minRnrTimer = 7;
        values.timeout = 9;
        values.retryCount = 2;
        values.rnrRetry = 1;
        return values;
    }

    /// \return Values that are all in range and all different from Values().
    static RdmaQpAttributes Others()
    {
        RdmaQpAttributes values;
        values.accessFlags = ACCESS_REMOTE_WRITE;
        values.address.endpoint = 0;
        values.address.priority = 4;
        values.pathMtu = 1024;
        values.destinationQp = 18;
        values.rqPsn = 101;
        values.sqPsn = 201;
        values.maxDestRdAtomic = 4;
        values.maxRdAtomic = 6;
        values.minRnrTimer = 8;
        values.timeout = 10;
        values.retryCount = 3;
        values.rnrRetry = 2;
        return values;
    }

    /// \param a Attributes. \param b Attributes. \return Whether they are the same.
    static bool Same(const RdmaQpAttributes& a, const RdmaQpAttributes& b)
    {
        return a.state == b.state && a.accessFlags == b.accessFlags && a.pkeyIndex == b.pkeyIndex &&
               a.port == b.port && a.address.endpoint == b.address.endpoint &&
               a.address.priority == b.address.priority && a.pathMtu == b.pathMtu &&
               a.destinationQp == b.destinationQp && a.rqPsn == b.rqPsn && a.sqPsn == b.sqPsn &&
               a.maxDestRdAtomic == b.maxDestRdAtomic && a.maxRdAtomic == b.maxRdAtomic &&
               a.minRnrTimer == b.minRnrTimer && a.timeout == b.timeout &&
               a.retryCount == b.retryCount && a.rnrRetry == b.rnrRetry;
    }

    /**
     * Expects that a change is refused and nothing is different afterwards.
     * \param queuePair A queue pair.
     * \param values New values.
     * \param mask Which count.
     */
    static void ExpectRefused(const Ptr<RdmaQueuePair>& queuePair,
                              const RdmaQpAttributes& values,
                              uint32_t mask)
    {
        const RdmaQpAttributes before = queuePair->GetAttributes();
        EXPECT_EQ(queuePair->Modify(values, mask, 0), EINVAL)
            << "to " << static_cast<int>(values.state) << " mask " << std::hex << mask;
        EXPECT_TRUE(Same(queuePair->GetAttributes(), before));
    }

    RdmaTestNet net; //!< two hosts
};

// verbs manual, ibv_modify_qp, RC: RESET -> INIT -> RTR -> RTS, anything -> RESET and ERR, and no
// others.
TEST_F(QpState, B4_2_OnlyTheTransitionsOfTheStandard)
{
    const std::map<std::pair<State, State>, uint32_t> allowed{
        {{State::RESET, State::INIT}, TO_INIT},
        {{State::INIT, State::RTR}, TO_RTR},
        {{State::RTR, State::RTS}, TO_RTS},
    };
    for (const State from : STATES)
    {
        for (const State to : STATES)
        {
            SCOPED_TRACE(testing::Message()
                         << static_cast<int>(from) << " to " << static_cast<int>(to));
            const auto queuePair = Make(from);
            RdmaQpAttributes values = Others();
            values.state = to;
            const auto found = allowed.find({from, to});
            const bool always = to == State::RESET || to == State::ERR;
            if (!always && found == allowed.end())
            {
                for (const uint32_t mask : {uint32_t{QP_STATE}, TO_INIT, TO_RTR, TO_RTS, EVERY_BIT})
                {
                    ExpectRefused(queuePair, values, mask);
                }
                continue;
            }
            const uint32_t mask = always ? uint32_t{QP_STATE} : found->second;
            ExpectRefused(queuePair, values, mask & ~QP_STATE);
            EXPECT_EQ(queuePair->Modify(values, mask, 0), 0);
            EXPECT_EQ(queuePair->GetState(), to);
        }
    }
    net.Run();
}

// Each attribute that a transition needs is missed, and none that it does not know is taken.
TEST_F(QpState, B4_2_RequiredAndForeignAttributes)
{
    struct Step
    {
        State from;
        State to;
        uint32_t required;
        uint32_t optional;
    };

    const Step steps[] = {
        {State::RESET, State::INIT, TO_INIT, 0},
        {State::INIT, State::RTR, TO_RTR, QP_ACCESS_FLAGS | QP_PKEY_INDEX},
        {State::RTR, State::RTS, TO_RTS, QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER},
        {State::RTS, State::ERR, QP_STATE, 0},
        {State::RTS, State::RESET, QP_STATE, 0},
    };
    for (const Step& step : steps)
    {
        const auto queuePair = Make(step.from);
        RdmaQpAttributes values = Others();
        values.state = step.to;
        for (uint32_t bit = 1; bit <= EVERY_BIT; bit <<= 1)
        {
            if (step.required & bit)
            {
                ExpectRefused(queuePair, values, step.required & ~bit);
            }
            else if (!(step.optional & bit))
            {
                ExpectRefused(queuePair, values, step.required | bit);
            }
        }
        EXPECT_EQ(queuePair->Modify(values, step.required | step.optional, 0), 0);
        EXPECT_EQ(queuePair->GetState(), step.to);
        if (step.optional & QP_ACCESS_FLAGS)
        {
            EXPECT_EQ(queuePair->GetAttributes().accessFlags, ACCESS_REMOTE_WRITE);
        }
    }
}

TEST_F(QpState, ValuesOutOfRangeAreRefused)
{
    using Change = void (*)(RdmaQpAttributes&);

    struct Case
    {
        State from;
        State to;
        uint32_t mask;
        Change change;
    };

    const Case cases[] = {
        {State::RESET, State::INIT, TO_INIT, [](RdmaQpAttributes& v) { v.port = 0; }},
        {State::RESET, State::INIT, TO_INIT, [](RdmaQpAttributes& v) { v.port = 2; }},
        {State::RESET, State::INIT, TO_INIT, [](RdmaQpAttributes& v) { v.pkeyIndex = 1; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.address.priority = 8; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.pathMtu = 63; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.pathMtu = 9217; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.destinationQp = 1 << 24; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.rqPsn = 1 << 24; }},
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.minRnrTimer = 32; }},
        {State::RTR, State::RTS, TO_RTS, [](RdmaQpAttributes& v) { v.sqPsn = 1 << 24; }},
        {State::RTR, State::RTS, TO_RTS, [](RdmaQpAttributes& v) { v.timeout = 32; }},
        {State::RTR, State::RTS, TO_RTS, [](RdmaQpAttributes& v) { v.retryCount = 8; }},
        {State::RTR, State::RTS, TO_RTS, [](RdmaQpAttributes& v) { v.rnrRetry = 8; }},
    };
    for (const Case& c : cases)
    {
        const auto queuePair = Make(c.from);
        RdmaQpAttributes values = Others();
        values.state = c.to;
        c.change(values);
        ExpectRefused(queuePair, values, c.mask);
    }
}

// RESET forgets: all attributes are those of a new queue pair, and so is the rate.
TEST_F(QpState, ResetForgetsEverything)
{
    const auto queuePair = Make(State::RTS);
    RdmaQpAttributes values;
    values.state = State::RESET;
    ASSERT_EQ(queuePair->Modify(values, QP_STATE, 0), 0);
    EXPECT_TRUE(Same(queuePair->GetAttributes(), RdmaQpAttributes()));
    EXPECT_EQ(queuePair->GetResponder().GetPostedReceives(), 0u);
}

// A queue pair with a packet waiting for a paused priority is reset, and used with another
// priority: it can send there at once, and nothing of it is left in the old place.
TEST_F(QpState, ResetTakesWaitingPacketsBack)
{
    auto& pair = net.Connect(0, 1);
    const auto& sent = net.RecordTx(0);
    FabricPort& port = net.Device(0)->GetPort();
    port.SetBlocked(1U << 3, 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100, 1)), 0);
    EXPECT_TRUE(sent.empty());
    RdmaQpAttributes values;
    values.state = State::RESET;
    ASSERT_EQ(pair.a.queuePair->Modify(values, QP_STATE, 0), 0);
    values.address.endpoint = 1;
    values.address.priority = 4;
    values.destinationQp = pair.b.queuePair->GetNumber();
    ASSERT_EQ(pair.a.context->Connect(pair.a.queuePair, values), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 200, 2)), 0);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].payload, 200u);
    EXPECT_EQ(sent[0].priority, 4);
    port.SetBlocked(0, 0);
    net.Run();
    EXPECT_EQ(sent.size(), 1u);
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(2, 1));
}

// The same when it is destroyed.
TEST_F(QpState, DestroyTakesWaitingPacketsBack)
{
    auto& pair = net.Connect(0, 1);
    const auto& sent = net.RecordTx(0);
    FabricPort& port = net.Device(0)->GetPort();
    port.SetBlocked(1U << 3, 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100, 1)), 0);
    pair.a.context->DestroyQp(pair.a.queuePair);
    pair.a.queuePair = nullptr;
    port.SetBlocked(0, 0);
    net.Run();
    EXPECT_TRUE(sent.empty());
}

} // namespace
} // namespace ns3
