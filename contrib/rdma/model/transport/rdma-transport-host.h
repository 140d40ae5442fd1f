/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_HOST_H
#define RDMA_TRANSPORT_HOST_H

#include "ns3/fabric-frame-pool.h"
#include "ns3/rdma-async-event.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-congestion-pool.h"
#include "ns3/rdma-device-attributes.h"
#include "ns3/rdma-dma.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-tx-job.h"
#include "ns3/rdma-wire-sizes.h"

#include <array>

namespace ns3
{
namespace rdma
{

class RdmaQueuePair;

/// \ingroup rdma What a NIC counts, with the names of the counters of Linux drivers.
struct RdmaCounters
{
    uint64_t outOfSequence{0};           //!< out_of_sequence: requests received ahead of their turn
    uint64_t packetSeqErr{0};            //!< packet_seq_err: NAKs for a sequence error received
    uint64_t impliedNakSeqErr{0};        //!< implied_nak_seq_err: read responses that were missing
    uint64_t localAckTimeoutErr{0};      //!< local_ack_timeout_err: timers that expired
    uint64_t rnrNakRetryErr{0};          //!< rnr_nak_retry_err: RNR NAKs received
    uint64_t duplicateRequest{0};        //!< duplicate_request: requests received again
    uint64_t outOfBuffer{0};             //!< out_of_buffer: requests without a receive for them
    uint64_t rxWriteRequests{0};         //!< rx_write_requests: WRITEs begun
    uint64_t rxReadRequests{0};          //!< rx_read_requests: READ requests executed
    uint64_t rxAtomicRequests{0};        //!< rx_atomic_requests: atomics executed
    uint64_t reqCqeError{0};             //!< req_cqe_error: work requests that failed
    uint64_t reqCqeFlushError{0};        //!< req_cqe_flush_error: work requests flushed
    uint64_t reqRemoteAccessErrors{0};   //!< req_remote_access_errors: NAKs for access received
    uint64_t reqRemoteInvalidRequest{0}; //!< req_remote_invalid_request: NAKs for invalid ones
    uint64_t respCqeError{0};            //!< resp_cqe_error: receives that failed
    uint64_t respCqeFlushError{0};       //!< resp_cqe_flush_error: receives flushed
    uint64_t respLocalLengthError{0};    //!< resp_local_length_error: SENDs that did not fit
    uint64_t respRemoteAccessErrors{0};  //!< resp_remote_access_errors: NAKs for access sent
    uint64_t roceAdpRetransTo{0};        //!< roce_adp_retrans_to: adaptive timers that expired
    uint64_t npCnpSent{0};               //!< np_cnp_sent: CNPs sent
    uint64_t npEcnMarked{0};             //!< np_ecn_marked_roce_packets: packets with CE or FECN
    uint64_t rpCnpHandled{0};            //!< rp_cnp_handled: CNPs and BECNs received and acted on
    uint64_t dataPackets{0};             //!< requests and read responses with payload sent
    uint64_t dataBytes{0};               //!< their payload
    uint64_t retransmittedPackets{0};    //!< requests sent again
    uint64_t ackPackets{0};              //!< ACKs and NAKs sent
    uint64_t deliveredBytes{0};          //!< payload placed in order, requests and read responses
    uint64_t deliveredMessages{0};       //!< messages placed whole
    uint64_t droppedMessages{0};         //!< messages of UC and UD that could not be placed
    uint64_t qkeyViolations{0};          //!< qkey_viol_cntr: datagrams with another Q_Key
};

/// \ingroup rdma What the transport of all queue pairs of a NIC works with.
struct RdmaHostState
{
    FabricFramePool* pool{nullptr}; //!< where frames come from
    RdmaMemoryTable memory;         //!< memory regions
    RdmaCounters counters;          //!< statistics
    RdmaCongestionPool congestion;  //!< what congestion controls share
    RdmaDeviceAttributes limits;    //!< what the NIC can do
    uint64_t lineRate{0};           //!< rate of the port, bit/s
    uint32_t overhead{0};           //!< bytes of wire time beside a frame
    uint32_t endpoint{0};           //!< the NIC's endpoint number
    uint32_t ackInterval{0};        //!< an ACK is asked for at least every so many packets
    int64_t cnpInterval{0};         //!< least time between two CNPs of a queue pair, ps
    int64_t cnpDelay{0};            //!< time from a mark to its CNP, ps
    int64_t doorbellDelay{0};       //!< time from a post to its first packet, ps
    int64_t transmitLatency{0};     //!< time that a packet without payload needs to the wire, ps
    RdmaDma* dma{nullptr};          //!< way to host memory; nullptr: it takes no time
    /// What packets are wrapped in.
    RdmaEncapsulation encapsulation{RdmaEncapsulation::ROCE_V2_IPV4};
    bool cnpHoldMarks{true};     //!< whether marks within that interval make a CNP at its end
    bool cnpOnReordering{false}; //!< whether packets ahead of their turn make CNPs
    uint8_t cnpPriority{0};      //!< 802.1p priority of CNPs
    uint8_t ackPriority{0};      //!< of ACKs; FABRIC_PRIORITIES: as the data

