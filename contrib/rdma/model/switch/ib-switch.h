/* SPDX-License-Identifier: GPL-2.0-only */
/* An InfiniBand switch. */

#ifndef IB_SWITCH_H
#define IB_SWITCH_H

#include "ns3/fabric-holder.h"
#include "ns3/fabric-path-selector.h"
#include "ns3/fabric-switch-base.h"
#include "ns3/fabric-trace.h"
#include "ns3/ib-fecn-marker.h"
#include "ns3/ib-link.h"
#include "ns3/ib-voq.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * An InfiniBand switch: input-buffered, with a queue per input, output and virtual lane (virtual
 * output queues), and virtual cut-through. Aggregate it to a Node and give it FabricNetDevices with
 * an IbLink as ports.
 *
 * A packet is looked up when its local route header has come in and the latency has passed. It
 * waits in the receive buffer of the lane it came by, in the queue for its output. It starts when
 * the wire is free, virtual lane arbitration (IbVlArbiter) chooses its lane, its input has its
 * turn, and there are credits for all of it (IbLink). The rest of it may still be coming in then.
 * When its last bit has left, its room is given back. Nothing is ever dropped for want of room;
 * what is dropped has waited for longer than the limits that the standard sets (IBA volume 1,
 * section 18.2.5.4).
 */
