/* SPDX-License-Identifier: GPL-2.0-only */
/* The DCQCN reaction point against trajectories worked out by hand. Rates in comments in Gb/s. */

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1000000;       // ps
constexpr uint64_t GBPS = 1000000000; // bit/s
constexpr uint64_t LINE = 40 * GBPS;  // the link of the paper
constexpr int64_t PERIOD = 55 * US;   // K and T of the paper

static_assert(sizeof(RdmaDcqcn) <= 300, "DCQCN takes a third of a queue pair's 1 KiB at most");

Ptr<RdmaDcqcn>
StartDcqcn(uint64_t lineRate = LINE)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->Start(lineRate, 0);
    return cc;
}

// The values deployed in the paper, and the two it leaves open.
TEST(RdmaDcqcn, HasTheParametersOfThePaper)
{
    auto cc = CreateObject<RdmaDcqcn>();
    DoubleValue number;
    TimeValue time;
    UintegerValue count;
    DataRateValue rate;
    cc->GetAttribute("Gain", number);
    EXPECT_EQ(number.Get(), 1.0 / 256);
    cc->GetAttribute("InitialAlpha", number);
    EXPECT_EQ(number.Get(), 1.0);
    cc->GetAttribute("AlphaPeriod", time);
    EXPECT_EQ(time.Get(), MicroSeconds(55));
    cc->GetAttribute("RatePeriod", time);
    EXPECT_EQ(time.Get(), MicroSeconds(55));
    cc->GetAttribute("ByteCounter", count);
    EXPECT_EQ(count.Get(), 10000000u);
    cc->GetAttribute("RecoveryThreshold", count);
    EXPECT_EQ(count.Get(), 5u);
    cc->GetAttribute("AdditiveIncrease", rate);
    EXPECT_EQ(rate.Get(), DataRate("40Mb/s"));
    cc->GetAttribute("HyperIncrease", rate);
    EXPECT_EQ(rate.Get(), DataRate("200Mb/s"));
    cc->GetAttribute("MinRate", rate);
    EXPECT_EQ(rate.Get(), DataRate("5Mb/s"));
}

TEST(RdmaDcqcn, StartsAtLineRateAndRests)
{
    auto cc = StartDcqcn();
    EXPECT_EQ(cc->GetRate(), LINE);
    EXPECT_EQ(cc->GetWindow(), 0u);
    EXPECT_EQ(cc->NextDeadline(), RdmaCongestionOps::NO_DEADLINE);
    EXPECT_EQ(cc->GetSignals(), RdmaCongestionOps::SENT | RdmaCongestionOps::CNP);
    // Bytes before the first CNP do not count.
    cc->Sent(US, 20000000);
    EXPECT_EQ(cc->GetByteStage(), 0u);
}

// One CNP, then silence, nothing sent: halved at once (alpha = 1), then half of the gap to the
// target of 40 is closed every 55 us. In the fifth event additive increase begins, but the target
// is the line rate already.
TEST(RdmaDcqcn, SingleCnpTrajectory)
{
    auto cc = StartDcqcn();
    const int64_t start = 7 * US;
    cc->Cnp(start);
    EXPECT_EQ(cc->GetRate(), 20 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), LINE);
    EXPECT_EQ(cc->GetAlpha(start), 1.0);
    const uint64_t expected[] = {
        30000000000, 35000000000, 37500000000, 38750000000, 39375000000, 39687500000};
    uint64_t before = 20 * GBPS;
    int64_t now = start;
    for (uint64_t rate : expected)
    {
        now += PERIOD;
        EXPECT_EQ(cc->NextDeadline(), now);
        cc->Advance(now - 1);
        EXPECT_EQ(cc->GetRate(), before);
        cc->Advance(now);
        EXPECT_EQ(cc->GetRate(), rate);
        EXPECT_EQ(cc->GetTargetRate(), LINE);
        before = rate;
    }
    EXPECT_EQ(cc->GetTimerStage(), 6u);
}