    /// \return How many priorities there are; on InfiniBand service levels.
    uint8_t GetPriorities() const
    {
        return IsInfiniBand(encapsulation) ? 16 : FABRIC_PRIORITIES;
    }
};

/**
 * \ingroup rdma
 * What a queue pair asks of its NIC.
 */
class RdmaTransportHost
{
  public:
    virtual ~RdmaTransportHost() = default;
    /**
     * A job has something to send.
     * \param job The job.
     * \param when From when on, in ps.
     * \param now The time in ps.
     */
    virtual void Ready(RdmaTxJob& job, int64_t when, int64_t now) = 0;
    /**
     * A job must not be asked any more until it is ready again.
     * \param job The job.
     */
    virtual void Withdraw(RdmaTxJob& job) = 0;
    /**
     * Calls RdmaQueuePair::OnTimer at a time.
     * \param queuePair The queue pair.
     * \param when The time in ps.
     */
    virtual void ArmTimer(RdmaQueuePair& queuePair, int64_t when) = 0;
    /**
     * Calls RdmaSrdTransport::OnTimer no later than at a time.
     * \param when The time in ps.
     */
    virtual void ArmSrdTimer(int64_t when) = 0;
    /**
     * A message has been placed whole at its destination.
     * \param queuePair The queue pair that received it.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    virtual void MessageDelivered(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now) = 0;
    /**
     * A work request is over.
     * \param queue Where its completion goes, now or when the host can see it.
     * \param completion The completion.
     * \return false when there was no room for it.
     */
    virtual bool Complete(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion) = 0;

    /// Bytes in front of each datagram that is received (IBA volume 1, section 11.4.1.2).
    static constexpr uint32_t GRH_SPACE = 40;
    /**
     * \param frame A packet that has come.
     * \param [out] header The global route header, or the IPv6 header in its place; or, as NICs do
     *        it, 20 bytes that are left as they were and the IPv4 header.
     * \return Whether the packet has any of these.
     */
    virtual bool GetGlobalHeader(const FabricFrame& frame,
                                 std::array<uint8_t, GRH_SPACE>& header) const = 0;

    /**
     * Something that no completion can tell.
     * \param event What.
     */
    virtual void AsyncEvent(const RdmaAsyncEvent& event) = 0;

    /// \return What the queue pairs share.
    RdmaHostState& GetState()
    {
        return m_state;
    }

    /// \return What the queue pairs share.
    const RdmaHostState& GetState() const
    {
        return m_state;
    }

  private:
    RdmaHostState m_state; //!< shared state
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_TRANSPORT_HOST_H */
