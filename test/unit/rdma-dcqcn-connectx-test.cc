/* SPDX-License-Identifier: GPL-2.0-only */
/* The firmware family of DCQCN against trajectories worked out by hand. Rates in comments in Gb/s.
 */

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-dcqcn-connectx.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1000000;       // ps
constexpr uint64_t GBPS = 1000000000; // bit/s
constexpr uint64_t LINE = 40 * GBPS;

/** An instance whose alpha stays 1, so that each cut is one half. */
Ptr<RdmaDcqcnConnectX>
CreateHalving()
{
    auto cc = CreateObject<RdmaDcqcnConnectX>();
    cc->SetAttribute("AlphaPeriod", TimeValue(Hours(1)));
    return cc;
}

// mlxconfig defaults.
TEST(RdmaDcqcnConnectX, HasTheParametersOfTheFirmware)
{
    auto cc = CreateObject<RdmaDcqcnConnectX>();
    DoubleValue number;
    TimeValue time;
    UintegerValue count;
    DataRateValue rate;
    BooleanValue flag;
    cc->GetAttribute("Gain", number);
    EXPECT_EQ(number.Get(), 5.0 / 1024) << "DCE_TCP_G 1019";
    cc->GetAttribute("InitialAlpha", number);
    EXPECT_EQ(number.Get(), 1.0) << "INITIAL_ALPHA_VALUE 1023";
    cc->GetAttribute("AlphaPeriod", time);
    EXPECT_EQ(time.Get(), MicroSeconds(1)) << "DCE_TCP_RTT";
    cc->GetAttribute("RatePeriod", time);
    EXPECT_EQ(time.Get(), MicroSeconds(300)) << "RPG_TIME_RESET";
    cc->GetAttribute("CutInterval", time);
    EXPECT_EQ(time.Get(), MicroSeconds(4)) << "RATE_REDUCE_MONITOR_PERIOD";
    cc->GetAttribute("RecoveryThreshold", count);
    EXPECT_EQ(count.Get(), 1u) << "RPG_THRESHOLD";
    cc->GetAttribute("AdditiveIncrease", rate);
    EXPECT_EQ(rate.Get(), DataRate("5Mb/s")) << "RPG_AI_RATE";
    cc->GetAttribute("HyperIncrease", rate);
    EXPECT_EQ(rate.Get(), DataRate("50Mb/s")) << "RPG_HAI_RATE";
    cc->GetAttribute("MinRate", rate);
    EXPECT_EQ(rate.Get(), DataRate("1Mb/s")) << "RPG_MIN_RATE";
    cc->GetAttribute("MinDecreaseFactor", number);
    EXPECT_EQ(number.Get(), 0.5) << "RPG_MIN_DEC_FAC";
    cc->GetAttribute("ClampTarget", flag);
    EXPECT_FALSE(flag.Get()) << "CLAMP_TGT_RATE";
    cc->GetAttribute("ClampTargetAfterTimer", flag);
    EXPECT_TRUE(flag.Get()) << "CLAMP_TGT_RATE_AFTER_TIME_INC";
}

// alpha *= 1019/1024 per microsecond, + 5/1024 in one with a CNP: 1 after the first, which has the
// CNP, then 0.995117, 0.990258, and (1019/1024)^100 = 0.612947.
TEST(RdmaDcqcnConnectX, AlphaConstants)
{
    auto cc = CreateObject<RdmaDcqcnConnectX>();
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetAlpha(1 * US), 1.0);
    EXPECT_NEAR(cc->GetAlpha(2 * US), 0.995117, 1e-6);
    EXPECT_NEAR(cc->GetAlpha(3 * US), 0.990258, 1e-6);
    EXPECT_NEAR(cc->GetAlpha(101 * US), 0.612947, 1e-6);
}

// g = 1/4, K = 10 us, alpha = 0 at first. Three CNPs in [0, 10) are one sample, and it counts when
// the period ends: 0.25 at 10 us, 0.25 * 0.75 = 0.1875 at 20 us. One CNP at 20 us: 0.1875 * 0.75 +
// 0.25 = 0.390625 at 30 us, periods unmoved.
TEST(RdmaDcqcnConnectX, AlphaTakesOneSamplePerPeriod)
{
    auto cc = CreateObject<RdmaDcqcnConnectX>();
    cc->SetAttribute("Gain", DoubleValue(0.25));
    cc->SetAttribute("InitialAlpha", DoubleValue(0.0));
    cc->SetAttribute("AlphaPeriod", TimeValue(MicroSeconds(10)));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    cc->Cnp(1 * US);
    cc->Cnp(9 * US);
    EXPECT_EQ(cc->GetRate(), LINE) << "alpha is still 0 at all cuts";
    EXPECT_EQ(cc->GetAlpha(10 * US - 1), 0.0);
    EXPECT_EQ(cc->GetAlpha(10 * US), 0.25);
    EXPECT_EQ(cc->GetAlpha(20 * US), 0.1875);
    cc->Cnp(20 * US);
    EXPECT_EQ(cc->GetAlpha(30 * US - 1), 0.1875);
    EXPECT_EQ(cc->GetAlpha(30 * US), 0.390625);
}

