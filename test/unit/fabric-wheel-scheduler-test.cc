/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * \file
 * Tests of ns3::rdma::FabricWheelScheduler. The right order comes from a std::map whose keys are
 * the time and a 64-bit number of the event, which does not wrap; from MapScheduler; or is written
 * out by hand.
 */

#include "ns3/boolean.h"
#include "ns3/event-impl.h"
#include "ns3/fabric-wheel-scheduler.h"
#include "ns3/map-scheduler.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using ns3::rdma::FabricWheelScheduler;

namespace
{

/**
 * \param ts A time in ticks.
 * \param number The number of the event; its low 32 bits are the unique id.
 * \return An event that no one may invoke: its pointer only serves to recognize it.
 */
Scheduler::Event
MakeTestEvent(uint64_t ts, uint64_t number)
{
    Scheduler::Event ev;
    ev.impl = reinterpret_cast<EventImpl*>(static_cast<uintptr_t>(number * 8 + 8));
    ev.key.m_ts = ts;
    ev.key.m_uid = static_cast<uint32_t>(number);
    ev.key.m_context = static_cast<uint32_t>(number * 7);
    return ev;
}

/**
 * \param got An event that the scheduler has returned.
 * \param ts The expected time.
 * \param number The expected number.
 * \return Whether they agree, with both values if not.
 */
::testing::AssertionResult
IsTestEvent(const Scheduler::Event& got, uint64_t ts, uint64_t number)
{
    const Scheduler::Event expected = MakeTestEvent(ts, number);
    if (got.impl == expected.impl && got.key.m_ts == ts && got.key.m_uid == expected.key.m_uid &&
        got.key.m_context == expected.key.m_context)
    {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "got (" << got.key.m_ts << ", " << got.key.m_uid << "), expected (" << ts << ", "
           << expected.key.m_uid << ")";
}

/// One load of the random test.
struct LoadCase
{
    std::string name;                                //!< Its name.
    std::function<uint64_t(std::mt19937_64&)> delay; //!< Draws a delay in ticks.
    std::size_t pending;                             //!< The most events at one time.
    uint64_t width;                                  //!< Bucket width in ticks.
    bool adaptive;                                   //!< Whether the layout may change.
    bool early;                                      //!< Also inserts before the last event.
};

void
PrintTo(const LoadCase& load, std::ostream* os)
{
    *os << load.name;
}

uint64_t
Uniform(std::mt19937_64& random, uint64_t low, uint64_t high)
{
    return std::uniform_int_distribution<uint64_t>(low, high)(random);
}

uint64_t
Dense(std::mt19937_64& random)
{
    return Uniform(random, 100000, 10000000);
}

uint64_t
Crowded(std::mt19937_64& random)
{
    return Uniform(random, 0, 40);
}

uint64_t
Sparse(std::mt19937_64& random)
{
    return Uniform(random, 1000000000000, 3000000000000);
}

/// One in eight is a timer of 67 ms in picoseconds.
uint64_t
Timers(std::mt19937_64& random)
{
    return Uniform(random, 0, 7) == 0 ? 67000000000 : Uniform(random, 100000, 2000000);
}

uint64_t
Ties(std::mt19937_64& random)
{
    return 1000000 * Uniform(random, 0, 2);
}

/// Every order of magnitude up to 2^50.
uint64_t
Mixed(std::mt19937_64& random)
{
    return random() >> Uniform(random, 14, 63);
}

class FabricWheelSchedulerLoad : public ::testing::TestWithParam<LoadCase>
{
};

// A million operations against a std::map: insertions, removals of the first and of any event, and
// looks at the first one. Phases of filling and draining take turns. Event numbers begin shortly
// below 2^32, so unique ids wrap on the way.
TEST_P(FabricWheelSchedulerLoad, EqualsMap)
{
    const LoadCase& load = GetParam();
    Ptr<FabricWheelScheduler> wheel =
        CreateObjectWithAttributes<FabricWheelScheduler>("BucketWidth",
                                                         UintegerValue(load.width),
                                                         "Adaptive",
                                                         BooleanValue(load.adaptive));
    std::map<std::pair<uint64_t, uint64_t>, bool> model;
    std::vector<std::pair<uint64_t, uint64_t>> recent(64);
    std::mt19937_64 random(20240229);
    uint64_t now = 0;
    uint64_t number = 0xfffff000;
    bool filling = true;
    for (int i = 0; i < 1000000; ++i)
    {
        ASSERT_EQ(wheel->IsEmpty(), model.empty());
        filling = model.empty() || (filling && model.size() < load.pending);
        const uint64_t dice = Uniform(random, 0, 99);
        if (model.empty() || dice < (filling ? 60U : 35U))
        {
            const uint64_t delay = load.delay(random);
            const bool early = load.early && dice % 16 == 0;
            const uint64_t ts = early ? now - std::min(now, delay) : now + delay;
            wheel->Insert(MakeTestEvent(ts, number));
            model[{ts, number}] = true;
            recent[Uniform(random, 0, recent.size() - 1)] = {ts, number};
            ++number;
        }
        else if (dice < 90)
        {
            const auto first = model.begin()->first;
            ASSERT_TRUE(IsTestEvent(wheel->RemoveNext(), first.first, first.second)) << i;
            model.erase(model.begin());
            now = first.first;
        }
        else if (dice < 95)
        {
            const auto first = model.begin()->first;
            ASSERT_TRUE(IsTestEvent(wheel->PeekNext(), first.first, first.second)) << i;
        }
        else
        {
            const auto key = recent[Uniform(random, 0, recent.size() - 1)];
            if (model.erase(key) > 0)
            {
                wheel->Remove(MakeTestEvent(key.first, key.second));
            }
        }
    }
    for (const auto& [key, unused] : model)
    {
        ASSERT_TRUE(IsTestEvent(wheel->RemoveNext(), key.first, key.second));
    }
    EXPECT_TRUE(wheel->IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Loads,
    FabricWheelSchedulerLoad,
    ::testing::Values(LoadCase{"Dense", Dense, 20000, 1 << 14, true, false},
                      LoadCase{"DenseFixed", Dense, 2000, 1 << 14, false, false},
                      LoadCase{"FewEvents", Dense, 10, 1 << 14, true, false},
                      LoadCase{"OneTickBuckets", Dense, 300, 1, false, false},
                      LoadCase{"OneBucket", Dense, 100, uint64_t{1} << 44, false, false},
                      LoadCase{"Crowded", Crowded, 1000, 1 << 14, true, false},
                      LoadCase{"CrowdedOneTick", Crowded, 1000, 1, false, false},
                      LoadCase{"Sparse", Sparse, 1000, 1 << 14, true, false},
                      LoadCase{"SparseFixed", Sparse, 1000, 64, false, false},
                      LoadCase{"Timers", Timers, 5000, 1 << 14, true, false},
                      LoadCase{"TimersFixed", Timers, 500, 1 << 10, false, false},
                      LoadCase{"Ties", Ties, 1000, 1 << 14, true, false},
                      LoadCase{"TiesWide", Ties, 1000, 1 << 24, false, false},
                      LoadCase{"Mixed", Mixed, 1000, 1 << 14, true, false},
                      LoadCase{"MixedFixed", Mixed, 1000, 1, false, false},
                      LoadCase{"Early", Dense, 200, 1 << 14, true, true},
                      LoadCase{"EarlyMixed", Mixed, 200, 1 << 10, false, true},
                      LoadCase{"EarlyTies", Ties, 200, 1 << 14, true, true}),
    [](const auto& info) { return info.param.name; });

// Unique ids wrap from 0xffffffff to 0; the event numbered 0x100000003 comes after 0xfffffffe. The
// order of insertion does not matter, nor whether the events first wait behind the wheel.
TEST(FabricWheelScheduler, UidWrap)
{
    for (uint64_t ts : {uint64_t{5}, uint64_t{1} << 50})
    {
        std::vector<uint64_t> numbers;
        for (uint64_t number = 0xfffffff0; number <= 0x100000010; ++number)
        {
            numbers.push_back(number);
        }
        std::mt19937_64 random(7);
        std::shuffle(numbers.begin(), numbers.end(), random);
        Ptr<FabricWheelScheduler> wheel = CreateObject<FabricWheelScheduler>();
        for (uint64_t number : numbers)
        {
            wheel->Insert(MakeTestEvent(ts, number));
        }
        for (uint64_t number = 0xfffffff0; number <= 0x100000010; ++number)
        {
            ASSERT_TRUE(IsTestEvent(wheel->PeekNext(), ts, number));
            ASSERT_TRUE(IsTestEvent(wheel->RemoveNext(), ts, number));
        }
    }
}

// After a look at a far event, and after its removal, events may still come before it or with it.
TEST(FabricWheelScheduler, InsertBeforeAndAtTheFirst)
{
    Ptr<FabricWheelScheduler> wheel = CreateObject<FabricWheelScheduler>();
    wheel->Insert(MakeTestEvent(1000000000000, 1));
    EXPECT_TRUE(IsTestEvent(wheel->PeekNext(), 1000000000000, 1));
    wheel->Insert(MakeTestEvent(5000, 2));
    EXPECT_TRUE(IsTestEvent(wheel->PeekNext(), 5000, 2));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 5000, 2));
    wheel->Insert(MakeTestEvent(5000, 3));
    wheel->Insert(MakeTestEvent(5001, 4));
    wheel->Insert(MakeTestEvent(5000, 5));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 5000, 3));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 5000, 5));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 5001, 4));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 1000000000000, 1));
    wheel->Insert(MakeTestEvent(1000000000000, 6));
    wheel->Insert(MakeTestEvent(7, 7));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 7, 7));
    EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), 1000000000000, 6));
    EXPECT_TRUE(wheel->IsEmpty());
}