// alpha = (255/256)^n after n quiet periods: 0.9616 at n = 10, one half at n = 177.
TEST(RdmaDcqcn, AlphaDecaysOncePerQuietPeriod)
{
    auto cc = StartDcqcn();
    EXPECT_EQ(cc->GetAlpha(1000 * PERIOD), 1.0) << "alpha is idle before the first CNP";
    cc->Cnp(0);
    EXPECT_EQ(cc->GetAlpha(PERIOD - 1), 1.0);
    EXPECT_EQ(cc->GetAlpha(PERIOD), 255.0 / 256);
    EXPECT_NEAR(cc->GetAlpha(10 * PERIOD), 0.96162, 1e-5);
    EXPECT_NEAR(cc->GetAlpha(11 * PERIOD - 1), 0.96162, 1e-5);
    EXPECT_NEAR(cc->GetAlpha(177 * PERIOD), 0.5002, 1e-4);
    for (int n : {1, 2, 50, 500, 1000})
    {
        EXPECT_NEAR(cc->GetAlpha(n * PERIOD), std::pow(255.0 / 256, n), 1e-7);
    }
    EXPECT_LT(cc->GetAlpha(1000000 * PERIOD), 1e-7);
}

// g = 1/4, alpha = 1/2. First CNP: the old alpha cuts 40 to 40 (1 - 0.25) = 30; the new one is
// 0.5 * 0.75 + 0.25 = 0.625. Second CNP 1 us later: target 30, 30 (1 - 0.3125) = 20.625, and
// alpha = 0.625 * 0.75 + 0.25 = 0.71875. The alpha period runs from the second CNP.
TEST(RdmaDcqcn, CutUsesTheOldAlphaAndRestartsItsPeriod)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("Gain", DoubleValue(0.25));
    cc->SetAttribute("InitialAlpha", DoubleValue(0.5));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 30 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), LINE);
    EXPECT_EQ(cc->GetAlpha(0), 0.625);
    cc->Cnp(US);
    EXPECT_EQ(cc->GetTargetRate(), 30 * GBPS);
    EXPECT_EQ(cc->GetRate(), 20625000000u);
    EXPECT_EQ(cc->GetAlpha(PERIOD), 0.71875);
    EXPECT_EQ(cc->GetAlpha(US + PERIOD), 0.5390625);
}

// g = 1/4. CNP at 0: rate 20, target 40, alpha 1. At 55 us all is due at once: alpha decays to
// 0.75, the timer raises the rate to 30, and then the CNP cuts 30 to 30 (1 - 0.375) = 18.75.
TEST(RdmaDcqcn, AlphaThenTimerThenCnpAtTheSameTime)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("Gain", DoubleValue(0.25));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    cc->Cnp(PERIOD);
    EXPECT_EQ(cc->GetTargetRate(), 30 * GBPS);
    EXPECT_EQ(cc->GetRate(), 18750000000u);
    EXPECT_EQ(cc->GetAlpha(PERIOD), 0.8125);
    EXPECT_EQ(cc->NextDeadline(), 2 * PERIOD);
    EXPECT_EQ(cc->GetTimerStage(), 0u);
}

// Two CNPs at once: rate 10, target 20. Four events of fast recovery: 15, 17.5, 18.75, 19.375.
// From the fifth on the target rises by 0.04: 20.04 -> 19.7075, 20.08 -> 19.89375. The byte stage
// is 0, so there is no hyper increase however many timer events follow.
TEST(RdmaDcqcn, AdditiveIncreaseFollowsFastRecovery)
{
    auto cc = StartDcqcn();
    cc->Cnp(0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 10 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), 20 * GBPS);
    cc->Advance(4 * PERIOD);
    EXPECT_EQ(cc->GetRate(), 19375000000u);
    EXPECT_EQ(cc->GetTargetRate(), 20 * GBPS);
    cc->Advance(5 * PERIOD);
    EXPECT_EQ(cc->GetTargetRate(), 20040000000u);
    EXPECT_EQ(cc->GetRate(), 19707500000u);
    cc->Advance(6 * PERIOD);
    EXPECT_EQ(cc->GetTargetRate(), 20080000000u);
    EXPECT_EQ(cc->GetRate(), 19893750000u);
    cc->Advance(104 * PERIOD);
    EXPECT_EQ(cc->GetTargetRate(), 24 * GBPS) << "20 + 100 * 0.04";
}

