/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_TRANSPORT_H
#define RDMA_SRD_TRANSPORT_H

#include "ns3/fabric-flow-hash.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/rdma-srd-parameters.h"
#include "ns3/rdma-srd-peer.h"
#include "ns3/rdma-srd-queue-pair.h"
#include "ns3/rdma-transport-host.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The SRD side of a NIC: its SRD queue pairs, the contexts of its peers, and their timers. The
 * attributes are those of all peers; they count from the first queue pair or packet on.
 */
class RdmaSrdTransport : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaSrdTransport();
    ~RdmaSrdTransport() override;

    /**
     * Called once, by the NIC.
     * \param host The NIC.
     */
    void Attach(RdmaTransportHost& host);
    /// \param factory Makes the congestion control of each peer.
    void SetCongestionControl(const ObjectFactory& factory);
    /// \param factory Makes the path policy of each peer.
    void SetPathPolicy(const ObjectFactory& factory);

    /**
     * ibv_create_qp.
     * \param init Attributes; domain and completion queues are needed.
     * \return A queue pair in state RESET; nullptr when something is missing, a value is out of
     *         range, or there are no numbers left (EINVAL).
     */
    Ptr<RdmaSrdQueuePair> CreateQueuePair(const RdmaSrdQpInitAttributes& init);
    /**
     * ibv_destroy_qp: its work is discarded without completions. Packets for it that come later
     * are refused, even when a new queue pair has its number, unless that has its key as well.
     * \param queuePair A queue pair of this NIC.
     */
    void DestroyQueuePair(Ptr<RdmaSrdQueuePair> queuePair);
    /**
     * ibv_create_ah.
     * \param endpoint Endpoint number of the remote NIC.
     * \return An address handle.
     */
    Ptr<RdmaSrdAddressHandle> CreateAddressHandle(uint32_t endpoint);
    /**
     * ibv_destroy_ah: work requests with it end with INVALID_AH.
     * \param handle An address handle of this NIC.
     */
    void DestroyAddressHandle(Ptr<RdmaSrdAddressHandle> handle);

    /// \param number A queue pair number. \return The queue pair, or nullptr.
    Ptr<RdmaSrdQueuePair> GetQueuePair(uint32_t number) const;
    /// \param endpoint Endpoint number of a NIC. \return Its context, or nullptr.
    RdmaSrdPeer* FindPeer(uint32_t endpoint) const;
    /// \return How many contexts there are.
    uint32_t GetNPeers() const;

    /// \return The counters.
    const RdmaSrdCounters& GetCounters() const
    {
        return m_counters;
    }

    // -- for the NIC

    /**
     * \param frame A frame of kind SRD for this NIC; the caller frees it.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    /**
     * Does what is due.
     * \param now The time in ps.
     * \return When a timer is due next.
     */
    int64_t OnTimer(int64_t now);

    // -- for queue pairs and peers

    /**
     * \param wanted A message, all set but number and sender.
     * \param endpoint Where it goes.
     * \param now The time in ps.
     */
    void Post(const RdmaSrdMessage& wanted, uint32_t endpoint, int64_t now);
    /**
     * Ends messages before their time.
     * \param which Says of each whether it is meant.
     * \param status How they end.
     * \param now The time in ps.
     */
    void EndMessages(const std::function<bool(const RdmaSrdMessage&)>& which,
                     RdmaSrdStatus status,
                     int64_t now);
    /**
     * Ends all work of a queue pair as flushed.
     * \param queuePair The queue pair.
     * \param now The time in ps.
     */
    void Flush(RdmaSrdQueuePair& queuePair, int64_t now);
    /**
     * Ends all work of a queue pair without completions.
     * \param queuePair The queue pair.
     * \param now The time in ps.
     */
    void Forget(RdmaSrdQueuePair& queuePair, int64_t now);
    /**
     * Calls RdmaSrdPeer::OnTimer at a time.
     * \param peer The peer.
     * \param when The time in ps.
     */
    void ArmTimer(RdmaSrdPeer& peer, int64_t when);
    /// \return A congestion control.
    Ptr<RdmaCongestionOps> MakeCongestion() const;
    /// \return A path policy.
    Ptr<RdmaPathPolicy> MakePathPolicy() const;

    /// \return The NIC.
    RdmaTransportHost& GetHost() const
    {
        return *m_host;
    }

    /// \return The attributes.
    const RdmaSrdParameters& GetParameters() const
    {
        return m_parameters;
    }

    /// \return The counters.
    RdmaSrdCounters& GetCounters()
    {
        return m_counters;
    }

    /// \return The messages.
    RdmaSrdMessageTable& GetMessages()
    {
        return m_messages;
    }

    /**
     * Payload is placed in memory.
     * \param frame The packet.
     * \param now The time in ps.
     */
    void Placed(const FabricFrame& frame, int64_t now)
    {
        m_counters.deliveredBytes += frame.payload;
        if (!m_placedTrace.IsEmpty())
        {
            m_placedTrace(&frame, now);
        }
    }

    /**
     * A packet is sent again.
     * \param frame The packet.
     * \param now The time in ps.
     */
    void Retransmitted(const FabricFrame& frame, int64_t now)
    {
        if (!m_retransmissionTrace.IsEmpty())
        {
            m_retransmissionTrace(&frame, now);
        }
    }

    /**
     * Signature of the trace sources Placed and Retransmission.
     * \param frame The packet.
     * \param ps The time in picoseconds.
     */
    typedef void (*FrameTracedCallback)(const FabricFrame* frame, int64_t ps);

  protected:
    void DoDispose() override;

  private:
    /// A timer of a peer.
    struct Timer
    {
        int64_t when;      //!< its time, ps
        uint32_t endpoint; //!< the peer

        /**
         * \param other Another.
         * \return Whether this one comes later; at equal times the lower number is first.
         */
        bool operator<(const Timer& other) const
        {
            return when != other.when ? when > other.when : endpoint > other.endpoint;
        }
    };

    /// Number of the first queue pair.
    static constexpr uint32_t FIRST_NUMBER = 1;
    /// How many there are at most: numbers have 16 bits.
    static constexpr uint32_t MAX_QUEUE_PAIRS = 0xffff - FIRST_NUMBER;

    /// \param endpoint Endpoint number of a NIC. \return Its context, made when there is none.
    RdmaSrdPeer& GetPeer(uint32_t endpoint);
    /**
     * \param endpoint Endpoint number of a NIC.
     * \return Its place in the table of peers, or the free one where it belongs.
     */
    std::size_t FindSlot(uint32_t endpoint) const;
    /// What a queue pair was answering is broken off. \param queuePair The queue pair.
    void AbortAnswers(const RdmaSrdQueuePair& queuePair);

    RdmaTransportHost* m_host{nullptr};                //!< the NIC
    RdmaSrdParameters m_parameters;                    //!< attributes in ps
    RdmaSrdCounters m_counters;                        //!< statistics
    RdmaSrdMessageTable m_messages;                    //!< messages
    std::vector<Ptr<RdmaSrdQueuePair>> m_queuePairs;   //!< by number
    std::vector<uint32_t> m_unused;                    //!< numbers of destroyed queue pairs
    std::vector<std::unique_ptr<RdmaSrdPeer>> m_peers; //!< hash table by endpoint, a power of two
    std::vector<Timer> m_timers;                       //!< heap, earliest first
    ObjectFactory m_congestionFactory;                 //!< makes congestion controls
    ObjectFactory m_policyFactory;                     //!< makes path policies
    Time m_minTimeout;                                 //!< least retransmission timeout
    Time m_maxTimeout;                                 //!< longest
    Time m_firstTimeout;                               //!< the first
    Time m_reordering;                                 //!< by how much packets overtake
    Time m_unresponsive;                               //!< patience with a silent peer
    Time m_receiverDelay;                              //!< wait after receiver-not-ready
    uint64_t m_maxInFlight;                            //!< bytes in flight to a peer
    uint32_t m_mtu;                                    //!< payload bytes of a packet
    uint32_t m_lossThreshold;                          //!< later packets that make a loss
    uint32_t m_maxSpan;                                //!< packets, oldest to newest
    uint8_t m_priority;                                //!< of data
    uint8_t m_ackPriority;                             //!< of acknowledgements
    uint32_t m_live{0};                                //!< peers
    TracedCallback<const FabricFrame*, int64_t> m_placedTrace;         //!< payload placed
    TracedCallback<const FabricFrame*, int64_t> m_retransmissionTrace; //!< packet sent again
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_TRANSPORT_H */