class IbSwitch : public FabricSwitchBase, public FabricQueueLengths, public FabricHolder
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    IbSwitch();
    ~IbSwitch() override;

    /// What forwarding tables say of destinations that cannot be reached.
    static constexpr uint16_t NO_PORT = 0xffff;

    /// Virtual lane of each service level; 15: packets of it are dropped.
    using LaneMap = std::array<uint8_t, 16>;

    // -- what the subnet manager sets

    /// \param table Linear forwarding table: the output port of each destination LID, or NO_PORT.
    void SetLft(std::vector<uint16_t> table);
    /**
     * For adaptive routing.
     * \param groups Groups of ports, each in ascending order and not empty.
     * \param groupOfLid The number of the group of each destination LID; NO_PORT: none, the
     *        forwarding table decides.
     */
    void SetAdaptiveGroups(const std::vector<std::vector<uint16_t>>& groups,
                           std::vector<uint16_t> groupOfLid);
    /// \param map Virtual lane of each service level, whatever the ports.
    void SetSlToVl(const LaneMap& map);
    /**
     * \param inPort A port by which packets come.
     * \param outPort A port by which they leave.
     * \param map Virtual lane of each service level between them.
     */
    void SetSlToVl(uint16_t inPort, uint16_t outPort, const LaneMap& map);

    /**
     * For the bubble rule: ports of the same ring. Without a call all ports towards switches are of
     * one ring.
     * \param port A port towards another switch.
     * \param ring The ring that its cable is part of, for example the dimension of a torus; less
     * than 65535.
     */
    void SetRing(uint16_t port, uint16_t ring);

    /// \param selector Chooses a port of a group for adaptive routing; FabricLeastQueuedSelector
    ///        unless set.
    void SetPathSelector(Ptr<FabricPathSelector> selector);
    /// \param marker Tells of congestion; none unless set. Each switch needs one of its own.
    void SetFecnMarker(Ptr<IbFecnMarker> marker);
    /// \return What tells of congestion, or nullptr.
    Ptr<IbFecnMarker> GetFecnMarker() const;
    int64_t AssignStreams(int64_t stream) override;

    // -- looking

    /**
     * \param output A port.
     * \param lane A virtual lane.
     * \return The packets that wait to leave by it in that lane.
     */
    const IbVoq& GetQueue(uint32_t output, uint8_t lane) const;

    /**
     * \param lid A destination LID.
     * \return The port that the forwarding table has for it, or NO_PORT.
     */
    uint16_t GetOutput(uint16_t lid) const
    {
        return lid < m_lft.size() ? m_lft[lid] : NO_PORT;
    }

    uint64_t GetQueuedBytes(uint16_t port) const override;
    /// \return Packets inside the switch, in all queues.
    uint64_t GetHeld() const;
    /// \return The most bytes that its queues ever held.
    uint64_t GetPeak() const;

    // -- FabricTxSource, FabricRxSink
    FabricFrame* Pull(FabricPort& port, int64_t now, int64_t& next) override;
    void Departed(FabricPort& port, int64_t now) override;
    void Receive(FabricPort& port, FabricFrame* frame, int64_t now) override;
    void LinkChanged(FabricPort& port, bool up, int64_t now) override;

    // -- FabricHolder
    uint32_t GetStopped(uint32_t port) const override;
    bool IsFull(uint32_t port, uint8_t lane) const override;
    void AppendHolds(std::vector<Hold>& holds) const override;
    const char* GetLaneWord() const override;

    /**
     * Signature of the trace sources Enqueue, Dequeue and Mark.
     * \param frame The packet.
     * \param port Number of the output port.
     * \param queueBytes Bytes in the queues of the output and lane, without the packet.
     * \param ps The time in picoseconds.
     */
    typedef void (*QueueTracedCallback)(const FabricFrame* frame,
                                        uint32_t port,
                                        uint64_t queueBytes,
                                        int64_t ps);

  protected:
    void DoDispose() override;

  private:
    /// The limits of waiting, as a timer of the driver.
    class Limits : public FabricDriverUnit
    {
      public:
        /// \param owner Whose limits they are.
        explicit Limits(IbSwitch& owner)
            : m_owner(owner)
        {
        }

        int64_t OnDeadline(FabricDeadline kind, int64_t now) override;

      private:
        IbSwitch& m_owner; //!< the switch
    };

    /// The output side of a port.
    struct Output
    {
        std::vector<IbVoq> lanes;          //!< data lanes
        std::unique_ptr<IbVoq> management; //!< lane 15, made with its first packet
        uint64_t bytes{0};                 //!< in all of them
        uint32_t waiting{0};               //!< lanes with packets
        uint16_t ring{0};                  //!< ring of its cable; NO_PORT: it leads to a host
        int64_t headLife{0};               //!< how long a packet may wait at the head, ps
        uint32_t departingBytes{0};        //!< of the packet that is leaving
        uint16_t departingInput{0};        //!< the port it came by
        uint8_t departingLane{0};          //!< the lane it came by
    };

    void DoAddPort(FabricPort& port) override;
    std::string DoConfigure() override;
    /**
     * \param frame A packet.
     * \return The port to leave by, or NO_PORT.
     */
    uint16_t Route(const FabricFrame& frame);
    /**
     * \param frame A packet.
     * \param output The port it leaves by.
     * \return The lane it leaves by; 15 for data: not at all.
     */
    uint8_t GetLane(const FabricFrame& frame, uint16_t output) const;
    /**
     * \param output A port.
     * \param lane A virtual lane.
     * \return Its queues.
     */
    IbVoq& GetVoq(Output& output, uint8_t lane);
    /**
     * Drops a packet, and gives its room back.
     * \param frame The packet; its ingress and ingressLane are set.
     * \param reason Why.
     * \param now The time in ps.
     */
    void Discard(FabricFrame* frame, FabricDropReason reason, int64_t now);
    /**
     * Takes the next packet out of a queue that has one.
     * \param output The output.
     * \param lane The lane.
     * \return The packet.
     */
    FabricFrame* Take(Output& output, uint8_t lane);
    /**
     * \param frame The packet whose turn it is.
     * \param output Its output.
     * \param link The link layer of the output.
     * \return Bytes that there must be credits for beside the packet.
     */
    uint32_t GetBubble(const FabricFrame& frame, const Output& output, const IbLink& link) const;
    /**
     * Finds the packet of a lane that may start.
     * \param output The output.
     * \param lane A lane with packets.
     * \param link The link layer of the output.
     * \param now The time in ps.
     * \return Whether there is one; it is the one whose turn it is then.
     */
    bool Choose(Output& output, uint8_t lane, IbLink& link, int64_t now);
    /**
     * Takes note that the head of a queue waits for credits.
     * \param voq The queue.
     * \param output Its output.
     * \param now The time in ps.
     */
    void StartWaiting(IbVoq& voq, const Output& output, int64_t now);
    /**
     * Drops what has waited for too long.
     * \param now The time in ps.
     * \return When to look again.
     */
    int64_t Expire(int64_t now);
    /**
     * Drops the heads of a queue that have waited for too long.
     * \param output Its output.
     * \param lane Its lane.
     * \param now The time in ps.
     * \return When to look again.
     */
    int64_t ExpireLane(Output& output, uint8_t lane, int64_t now);
    /**
     * \param frame A packet in the switch.
     * \return When it must have left, ps.
     */
    int64_t GetEndOfLife(const FabricFrame& frame) const;

    std::vector<Output> m_outputs;               //!< by port
    std::vector<IbLink*> m_links;                //!< link layer of each port
    std::vector<uint16_t> m_lft;                 //!< output of each LID
    std::vector<std::vector<uint16_t>> m_groups; //!< adaptive groups
    std::vector<uint16_t> m_groupOfLid;          //!< group of each LID
    LaneMap m_map;                               //!< lane of each service level
    std::vector<uint32_t> m_mapOf;               //!< for in x ports + out: map number + 1, or 0
    std::vector<LaneMap> m_maps;                 //!< maps of particular ports
    Ptr<FabricPathSelector> m_selector;          //!< adaptive routing
    Ptr<IbFecnMarker> m_marker;                  //!< tells of congestion
    Ptr<UniformRandomVariable> m_random;         //!< for the marker
    Limits m_limits;                             //!< timer
    uint32_t m_limitsUnit{0};                    //!< its number at the driver
    int64_t m_expireAt{FABRIC_NEVER};            //!< when it is due, ps
    int64_t m_life{0};                           //!< packet lifetime, ps; FABRIC_NEVER: no limit
    uint64_t m_held{0};                          //!< packets inside
    uint64_t m_bytes{0};                         //!< their bytes
    uint64_t m_peak{0};                          //!< the most of them
    uint32_t m_dataLanes{0};                     //!< data lanes of all ports
    uint32_t m_headerBytes;                      //!< attribute
    uint16_t m_adaptive;                         //!< attribute
    uint8_t m_lifeCode;                          //!< attribute
    uint8_t m_headLifeCode;                      //!< attribute
    uint8_t m_leafHeadLifeCode;                  //!< attribute
    uint8_t m_stallCount;                        //!< attribute
    uint32_t m_managementBuffer;                 //!< attribute
    bool m_bubble;                               //!< attribute
    std::vector<uint16_t> m_rings;               //!< ring of each port, as far as set
    bool m_observed{false};                      //!< a trace source has a listener
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_enqueueTrace; //!< queued
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_dequeueTrace; //!< left
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_markTrace;    //!< marked
};

} // namespace rdma
} // namespace ns3

#endif /* IB_SWITCH_H */
