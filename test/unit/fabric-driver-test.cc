/* SPDX-License-Identifier: GPL-2.0-only */
/* Deadlines in exact time order, by the stated tie rule, on few events. */

#include "ns3/fabric-driver.h"
#include "ns3/simulator.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// A unit that writes down what it is told.
class Recorder : public FabricDriverUnit
{
  public:
    /// Answers a deadline with the next one.
    using Answer = std::function<int64_t(FabricDeadline, int64_t)>;

    /// \param name Its name in the record. \param record Where to write.
    Recorder(const std::string& name, std::vector<std::string>& record)
        : m_name(name),
          m_record(record)
    {
    }

    int64_t OnDeadline(FabricDeadline kind, int64_t now) override
    {
        m_record.push_back(m_name + std::to_string(static_cast<int>(kind)) + "@" +
                           std::to_string(now) + "/" +
                           std::to_string(Simulator::Now().GetNanoSeconds()));
        return answer ? answer(kind, now) : FABRIC_NEVER;
    }

    Answer answer; //!< what comes next; never unless set

  private:
    std::string m_name;                 //!< name
    std::vector<std::string>& m_record; //!< where to write
};

/// Units a, b, ... of one driver.
class FabricDriverTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_driver = Create<FabricDriver>();
    }

    void TearDown() override
    {
        m_driver->Stop();
        Simulator::Destroy();
    }

    /// \return A new unit of the driver.
    Recorder& Add()
    {
        m_units.push_back(
            std::make_unique<Recorder>(std::string(1, static_cast<char>('a' + m_units.size())),
                                       m_record));
        EXPECT_EQ(m_driver->AddUnit(m_units.back().get()), m_units.size() - 1);
        return *m_units.back();
    }

    std::vector<std::string> m_record;              //!< what happened
    std::vector<std::unique_ptr<Recorder>> m_units; //!< units
    Ptr<FabricDriver> m_driver;                     //!< the driver
};

using Record = std::vector<std::string>;

