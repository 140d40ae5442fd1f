/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-serializer.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-loss-recovery.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-transport-host.h"
#include "ns3/rdma-wire-sizes.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What requester and responder of a queue pair share: its attributes, the addressing of its frames,
 * and the pace at which both may put data on the wire.
 */
class RdmaConnection
{
  public:
    virtual ~RdmaConnection() = default;

    /**
     * The queue pair has failed: it goes into the error state, and what is posted is flushed. Those
     * who are told of completions may do anything to the queue pair meanwhile.
     * \param send Status of the oldest work request of the send queue.
     * \param receive Status of the oldest receive.
     */
    virtual void EnterError(RdmaWcStatus send = RdmaWcStatus::WR_FLUSH_ERR,
                            RdmaWcStatus receive = RdmaWcStatus::WR_FLUSH_ERR) = 0;
    /**
     * Makes a timer run out no later than a time.
     * \param when The time in ps.
     */
    virtual void NeedTimer(int64_t when) = 0;
    /**
     * A message has been placed whole.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    virtual void Delivered(uint64_t bytes, int64_t now) = 0;
    /// In SQD: what was begun of the send queue is finished.
    virtual void SendQueueDrained() = 0;
    /**
     * The send queue of a service without acknowledgements has failed: it is flushed, and the queue
     * pair goes into state SQE.
     * \param send Status of the oldest work request.
     */
    virtual void EnterSendError(RdmaWcStatus send) = 0;
    /**
     * A packet has come that tells of congestion: a CNP goes back, if one is due.
     * \param now The time in ps.
     */
    virtual void Congested(int64_t now) = 0;

    /// \return The NIC.
    RdmaTransportHost& GetHost() const
    {
        return *m_host;
    }

    /// \return What the queue pairs of the NIC share.
    RdmaHostState& GetHostState() const
    {
        return m_host->GetState();
    }

    /// \return The attributes.
    const RdmaQpAttributes& GetAttributes() const
    {
        return m_attributes;
    }

    /// \return The queue pair number.
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /**
     * Something that no completion can tell.
     * \param type What.
     */
    void TellEvent(RdmaEventType type) const
    {
        RdmaAsyncEvent event;
        event.type = type;
        event.queuePair = m_number;
        m_host->AsyncEvent(event);
    }

    /// \return The congestion control.
    RdmaCongestionOps& GetCongestion() const
    {
        return *m_congestion;
    }

    /// \return The loss recovery.
    RdmaLossRecovery& GetRecovery() const
    {
        return *m_recovery;
    }

    /// \return The protection domain.
    const RdmaProtectionDomain* GetDomain() const
    {
        return PeekPointer(m_domain);
    }

    /// \return Bytes that may be unacknowledged; 0: no limit.
    uint64_t GetWindow() const
    {
        const uint64_t wanted = m_congestion->GetWindow();
        return !wanted ? m_window : !m_window ? wanted : wanted < m_window ? wanted : m_window;
    }

    /// What tells the flow of packets to an address.
    struct Route
    {
        uint16_t sourcePort; //!< UDP source port
        uint32_t flowHash;   //!< hash of the 5-tuple
    };

    /**
     * \param address Where packets go.
     * \param queuePair Queue pair there.
     * \return Their flow.
     */
    Route MakeRoute(const RdmaAddress& address, uint32_t queuePair) const;
    /**
     * \param opcode BTH opcode.
     * \param sequence Number of the packet.
     * \param payload Payload bytes.
     * \param priority 802.1p priority.
     * \return A frame with all fields that every packet has.
     */
    FabricFrame* MakeFrame(uint8_t opcode, uint64_t sequence, uint32_t payload, uint8_t priority);

    /**
     * \return From when on data may be sent, in ps; a time that has passed means now.
     */
    int64_t GetPacedTime() const;
    /**
     * Takes note of a data packet that is sent, for pacing and congestion control.
     * \param now When it starts, in ps.
     * \param frame The packet.
     */
    void Sent(int64_t now, const FabricFrame& frame);

    /**
     * \param now The time in ps.
     * \return When a stream with more data may ask again: \p now without pacing.
     */
    int64_t NextData(int64_t now) const
    {
        if (m_congestion->GetRate() >= GetHostState().lineRate)
        {
            return now;
        }
        return std::min(GetPacedTime(), m_congestion->NextDeadline());
    }

  protected:
    RdmaTransportHost* m_host{nullptr};  //!< the NIC
    RdmaQpAttributes m_attributes;       //!< attributes
    Ptr<RdmaProtectionDomain> m_domain;  //!< protection domain
    Ptr<RdmaCongestionOps> m_congestion; //!< congestion control
    Ptr<RdmaLossRecovery> m_recovery;    //!< loss recovery
    uint64_t m_window{0};                //!< fixed window in bytes; 0: none
    int64_t m_paceStart{0};              //!< when the last data packet counts as started, ps
    uint32_t m_paceBytes{0};             //!< its bytes of wire time
    uint32_t m_number{0};                //!< queue pair number
    uint32_t m_flowHash{0};              //!< hash of the 5-tuple
    uint16_t m_sourcePort{0};            //!< UDP source port
};

// What every packet needs is here, to be inlined where packets are made.

inline FabricFrame*
RdmaConnection::MakeFrame(uint8_t opcode, uint64_t sequence, uint32_t payload, uint8_t priority)
{
    const RdmaHostState& state = GetHostState();
    FabricFrame* frame = state.pool->Allocate();
    frame->kind = FabricFrameKind::RDMA;
    frame->destination = m_attributes.address.endpoint;
    frame->source = state.endpoint;
    frame->flowHash = m_flowHash;
    frame->bytes = RdmaFrameBytes(state.encapsulation, opcode, payload);
    frame->priority = priority;
    frame->ecn = HasIpHeader(state.encapsulation) ? ECN_ECT0 : ECN_NOT_ECT;
    frame->opcode = opcode;
    frame->queuePair = m_attributes.destinationQp;
    frame->psn = RdmaToPsn(sequence);
    frame->payload = payload;
    frame->sourceQueuePair = m_number;
    frame->rdma.sourcePort = m_sourcePort;
    return frame;
}

inline int64_t
RdmaConnection::GetPacedTime() const
{
    const uint64_t rate = m_congestion->GetRate();
    return rate >= GetHostState().lineRate || !m_paceBytes
               ? 0
               : m_paceStart + FabricSerializer::Duration(rate, m_paceBytes);
}

inline void
RdmaConnection::Sent(int64_t now, const FabricFrame& frame)
{
    RdmaHostState& state = GetHostState();
    const uint32_t wireBytes = frame.bytes + state.overhead;
    const uint64_t rate = m_congestion->GetRate();
    if (rate >= state.lineRate)
    {
        m_paceStart = now;
    }
    else
    {
        // A packet that had to wait for the wire keeps its place in time, by up to one packet: else
        // a busy port would make every queue pair slower than its rate.
        const int64_t due = GetPacedTime();
        m_paceStart = due + FabricSerializer::Duration(rate, wireBytes) > now ? due : now;
    }
    m_paceBytes = wireBytes;
    if (m_congestion->GetSignals() & RdmaCongestionOps::SENT)
    {
        m_congestion->Sent(now, wireBytes);
    }
    ++state.counters.dataPackets;
    state.counters.dataBytes += frame.payload;
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CONNECTION_H */