// Removal of the first, a middle, the last and the only event of a group of equal time, in the
// wheel and behind it.
TEST(FabricWheelScheduler, RemoveWithinTies)
{
    for (uint64_t ts : {uint64_t{5}, uint64_t{1} << 50})
    {
        Ptr<FabricWheelScheduler> wheel = CreateObject<FabricWheelScheduler>();
        for (uint64_t number = 0; number < 5; ++number)
        {
            wheel->Insert(MakeTestEvent(ts, number));
            wheel->Insert(MakeTestEvent(ts + 1, 10 + number));
        }
        wheel->Remove(MakeTestEvent(ts, 0));
        wheel->Remove(MakeTestEvent(ts, 2));
        wheel->Remove(MakeTestEvent(ts, 4));
        wheel->Insert(MakeTestEvent(ts, 20));
        for (uint64_t number : {1, 3, 20})
        {
            EXPECT_TRUE(IsTestEvent(wheel->RemoveNext(), ts, number));
        }
        for (uint64_t number = 10; number < 15; ++number)
        {
            wheel->Remove(MakeTestEvent(ts + 1, number));
        }
        EXPECT_TRUE(wheel->IsEmpty());
    }
}

/// Keeps a number of events pending: takes the first and inserts one a delay later.
class Hold
{
  public:
    Hold(Ptr<FabricWheelScheduler> wheel, std::function<uint64_t(std::mt19937_64&)> delay)
        : m_wheel(wheel),
          m_delay(delay)
    {
    }

