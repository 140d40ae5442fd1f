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
 * The event of a driver: one object that is scheduled many times, even several times at once. It is never
 * cancelled (a cancelled EventImpl stays so), but told when its driver is gone.
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
    : m_event(new Event(this)),
      m_context(Simulator::NO_CONTEXT)
{
    Rebuild();
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
        Rebuild();
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
    m_event->Detach();
}

void
FabricDriver::Rebuild()
{
    const uint32_t oldBits = m_unitBits;
    const std::vector<int64_t> old = m_time;
    while ((1U << m_unitBits) < m_units.size())
    {
        ++m_unitBits;
    }
    m_leaves = KINDS << m_unitBits;
    m_time.assign(m_leaves, FABRIC_NEVER);
    for (uint32_t i = 0; i < old.size(); ++i)
    {
        const uint32_t unit = i & ((1U << oldBits) - 1);
        m_time[((i >> oldBits) << m_unitBits) + unit] = old[i];
    }
    m_winner.assign(2 * m_leaves, 0);
    for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
    {
        m_winner[m_leaves + leaf] = leaf;
    }
    for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
    {
        Update(leaf, m_time[leaf]);
    }
}

void
FabricDriver::ScheduleEarliest()
{
    const int64_t earliest = GetEarliest();
    if (earliest == FABRIC_NEVER)
    {
        return;
    }
    const int64_t tick = m_clock.ToTick(earliest);
    if (!m_pending.empty() && m_pending.back() <= tick)
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    NS_ASSERT_MSG(tick >= now, "deadline " << earliest << " ps has passed");
    m_pending.push_back(tick);
    m_event->Ref();
    Simulator::ScheduleWithContext(m_context, Time(tick - now), m_event);
}

void
FabricDriver::Run()
{
    const int64_t now = m_clock.Now();
    NS_ASSERT(!m_pending.empty());
    m_pending.pop_back();
    const int64_t horizon = std::max(now, std::min(now + m_lookahead, m_barrier));
    m_running = true;
    for (uint32_t leaf = m_winner[1]; m_time[leaf] <= horizon; leaf = m_winner[1])
    {
        const auto kind = static_cast<FabricDeadline>(leaf >> m_unitBits);
        const uint32_t unit = leaf & ((1U << m_unitBits) - 1);
        Update(leaf, m_units[unit]->OnDeadline(kind, m_time[leaf]));
    }
    m_running = false;
    ScheduleEarliest();
}

} // namespace rdma
} // namespace ns3
