/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UNRELIABLE_SENDER_H
#define RDMA_UNRELIABLE_SENDER_H

#include "ns3/rdma-connection.h"
#include "ns3/rdma-qp-init-attributes.h"
#include "ns3/rdma-send-wqe.h"
#include "ns3/rdma-tx-job.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The send queue of the services without acknowledgements, UC and UD (IBA volume 1, section 9.8):
 * cuts it into packets; a work request is done when the wire has its last packet.
 */
class RdmaUnreliableSender
{
  public:
    /**
     * \param connection What it shares with the queue pair.
     * \param job Its stream of packets at the NIC.
     * \param service Upper three bits of the opcodes.
     */
    RdmaUnreliableSender(RdmaConnection& connection, RdmaTxJob& job, uint8_t service);

    /// \param init How the queue pair was created.
    void Configure(const RdmaQpInitAttributes& init);
    /// Forgets everything, and numbers packets from the connection's sqPsn on.
    void Reset();
    /**
     * \param request The work request.
     * \param fault SUCCESS, or how it fails when its turn comes.
     * \param now The time in ps.
     * \return 0, or ENOMEM when the queue is full.
     */
    int Post(const RdmaSendWqe& request, RdmaWcStatus fault, int64_t now);
    /// \param request A work request that comes after the send queue has failed.
    void PostFlushed(const RdmaSendWqe& request);
    /**
     * \param now The time in ps; the congestion control has been advanced to it.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet, or nullptr.
     */
    FabricFrame* Build(int64_t now, int64_t& again);
    /**
     * Completes what the wire has.
     * \param now The time in ps.
     * \return When the timer is due next.
     */
    int64_t OnTimer(int64_t now);
    /**
     * Completes everything with an error.
     * \param first Status of the oldest; the rest is flushed.
     */
    void Flush(RdmaWcStatus first);
    /// Begins no work request any more; says so when what was begun is finished.
    void Drain();
    /**
     * Goes on after Drain or an error.
     * \param now The time in ps.
     */
    void Resume(int64_t now);

    /// \return Work requests posted and not completed.
    uint32_t GetOutstanding() const;

  private:
    /// A work request in the queue.
    struct Entry
    {
        RdmaSendWqe request; //!< what is asked
        RdmaWcStatus fault;  //!< SUCCESS, or how it fails
        int64_t ready;       //!< when the NIC can send it, ps
        int64_t sent;        //!< when the wire has it, ps
    };

    /**
     * Appends to the queue.
     * \param request A work request.
     * \param fault SUCCESS, or how it fails.
     * \param now The time in ps.
     */
    void Append(const RdmaSendWqe& request, RdmaWcStatus fault, int64_t now);
    /// \return Whether there is a packet that may be sent but for its time.
    bool HasWork() const;
    /**
     * Tells the NIC, if there is something to send.
     * \param now The time in ps.
     */
    void Kick(int64_t now);
    /// Puts the stream into the priority of the next packet. It must not wait at the NIC.
    void UsePriority();
    /**
     * Gives a datagram its own address.
     * \param to The address.
     * \param frame The packet.
     */
    void Readdress(const RdmaDatagramAddress& to, FabricFrame* frame) const;
    /// Nothing is under way: tells that the queue is drained, or fails for the next request.
    void CheckStop();
    /**
     * \param entry A work request that is over.
     * \param status How it ended.
     * \return false when the completion queue is overrun.
     */
    bool Complete(const Entry& entry, RdmaWcStatus status);

    RdmaConnection& m_connection;           //!< shared with the queue pair
    RdmaTxJob& m_job;                       //!< its stream at the NIC
    Ptr<RdmaCompletionQueue> m_completions; //!< where completions go
    boost::circular_buffer<Entry> m_queue;  //!< work requests, oldest first
    uint64_t m_sequence{0};                 //!< number of the next packet
    uint64_t m_offset{0};                   //!< bytes sent of the message under way
    uint32_t m_sent{0};                     //!< work requests sent and not completed
    uint32_t m_depth{0};                    //!< work requests that fit
    uint32_t m_generation{0};               //!< counts flushes and resets
    uint8_t m_service;                      //!< upper bits of opcodes
    bool m_begun{false};                    //!< whether a message is under way
    bool m_draining{false};                 //!< no request is begun
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_UNRELIABLE_SENDER_H */
