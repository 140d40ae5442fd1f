/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "ns3/rdma-notification-point.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-requester.h"
#include "ns3/rdma-responder.h"
#include "ns3/simple-ref-count.h"

#include <array>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a queue pair is created with (ibv_qp_init_attr).
struct RdmaQpInitAttributes
{
    Ptr<RdmaProtectionDomain> domain;  //!< protection domain
    Ptr<RdmaCompletionQueue> sendCq;   //!< completions of the send queue
    Ptr<RdmaCompletionQueue> recvCq;   //!< completions of the receive queue
    uint32_t maxSendWr{128};           //!< work requests that may be outstanding
    uint32_t maxRecvWr{128};           //!< receives that may be posted
    uint32_t maxInlineData{0};         //!< bytes that a work request may have inline
    Ptr<RdmaCongestionOps> congestion; //!< congestion control; nullptr: as the NIC says
    uint64_t window{0};                //!< bytes that may be unacknowledged; 0: no limit
};

/**
 * \ingroup rdma
 * A queue pair of the reliable connection service (ibv_qp; IBA volume 1, sections 9.7 and 10.3):
 * the state machine, and the way of packets to requester, responder and notification point.
 */
class RdmaQueuePair : public SimpleRefCount<RdmaQueuePair>, public RdmaConnection
{
  public:
    /**
     * Made by RdmaNic::CreateQueuePair.
     * \param host The NIC.
     * \param number The number.
     * \param init Attributes of creation, all set.
     */
    RdmaQueuePair(RdmaTransportHost& host, uint32_t number, const RdmaQpInitAttributes& init);
    ~RdmaQueuePair() override;

    /**
     * ibv_modify_qp.
     * \param attributes New values.
     * \param mask Which of them count, RdmaQpAttrMask bits.
     * \param now The time in ps.
     * \return 0; or EINVAL, with nothing changed, when the transition is not allowed, attributes
     *         that it needs are missing, or a value is out of range.
     */
    int Modify(const RdmaQpAttributes& attributes, uint32_t mask, int64_t now);
    /**
     * ibv_post_send.
     * \param request The work request.
     * \return 0; EINVAL in a state before RTS or for a bad request; ENOMEM when the queue is full.
     *         In the error state it is accepted and flushed. A key that does not allow the access
     * makes it complete with LOC_PROT_ERR, in its turn.
     */
    int PostSend(const RdmaSendWr& request);
    /**
     * ibv_post_recv.
     * \param request The receive.
     * \return 0; EINVAL in state RESET; ENOMEM when the queue is full. In the error state it is
     *         accepted and flushed. A key that does not allow the access makes it complete with
     *         LOC_PROT_ERR when a message comes for it.
     */
    int PostRecv(const RdmaRecvWr& request);

    /// \return The state.
    RdmaQpState GetState() const
    {
        return m_attributes.state;
    }

    /// \return The sending half.
    const RdmaRequester& GetRequester() const
    {
        return m_requester;
    }

    /// \return The receiving half.
    const RdmaResponder& GetResponder() const
    {
        return m_responder;
    }

    /// \return UDP source port of its packets.
    uint16_t GetSourcePort() const;

    // -- for the NIC

    /**
     * \param opcode BTH opcode of a packet for this queue pair.
     * \return Whether its state takes such packets; only a requester waits for answers.
     */
    bool Takes(uint8_t opcode) const
    {
        return m_attributes.state == RdmaQpState::RTS ||
               (m_attributes.state == RdmaQpState::RTR &&
                OpcodeHas(opcode, OPCODE_REQUEST | OPCODE_CNP));
    }

    /**
     * \param frame A packet that it takes; the caller frees it.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    /**
     * \param job One of its streams.
     * \param now The time in ps.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet of the stream, or nullptr.
     */
    FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again);
    /**
     * The timer set by RdmaTransportHost::ArmTimer is due.
     * \param now The time in ps.
     */
    void OnTimer(int64_t now);

    /**
     * \param now The time in ps.
     * \return Whether the timer set for this time is still the one that counts.
     */
    bool IsTimerCurrent(int64_t now) const
    {
        return m_timerAt == now;
    }

    /// It is destroyed, or the NIC goes away: nothing is called any more.
    void Detach();

    // -- RdmaConnection
    void EnterError(RdmaWcStatus send, RdmaWcStatus receive) override;
    void NeedTimer(int64_t when) override;

  private:
    /// What a transition takes, RdmaQpAttrMask bits.
    struct Transition
    {
        uint32_t required; //!< needed; 0: the transition is not allowed
        uint32_t optional; //!< allowed
    };

    /**
     * \param from A state.
     * \param to Another.
     * \return What the transition takes.
     */
    static Transition GetTransition(RdmaQpState from, RdmaQpState to);
    /**
     * \param attributes Values.
     * \param mask Which of them count.
     * \return Whether all are in range.
     */
    bool AreInRange(const RdmaQpAttributes& attributes, uint32_t mask) const;
    /// Sets everything that follows from the address.
    void UseAddress();
    /// Forgets everything that is under way.
    void Clear();

    /// \return All its streams.
    std::array<RdmaTxJob*, 4> GetJobs()
    {
        return {&m_cnpJob, &m_ackJob, &m_responseJob, &m_requestJob};
    }

    RdmaTxJob m_cnpJob;                   //!< CNPs
    RdmaTxJob m_ackJob;                   //!< acknowledgements
    RdmaTxJob m_responseJob;              //!< read responses
    RdmaTxJob m_requestJob;               //!< requests
    RdmaRequester m_requester;            //!< the sending half
    RdmaResponder m_responder;            //!< the receiving half
    RdmaNotificationPoint m_notification; //!< marks to CNPs
    uint32_t m_maxInlineData;             //!< bytes that may be inline
    int64_t m_timerAt{FABRIC_NEVER};      //!< when the NIC's timer is due, ps
    bool m_detached{false};               //!< whether it was destroyed
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
