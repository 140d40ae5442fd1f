/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds deadlocks of a lossless fabric while a simulation runs. */

#ifndef FABRIC_DEADLOCK_DETECTOR_H
#define FABRIC_DEADLOCK_DETECTOR_H

#include "ns3/event-id.h"
#include "ns3/fabric-holder.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class Node;

namespace rdma
{

class FabricNetDevice;
class FabricSwitchBase;

/// \ingroup rdma A queue of a switch that cannot send because the far end has no room.
struct FabricStuckQueue
{
    uint32_t node;     //!< number of the switch's node
    uint32_t port;     //!< egress port
    uint8_t lane;      //!< priority or virtual lane
    uint64_t frames;   //!< frames that wait
    uint64_t bytes;    //!< their bytes
    uint32_t peer;     //!< number of the node at the far end
    uint32_t peerPort; //!< port there
};

/// \ingroup rdma What a FabricDeadlockDetector has found.
struct FabricDeadlockReport
{
    int64_t ps{0};                        //!< when it was found, ps
    bool deadlock{false};                 //!< whether the queues wait for one another for ever
    std::vector<FabricStuckQueue> queues; //!< deadlock: each waits for the next, and the last for
                                          //!< the first; else all that hosts stop
    std::string text;                     //!< the same in words
};

/**
 * \ingroup rdma
 * Watches switches that stop one another by pauses or credits, and finds out when they will never
 * go on: queues wait for room at the far end, where the room is taken by frames of queues that wait
 * as well, and so on in a circle. Works for every switch that is a FabricHolder.
 *
 * It looks now and then, and only while some queue is stopped: it keeps no event queue alive when
 * nothing is held, nor after its report. A cycle has to be there at two looks, which are further
 * apart than the longest cable, so that no pause or credit under way is missed. The proof is exact
 * (FabricWaitGraph): a queue that waits for a host is never part of it, however long that takes,
 * nor is one that waits for a queue that can move. When nothing moves for long for such a reason,
 * that is reported apart, as stuck.
 */
class FabricDeadlockDetector : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricDeadlockDetector();
    ~FabricDeadlockDetector() override;

    /// \param fabricSwitch A switch to watch; it must be a FabricHolder.
    void Watch(Ptr<FabricSwitchBase> fabricSwitch);
    /**
     * \param node A node.
     * \param name What reports call it; unless given, its name in ns3::Names, or its number.
     */
    void SetName(Ptr<const Node> node, const std::string& name);

    /// \return Whether a deadlock was found.
    bool IsDeadlocked() const;
    /// \return What was found last; its text is empty before anything was found.
    const FabricDeadlockReport& GetReport() const;

    /**
     * Signature of the trace sources Deadlock and Stuck.
     * \param report What was found.
     */
    typedef void (*ReportTracedCallback)(const FabricDeadlockReport& report);

  protected:
    void DoDispose() override;

  private:
    /// A switch that is watched.
    struct Watched
    {
        Ptr<FabricSwitchBase> fabricSwitch;    //!< the switch
        FabricHolder* holder;                  //!< what it tells
        std::vector<FabricHolder::Hold> holds; //!< what it holds, during a look
        bool asked;                            //!< whether holds are of this look
    };

    /// A lane of an egress port that is stopped.
    struct Queue
    {
        uint32_t place; //!< of the switch in m_switches
        uint32_t port;  //!< egress port
        uint8_t lane;   //!< lane

        /// \param other Another. \return Whether this one comes first.
        bool operator<(const Queue& other) const;
        /// \param other Another. \return Whether they are the same.
        bool operator==(const Queue& other) const;
    };

    /// Some queue is stopped: begins to look if that is not going on.
    void QueueStopped();
    /// Looks, and goes on while there is something to find.
    void Look();
    /// \return All lanes of egress ports that are stopped, in order.
    std::vector<Queue> FindStopped() const;
    /**
     * \param stopped All lanes that are stopped.
     * \return Those of a cycle that will never go on; empty when there is none.
     */
    std::vector<Queue> FindCycle(const std::vector<Queue>& stopped);
    /**
     * \param place Of a switch in m_switches.
     * \return What it holds.
     */
    const std::vector<FabricHolder::Hold>& GetHolds(uint32_t place);
    /// \return Frames that all switches have sent.
    uint64_t CountSent() const;
    /// \return Time between two looks in ps.
    int64_t GetInterval() const;
    /**
     * \param queue A lane that is stopped.
     * \return The device at the far end.
     */
    Ptr<FabricNetDevice> GetPeer(const Queue& queue) const;
    /**
     * \param queue A lane that is stopped.
     * \return The same for a report.
     */
    FabricStuckQueue Describe(const Queue& queue);
    /**
     * \param queues A cycle.
     * \param now The time in ps.
     */
    void ReportDeadlock(const std::vector<Queue>& queues, int64_t now);
    /**
     * \param stopped All lanes that are stopped.
     * \param now The time in ps.
     */
    void ReportStuck(const std::vector<Queue>& stopped, int64_t now);
    /// \param id Number of a node. \return Its name.
    std::string NameOf(uint32_t id) const;
    /**
     * \param queue A lane.
     * \param words What it is.
     * \return Switch, port and lane in words.
     */
    std::string NameOf(const Queue& queue, const FabricStuckQueue& words) const;
    /// Lets go of the switches.
    void Release();

    std::vector<Watched> m_switches;         //!< what is watched
    std::map<uint32_t, uint32_t> m_placeOf;  //!< by number of the node: place in m_switches
    std::map<uint32_t, std::string> m_names; //!< names of nodes by number
    Time m_interval;                         //!< time between two looks
    Time m_stallTime;                        //!< how long nothing moves to be stuck
    EventId m_look;                          //!< the next look
    std::vector<Queue> m_suspects;           //!< the cycle of the look before
    uint64_t m_sent{0};                      //!< frames that had been sent at the look before
    uint64_t m_stuckSent;                    //!< and when it was stuck last
    int64_t m_movedPs{0};                    //!< when frames were last seen to move, ps
    FabricDeadlockReport m_report;           //!< what was found last
    TracedCallback<const FabricDeadlockReport&> m_deadlockTrace; //!< a deadlock
    TracedCallback<const FabricDeadlockReport&> m_stuckTrace;    //!< stuck without a cycle
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DEADLOCK_DETECTOR_H */
