/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "ns3/fabric-buffer-policy.h"
#include "ns3/fabric-egress-port.h"
#include "ns3/fabric-forwarding-table.h"
#include "ns3/fabric-holder.h"
#include "ns3/fabric-path-selector.h"
#include "ns3/fabric-switch-base.h"
#include "ns3/object-factory.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A shared-memory, output-queued, store-and-forward Ethernet switch. Aggregate it to a Node and
 * give it FabricNetDevices as ports.
 *
 * It only wires its stages, in this order: a frame that has come in whole spends the latency in the
 * ingress pipeline; it is looked up (FabricForwardingTable), a path is chosen (FabricPathSelector),
 * the buffer takes it or not (FabricBufferPolicy, which may stop the sender), and it waits in the
 * lane of its priority (FabricEgressPort). When its port pulls it, it is marked (FabricMarker), its
 * room is given back (which may let a sender go on), and it goes onto the wire.
 */
class FabricSwitch : public FabricSwitchBase,
                     public FabricBufferListener,
                     public FabricHolder,
                     public FabricQueueLengths
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricSwitch();
    ~FabricSwitch() override;

    // -- configuration, before the simulation starts

    /// \param policy Who gets room in the buffer; FabricDynamicBuffer unless set.
    void SetBufferPolicy(Ptr<FabricBufferPolicy> policy);
    /// \param selector Who chooses among equal paths; FabricEcmpSelector unless set.
    void SetPathSelector(Ptr<FabricPathSelector> selector);
    /// \param factory Makes the scheduler of each port; FabricStrictScheduler unless set.
    void SetEgressScheduler(const ObjectFactory& factory);
    /// \param factory Makes the marker of each port; FabricMarker (none) unless set.
    void SetMarker(const ObjectFactory& factory);
    int64_t AssignStreams(int64_t stream) override;

    // -- forwarding

    /// \return The table, for whoever computes the routes.
    FabricForwardingTable& GetTable();
    /**
     * \param ports Ports that broadcasts go out by: a tree, so that nothing circles.
     */
    void SetFloodPorts(const std::vector<uint16_t>& ports);

    // -- looking

    /**
     * \param port A port number.
     * \return Its output side. Only after the simulation has started.
     */
    const FabricEgressPort& GetEgress(uint32_t port) const;
    uint64_t GetQueuedBytes(uint16_t port) const override;
    /// \return The buffer policy.
    Ptr<FabricBufferPolicy> GetBufferPolicy() const;

    // -- FabricTxSource, FabricRxSink, FabricBufferListener
    FabricFrame* Pull(FabricPort& port, int64_t now, int64_t& next) override;
    void Receive(FabricPort& port, FabricFrame* frame, int64_t now) override;
    void LinkChanged(FabricPort& port, bool up, int64_t now) override;
    void IngressFull(uint32_t port, uint8_t lane, bool full, int64_t now) override;

    // -- FabricHolder
    uint32_t GetStopped(uint32_t port) const override;
    bool IsFull(uint32_t port, uint8_t lane) const override;
    void AppendHolds(std::vector<Hold>& holds) const override;
    const char* GetLaneWord() const override;

    /**
     * Signature of the trace sources Enqueue, Dequeue and Mark.
     * \param frame The frame.
     * \param port Number of the egress port.
     * \param queueBytes Bytes in the frame's lane of that port, without the frame.
     * \param ps The time in picoseconds.
     */
    typedef void (*QueueTracedCallback)(const FabricFrame* frame,
                                        uint32_t port,
                                        uint64_t queueBytes,
                                        int64_t ps);

  protected:
    void DoDispose() override;

  private:
    std::string DoConfigure() override;
    /**
     * Takes a frame into the buffer and queues it, or drops it.
     * \param frame The frame.
     * \param egress Port to leave by.
     * \param now The time in ps.
     */
    [[gnu::always_inline]] void Forward(FabricFrame* frame, uint32_t egress, int64_t now);
    /**
     * Sends a copy of a frame by every flood port but the one it came by.
     * \param frame The frame.
     * \param now The time in ps.
     */
    void Flood(FabricFrame* frame, int64_t now);
    /// \param frame A frame. \return Whether it is an RDMA packet from one subnet to another.
    bool CrossesSubnets(const FabricFrame& frame) const;

    std::vector<FabricEgressPort> m_egress; //!< output side of each
    FabricForwardingTable m_table;          //!< endpoint to ports
    std::vector<uint16_t> m_flood;          //!< ports for broadcasts
    Ptr<FabricBufferPolicy> m_buffer;       //!< who gets room
    Ptr<FabricPathSelector> m_selector;     //!< chooses among equal paths
    Ptr<UniformRandomVariable> m_random;    //!< for the markers
    ObjectFactory m_schedulerFactory;       //!< makes schedulers
    ObjectFactory m_markerFactory;          //!< makes markers
    uint32_t m_maxFrame;                    //!< longest frame in bytes
    uint32_t m_seed;                        //!< for the path selector; 0: the node id
    bool m_observed{false};                 //!< whether a trace source has a listener
    bool m_roceV1{false};                   //!< whether RDMA packets are RoCEv1
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_enqueueTrace; //!< queued
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_dequeueTrace; //!< left
    FabricTrace<const FabricFrame*, uint32_t, uint64_t, int64_t> m_markTrace;    //!< marked
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_SWITCH_H */
