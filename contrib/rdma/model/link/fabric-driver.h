/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DRIVER_H
#define FABRIC_DRIVER_H

#include "ns3/fabric-clock.h"
#include "ns3/fabric-types.h"
#include "ns3/simple-ref-count.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What a deadline of a FabricDriver is for. The order is the tie rule of the module: of two
 * deadlines of one switch or host at the same time the lower kind goes first, and within a kind
 * the lower unit (port number). Event numbers of the simulator decide nothing.
 */
enum class FabricDeadline : uint8_t
{
    CONTROL = 0,  //!< a control frame (pause) arrives
    DATA = 1,     //!< a frame arrives
    TIMER = 2,    //!< a timer of the unit
    TRANSMIT = 3, //!< the unit may start the next frame
};

/**
 * \ingroup rdma
 * Something with deadlines: a port, or the timers of a NIC.
 */
class FabricDriverUnit
{
  public:
    virtual ~FabricDriverUnit() = default;
    /**
     * Does what is due.
     * \param kind Which of the four deadlines came.
     * \param now Its time in picoseconds.
     * \return The next deadline of that kind, or FABRIC_NEVER.
     */
    virtual int64_t OnDeadline(FabricDeadline kind, int64_t now) = 0;
};

/**
 * \ingroup rdma
 * Runs the deadlines of all ports of a switch, or of a NIC, in exact time order, on few events.
 *
 * The core of the module never schedules anything itself: it keeps four deadlines per port here,
 * in a tournament tree, and the driver keeps at most one simulator event pending per distinct
 * time. Because a frame needs at least the propagation delay to reach the next node, a driver may
 * also run ahead of the simulator's clock by the shortest delay of its links (SetRunAhead): what
 * happens is the same to the picosecond, with far fewer events. Whoever looks at the state of a
 * switch while it runs ahead sees it up to that much early.
 */
class FabricDriver : public SimpleRefCount<FabricDriver>
{
  public:
    FabricDriver();
    ~FabricDriver();
    FabricDriver(const FabricDriver&) = delete;
    FabricDriver& operator=(const FabricDriver&) = delete;

    /**
     * \param unit The unit to add; it must outlive the driver or Stop() must be called first.
     * \return Its number: 0, 1, 2, ... in the order of the calls.
     */
    uint32_t AddUnit(FabricDriverUnit* unit);

    /// \param context The node id that events carry as context.
    void SetContext(uint32_t context);

    /**
     * \param lookahead How far deadlines may run ahead of the simulator's clock, in ps: at most
     *        the shortest propagation delay of the links into this node. 0 turns it off.
     */
    void SetRunAhead(int64_t lookahead);

    /**
     * Nothing later than this is run before the clock reaches it, for a driver that runs ahead.
     * \param barrier A time in ps, or FABRIC_NEVER.
     */
    void SetBarrier(int64_t barrier);

    /**
     * Sets a deadline, in place of the one set before.
     * \param unit Number of the unit.
     * \param kind Which of its deadlines.
     * \param time When, in ps; FABRIC_NEVER for none.
     */
    void Arm(uint32_t unit, FabricDeadline kind, int64_t time)
    {
        Update(Leaf(unit, kind), time);
        if (!m_running)
        {
            ScheduleEarliest();
        }
    }

    /**
     * \param unit Number of the unit.
     * \param kind Which of its deadlines.
     * \return The deadline in ps.
     */
    int64_t GetDeadline(uint32_t unit, FabricDeadline kind) const
    {
        return m_time[Leaf(unit, kind)];
    }

    /// \return The clock that the deadlines are read against.
    const FabricClock& GetClock() const
    {
        return m_clock;
    }

    /// Forgets all deadlines; events that are still pending do nothing.
    void Stop();

  private:
    class Event;

    /// Number of deadlines per unit.
    static constexpr uint32_t KINDS = 4;

    /**
     * \param unit Number of a unit.
     * \param kind A deadline.
     * \return Its leaf in the tree; leaves are in the order of the tie rule.
     */
    uint32_t Leaf(uint32_t unit, FabricDeadline kind) const
    {
        return (static_cast<uint32_t>(kind) << m_unitBits) + unit;
    }

    /**
     * Sets the time of a leaf and finds the winners on its way to the root anew.
     * \param leaf The leaf.
     * \param time Its deadline.
     */
    void Update(uint32_t leaf, int64_t time)
    {
        const int64_t* times = m_time.data();
        uint32_t* winner = m_winner.data();
        m_time[leaf] = time;
        for (uint32_t node = (leaf + m_leaves) >> 1; node; node >>= 1)
        {
            const uint32_t left = winner[2 * node];
            const uint32_t right = winner[2 * node + 1];
            winner[node] = times[right] < times[left] ? right : left;
        }
    }

    /// \return The earliest deadline.
    int64_t GetEarliest() const
    {
        return m_time[m_winner[1]];
    }

    /// Makes the tree fit the number of units, keeping the deadlines.
    void Rebuild();
    /// Sees to it that an event is pending for the earliest deadline.
    void ScheduleEarliest();
    /// Runs everything that is due.
    void Run();

    FabricClock m_clock;                    //!< picoseconds and ticks
    std::vector<int64_t> m_time;            //!< deadline of each leaf
    std::vector<uint32_t> m_winner;         //!< earliest leaf below each node; leaves follow nodes
    std::vector<FabricDriverUnit*> m_units; //!< who is told
    std::vector<int64_t> m_pending;         //!< ticks with an event pending, latest first
    Event* m_event;                         //!< the one event object, scheduled again and again
    int64_t m_lookahead{0};                 //!< how far to run ahead, ps
    int64_t m_barrier{FABRIC_NEVER};        //!< where running ahead ends, ps
    uint32_t m_leaves{0};                   //!< leaves of the tree, a power of two
    uint32_t m_unitBits{0};                 //!< log2 of the units that the tree has room for
    uint32_t m_context;                     //!< node id
    bool m_running{false};                  //!< inside Run()
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DRIVER_H */
