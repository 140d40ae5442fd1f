/* SPDX-License-Identifier: GPL-2.0-only */
/* The state machine of queue pairs: every transition, and every one that is refused. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cerrno>

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
constexpr uint32_t EVERY_BIT =
    TO_INIT | TO_RTR | TO_RTS | QP_CUR_STATE | QP_EN_SQD_ASYNC_NOTIFY | QP_QKEY;
constexpr State STATES[] =
    {State::RESET, State::INIT, State::RTR, State::RTS, State::SQD, State::SQE, State::ERR};
constexpr RdmaQpType TYPES[] = {RdmaQpType::RC, RdmaQpType::UC, RdmaQpType::UD};

/// What the manual page of ibv_modify_qp says of a transition, without alternate paths.
struct Row
{
    State from;        ///< old state
    State to;          ///< new state
    uint32_t required; ///< bits that must be given beside the state
    uint32_t optional; ///< bits that may be given
};

/// \param type A service. \return Its transitions but those to RESET and ERR, which need nothing.
std::vector<Row>
Rows(RdmaQpType type)
{
    const bool rc = type == RdmaQpType::RC;
    const bool ud = type == RdmaQpType::UD;
    const auto own = static_cast<uint32_t>(ud ? QP_QKEY : QP_ACCESS_FLAGS);
    const uint32_t open = QP_PKEY_INDEX | QP_PORT | own;
    const uint32_t timer = rc ? uint32_t{QP_MIN_RNR_TIMER} : 0;
    const uint32_t path = ud ? 0
                             : QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                                   (rc ? QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER : 0);
    const uint32_t retries =
        rc ? QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC : 0;
    std::vector<Row> rows{
        {State::RESET, State::INIT, open, 0},
        {State::INIT, State::INIT, 0, open},
        {State::INIT, State::RTR, path, QP_PKEY_INDEX | own},
        {State::RTR, State::RTS, QP_SQ_PSN | retries, QP_CUR_STATE | own | timer},
        {State::RTS, State::RTS, 0, QP_CUR_STATE | own | timer},
        {State::RTS, State::SQD, 0, QP_EN_SQD_ASYNC_NOTIFY},
        {State::SQD, State::RTS, 0, QP_CUR_STATE | own | timer},
        {State::SQD,
         State::SQD,
         0,
         QP_PKEY_INDEX | own | timer | retries | (ud ? 0 : uint32_t{QP_AV}) |
             (rc ? QP_PORT | QP_MAX_DEST_RD_ATOMIC : 0)},
    };
    if (!rc)
    {
        rows.push_back({State::SQE, State::RTS, 0, QP_CUR_STATE | own});
    }
    return rows;
}

/// A queue pair without a connection.
class QpState : public testing::Test
{
  protected:
    /**
     * \param state The state to be in.
     * \param type Its service.
     * \return A new queue pair in it.
     */
    Ptr<RdmaQueuePair> Make(State state, RdmaQpType type = RdmaQpType::RC)
    {
        RdmaQpInitAttributes init;
        init.type = type;
        init.domain = net.contexts[0]->AllocPd();
        init.sendCq = init.recvCq = net.contexts[0]->CreateCq(10);
        const auto queuePair = net.contexts[0]->CreateQp(init);
        EXPECT_EQ(queuePair->GetState(), State::RESET);
        for (const Row& row : Rows(type))
        {
            if (queuePair->GetState() != state && queuePair->GetState() == row.from &&
                row.to > row.from)
            {
                RdmaQpAttributes values = Values();
                values.state = row.to;
                EXPECT_EQ(queuePair->Modify(values, QP_STATE | row.required, 0), 0);
                EXPECT_EQ(queuePair->GetState(), row.to);
            }
        }
        if (state == State::SQE)
        {
            queuePair->EnterSendError(RdmaWcStatus::LOC_PROT_ERR);
        }
        if (state == State::ERR)
        {
            RdmaQpAttributes values;
            values.state = state;
            EXPECT_EQ(queuePair->Modify(values, QP_STATE, 0), 0);
        }
        EXPECT_EQ(queuePair->GetState(), state);
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
        values.queueKey = 77;
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
               a.retryCount == b.retryCount && a.rnrRetry == b.rnrRetry &&
               a.queueKey == b.queueKey && a.sqDrainedNotify == b.sqDrainedNotify;
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

// Every pair of states: the transition is made with what it needs and with all that it may take,
// and refused, with nothing changed, when anything needed is missing or anything foreign is given.
TEST_F(QpState, B4_2_EveryTransition)
{
    for (const RdmaQpType type : TYPES)
    {
        const std::vector<Row> rows = Rows(type);
        for (const State from : STATES)
        {
            if (from == State::SQE && type == RdmaQpType::RC)
            {
                continue; // never there
            }
            for (const State to : STATES)
            {
                SCOPED_TRACE(testing::Message()
                             << "type " << static_cast<int>(type) << ", " << static_cast<int>(from)
                             << " to " << static_cast<int>(to));
                const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
                    return row.from == from && row.to == to;
                });
                RdmaQpAttributes values = Others();
                values.state = to;
                values.currentState = from;
                const bool always = to == State::RESET || to == State::ERR;
                if (!always && found == rows.end())
                {
                    for (const uint32_t mask : {uint32_t{0}, TO_INIT, TO_RTR, TO_RTS, EVERY_BIT})
                    {
                        ExpectRefused(Make(from, type), values, QP_STATE | mask);
                    }
                    continue;
                }
                const Row row = always ? Row{from, to, 0, 0} : *found;
                for (uint32_t bit = 2; bit <= EVERY_BIT; bit <<= 1)
                {
                    if (row.required & bit)
                    {
                        ExpectRefused(Make(from, type), values, QP_STATE | (row.required & ~bit));
                    }
                    else if (!(row.optional & bit))
                    {
                        ExpectRefused(Make(from, type), values, QP_STATE | row.required | bit);
                    }
                }
                for (const uint32_t more : {uint32_t{0}, row.optional})
                {
                    const auto queuePair = Make(from, type);
                    EXPECT_EQ(queuePair->Modify(values, QP_STATE | row.required | more, 0), 0);
                    EXPECT_EQ(queuePair->GetState(), to);
                    if (more & QP_ACCESS_FLAGS)
                    {
                        EXPECT_EQ(queuePair->GetAttributes().accessFlags, ACCESS_REMOTE_WRITE);
                    }
                    if (more & QP_QKEY)
                    {
                        EXPECT_EQ(queuePair->GetAttributes().queueKey, 77u);
                    }
                }
            }
        }
    }
    net.Run();
}