// B = 1000, F = 2, R_AI = 1, no timer. Two CNPs: 10 / 20. Event 1 is fast recovery: 15. Events 2
// and 3 come with one packet of 2500 B: targets 21 and 22, rates 18 and 20; 500 B stay over.
TEST(RdmaDcqcn, ByteCounterRaisesTheRate)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("ByteCounter", UintegerValue(1000));
    cc->SetAttribute("RecoveryThreshold", UintegerValue(2));
    cc->SetAttribute("AdditiveIncrease", DataRateValue(DataRate("1Gb/s")));
    cc->SetAttribute("RatePeriod", TimeValue(Hours(1)));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    cc->Cnp(0);
    cc->Sent(1, 999);
    EXPECT_EQ(cc->GetRate(), 10 * GBPS);
    cc->Sent(2, 1);
    EXPECT_EQ(cc->GetRate(), 15 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), 20 * GBPS);
    cc->Sent(3, 2500);
    EXPECT_EQ(cc->GetByteStage(), 3u);
    EXPECT_EQ(cc->GetTargetRate(), 22 * GBPS);
    EXPECT_EQ(cc->GetRate(), 20 * GBPS);
    cc->Sent(4, 499);
    EXPECT_EQ(cc->GetRate(), 20 * GBPS);
    cc->Sent(5, 1);
    EXPECT_EQ(cc->GetTargetRate(), 23 * GBPS);
    EXPECT_EQ(cc->GetRate(), 21500000000u);
    // A CNP takes back counted bytes and stages: target 21.5, rate 10.75, then 16.125.
    cc->Sent(6, 900);
    cc->Cnp(7);
    cc->Sent(8, 999);
    EXPECT_EQ(cc->GetRate(), 10750000000u);
    cc->Sent(9, 1);
    EXPECT_EQ(cc->GetByteStage(), 1u);
    EXPECT_EQ(cc->GetRate(), 16125000000u);
}

// F = 1, T = 10 us, B = 1000, R_AI = 1, R_HAI = 2, line 100. Two CNPs: 25 / 50.
//   bytes, stages (t, b) = (0, 1): additive, 51 / 38      bytes, (0, 2): additive, 52 / 45
//   timer, (1, 2): min 1 is not above F: additive, 53 / 49
//   timer, (2, 2): hyper, i = 2: 57 / 53                  timer, (3, 2): i = 2: 61 / 57
//   bytes, (3, 3): i = 3: 67 / 62
TEST(RdmaDcqcn, HyperIncreaseNeedsBothStagesAndGrows)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("RecoveryThreshold", UintegerValue(1));
    cc->SetAttribute("RatePeriod", TimeValue(MicroSeconds(10)));
    cc->SetAttribute("ByteCounter", UintegerValue(1000));
    cc->SetAttribute("AdditiveIncrease", DataRateValue(DataRate("1Gb/s")));
    cc->SetAttribute("HyperIncrease", DataRateValue(DataRate("2Gb/s")));
    cc->Start(100 * GBPS, 0);
    cc->Cnp(0);
    cc->Cnp(0);
    auto expectRates = [&cc](uint64_t target, uint64_t rate)
    {
        EXPECT_EQ(cc->GetTargetRate(), target * GBPS);
        EXPECT_EQ(cc->GetRate(), rate * GBPS);
    };
    expectRates(50, 25);
    cc->Sent(1 * US, 1000);
    expectRates(51, 38);
    cc->Sent(2 * US, 1000);
    expectRates(52, 45);
    cc->Advance(10 * US);
    expectRates(53, 49);
    cc->Advance(20 * US);
    expectRates(57, 53);
    cc->Advance(30 * US);
    expectRates(61, 57);
    cc->Sent(31 * US, 1000);
    expectRates(67, 62);
}