    void Insert(std::size_t count)
    {
        for (; count > 0; --count)
        {
            m_wheel->Insert(MakeTestEvent(m_now + m_delay(m_random), m_number++));
        }
    }

    void Remove(std::size_t count)
    {
        for (; count > 0; --count)
        {
            m_now = m_wheel->RemoveNext().key.m_ts;
        }
    }

    void Run(std::size_t count)
    {
        for (; count > 0; --count)
        {
            Remove(1);
            Insert(1);
        }
    }

  private:
    Ptr<FabricWheelScheduler> m_wheel;                 //!< The scheduler.
    std::function<uint64_t(std::mt19937_64&)> m_delay; //!< Draws a delay.
    std::mt19937_64 m_random{1};                       //!< Where from.
    uint64_t m_now{0};                                 //!< Time of the last event.
    uint64_t m_number{4};                              //!< Number of the next event.
};

// 10,000 events with delays of 0.1 us to 10 us, 5 us on average, in picoseconds: one event per
// 505 ticks. Buckets of at most 1,024 ticks hold about two events, and to keep an event 10 us ahead
// within the wheel a block, half of the buckets, has to reach as far.
TEST(FabricWheelScheduler, AdaptsToDenseLoad)
{
    for (uint64_t width : {uint64_t{1}, uint64_t{1} << 14, uint64_t{1} << 40})
    {
        Ptr<FabricWheelScheduler> wheel =
            CreateObjectWithAttributes<FabricWheelScheduler>("BucketWidth", UintegerValue(width));
        Hold hold(wheel, Dense);
        hold.Insert(10000);
        hold.Run(300000);
        EXPECT_LE(wheel->GetBucketWidth(), 1024U) << "from " << width;
        EXPECT_GE(wheel->GetBucketWidth() * wheel->GetBucketCount() / 2, 8000000U);
    }
}

// 100 events seconds apart (in picoseconds) are within the wheel after adaption, although it
// begins with buckets of 16 ns.
TEST(FabricWheelScheduler, AdaptsToSparseLoad)
{
    Ptr<FabricWheelScheduler> wheel = CreateObject<FabricWheelScheduler>();
    EXPECT_EQ(wheel->GetBucketWidth(), 16384U);
    Hold hold(wheel, Sparse);
    hold.Insert(100);
    hold.Run(100000);
    EXPECT_GE(wheel->GetBucketWidth() * wheel->GetBucketCount() / 2, 2000000000000U);
    EXPECT_LE(wheel->GetBucketCount(), 1024U);
}

