/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion control of InfiniBand in the channel adapter, IBA volume 1, annex A10. */

#include "ns3/boolean.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-pool.h"
#include "ns3/rdma-ib-congestion.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint64_t LINE = 100'000'000'000; // bit/s
constexpr int64_t UNIT = 1'024'000;        // of CCTI_Timer, ps
constexpr int64_t NEVER = RdmaCongestionOps::NO_DEADLINE;

/// A congestion control with attributes, started at time 0.
Ptr<RdmaIbCongestion>
MakeStarted(const std::vector<std::pair<std::string, uint64_t>>& attributes = {},
            const std::string& table = "linear")
{
    auto cc = CreateObject<RdmaIbCongestion>();
    cc->SetAttribute("CongestionControlTable", StringValue(table));
    for (const auto& [name, value] : attributes)
    {
        cc->SetAttribute(name, UintegerValue(value));
    }
    cc->Start(LINE, 0);
    return cc;
}

// CCT[i] = i: rate = line / (1 + i).
TEST(RdmaIbCongestion, LinearTableHalvesQuartersAndSoOn)
{
    auto cc = MakeStarted();
    EXPECT_EQ(cc->GetRate(), 100'000'000'000u);
    const std::vector<std::pair<uint16_t, uint64_t>> expected{{1, 50'000'000'000},
                                                              {3, 25'000'000'000},
                                                              {7, 12'500'000'000}};
    for (const auto& [ccti, rate] : expected)
    {
        while (cc->GetCcti() < ccti)
        {
            cc->Cnp(0);
        }
        EXPECT_EQ(cc->GetRate(), rate) << ccti;
    }
}

// Six BECNs at 0; CCTI_Timer 10 = 10.24 us: one less at each multiple of it, and then it rests.
TEST(RdmaIbCongestion, TimerTakesOneAwayEachTime)
{
    auto cc = MakeStarted({{"CctiTimer", 10}});
    EXPECT_EQ(cc->NextDeadline(), NEVER);
    for (int i = 0; i < 6; ++i)
    {
        cc->Cnp(0);
    }
    for (uint16_t ccti = 6; ccti > 0; --ccti)
    {
        const int64_t due = (7 - ccti) * 10 * UNIT;
        EXPECT_EQ(cc->NextDeadline(), due);
        cc->Advance(due - 1);
        EXPECT_EQ(cc->GetCcti(), ccti);
        EXPECT_EQ(cc->GetRate(), LINE / (1 + ccti));
        cc->Advance(due);
        EXPECT_EQ(cc->GetCcti(), ccti - 1);
    }
    EXPECT_EQ(cc->GetRate(), LINE);
    EXPECT_EQ(cc->NextDeadline(), NEVER);
}

// The timer's cycle goes on while nothing is to be taken away: a BECN at 25 us is followed by the
// cycle's end at 30.72 us, not by a whole cycle until 35.24 us.
TEST(RdmaIbCongestion, TimerRunsInACycleFromTheStart)
{
    auto cc = MakeStarted({{"CctiTimer", 10}});
    cc->Cnp(25'000'000);
    EXPECT_EQ(cc->NextDeadline(), 30'720'000);
    // Due timers go before the event of the same instant: 1 -> 0 -> 1.
    cc->Cnp(30'720'000);
    EXPECT_EQ(cc->GetCcti(), 1);
    EXPECT_EQ(cc->NextDeadline(), 40'960'000);
}

// Increase 4, limit 10: 4, 8, 10, 10. Minimum 2: begins there, and ends there.
TEST(RdmaIbCongestion, IncreaseLimitAndMinimum)
{
    auto cc = MakeStarted({{"CctiIncrease", 4}, {"CctiLimit", 10}, {"CctiTimer", 1}});
    for (const uint16_t ccti : {4, 8, 10, 10})
    {
        cc->Cnp(0);
        EXPECT_EQ(cc->GetCcti(), ccti);
    }
    auto capped = MakeStarted({{"CctiMin", 2}, {"CctiTimer", 1}});
    EXPECT_EQ(capped->GetRate(), LINE / 3);
    capped->Cnp(0);
    EXPECT_EQ(capped->GetCcti(), 3);
    capped->Advance(1'000'000'000);
    EXPECT_EQ(capped->GetCcti(), 2);
    EXPECT_EQ(capped->NextDeadline(), NEVER);
}

// Three entries: the index stays at 2 although the limit is 127. 3:8 waits one packet time, 2:12
// three: a half and a quarter of the line.
TEST(RdmaIbCongestion, TableOfItsOwn)
{
    auto cc = MakeStarted({}, "0:0 3:8 2:12");
    for (const uint64_t rate : {LINE / 2, LINE / 4, LINE / 4})
    {
        cc->Cnp(0);
        EXPECT_EQ(cc->GetRate(), rate);
    }
    EXPECT_EQ(cc->GetCcti(), 2);
}

// floor(7 i^2 / 11236 / 0.408): i = 10: 700 / 4584.288 = 0; i = 26: 4732 / 4584.3 = 1; i = 106:
// 7 / 0.408 = 17.16, so 17; i = 127: 112903 / 4584.3 = 24.6, so 24. Shift 3: rate = line x 8 / (8 +
// m).
TEST(RdmaIbCongestion, TableOfLlnl)
{
    const RdmaIbCct table = RdmaIbCct::Llnl();
    ASSERT_EQ(table.GetSize(), 128u);
    EXPECT_EQ(table.GetRate(10, LINE), LINE);
    EXPECT_EQ(table.GetRate(25, LINE), LINE);
    EXPECT_EQ(table.GetRate(26, LINE), LINE * 8 / 9);
    EXPECT_EQ(table.GetRate(106, LINE), LINE * 8 / 25);
    EXPECT_EQ(table.GetRate(127, LINE), LINE * 8 / 32);
    // The largest entry: 1 / 16384 of the fastest line there is.
    std::istringstream text("0:16383");
    RdmaIbCct slow;
    text >> slow;
    EXPECT_EQ(slow.GetRate(0, 1'638'400'000'000), 100'000'000u);
}

TEST(RdmaIbCongestion, TablesAsText)
{
    for (const char* good : {"0:0", "3:16383", "0:0 1:2  2:3", "linear", "llnl"})
    {
        EXPECT_TRUE(MakeRdmaIbCctChecker()->CreateValidValue(StringValue(good))) << good;
    }
    // (Releases of ns-3 differ in what they make of an empty text.)
    for (const char* bad :
         {"0", "4:0", "0:16384", "0:-1", "-1:0", "0:1:2", "0:1,0:2", "Linear", "0:x", ":"})
    {
        EXPECT_FALSE(MakeRdmaIbCctChecker()->CreateValidValue(StringValue(bad))) << bad;
    }
    std::ostringstream written;
    written << RdmaIbCct::Llnl();
    std::istringstream again(written.str());
    RdmaIbCct table;
    again >> table;
    EXPECT_TRUE(table == RdmaIbCct::Llnl());
    EXPECT_FALSE(table == RdmaIbCct::Linear());
}

TEST(RdmaIbCongestion, TriggerFiresFromBelowOnly)
{
    auto cc = MakeStarted({{"TriggerThreshold", 2}, {"CctiTimer", 10}});
    std::vector<std::pair<uint16_t, int64_t>> fired;
    std::vector<std::pair<uint16_t, uint16_t>> moves;
    cc->TraceConnectWithoutContext(
        "Trigger",
        Callback<void, uint16_t, int64_t>(
            [&](uint16_t ccti, int64_t ps) { fired.emplace_back(ccti, ps); }));
    cc->TraceConnectWithoutContext(
        "Ccti",
        Callback<void, uint16_t, uint16_t, int64_t>(
            [&](uint16_t before, uint16_t after, int64_t) { moves.emplace_back(before, after); }));
    for (int64_t us = 1; us < 4; ++us)
    {
        cc->Cnp(us * 1'000'000); // 1, 2, 3
    }
    cc->Advance(25'000'000); // 2 at 10.24 us, 1 at 20.48 us
    cc->Cnp(26'000'000);     // 2
    EXPECT_EQ(fired, (std::vector<std::pair<uint16_t, int64_t>>{{2, 2'000'000}, {2, 26'000'000}}));
    EXPECT_EQ(moves,
              (std::vector<
                  std::pair<uint16_t, uint16_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 2}, {2, 1}, {1, 2}}));
}

/// Queue pairs of one NIC.
struct SharedNic
{
    RdmaCongestionPool pool; //!< what they share

    /// \param perServiceLevel Port_Control bit 0. \param level Service level. \param now Time, ps.
    /// \return A new one.
    Ptr<RdmaIbCongestion> Add(bool perServiceLevel, uint8_t level, int64_t now)
    {
        auto cc = CreateObject<RdmaIbCongestion>();
        cc->SetAttribute("PerServiceLevel", BooleanValue(perServiceLevel));
        cc->SetAttribute("CctiTimer", UintegerValue(10));
        cc->Join(pool, level);
        cc->Start(LINE, now);
        return cc;
    }
};

// Two queue pairs of service level 3 share the index, one of level 4 has another, and that of
// another NIC as well. The second begins where the first is, and both see the timer.
TEST(RdmaIbCongestion, QueuePairsOfAServiceLevelShareTheIndex)
{
    SharedNic nic;
    SharedNic other;
    auto a = nic.Add(true, 3, 0);
    a->Cnp(1'000'000);
    auto b = nic.Add(true, 3, 2'000'000);
    auto c = nic.Add(true, 4, 2'000'000);
    auto d = other.Add(true, 3, 2'000'000);
    EXPECT_EQ(b->GetRate(), LINE / 2);
    b->Cnp(3'000'000);
    for (const auto& shared : {a, b})
    {
        EXPECT_EQ(shared->GetRate(), LINE / 3);
        EXPECT_EQ(shared->NextDeadline(), 10 * UNIT);
    }
    EXPECT_EQ(c->GetRate(), LINE);
    EXPECT_EQ(d->GetRate(), LINE);
    a->Advance(10 * UNIT);
    EXPECT_EQ(b->GetRate(), LINE / 2);
    EXPECT_EQ(b->NextDeadline(), 20 * UNIT);
    // One that is gone is not told any more.
    a = nullptr;
    b->Cnp(11 * UNIT);
    EXPECT_EQ(b->GetRate(), LINE / 3);
}

TEST(RdmaIbCongestion, OtherwiseEachQueuePairHasItsOwn)
{
    SharedNic nic;
    auto a = nic.Add(false, 3, 0);
    auto b = nic.Add(false, 3, 0);
    a->Cnp(0);
    EXPECT_EQ(a->GetRate(), LINE / 2);
    EXPECT_EQ(b->GetRate(), LINE);
    a->Start(LINE, 5'000'000); // a new connection
    EXPECT_EQ(a->GetRate(), LINE);
    EXPECT_EQ(a->NextDeadline(), NEVER);
}

TEST(RdmaIbCongestionDeathTest, SaysWhatIsWrong)
{
    EXPECT_DEATH(MakeStarted({{"CctiMin", 5}, {"CctiLimit", 4}}), "CctiMin must be at most");
    SharedNic nic;
    nic.Add(true, 3, 0);
    auto other = CreateObject<RdmaIbCongestion>();
    other->SetAttribute("PerServiceLevel", BooleanValue(true));
    other->Join(nic.pool, 3);
    EXPECT_DEATH(other->Start(LINE, 0), "share a CCTI");
}

} // namespace
} // namespace ns3
