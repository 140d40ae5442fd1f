/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * \file
 * The timing wheel as ns-3's users get it: by name, through Simulator::SetScheduler.
 */

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Runs a simulation with the wheel from the start, and with a change to it while running.
class RdmaWheelSimulationTestCase : public TestCase
{
  public:
    RdmaWheelSimulationTestCase()
        : TestCase("events come by time, and at equal times in the order in which they were made")
    {
    }

  private:
    /**
     * Notes an event.
     * \param number Its number.
     */
    void Happen(uint32_t number)
    {
        m_order.push_back(number);
    }

    /**
     * \param first The type of the scheduler at the start.
     * \return The numbers of the events in the order in which they happen.
     */
    std::vector<uint32_t> RunFrom(const std::string& first)
    {
        const ObjectFactory wheel("ns3::rdma::FabricWheelScheduler");
        m_order.clear();
        Simulator::SetScheduler(ObjectFactory(first));
        const auto at = [this](Time when, uint32_t number) {
            return Simulator::Schedule(when, &RdmaWheelSimulationTestCase::Happen, this, number);
        };
        at(Seconds(100), 9);
        at(NanoSeconds(5), 2);
        at(MilliSeconds(67), 7);
        at(NanoSeconds(5), 3);
        at(NanoSeconds(4), 1);
        const EventId removed = at(NanoSeconds(5), 100);
        const EventId cancelled = at(MilliSeconds(67), 101);
        at(NanoSeconds(5), 4);
        at(MilliSeconds(67), 8);
        Simulator::Schedule(NanoSeconds(4), [=]() {
            Simulator::SetScheduler(wheel);
            Simulator::Remove(removed);
            Simulator::Cancel(cancelled);
            at(NanoSeconds(1), 5);
            at(NanoSeconds(2), 6);
        });
        Simulator::Run();
        Simulator::Destroy();
        return m_order;
    }

    void DoRun() override
    {
        const std::vector<uint32_t> expected{1, 2, 3, 4, 5, 6, 7, 8, 9};
        for (const std::string first : {"ns3::rdma::FabricWheelScheduler", "ns3::MapScheduler"})
        {
            const std::vector<uint32_t> got = RunFrom(first);
            NS_TEST_ASSERT_MSG_EQ(got.size(), expected.size(), "events with " << first);
            for (std::size_t i = 0; i < expected.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(got[i], expected[i], "event " << i << " with " << first);
            }
        }
    }

    std::vector<uint32_t> m_order; //!< The numbers of past events.
};

/// Checks the order across the wrap of the simulator's 32-bit unique ids.
class RdmaWheelWrapTestCase : public TestCase
{
  public:
    RdmaWheelWrapTestCase()
        : TestCase("events of equal time keep their order when unique ids wrap")
    {
    }

  private:
    void DoRun() override
    {
        const ObjectFactory factory("ns3::rdma::FabricWheelScheduler");
        const Ptr<Scheduler> wheel = factory.Create<Scheduler>();
        Scheduler::Event ev;
        ev.impl = nullptr;
        ev.key.m_ts = 1000;
        ev.key.m_context = 0;
        for (uint32_t uid : {0x2U, 0xfffffffeU, 0x0U, 0xffffffffU, 0x1U})
        {
            ev.key.m_uid = uid;
            wheel->Insert(ev);
        }
        for (uint32_t uid : {0xfffffffeU, 0xffffffffU, 0x0U, 0x1U, 0x2U})
        {
            NS_TEST_EXPECT_MSG_EQ(wheel->PeekNext().key.m_uid, uid, "next event");
            NS_TEST_EXPECT_MSG_EQ(wheel->RemoveNext().key.m_uid, uid, "removed event");
        }
        NS_TEST_EXPECT_MSG_EQ(wheel->IsEmpty(), true, "events are left");
    }
};

/// The suite of the timing wheel.
class RdmaWheelSchedulerTestSuite : public TestSuite
{
  public:
    RdmaWheelSchedulerTestSuite()
        : TestSuite("rdma-wheel-scheduler", Type::UNIT)
    {
        AddTestCase(new RdmaWheelSimulationTestCase);
        AddTestCase(new RdmaWheelWrapTestCase);
    }
};

/// Registers the suite.
const RdmaWheelSchedulerTestSuite g_rdmaWheelSchedulerTestSuite;

} // namespace