// CNPs at 0, 1, 2, 3 us: a cut at 0 and one, for the other three, at 4 us. Each period up to then
// has a CNP, so alpha is 1 and both are halves. The CNP at 8 us cuts at once, by the alpha of four
// quiet periods: 1019^4 / 1024^4 = 0.98061134, 10 (1 - 0.49030567) = 5.0969433.
TEST(RdmaDcqcnConnectX, CutsOncePerInterval)
{
    auto cc = CreateObject<RdmaDcqcnConnectX>();
    cc->Start(LINE, 0);
    cc->Cnp(0);
    EXPECT_EQ(cc->GetRate(), 20 * GBPS);
    EXPECT_EQ(cc->NextDeadline(), 300 * US);
    for (int64_t now : {1 * US, 2 * US, 3 * US})
    {
        cc->Cnp(now);
        EXPECT_EQ(cc->GetRate(), 20 * GBPS);
        EXPECT_EQ(cc->NextDeadline(), 4 * US);
    }
    cc->Advance(4 * US);
    EXPECT_EQ(cc->GetRate(), 10 * GBPS);
    EXPECT_EQ(cc->NextDeadline(), 304 * US) << "the increase timer restarts at the cut";
    cc->Cnp(8 * US);
    EXPECT_NEAR(static_cast<double>(cc->GetRate()), 5.0969433e9, 100);
}

// T = 4 us falls on the postponed cut: the cut goes first and restarts the timer, so 20 becomes 10
// and not (20 + 40) / 2 = 30 first; the target stays, no increase came between.
TEST(RdmaDcqcnConnectX, PostponedCutGoesBeforeTheTimer)
{
    auto cc = CreateHalving();
    cc->SetAttribute("RatePeriod", TimeValue(MicroSeconds(4)));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    cc->Cnp(1 * US);
    cc->Advance(4 * US);
    EXPECT_EQ(cc->GetRate(), 10 * GBPS);
    EXPECT_EQ(cc->GetTargetRate(), LINE);
    cc->Advance(8 * US);
    EXPECT_EQ(cc->GetRate(), 25 * GBPS);
}

// The second cut comes after no increase: the target stays at 40 by default, and with ClampTarget
// it follows the rate.
TEST(RdmaDcqcnConnectX, ClampTargetActsOnEveryCut)
{
    for (bool clamp : {false, true})
    {
        auto cc = CreateHalving();
        cc->SetAttribute("ClampTarget", BooleanValue(clamp));
        cc->Start(LINE, 0);
        cc->Cnp(0);
        cc->Cnp(4 * US);
        EXPECT_EQ(cc->GetRate(), 10 * GBPS);
        EXPECT_EQ(cc->GetTargetRate(), clamp ? 20 * GBPS : LINE);
    }
}

// One increase by timer, 20 -> 30, lies before the second cut.
TEST(RdmaDcqcnConnectX, ClampTargetAfterTimerActsAfterTimerIncreases)
{
    for (bool clamp : {false, true})
    {
        auto cc = CreateHalving();
        cc->SetAttribute("ClampTargetAfterTimer", BooleanValue(clamp));
        cc->Start(LINE, 0);
        cc->Cnp(0);
        cc->Cnp(300 * US);
        EXPECT_EQ(cc->GetRate(), 15 * GBPS);
        EXPECT_EQ(cc->GetTargetRate(), clamp ? 30 * GBPS : LINE);
    }
}

// An increase by byte count always lets the next cut clamp.
TEST(RdmaDcqcnConnectX, TargetIsClampedAfterByteIncreases)
{
    auto cc = CreateHalving();
    cc->SetAttribute("ByteCounter", UintegerValue(1000));
    cc->SetAttribute("ClampTargetAfterTimer", BooleanValue(false));
    cc->Start(LINE, 0);
    cc->Cnp(0);
    cc->Sent(1 * US, 1000);
    EXPECT_EQ(cc->GetRate(), 30 * GBPS);
    cc->Cnp(4 * US);
    EXPECT_EQ(cc->GetTargetRate(), 30 * GBPS);
    EXPECT_EQ(cc->GetRate(), 15 * GBPS);
}

// Clamped cuts at 0 and 4 us: 25 / 50 of 100. F = 1 and no byte counter: event 1 is additive,
// 50.005 -> 37.5025; event 2 is hyper with i = 2, 50.105 -> 43.80375; event 3 with i = 3, 50.255 ->
// 47.029375.
TEST(RdmaDcqcnConnectX, TimerAloneLeadsToHyperIncrease)
{
    auto cc = CreateHalving();
    cc->SetAttribute("ClampTarget", BooleanValue(true));
    cc->Start(100 * GBPS, 0);
    cc->Cnp(0);
    cc->Cnp(4 * US);
    EXPECT_EQ(cc->GetRate(), 25 * GBPS);
    cc->Advance(304 * US);
    EXPECT_EQ(cc->GetTargetRate(), 50005000000u);
    EXPECT_EQ(cc->GetRate(), 37502500000u);
    cc->Advance(604 * US);
    EXPECT_EQ(cc->GetTargetRate(), 50105000000u);
    EXPECT_EQ(cc->GetRate(), 43803750000u);
    cc->Advance(904 * US);
    EXPECT_EQ(cc->GetTargetRate(), 50255000000u);
    EXPECT_EQ(cc->GetRate(), 47029375000u);
}

} // namespace
