/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "ns3/fabric-net-device.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/rdma-host-interface.h"
#include "ns3/rdma-qp-scheduler.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdma-srd-transport.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * An RDMA network adapter: the table of queue pairs, the scheduling of their packets onto one
 * FabricNetDevice, and their timers. Aggregated to nothing: a node has one per device.
 *
 * A packet is built when the port asks for it, so nothing waits inside the NIC. RDMA data and
 * packets of ns-3's network stack share the port half and half, by bytes, when both have something
 * to send; acknowledgements and CNPs go by their priority.
 */
class RdmaNic : public Object,
                public RdmaTransportHost,
                public RdmaHostInterfaceClient,
                public FabricTxSource,
                public FabricRxSink,
                public FabricDriverUnit
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaNic();
    ~RdmaNic() override;

    /**
     * \param hostInterface The delays between programs and the NIC, which has none without one; set
     *        before Attach.
     */
    void SetHostInterface(Ptr<RdmaHostInterface> hostInterface);
    /// \return The delays between programs and the NIC, or nullptr.
    Ptr<RdmaHostInterface> GetHostInterface() const;
    /// \param device A device of a host; plugged in or not. Called once.
    void Attach(Ptr<FabricNetDevice> device);
    /// \param factory Makes the congestion control of queue pairs that bring none.
    void SetCongestionControl(const ObjectFactory& factory);
    /// \param factory Makes the loss recovery of queue pairs that bring none.
    void SetLossRecovery(const ObjectFactory& factory);

    /**
     * ibv_create_qp.
     * \param init Attributes; domain and completion queues are needed.
     * \return The queue pair, nullptr when something is missing (EINVAL) or more than the NIC can
     * do (ENOMEM).
     */
    Ptr<RdmaQueuePair> CreateQueuePair(const RdmaQpInitAttributes& init);
    /**
     * ibv_destroy_qp: its work is discarded without completions.
     * \param queuePair A queue pair of this NIC.
     */
    void DestroyQueuePair(Ptr<RdmaQueuePair> queuePair);
    /**
     * \param number A queue pair number.
     * \return The queue pair, or nullptr.
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t number) const;
    /**
     * A completion queue is overrun: says so, and its queue pairs fail.
     * \param completionQueue The completion queue.
     */
    void CompletionQueueFailed(RdmaCompletionQueue* completionQueue);
    /// \return How many queue pairs there are.
    uint32_t GetNQueuePairs() const;

    /// \param factory Makes the SRD transport, before it is first used.
    void SetSrdTransport(const ObjectFactory& factory);
    /// \return The SRD transport, made on first use. Without it the NIC takes no SRD packets.
    Ptr<RdmaSrdTransport> GetSrdTransport();

    /// \return The device.
    Ptr<FabricNetDevice> GetDevice() const;
    /// \return The counters.
    const RdmaCounters& GetCounters() const;

    // -- RdmaTransportHost
    void Ready(RdmaTxJob& job, int64_t when, int64_t now) override;
    void Withdraw(RdmaTxJob& job) override;
    void ArmTimer(RdmaQueuePair& queuePair, int64_t when) override;
    void ArmSrdTimer(int64_t when) override;
    void MessageDelivered(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now) override;
    bool Complete(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion) override;
    bool GetGlobalHeader(const FabricFrame& frame,
                         std::array<uint8_t, GRH_SPACE>& header) const override;
    // -- RdmaHostInterfaceClient
    void CompletionLost(uint32_t number) override;
    void MessageInMemory(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now) override;
    void AsyncEvent(const RdmaAsyncEvent& event) override;
    // -- FabricTxSource, FabricRxSink, FabricDriverUnit
    FabricFrame* Pull(FabricPort& port, int64_t now, int64_t& next) override;
    void Receive(FabricPort& port, FabricFrame* frame, int64_t now) override;
    void LinkChanged(FabricPort& port, bool up, int64_t now) override;
    int64_t OnDeadline(FabricDeadline kind, int64_t now) override;

    /**
     * Signature of the trace source MessageDelivered.
     * \param queuePair The receiving queue pair.
     * \param bytes Length of the message.
     * \param ps The time in picoseconds.
     */
    typedef void (*MessageTracedCallback)(const RdmaQueuePair* queuePair,
                                          uint64_t bytes,
                                          int64_t ps);

    /**
     * Signature of the trace source AsyncEvent.
     * \param event What happened.
     */
    typedef void (*AsyncEventTracedCallback)(const RdmaAsyncEvent& event);

  protected:
    void DoDispose() override;

  private:
    /// A timer of a queue pair.
    struct Timer
    {
        int64_t when;    //!< its time, ps
        uint32_t number; //!< the queue pair

        /**
         * \param other Another.
         * \return Whether this one comes later; at equal times the lower number is first.
         */
        bool operator<(const Timer& other) const
        {
            return when != other.when ? when > other.when : number > other.number;
        }
    };

    /**
     * \param now The time in ps.
     * \return The next RDMA packet, or nullptr.
     */
    FabricFrame* PullRdma(int64_t now);
    /**
     * Calls the listeners of the trace source.
     * \param event What happened.
     */
    void TellEvent(const RdmaAsyncEvent& event);

    /// \param when A timer has to be looked at no later, ps.
    void ArmTimerAt(int64_t when);

    /**
     * On InfiniBand: gives a packet that was built its place in the subnet.
     * \param frame The packet; its priority is its service level.
     * \param lane The virtual lane that it leaves by.
     */
    void Address(FabricFrame& frame, uint32_t lane);

    /**
     * \param number A queue pair number.
     * \return The queue pair, or nullptr.
     */
    RdmaQueuePair* Find(uint32_t number) const
    {
        const uint32_t index = number - FIRST_NUMBER;
        return index < m_queuePairs.size() ? PeekPointer(m_queuePairs[index]) : nullptr;
    }

    /// Number of the first queue pair; 0 and 1 are special in InfiniBand.
    static constexpr uint32_t FIRST_NUMBER = 17;

    Ptr<FabricNetDevice> m_device;                //!< the port's device
    Ptr<RdmaHostInterface> m_hostInterface;       //!< delays of the host; nullptr: none
    FabricPort* m_port{nullptr};                  //!< the port
    IbLink* m_ibLink{nullptr};                    //!< its link layer, on InfiniBand
    RdmaQpScheduler m_scheduler;                  //!< who sends next
    std::vector<Ptr<RdmaQueuePair>> m_queuePairs; //!< by number
    std::vector<Timer> m_timers;                  //!< heap, earliest first
    ObjectFactory m_congestionFactory;            //!< makes congestion controls
    ObjectFactory m_srdFactory;                   //!< makes the SRD transport
    Ptr<RdmaSrdTransport> m_srd;                  //!< the SRD transport, or nullptr
    ObjectFactory m_recoveryFactory;              //!< makes loss recoveries
    int64_t m_balance{0};                         //!< RDMA bytes sent more than packet bytes
    uint32_t m_unit{0};                           //!< number at the driver, for timers
    uint32_t m_live{0};                           //!< queue pairs that exist
    uint32_t m_ackInterval;                       //!< packets per ACK at most
    Time m_cnpInterval;                           //!< between CNPs of a queue pair
    Time m_cnpDelay;                              //!< from mark to CNP
    Time m_doorbellDelay;                         //!< from post to packet
    uint32_t m_maxQp;                             //!< queue pairs that there may be
    uint32_t m_maxQpWr;    //!< work requests that a send or a receive queue may hold
    uint32_t m_maxSge;     //!< pieces of memory that a work request may have
    uint32_t m_maxCqe;     //!< completions that a completion queue may hold
    uint32_t m_maxMr;      //!< memory regions that there may be
    uint32_t m_maxSrqWr;   //!< receives that a shared receive queue may hold
    uint32_t m_maxInline;  //!< bytes that may be posted inline
    uint8_t m_maxRdAtomic; //!< reads and atomics that a queue pair may have under way
    uint8_t m_cnpPriority;                        //!< priority of CNPs
    uint8_t m_ackPriority;                        //!< priority of ACKs
    bool m_cnpHoldMarks;                          //!< marks in an interval make a CNP at its end
    bool m_cnpOnReordering;                       //!< CNPs for packets ahead of their turn
    bool m_observed{false};                       //!< a trace source has a listener
    FabricTrace<const RdmaQueuePair*, uint64_t, int64_t> m_deliveredTrace; //!< message placed
    TracedCallback<const RdmaAsyncEvent&> m_eventTrace;                    //!< asynchronous events
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_NIC_H */
