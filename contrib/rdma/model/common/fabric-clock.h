/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_CLOCK_H
#define FABRIC_CLOCK_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Converts between the picoseconds of the module's core and the ticks of the simulator, whose
 * resolution the user chooses (Time::SetResolution; 1 ns unless told otherwise).
 *
 * A deadline is rounded up to a tick, so nothing happens before its time; the core goes on
 * computing with the exact picosecond.
 */
class FabricClock
{
  public:
    FabricClock();

    /// \return The simulator's current time in picoseconds.
    int64_t Now() const
    {
        return ToPs(Simulator::Now());
    }

    /**
     * \param time A time.
     * \return The same in picoseconds (rounded down when the resolution is finer).
     */
    int64_t ToPs(const Time& time) const
    {
        return m_psPerTick ? time.GetTimeStep() * m_psPerTick : time.GetTimeStep() / m_ticksPerPs;
    }

    /**
     * \param ps A time in picoseconds.
     * \return The first tick that is not before it.
     */
    int64_t ToTick(int64_t ps) const
    {
        return m_psPerTick == 1 ? ps
               : m_psPerTick    ? (ps + m_psPerTick - 1) / m_psPerTick
                                : ps * m_ticksPerPs;
    }

    /**
     * \param ps A time in picoseconds.
     * \return The first time of the simulator that is not before it.
     */
    Time ToTime(int64_t ps) const
    {
        return Time(ToTick(ps));
    }

    /// \return The length of a tick in picoseconds, at least 1.
    int64_t TickPs() const
    {
        return m_psPerTick ? m_psPerTick : 1;
    }

  private:
    int64_t m_psPerTick;  //!< picoseconds per tick, or 0 when a tick is shorter than one
    int64_t m_ticksPerPs; //!< ticks per picosecond, used when m_psPerTick is 0
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_CLOCK_H */