TEST(RdmaDcqcn, ReachesLineRateExactlyThenRestsUntilTheNextCnp)
{
    auto cc = StartDcqcn();
    cc->Cnp(0);
    // The gap of 20e9 bit/s halves per event, rounded down: 2^34 < 20e9 < 2^35.
    cc->Advance(34 * PERIOD);
    EXPECT_EQ(cc->GetRate(), LINE - 1);
    cc->Advance(35 * PERIOD);
    EXPECT_EQ(cc->GetRate(), LINE);
    EXPECT_EQ(cc->NextDeadline(), RdmaCongestionOps::NO_DEADLINE);
    cc->Sent(40 * PERIOD, 20000000);
    EXPECT_EQ(cc->GetRate(), LINE);
    const int64_t again = 177 * PERIOD;
    cc->Cnp(again);
    // alpha has gone on decaying at rest: 40 (1 - 0.50019 / 2) = 29.996
    EXPECT_NEAR(static_cast<double>(cc->GetRate()), 29.996e9, 1e6);
    EXPECT_EQ(cc->NextDeadline(), again + PERIOD);
}

TEST(RdmaDcqcn, FirstCnpRateReplacesTheFirstCutOnly)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("FirstCnpRate", DataRateValue(DataRate("8Gb/s")));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 8 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), 8 * GBPS);
    EXPECT_EQ(cc->NextDeadline(), PERIOD);
    cc->Cnp(US);
    EXPECT_EQ(cc->GetRate(), 4 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), 8 * GBPS);
}

TEST(RdmaDcqcn, RateDoesNotFallBelowMinRate)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("MinRate", DataRateValue(DataRate("15Gb/s")));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 20 * GBPS);
    cc->Cnp(1);
    EXPECT_EQ(cc->GetRate(), 15 * GBPS);
    EXPECT_EQ(cc->GetMinRate(), 15 * GBPS);
}

TEST(RdmaDcqcn, MinDecreaseFactorBoundsOneCut)
{
    auto cc = CreateObject<RdmaDcqcn>();
    cc->SetAttribute("MinDecreaseFactor", DoubleValue(0.75));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 30 * GBPS);
    cc->Cnp(1);
    EXPECT_EQ(cc->GetRate(), 22500000000u);
}

// A CNP every 50 us keeps the 55 us timer from ever firing: only the byte counter could recover.
TEST(RdmaDcqcn, SteadyCnpsStarveTheTimer)
{
    auto cc = StartDcqcn();
    for (int64_t now = 0; now < 1000 * US; now += 50 * US)
    {
        const uint64_t before = cc->GetRate();
        cc->Cnp(now);
        EXPECT_EQ(cc->GetRate(), before - before / 2) << now;
        EXPECT_EQ(cc->GetTimerStage(), 0u);
        if (cc->GetRate() < 1000000000)
        {
            break;
        }
    }
    EXPECT_EQ(cc->GetRate(), 625000000u) << "40 / 2^6";
}

void
NoteChange(std::vector<std::tuple<uint64_t, int64_t>>* changes,
           uint64_t /* oldRate */,
           uint64_t newRate,
           int64_t now)
{
    changes->emplace_back(newRate, now);
}

// Lazy timers: one late call makes the same changes, stamped with the times at which they are due.
TEST(RdmaDcqcn, LateAdvanceTracesTheDueTimes)
{
    auto cc = StartDcqcn();
    cc->Cnp(0);
    std::vector<std::tuple<uint64_t, int64_t>> changes;
    cc->TraceConnectWithoutContext("Rate", MakeBoundCallback(&NoteChange, &changes));
    cc->Advance(3 * PERIOD + 1);
    const std::vector<std::tuple<uint64_t, int64_t>> expected{
        {30 * GBPS,   PERIOD    },
        {35 * GBPS,   2 * PERIOD},
        {37500000000, 3 * PERIOD}
    };
    EXPECT_EQ(changes, expected);
    EXPECT_EQ(cc->NextDeadline(), 4 * PERIOD);
}

TEST(RdmaDcqcn, StartsAfresh)
{
    auto cc = StartDcqcn();
    cc->Cnp(0);
    cc->Cnp(10 * PERIOD);
    cc->Start(100 * GBPS, 20 * PERIOD);
    EXPECT_EQ(cc->GetRate(), 100 * GBPS);
    EXPECT_EQ(cc->NextDeadline(), RdmaCongestionOps::NO_DEADLINE);
    cc->Cnp(30 * PERIOD);
    EXPECT_EQ(cc->GetRate(), 50 * GBPS);
}

} // namespace
