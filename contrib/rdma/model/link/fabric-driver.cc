/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-driver.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The event of a driver: one object that is scheduled many times, even several times at once. It is
 * never cancelled (a cancelled EventImpl stays so), but told when its driver is gone.
 */
class FabricDriver::Event : public EventImpl
{
  public:
    /// \param driver Whose Run() the event calls.
    explicit Event(FabricDriver* driver)
        : m_driver(driver)
    {
    }

    /// Makes the event do nothing from now on.
    void Detach()
    {
        m_driver = nullptr;
    }

  private:
    void Notify() override
    {
        if (m_driver)
        {
            m_driver->Run();
        }
    }

    FabricDriver* m_driver; //!< the driver, or nullptr
};

FabricDriver::FabricDriver()
    : m_time(KINDS, FABRIC_NEVER),
      m_event(new Event(this)),
      m_context(Simulator::NO_CONTEXT)
{
}

FabricDriver::~FabricDriver()
{
    m_event->Detach();
    m_event->Unref();
}

uint32_t
FabricDriver::AddUnit(FabricDriverUnit* unit)
{
    NS_ASSERT_MSG(!m_running, "units are added while nothing runs");
    m_units.push_back(unit);
    if (m_units.size() > (1U << m_unitBits))
    {
        Grow();
    }
    return m_units.size() - 1;
}

void
FabricDriver::SetContext(uint32_t context)
{
    m_context = context;
}

void
FabricDriver::SetRunAhead(int64_t lookahead)
{
    // Within a tick the simulator's clock is up to a tick ahead of the exact time of an item.
    const int64_t slack = m_clock.TickPs() - 1;
    m_lookahead = std::max<int64_t>(lookahead - 1 - slack, 0);
}

void
FabricDriver::SetBarrier(int64_t barrier)
{
    m_barrier = barrier;
}

void
FabricDriver::Stop()
{
    std::fill(m_time.begin(), m_time.end(), FABRIC_NEVER);
    m_head = m_tail = 0;
    m_simulator = nullptr;
    m_event->Detach();
}

void
FabricDriver::Grow()
{
    const uint32_t oldBits = m_unitBits++;
    const std::vector<int64_t> old = m_time;
    m_time.assign(KINDS << m_unitBits, FABRIC_NEVER);
    m_head = m_tail = 0;
    for (uint32_t i = 0; i < old.size(); ++i)
    {
        const uint32_t unit = i & ((1U << oldBits) - 1);
        Set(((i >> oldBits) << m_unitBits) + unit, old[i]);
    }
}

void
FabricDriver::ScheduleEarliest(int64_t time, int64_t nowTick)
{
    const int64_t tick = m_clock.ToTick(time);
    NS_ASSERT_MSG(tick >= nowTick, "deadline " << time << " ps has passed");
    m_pending.push_back(tick);
    m_covered = FirstPsOf(tick);
    m_event->Ref();
    GetSimulator().ScheduleWithContext(m_context, Time(tick - nowTick), m_event);
}

void
FabricDriver::Run()
{
    NS_ASSERT(!m_pending.empty());
    const int64_t tick = m_pending.back();
    NS_ASSERT(tick == GetSimulator().Now().GetTimeStep());
    m_pending.pop_back();
    const int64_t now = m_clock.ToPs(Time(tick));
    const int64_t horizon = std::max(now, std::min(now + m_lookahead, m_barrier));
    const uint32_t unitMask = (1U << m_unitBits) - 1;
    m_running = true;
    while (HasEntry() && m_agenda[m_head].time <= horizon)
    {
        const Entry due = m_agenda[m_head++];
        const auto kind = static_cast<FabricDeadline>(due.slot >> m_unitBits);
        Set(due.slot, m_units[due.slot & unitMask]->OnDeadline(kind, due.time));
    }
    m_running = false;
    m_covered = m_pending.empty() ? FABRIC_NEVER : FirstPsOf(m_pending.back());
    if (m_head != m_tail && m_agenda[m_head].time < m_covered)
    {
        ScheduleEarliest(m_agenda[m_head].time, tick);
    }
}

void
FabricDriver::MakeRoom()
{
    const uint32_t live = m_tail - m_head;
    Entry* const from = m_agenda.get() + m_head;
    if (2 * live < m_room)
    {
        std::copy(from, from + live, m_agenda.get());
    }
    else
    {
        m_room = std::max(16U, 2 * m_room);
        auto larger = std::make_unique<Entry[]>(m_room);
        std::copy(from, from + live, larger.get());
        m_agenda = std::move(larger);
    }
    m_head = 0;
    m_tail = live;
}

} // namespace rdma
} // namespace ns3