// At one picosecond: control (0) of all units, then data (1), timers (2), transmissions (3); within
// a kind by unit number. The order in which they are armed does not matter.
TEST_F(FabricDriverTest, TieRuleIsKindThenUnit)
{
    for (int i = 0; i < 3; ++i)
    {
        Add();
    }
    for (const uint32_t unit : {2u, 0u, 1u})
    {
        m_driver->Arm(unit, FabricDeadline::TRANSMIT, 5'000);
        m_driver->Arm(unit, FabricDeadline::DATA, 5'000);
    }
    m_driver->Arm(1, FabricDeadline::TIMER, 5'000);
    m_driver->Arm(2, FabricDeadline::CONTROL, 5'000);
    Simulator::Run();
    EXPECT_EQ(m_record,
              (Record{"c0@5000/5",
                      "a1@5000/5",
                      "b1@5000/5",
                      "c1@5000/5",
                      "b2@5000/5",
                      "a3@5000/5",
                      "b3@5000/5",
                      "c3@5000/5"}));
}

// Within a tick of 1 ns the picoseconds decide, and units are told them; a deadline is run at the
// first tick that is not before it.
TEST_F(FabricDriverTest, PicosecondsDecideWithinATick)
{
    Add();
    Add();
    m_driver->Arm(0, FabricDeadline::CONTROL, 4'900);
    m_driver->Arm(1, FabricDeadline::TRANSMIT, 4'100);
    m_driver->Arm(1, FabricDeadline::DATA, 4'000);
    Simulator::Run();
    EXPECT_EQ(m_record, (Record{"b1@4000/4", "b3@4100/5", "a0@4900/5"}));
}

// A deadline replaces the one of its kind, to an earlier or a later time, or to never.
TEST_F(FabricDriverTest, ArmingAgainReplaces)
{
    Add();
    m_driver->Arm(0, FabricDeadline::DATA, 9'000);
    m_driver->Arm(0, FabricDeadline::DATA, 3'000);
    m_driver->Arm(0, FabricDeadline::TIMER, 2'000);
    m_driver->Arm(0, FabricDeadline::TIMER, 7'000);
    m_driver->Arm(0, FabricDeadline::TRANSMIT, 5'000);
    m_driver->Arm(0, FabricDeadline::TRANSMIT, FABRIC_NEVER);
    // There and back again is run once.
    m_driver->Arm(0, FabricDeadline::CONTROL, 4'000);
    m_driver->Arm(0, FabricDeadline::CONTROL, 6'000);
    m_driver->Arm(0, FabricDeadline::CONTROL, 4'000);
    EXPECT_EQ(m_driver->GetDeadline(0, FabricDeadline::DATA), 3'000);
    Simulator::Run();
    EXPECT_EQ(m_record, (Record{"a1@3000/3", "a0@4000/4", "a2@7000/7"}));
}

// What a unit returns is its next deadline of that kind; it may arm others, also of other units,
// for the same time, which then still have their turn in this order.
TEST_F(FabricDriverTest, DeadlinesFollowFromDeadlines)
{
    Recorder& a = Add();
    Add();
    a.answer = [this](FabricDeadline kind, int64_t now) {
        if (kind == FabricDeadline::DATA)
        {
            m_driver->Arm(1, FabricDeadline::TRANSMIT, now);
            m_driver->Arm(1, FabricDeadline::DATA, now + 500);
            return now < 2'000 ? now + 1'000 : FABRIC_NEVER;
        }
        return FABRIC_NEVER;
    };
    m_driver->Arm(0, FabricDeadline::DATA, 1'000);
    m_driver->Arm(1, FabricDeadline::TIMER, 1'000);
    Simulator::Run();
    EXPECT_EQ(m_record,
              (Record{"a1@1000/1",
                      "b2@1000/1",
                      "b3@1000/1",
                      "b1@1500/2",
                      "a1@2000/2",
                      "b3@2000/2",
                      "b1@2500/3"}));
}

// A driver that may run ahead by 10 ns does within one event what is due within less than that, in
// the same order and with the same picoseconds. At a resolution of 1 ns the clock may be up to 999 ps
// ahead of an exact time, and what is sent then arrives at the earliest 9.001 ns after the clock: so
// the event at 3 ns runs what is due up to 12 ns, the one at 15 ns up to 24 ns.
TEST_F(FabricDriverTest, RunsAheadByLessThanTheLookahead)
{
    Recorder& a = Add();
    a.answer = [](FabricDeadline, int64_t now) {
        return now < 30'000 ? now + 3'000 : FABRIC_NEVER;
    };
    m_driver->SetRunAhead(10'000);
    m_driver->Arm(0, FabricDeadline::DATA, 3'000);
    Simulator::Run();
    EXPECT_EQ(m_record,
              (Record{"a1@3000/3",
                      "a1@6000/3",
                      "a1@9000/3",
                      "a1@12000/3",
                      "a1@15000/15",
                      "a1@18000/15",
                      "a1@21000/15",
                      "a1@24000/15",
                      "a1@27000/27",
                      "a1@30000/27"}));
}

// Nothing behind the barrier is run before its time.
TEST_F(FabricDriverTest, BarrierStopsRunningAhead)
{
    Recorder& a = Add();
    a.answer = [](FabricDeadline, int64_t now) { return now < 9'000 ? now + 3'000 : FABRIC_NEVER; };
    m_driver->SetRunAhead(100'000);
    m_driver->SetBarrier(6'000);
    m_driver->Arm(0, FabricDeadline::DATA, 3'000);
    Simulator::Run();
    EXPECT_EQ(m_record, (Record{"a1@3000/3", "a1@6000/3", "a1@9000/9"}));
}

// Units that are added later keep the deadlines of those before, and the tie rule.
TEST_F(FabricDriverTest, GrowsWithItsUnits)
{
    Add();
    m_driver->Arm(0, FabricDeadline::TRANSMIT, 5'000);
    for (int i = 1; i < 20; ++i)
    {
        Add();
        m_driver->Arm(i, i % 2 ? FabricDeadline::DATA : FabricDeadline::CONTROL, 5'000);
    }
    Simulator::Run();
    ASSERT_EQ(m_record.size(), 20u);
    EXPECT_EQ(m_record[0], "c0@5000/5");
    EXPECT_EQ(m_record[8], "s0@5000/5");
    EXPECT_EQ(m_record[9], "b1@5000/5");
    EXPECT_EQ(m_record[18], "t1@5000/5");
    EXPECT_EQ(m_record[19], "a3@5000/5");
}

// An earlier deadline that comes while a later one waits is run at its own time; events that are
// then for nothing do no harm, and after Stop none does anything.
TEST_F(FabricDriverTest, EarlierDeadlinesOvertakeAndStopEndsAll)
{
    Add();
    m_driver->Arm(0, FabricDeadline::DATA, 50'000);
    Simulator::Schedule(NanoSeconds(10), [this]() {
        m_driver->Arm(0, FabricDeadline::TIMER, 20'000);
        m_driver->Arm(0, FabricDeadline::DATA, FABRIC_NEVER);
    });
    Simulator::Schedule(NanoSeconds(60), [this]() {
        m_driver->Arm(0, FabricDeadline::CONTROL, 70'000);
        m_driver->Stop();
    });
    Simulator::Run();
    EXPECT_EQ(m_record, (Record{"a2@20000/20"}));
}

// Random deadlines against a sorted list: all of them run, at their time, in the order of the rule.
TEST_F(FabricDriverTest, ThousandsOfDeadlinesRunInOrder)
{
    for (int i = 0; i < 7; ++i)
    {
        Add();
    }
    uint32_t state = 12345;
    const auto draw = [&state]() { return state = state * 1664525 + 1013904223; };
    for (auto& unit : m_units)
    {
        unit->answer = [&](FabricDeadline, int64_t now) {
            // Sometimes moves another one, too.
            if (draw() >> 28 == 0)
            {
                m_driver->Arm((draw() >> 8) % 7,
                              FabricDeadline::DATA,
                              now + 1 + (draw() >> 8) % 50);
            }
            return now < 200'000 ? now + 1 + (draw() >> 8) % 300 : FABRIC_NEVER;
        };
    }
    for (uint32_t unit = 0; unit < 7; ++unit)
    {
        for (const auto kind : {FabricDeadline::CONTROL,
                                FabricDeadline::DATA,
                                FabricDeadline::TIMER,
                                FabricDeadline::TRANSMIT})
        {
            m_driver->Arm(unit, kind, 1 + draw() % 100);
        }
    }
    Simulator::Run();
    EXPECT_GT(m_record.size(), 20'000u);
    int64_t last = 0;
    std::string lastKey;
    for (const std::string& entry : m_record)
    {
        const int64_t time = std::stoll(entry.substr(3));
        const std::string key{entry[1], entry[0]};
        ASSERT_TRUE(time > last || (time == last && key > lastKey)) << entry;
        last = time;
        lastKey = key;
    }
}

} // namespace
} // namespace ns3
