/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DRIVER_H
#define FABRIC_DRIVER_H

#include "ns3/fabric-clock.h"
#include "ns3/fabric-types.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator-impl.h"

#include <memory>
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
 * in a sorted agenda, and the driver keeps at most one simulator event pending per distinct time.
 * Because a frame needs at least the propagation delay to reach the next node, a driver may also
 * run ahead of the simulator's clock by the shortest delay of its links (SetRunAhead): what happens
 * is the same to the picosecond, with far fewer events. Whoever looks at the state of a switch
 * while it runs ahead sees it up to that much early.
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
        Set(Slot(unit, kind), time);
        if (!m_running && time < m_covered)
        {
            ScheduleEarliest(time, GetSimulator().Now().GetTimeStep());
        }
    }

    /**
     * \param unit Number of the unit.
     * \param kind Which of its deadlines.
     * \return The deadline in ps.
     */
    int64_t GetDeadline(uint32_t unit, FabricDeadline kind) const
    {
        return m_time[Slot(unit, kind)];
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

    /// A deadline in the agenda; it counts as long as it is the slot's deadline.
    struct Entry
    {
        int64_t time;  //!< when, ps
        uint32_t slot; //!< which
    };

    /**
     * \param unit Number of a unit.
     * \param kind A deadline.
     * \return Its slot; slots are in the order of the tie rule.
     */
    uint32_t Slot(uint32_t unit, FabricDeadline kind) const
    {
        return (static_cast<uint32_t>(kind) << m_unitBits) + unit;
    }

    /**
     * Sets a deadline and enters it into the agenda. New deadlines are mostly the latest, so the
     * place is looked for from the end.
     * \param slot The deadline.
     * \param time When it is.
     */
    void Set(uint32_t slot, int64_t time)
    {
        m_time[slot] = time;
        if (time == FABRIC_NEVER)
        {
            return;
        }
        if (m_tail == m_room)
        {
            MakeRoom();
        }
        Entry* place = m_agenda.get() + m_tail++;
        const Entry* const first = m_agenda.get() + m_head;
        while (place != first &&
               (place[-1].time > time || (place[-1].time == time && place[-1].slot > slot)))
        {
            *place = place[-1];
            --place;
        }
        *place = {time, slot};
    }

    /// \return Whether there is an entry in the agenda that still counts; m_head is the first.
    bool HasEntry()
    {
        const Entry* const agenda = m_agenda.get();
        const int64_t* const times = m_time.data();
        uint32_t head = m_head;
        while (head != m_tail && times[agenda[head].slot] != agenda[head].time)
        {
            ++head;
        }
        m_head = head;
        return head != m_tail;
    }

    /**
     * \param tick A tick with an event pending.
     * \return The first picosecond whose deadlines that event runs.
     */
    int64_t FirstPsOf(int64_t tick) const
    {
        return m_clock.ToPs(Time(tick)) - (m_clock.TickPs() - 1);
    }

    /// \return The simulator; asking it without Simulator's detour saves time with each event.
    SimulatorImpl& GetSimulator()
    {
        if (!m_simulator)
        {
            m_simulator = PeekPointer(Simulator::GetImplementation());
        }
        return *m_simulator;
    }

    /// Makes room for twice as many units, keeping the deadlines.
    void Grow();
    /// Moves the agenda to its beginning, into a larger place when it is more than half full.
    void MakeRoom();
    /**
     * Schedules an event.
     * \param time The deadline that it is for, ps; before all that have one.
     * \param nowTick The simulator's time.
     */
    void ScheduleEarliest(int64_t time, int64_t nowTick);
    /// Runs everything that is due.
    void Run();

    FabricClock m_clock;                    //!< picoseconds and ticks
    std::vector<int64_t> m_time;            //!< deadline of each slot
    std::unique_ptr<Entry[]> m_agenda;      //!< deadlines, earliest first, from m_head to m_tail
    uint32_t m_head{0};                     //!< first entry that has not been run
    uint32_t m_tail{0};                     //!< behind the last entry
    uint32_t m_room{0};                     //!< entries that fit
    std::vector<FabricDriverUnit*> m_units; //!< who is told
    std::vector<int64_t> m_pending;         //!< ticks with an event pending, latest first
    SimulatorImpl* m_simulator{nullptr};    //!< found when the first event is scheduled
    Event* m_event;                         //!< the one event object, scheduled again and again
    int64_t m_covered{FABRIC_NEVER};        //!< no event is needed for deadlines from here on, ps
    int64_t m_lookahead{0};                 //!< how far to run ahead, ps
    int64_t m_barrier{FABRIC_NEVER};        //!< where running ahead ends, ps
    uint32_t m_unitBits{0};                 //!< log2 of the units that there is room for
    uint32_t m_context;                     //!< node id
    bool m_running{false};                  //!< inside Run()
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DRIVER_H */