TEST(FabricWheelScheduler, KeepsAFixedLayout)
{
    Ptr<FabricWheelScheduler> wheel =
        CreateObjectWithAttributes<FabricWheelScheduler>("BucketWidth",
                                                         UintegerValue(5000),
                                                         "Adaptive",
                                                         BooleanValue(false));
    Hold hold(wheel, Dense);
    hold.Insert(1000);
    hold.Run(100000);
    // The largest power of two below 5,000.
    EXPECT_EQ(wheel->GetBucketWidth(), 4096U);
    EXPECT_EQ(wheel->GetBucketCount(), 1024U);
}

// Memory for at most twice the events, whatever their number has been; and when a load of 100,000
// events has gone, so has its memory, whether the layout of the wheel changes (Dense) or not
// (Ties).
TEST(FabricWheelScheduler, ReturnsMemory)
{
    for (auto* delay : {Dense, Ties})
    {
        Ptr<FabricWheelScheduler> wheel = CreateObject<FabricWheelScheduler>();
        Hold hold(wheel, delay);
        hold.Insert(100000);
        EXPECT_LE(wheel->GetCapacity(), 200000U);
        hold.Run(500000);
        EXPECT_LE(wheel->GetCapacity(), 200000U);
        EXPECT_LE(wheel->GetBucketCount(), 1U << 19);
        hold.Remove(99900);
        hold.Run(200000);
        EXPECT_LE(wheel->GetCapacity(), 200U);
        EXPECT_EQ(wheel->GetBucketCount(), 1024U);
    }
}

/// A model that schedules, cancels and removes at random and writes down what happens when.
class Trace
{
  public:
    /**
     * \param first The type of the scheduler at the start.
     * \param second The type to change to while running, "" for none.
     * \return Time and number of each event.
     */
    std::vector<std::pair<int64_t, uint32_t>> Run(const std::string& first,
                                                  const std::string& second)
    {
        Simulator::SetScheduler(ObjectFactory(first));
        for (int i = 0; i < 50; ++i)
        {
            Schedule();
        }
        if (!second.empty())
        {
            Simulator::Schedule(MicroSeconds(40),
                                [second]() { Simulator::SetScheduler(ObjectFactory(second)); });
        }
        Simulator::Stop(MilliSeconds(80));
        Simulator::Run();
        Simulator::Destroy();
        return m_trace;
    }

  private:
    void Schedule()
    {
        const uint64_t kind = Uniform(m_random, 0, 9);
        const int64_t delay = m_next % 64 == 0 ? 67000000
                              : kind == 0      ? 0
                              : kind < 5       ? 1000
                                               : static_cast<int64_t>(Uniform(m_random, 1, 3000));
        m_events.push_back(Simulator::Schedule(NanoSeconds(delay), &Trace::Happen, this, m_next++));
    }

    void Happen(uint32_t number)
    {
        m_trace.emplace_back(Simulator::Now().GetTimeStep(), number);
        Schedule();
        if (number % 16 == 0)
        {
            const std::size_t latest = std::min<std::size_t>(m_events.size(), 60);
            const EventId& event = m_events[m_events.size() - Uniform(m_random, 1, latest)];
            if (!event.IsExpired())
            {
                Schedule();
            }
            if (number % 32 == 0)
            {
                Simulator::Cancel(event);
            }
            else
            {
                Simulator::Remove(event);
            }
        }
    }

    std::mt19937_64 m_random{3};                       //!< Decides.
    uint32_t m_next{0};                                //!< Number of the next event.
    std::vector<EventId> m_events;                     //!< All events.
    std::vector<std::pair<int64_t, uint32_t>> m_trace; //!< What has happened.
};

// The same simulation, event by event, as with ns-3's default scheduler; also when the scheduler
// changes to the wheel, or from it, while events are pending.
TEST(FabricWheelScheduler, SimulationEqualsMapScheduler)
{
    const std::string map = "ns3::MapScheduler";
    const std::string wheel = "ns3::rdma::FabricWheelScheduler";
    const auto expected = Trace().Run(map, "");
    EXPECT_GT(expected.size(), 3000U);
    EXPECT_GT(expected.back().first, 67000000);
    EXPECT_EQ(Trace().Run(wheel, ""), expected);
    // The change itself is an event, and takes a unique id in both runs.
    EXPECT_EQ(Trace().Run(map, wheel), expected);
    EXPECT_EQ(Trace().Run(wheel, map), expected);
}

} // namespace
