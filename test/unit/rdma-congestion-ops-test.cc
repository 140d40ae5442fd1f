/* SPDX-License-Identifier: GPL-2.0-only */
/* The base class of congestion control: limits, trace, order of timers and events. */

#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-no-congestion.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr uint64_t GBPS = 1000000000;

/** An algorithm that does what the test says, and notes the order of its calls. */
class ProbeCongestion : public RdmaCongestionOps
{
  public:
    void Force(uint64_t rate, int64_t now)
    {
        SetRate(rate, now);
    }

    void Arm(int64_t deadline)
    {
        m_nextDeadline = deadline;
    }

    std::string m_calls;            //!< one letter per call
    uint64_t m_wantedMinRate{GBPS}; //!< minimum rate to set at the start

  private:
    void DoStart(int64_t) override
    {
        m_minRate = m_wantedMinRate;
    }

    void DoAdvance(int64_t) override
    {
        m_calls += 't';
        m_nextDeadline = NO_DEADLINE;
    }

    void DoSent(int64_t, uint32_t) override
    {
        m_calls += 's';
    }

    void DoAck(const CcAckEvent&) override
    {
        m_calls += 'a';
    }

    void DoCnp(int64_t) override
    {
        m_calls += 'c';
    }

    void DoLoss(const CcLossEvent&) override
    {
        m_calls += 'l';
    }
};

using RateChange = std::tuple<uint64_t, uint64_t, int64_t>;

void
NoteChange(std::vector<RateChange>* changes, uint64_t oldRate, uint64_t newRate, int64_t now)
{
    changes->emplace_back(oldRate, newRate, now);
}

TEST(RdmaCongestionOps, RateStaysBetweenMinimumAndLineRate)
{
    auto cc = CreateObject<ProbeCongestion>();
    EXPECT_EQ(cc->GetRate(), 0u);
    cc->Start(40 * GBPS, 0);
    EXPECT_EQ(cc->GetRate(), 40 * GBPS);
    EXPECT_EQ(cc->GetLineRate(), 40 * GBPS);
    EXPECT_EQ(cc->GetMinRate(), GBPS);
    cc->Force(41 * GBPS, 1);
    EXPECT_EQ(cc->GetRate(), 40 * GBPS);
    cc->Force(GBPS / 2, 2);
    EXPECT_EQ(cc->GetRate(), GBPS);
    cc->Force(0, 3);
    EXPECT_EQ(cc->GetRate(), GBPS);
    cc->Force(7 * GBPS, 4);
    EXPECT_EQ(cc->GetRate(), 7 * GBPS);
}

TEST(RdmaCongestionOps, RateTraceTellsEachChangeOnce)
{
    auto cc = CreateObject<ProbeCongestion>();
    std::vector<RateChange> changes;
    ASSERT_TRUE(cc->TraceConnectWithoutContext("Rate", MakeBoundCallback(&NoteChange, &changes)));
    cc->Start(40 * GBPS, 5);
    cc->Force(20 * GBPS, 6);
    cc->Force(20 * GBPS, 7);
    cc->Force(80 * GBPS, 8);
    cc->Force(80 * GBPS, 9);
    const std::vector<RateChange> expected{
        {0,         40 * GBPS, 5},
        {40 * GBPS, 20 * GBPS, 6},
        {20 * GBPS, 40 * GBPS, 8}
    };
    EXPECT_EQ(changes, expected);
}

TEST(RdmaCongestionOps, TimersDueAtTheTimeOfAnEventRunBeforeIt)
{
    auto cc = CreateObject<ProbeCongestion>();
    cc->Start(40 * GBPS, 0);
    cc->Arm(100);
    cc->Sent(99, 1000);
    EXPECT_EQ(cc->m_calls, "s");
    cc->Sent(100, 1000);
    EXPECT_EQ(cc->m_calls, "sts");
    cc->Arm(200);
    cc->Cnp(200);
    cc->Arm(300);
    CcAckEvent ack;
    ack.now = 300;
    cc->Ack(ack);
    cc->Arm(400);
    cc->Loss({400, true});
    EXPECT_EQ(cc->m_calls, "ststctatl");
    cc->Advance(1000);
    EXPECT_EQ(cc->m_calls, "ststctatl");
}

TEST(RdmaCongestionOpsDeathTest, StartRejectsImpossibleRates)
{
    auto cc = CreateObject<ProbeCongestion>();
    EXPECT_DEATH(cc->Start(0, 0), "line rate");
    cc->m_wantedMinRate = 41 * GBPS;
    EXPECT_DEATH(cc->Start(40 * GBPS, 0), "minimum rate");
    cc->m_wantedMinRate = 0;
    EXPECT_DEATH(cc->Start(40 * GBPS, 0), "minimum rate");
}

TEST(RdmaNoCongestion, IsLineRateAndWantsNothing)
{
    auto cc = CreateObject<RdmaNoCongestion>();
    cc->Start(400 * GBPS, 0);
    EXPECT_EQ(cc->GetSignals(), 0u);
    cc->Cnp(1);
    cc->Loss({2, true});
    EXPECT_EQ(cc->GetRate(), 400 * GBPS);
    EXPECT_EQ(cc->GetWindow(), 0u);
    EXPECT_EQ(cc->NextDeadline(), RdmaCongestionOps::NO_DEADLINE);
}

} // namespace
