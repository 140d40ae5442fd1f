/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_QUEUE_PAIR_H
#define RDMA_SRD_QUEUE_PAIR_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-srd-message.h"
#include "ns3/rdma-srd-verbs.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace rdma
{

class RdmaSrdTransport;

/**
 * \ingroup rdma
 * An SRD queue pair: reliable datagrams without order, to as many peers as there are address
 * handles. What is on its way belongs to the contexts of the peers; the queue pair has only its
 * receives and its counts.
 */
class RdmaSrdQueuePair : public SimpleRefCount<RdmaSrdQueuePair>
{
  public:
    /**
     * Made by RdmaSrdTransport::CreateQueuePair.
     * \param transport The transport of the NIC.
     * \param number The number.
     * \param init Attributes of creation, all set.
     */
    RdmaSrdQueuePair(RdmaSrdTransport& transport,
                     uint16_t number,
                     const RdmaSrdQpInitAttributes& init);

    /**
     * ibv_modify_qp, the state alone: RESET to INIT to RTR to RTS, ERR from any, RESET from any.
     * \param state The new state.
     * \return 0; or EINVAL, with nothing changed, when the transition is not allowed.
     */
    int Modify(RdmaQpState state);
    /**
     * ibv_post_send. What is wrong with the request itself makes it complete with an error.
     * \param request The work request.
     * \return 0; EINVAL in a state before RTS, or for memory of several pieces; ENOMEM when the
     * queue is full. In the error state it is accepted and flushed.
     */
    int PostSend(const RdmaSrdSendWr& request);
    /**
     * ibv_post_recv.
     * \param request The receive.
     * \return 0; EINVAL in state RESET, or for memory of several pieces; ENOMEM when the queue is
     * full. In the error state it is accepted and flushed.
     */
    int PostRecv(const RdmaRecvWr& request);

    /// \return The number, 16 bit.
    uint16_t GetNumber() const
    {
        return m_number;
    }

    /// \return The key that packets for it must have.
    uint32_t GetConnectionKey() const
    {
        return m_init.connectionKey;
    }

    /// \return The state.
    RdmaQpState GetState() const
    {
        return m_state;
    }

    /// \return Work requests posted and not completed.
    uint32_t GetOutstanding() const
    {
        return m_outstanding;
    }

    /// \return Receives posted and not consumed.
    uint32_t GetPostedReceives() const
    {
        return static_cast<uint32_t>(m_receives.size());
    }

    // -- for the peers

    /**
     * \param key The connection key of a packet.
     * \return Whether it takes such packets now.
     */
    bool Takes(uint32_t key) const
    {
        return key == m_init.connectionKey &&
               (m_state == RdmaQpState::RTR || m_state == RdmaQpState::RTS);
    }

    /**
     * \param frame A write, or read request.
     * \param right The right that it needs.
     * \return Whether its memory may be accessed so.
     */
    bool IsAllowed(const FabricFrame& frame, uint32_t right) const;
    /**
     * \param frame A send.
     * \param now The time in ps.
     * \return OK, or why it is refused.
     */
    RdmaSrdStatus ReceiveSend(const FabricFrame& frame, int64_t now);
    /// \param frame Any packet of a write with immediate data that is whole.
    void ReceiveImmediate(const FabricFrame& frame);
    /**
     * A work request has ended.
     * \param message What it was.
     * \param status How.
     */
    void CompleteSend(const RdmaSrdMessage& message, RdmaSrdStatus status);
    /// It is destroyed, or the NIC goes away: nothing is called any more.
    void Detach();

  private:
    /**
     * A receive has ended.
     * \param status How.
     * \param opcode Of the completion.
     * \param wrId Of the receive.
     * \param frame The packet; nullptr: none.
     */
    void CompleteReceive(RdmaSrdStatus status,
                         RdmaWcOpcode opcode,
                         uint64_t wrId,
                         const FabricFrame* frame);
    /**
     * \param queue A completion queue.
     * \param completion For it. When there is no room the queue pair fails.
     */
    void Push(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion);
    /**
     * \param request A work request.
     * \return What is wrong with it, or OK.
     */
    RdmaSrdStatus Check(const RdmaSrdSendWr& request) const;
    /// Goes into the error state: all that is posted is flushed.
    void EnterError();
    /// Flushes all receives.
    void FlushReceives();

    RdmaSrdTransport& m_transport;                 //!< the transport of the NIC
    RdmaSrdQpInitAttributes m_init;                //!< attributes
    boost::circular_buffer<RdmaRecvWr> m_receives; //!< receives, oldest first
    uint32_t m_outstanding{0};                     //!< work requests under way
    uint16_t m_number;                             //!< number
    RdmaQpState m_state{RdmaQpState::RESET};       //!< state
    bool m_detached{false};                        //!< whether it was destroyed
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_QUEUE_PAIR_H */