// Without QP_STATE the state stays, and the attributes that may change in it do.
TEST_F(QpState, AttributesChangeWithoutTheState)
{
    RdmaQpAttributes values = Others();
    const auto sending = Make(State::RTS);
    EXPECT_EQ(sending->Modify(values, QP_MIN_RNR_TIMER | QP_ACCESS_FLAGS, 0), 0);
    EXPECT_EQ(sending->GetState(), State::RTS);
    EXPECT_EQ(sending->GetAttributes().minRnrTimer, 8);
    ExpectRefused(sending, values, QP_TIMEOUT);
    ExpectRefused(sending, values, 0);
    const auto drained = Make(State::SQD);
    EXPECT_EQ(drained->Modify(values, QP_TIMEOUT | QP_AV, 0), 0);
    EXPECT_EQ(drained->GetState(), State::SQD);
    EXPECT_EQ(drained->GetAttributes().timeout, 10);
    EXPECT_EQ(drained->GetAttributes().address.endpoint, 0u);
}

// The state that the caller believes in must be the right one.
TEST_F(QpState, CurrentStateIsCompared)
{
    const auto queuePair = Make(State::RTR);
    RdmaQpAttributes values = Others();
    values.state = State::RTS;
    values.currentState = State::INIT;
    ExpectRefused(queuePair, values, TO_RTS | QP_CUR_STATE);
    values.currentState = State::RTR;
    EXPECT_EQ(queuePair->Modify(values, TO_RTS | QP_CUR_STATE, 0), 0);
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
        {State::INIT, State::RTR, TO_RTR, [](RdmaQpAttributes& v) { v.maxDestRdAtomic = 17; }},
        {State::RTR, State::RTS, TO_RTS, [](RdmaQpAttributes& v) { v.maxRdAtomic = 17; }},
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
