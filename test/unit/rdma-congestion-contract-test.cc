/* SPDX-License-Identifier: GPL-2.0-only */
/* What every congestion control algorithm must keep, over all registered ones. */

#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1000000;       // ps
constexpr uint64_t GBPS = 1000000000; // bit/s

/** All algorithms that a user can name. */
std::vector<std::string>
FindAlgorithms()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(RdmaCongestionOps::GetTypeId()) && tid.HasConstructor())
        {
            names.push_back(tid.GetName());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

Ptr<RdmaCongestionOps>
Create(const std::string& name)
{
    ObjectFactory factory;
    factory.SetTypeId(name);
    return factory.Create<RdmaCongestionOps>();
}

/** What the transport can see of an algorithm. */
struct View
{
    uint64_t rate;
    uint64_t window;
    int64_t deadline;

    bool operator==(const View& other) const
    {
        return rate == other.rate && window == other.window && deadline == other.deadline;
    }
};

std::ostream&
operator<<(std::ostream& os, const View& view)
{
    return os << view.rate << " bit/s, window " << view.window << ", deadline " << view.deadline;
}

View
Look(const Ptr<RdmaCongestionOps>& cc)
{
    return {cc->GetRate(), cc->GetWindow(), cc->NextDeadline()};
}

/** One thing that happens to a queue pair. */
struct Happening
{
    uint32_t kind; //!< 0 time only, 1 sent, 2 ACK, 3 marked ACK, 4 CNP, 5 loss, 6 timeout
    int64_t now;
};

/** A mix of everything, at random but reproducible times, with bursts, gaps and equal times. */
std::vector<Happening>
MakeStory(uint32_t seed, size_t length)
{
    std::mt19937 random(seed);
    std::vector<Happening> story;
    int64_t now = 3 * US;
    for (size_t i = 0; i < length; ++i)
    {
        const uint32_t gap = random() % 16;
        // Zero, short, and now and then a gap of several timer periods, some on whole microseconds.
        now += gap < 4 ? 0 : gap < 14 ? random() % US : (random() % 400) * US;
        story.push_back({static_cast<uint32_t>(random() % 7), now});
    }
    return story;
}

void
Tell(const Ptr<RdmaCongestionOps>& cc, const Happening& happening)
{
    const int64_t now = happening.now;
    switch (happening.kind)
    {
    case 0:
        cc->Advance(now);
        break;
    case 1:
        cc->Sent(now, 4178);
        break;
    case 2:
    case 3:
    {
        CcAckEvent ack;
        ack.now = now;
        ack.ackedBytes = 4096;
        ack.bytesInFlight = 8 * 4096;
        ack.rttPs = happening.kind == 2 ? 5 * US : 90 * US;
        ack.ecnEcho = happening.kind == 3;
        cc->Ack(ack);
        break;
    }
    case 4:
        cc->Cnp(now);
        break;
    default:
        cc->Loss({now, happening.kind == 6});
        break;
    }
}

class CongestionContract : public ::testing::TestWithParam<std::string>
{
};

TEST_P(CongestionContract, RateStaysWithinItsLimitsAndDeadlinesLieAhead)
{
    for (uint64_t line : {10 * GBPS, 40 * GBPS, 400 * GBPS, 1600 * GBPS})
    {
        auto cc = Create(GetParam());
        cc->Start(line, 3 * US);
        EXPECT_EQ(cc->GetLineRate(), line);
        EXPECT_GT(cc->GetMinRate(), 0u);
        for (const Happening& happening : MakeStory(1, 5000))
        {
            Tell(cc, happening);
            ASSERT_GT(cc->NextDeadline(), happening.now);
            ASSERT_GE(cc->GetRate(), cc->GetMinRate());
            ASSERT_LE(cc->GetRate(), line);
        }
    }
}

TEST_P(CongestionContract, SameStorySameResult)
{
    auto one = Create(GetParam());
    auto two = Create(GetParam());
    one->Start(100 * GBPS, 3 * US);
    two->Start(100 * GBPS, 3 * US);
    for (const Happening& happening : MakeStory(2, 5000))
    {
        Tell(one, happening);
        // A second object is alive and one step behind: nothing may be shared.
        ASSERT_TRUE(one->GetRate() > 0 && two->GetRate() > 0);
        Tell(two, happening);
        ASSERT_EQ(Look(one), Look(two));
    }
}

TEST_P(CongestionContract, AdvanceMayComeOftenOrLate)
{
    auto late = Create(GetParam());
    auto often = Create(GetParam());
    late->Start(100 * GBPS, 3 * US);
    often->Start(100 * GBPS, 3 * US);
    for (const Happening& happening : MakeStory(3, 2000))
    {
        // One object is woken at each of its deadlines and twice at the event, the other never.
        while (often->NextDeadline() <= happening.now)
        {
            const int64_t deadline = often->NextDeadline();
            const View before = Look(often);
            often->Advance(deadline - 1);
            ASSERT_EQ(Look(often), before);
            often->Advance(deadline);
            ASSERT_GT(often->NextDeadline(), deadline);
        }
        often->Advance(happening.now);
        const View once = Look(often);
        often->Advance(happening.now);
        ASSERT_EQ(Look(often), once);
        Tell(late, happening);
        Tell(often, happening);
        ASSERT_EQ(Look(late), Look(often));
    }
}

TEST_P(CongestionContract, UnwantedSignalsMayBeLeftOut)
{
    auto all = Create(GetParam());
    auto wanted = Create(GetParam());
    all->Start(100 * GBPS, 3 * US);
    wanted->Start(100 * GBPS, 3 * US);
    const uint32_t signals = all->GetSignals();
    const uint32_t needed[] = {~0u,
                               RdmaCongestionOps::SENT,
                               RdmaCongestionOps::ACK | RdmaCongestionOps::RTT,
                               RdmaCongestionOps::ACK | RdmaCongestionOps::RTT,
                               RdmaCongestionOps::CNP,
                               RdmaCongestionOps::LOSS,
                               RdmaCongestionOps::LOSS};
    for (const Happening& happening : MakeStory(4, 5000))
    {
        Tell(all, happening);
        if (happening.kind == 0 || (signals & needed[happening.kind]) != 0)
        {
            Tell(wanted, happening);
        }
        else
        {
            wanted->Advance(happening.now);
        }
        ASSERT_EQ(Look(all), Look(wanted));
    }
    EXPECT_EQ(all->GetSignals(), signals) << "the signals are fixed";
}

// Packets that find the path idle: unmarked, with the same short round trip, nothing lost.
TEST_P(CongestionContract, IdlePathNeverReducesTheRate)
{
    auto cc = Create(GetParam());
    cc->Start(100 * GBPS, 0);
    uint64_t rate = cc->GetRate();
    int64_t now = 0;
    for (int packet = 0; packet < 20000; ++packet)
    {
        cc->Sent(now, 4178);
        CcAckEvent ack;
        ack.now = now + 334240; // 4178 B at 100 Gb/s take 334.24 ns
        ack.ackedBytes = 4096;
        ack.bytesInFlight = 4096;
        ack.rttPs = 2 * US;
        cc->Ack(ack);
        now = ack.now;
        ASSERT_GE(cc->GetRate(), rate) << "after packet " << packet;
        rate = cc->GetRate();
    }
}

// After the last bad news the rate only rises, by the algorithm's own timers, however long.
TEST_P(CongestionContract, SilenceNeverReducesTheRate)
{
    auto cc = Create(GetParam());
    cc->Start(100 * GBPS, 3 * US);
    int64_t now = 0;
    for (const Happening& happening : MakeStory(5, 500))
    {
        Tell(cc, happening);
        now = happening.now;
    }
    now += 100 * US; // what the last event still had coming
    cc->Advance(now);
    uint64_t rate = cc->GetRate();
    for (int step = 0; step < 2000 && cc->NextDeadline() != RdmaCongestionOps::NO_DEADLINE; ++step)
    {
        cc->Advance(cc->NextDeadline());
        ASSERT_GE(cc->GetRate(), rate);
        rate = cc->GetRate();
    }
}

std::string
PrintName(const ::testing::TestParamInfo<std::string>& info)
{
    return info.param.substr(info.param.rfind(':') + 1);
}

INSTANTIATE_TEST_SUITE_P(All, CongestionContract, ::testing::ValuesIn(FindAlgorithms()), PrintName);

TEST(CongestionContractList, FindsTheAlgorithms)
{
    const std::vector<std::string> names = FindAlgorithms();
    for (const char* name :
         {"ns3::rdma::RdmaNoCongestion", "ns3::rdma::RdmaDcqcn", "ns3::rdma::RdmaDcqcnConnectX"})
    {
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    }
}

} // namespace
