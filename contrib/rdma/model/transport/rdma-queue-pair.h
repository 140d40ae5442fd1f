/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "ns3/rdma-fecn-point.h"
#include "ns3/rdma-notification-point.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-requester.h"
#include "ns3/rdma-responder.h"
#include "ns3/rdma-transport.h"
#include "ns3/simple-ref-count.h"

#include <array>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A queue pair (ibv_qp; IBA volume 1, section 10.3): the state machine, the checks of what is
 * posted, congestion notification, and the way of packets to and from the transport of its type.
 */
class RdmaQueuePair : public SimpleRefCount<RdmaQueuePair>,
                      public RdmaConnection,
                      public RdmaTxOwner
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
     * \param mask Which of them count, RdmaQpAttrMask bits; without QP_STATE the state stays.
     * \param now The time in ps.
     * \return 0; or EINVAL, with nothing changed, when the transition is not allowed, attributes
     *         that it needs are missing, or a value is out of range.
     */
    int Modify(const RdmaQpAttributes& attributes, uint32_t mask, int64_t now);
    /**
     * ibv_post_send.
     * \param request The work request.
     * \return 0; EINVAL in a state before RTS or for a bad request; ENOMEM when the queue is full,
     *         there are too many pieces of memory, or too many bytes inline. When the send queue
     *         has failed the request is accepted and flushed. A key that does not allow the access
     *         makes it complete with LOC_PROT_ERR, in its turn.
     */
    int PostSend(const RdmaSendWr& request);
    /**
     * ibv_post_send with a list.
     * \param requests The work requests, in order.
     * \param [out] bad On failure: the first that was not taken; those before it are posted.
     * \return As for the one that was not taken, or 0.
     */
    int PostSend(const std::vector<RdmaSendWr>& requests, const RdmaSendWr*& bad);
    /**
     * ibv_post_recv.
     * \param request The receive.
     * \return 0; EINVAL in state RESET or with a shared receive queue; ENOMEM when the queue is
     *         full or there are too many pieces of memory. In the error state it is accepted and
     *         flushed. A key that does not allow the access makes it complete with LOC_PROT_ERR
     *         when a message comes for it.
     */
    int PostRecv(const RdmaRecvWr& request);
    /**
     * ibv_post_recv with a list.
     * \param requests The receives, in order.
     * \param [out] bad On failure: the first that was not taken; those before it are posted.
     * \return As for the one that was not taken, or 0.
     */
    int PostRecv(const std::vector<RdmaRecvWr>& requests, const RdmaRecvWr*& bad);

    /// \return The state.
    RdmaQpState GetState() const
    {
        return m_attributes.state;
    }

    /// \return The transport service.
    RdmaQpType GetType() const
    {
        return m_type;
    }

    /// \return How it was created, without congestion control and window.
    const RdmaQpInitAttributes& GetInit() const
    {
        return m_init;
    }

    /// \return The sending half of a reliable connection.
    const RdmaRequester& GetRequester() const;
    /// \return The receiving half of a reliable connection.
    const RdmaResponder& GetResponder() const;

    /// \return The transport.
    const RdmaTransport& GetTransport() const
    {
        return *m_transport;
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
        constexpr uint32_t sending = 1U << static_cast<int>(RdmaQpState::RTS) |
                                     1U << static_cast<int>(RdmaQpState::SQD) |
                                     1U << static_cast<int>(RdmaQpState::SQE);
        if ((opcode & SERVICE_BITS) != m_service && !OpcodeIsCnp(opcode) &&
            (opcode & SERVICE_BITS) != m_placedService)
        {
            return false;
        }
        return (sending >> static_cast<int>(m_attributes.state) & 1) ||
               (m_attributes.state == RdmaQpState::RTR &&
                OpcodeHas(opcode, OPCODE_REQUEST | OPCODE_CNP));
    }

    /**
     * \param frame A packet that it takes; the caller frees it.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) override;
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

    /// Its completions cannot be written any more: it fails.
    void FailForCompletions();
    /// It is destroyed, or the NIC goes away: nothing is called any more.
    void Detach();

    // -- RdmaConnection
    void EnterError(RdmaWcStatus send, RdmaWcStatus receive) override;
    void EnterSendError(RdmaWcStatus send) override;
    void NeedTimer(int64_t when) override;
    void Delivered(uint64_t bytes, int64_t now) override;
    void SendQueueDrained() override;
    void Congested(int64_t now) override;

  private:
    /// Bits of an opcode that name the transport service.
    static constexpr uint8_t SERVICE_BITS = 0xE0;

    /**
     * \param attributes Values.
     * \param mask Which of them count.
     * \return Whether all are in range.
     */
    bool AreInRange(const RdmaQpAttributes& attributes, uint32_t mask) const;
    /**
     * Takes note of a packet that went through congestion.
     * \param frame The packet.
     * \param now The time in ps.
     */
    void ReceiveMark(const FabricFrame& frame, int64_t now);
    /// Sets everything that follows from the address.
    void UseAddress();
    /// Forgets everything that is under way.
    void Clear();

    /**
     * \param attributes Values.
     * \param mask Which of them count.
     */
    void Take(const RdmaQpAttributes& attributes, uint32_t mask);
    /**
     * \param request A work request.
     * \param listed Whether it is one of several that are posted together.
     * \return 0, or an errno value.
     */
    int Post(const RdmaSendWr& request, bool listed);
    /**
     * \param request A work request.
     * \param [out] length Its bytes.
     * \return 0, or an errno value when it must not be posted.
     */
    int CheckSend(const RdmaSendWr& request, uint64_t& length) const;
    /**
     * \param request A work request that may be posted.
     * \param length Its bytes.
     * \param [out] allowed Whether its memory may be used.
     * \return What goes into the send queue.
     */
    RdmaSendWqe MakeWqe(const RdmaSendWr& request, uint64_t length, bool& allowed) const;

    /// \return All its streams.
    std::array<RdmaTxJob*, 4> GetJobs()
    {
        return {&m_jobs.cnp, &m_jobs.acknowledge, &m_jobs.response, &m_jobs.request};
    }

    RdmaTxJobs m_jobs;                          //!< its streams
    RdmaQpInitAttributes m_init;                //!< how it was created
    std::unique_ptr<RdmaTransport> m_transport; //!< what its type does
    RdmaFecnPoint m_fecnPoint;                  //!< FECN to BECN
    /// Marks to CNPs; made for the first mark.
    std::unique_ptr<RdmaNotificationPoint> m_notification;
    int64_t m_timerAt{FABRIC_NEVER};            //!< when the NIC's timer is due, ps
    RdmaQpType m_type;                          //!< transport service
    uint8_t m_service;                          //!< the same as opcodes have it
    uint8_t m_placedService;   //!< that of SENDs and WRITEs with selective recovery
    bool m_detached{false};    //!< whether it was destroyed
    bool m_established{false}; //!< whether a packet came
    bool m_drained{false};     //!< in SQD: whether nothing is under way
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
