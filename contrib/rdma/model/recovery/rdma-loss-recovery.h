/* SPDX-License-Identifier: GPL-2.0-only */
/* Base class of the ways in which a queue pair recovers from losses. */

#ifndef RDMA_LOSS_RECOVERY_H
#define RDMA_LOSS_RECOVERY_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a requester has noticed of a loss.
struct RdmaLossEvent
{
    /// How it was noticed.
    enum class Kind : uint8_t
    {
        NAK,          //!< the responder reports a packet ahead of its turn
        RESPONSE_GAP, //!< the answer to a later packet has come
        TIMEOUT,      //!< the retransmission timer has expired
        NOT_READY,    //!< the responder had no receive, and drops what comes
    };

    int64_t now{0};        //!< the time, ps
    Kind kind{Kind::NAK};  //!< how it was noticed
    uint64_t unacked{0};   //!< number of the oldest packet that is not acknowledged
    uint64_t ahead{0};     //!< NAK, RESPONSE_GAP: number of the packet that has come
    uint64_t highest{0};   //!< number behind the highest packet ever sent
    int64_t ackTimeout{0}; //!< what the timeout attribute of the queue pair stands for, ps
};

/**
 * \ingroup rdma
 * Loss recovery of one queue pair, in both directions: what a requester sends again, how much it
 * may have under way, when its timer expires, and what a responder keeps of packets that come ahead
 * of their turn.
 *
 * The transport makes one object per queue pair and calls StartSending and StartReceiving once per
 * connection. Packets are numbered by 64 bits that never wrap; times are picoseconds.
 *
 * There are two kinds. One that is not selective goes back: Lost returns true, the requester sends
 * everything from the oldest unacknowledged packet on again, and the responder keeps nothing. A
 * selective one (m_selective) names single packets by GetRepeat.
 */
class RdmaLossRecovery : public Object
{
  public:
    /// GetRepeat when nothing is to be sent again.
    static constexpr uint64_t NOTHING = ~0ULL;

    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaLossRecovery();
    ~RdmaLossRecovery() override;

    /**
     * A requester begins.
     * \param lineRate Rate of the port, bit/s, above 0.
     * \param mtu Path MTU, bytes, above 0.
     * \param first Number of its first packet.
     */
    void StartSending(uint64_t lineRate, uint32_t mtu, uint64_t first);
    /**
     * A responder begins.
     * \param lineRate Rate of the port, bit/s, above 0.
     * \param mtu Path MTU, bytes, above 0.
     */
    void StartReceiving(uint64_t lineRate, uint32_t mtu);

    /// \return Whether single packets are sent again.
    bool IsSelective() const
    {
        return m_selective;
    }

    /// \return Whether Acked wants to be called.
    bool WantsAcks() const
    {
        return m_selective || m_adaptive;
    }

    /// \return Whether GetTimeout may differ from the timeout attribute of the queue pair.
    bool HasOwnTimer() const
    {
        return m_ownTimer || m_adaptive;
    }

    /// \return Whether the timer adapts to losses.
    bool IsAdaptive() const
    {
        return m_adaptive;
    }

    /// \return Whether a responder reports packets that come ahead of their turn.
    bool ReportsGaps() const
    {
        return m_reportGaps;
    }

    /// \return Added to the opcode of SENDs and WRITEs, see OPCODE_PLACED.
    uint8_t GetOpcodePrefix() const
    {
        return m_opcodePrefix;
    }

    /// \return Packets that may be unacknowledged, from 1 to RDMA_PSN_WINDOW.
    uint64_t GetSendWindow() const
    {
        return m_sendWindow;
    }

    /// \return Packets behind the expected one that a responder keeps; 0: none.
    uint64_t GetReceiveWindow() const
    {
        return m_receiveWindow;
    }

    /**
     * Something was lost. Arrived has been called for what is known to have arrived.
     * \param event How it was noticed.
     * \return Whether the requester goes back to the oldest unacknowledged packet; if not,
     *         GetRepeat tells what to send again.
     */
    bool Lost(const RdmaLossEvent& event);
    /**
     * Everything before a packet is acknowledged.
     * \param unacked Number of the packet; never less than before.
     * \param now The time in ps.
     */
    void Acked(uint64_t unacked, int64_t now);
    /**
     * A packet is known to have arrived although one before it has not.
     * \param sequence Its number.
     * \return false when it is too far ahead to be kept in mind, or known already.
     */
    bool Arrived(uint64_t sequence);
    /**
     * \param from A number.
     * \param to A number.
     * \return The first number in [from, to) that is not known to have arrived, or \p to.
     */
    uint64_t FindMissing(uint64_t from, uint64_t to) const;

    /// \return Number of the packet to send again next, before any new one, or NOTHING.
    uint64_t GetRepeat() const
    {
        return m_repeat;
    }

    /**
     * \param to A number above GetRepeat.
     * \return How many packets from GetRepeat on are to be sent again in a row, up to \p to.
     */
    uint64_t GetRepeatRun(uint64_t to) const;
    /**
     * Packets have been sent again.
     * \param count How many from GetRepeat on.
     * \param highest Number behind the highest packet ever sent.
     */
    void Repeated(uint64_t count, uint64_t highest);
    /**
     * \param ackTimeout What the timeout attribute of the queue pair stands for, ps, above 0.
     * \param inFlight Packets sent and not acknowledged.
     * \return Time until the retransmission timer expires, ps, above 0.
     */
    int64_t GetTimeout(int64_t ackTimeout, uint64_t inFlight) const;

    /**
     * Signature of the trace source Loss.
     * \param kind RdmaLossEvent::Kind as a number.
     * \param unacked Number of the oldest packet that is not acknowledged.
     * \param now The time in ps.
     */
    typedef void (*LossTracedCallback)(uint32_t kind, uint64_t unacked, int64_t now);

  protected:
    uint64_t m_sendWindow{0};    //!< packets; set in DoStartSending
    uint64_t m_receiveWindow{0}; //!< packets; set in DoStartReceiving
    uint64_t m_repeat{NOTHING};  //!< what to send again next
    bool m_selective{false};     //!< set in the constructor
    bool m_ownTimer{false};      //!< DoGetTimeout is not the default; set in the constructor
    uint8_t m_opcodePrefix{0};   //!< of SENDs and WRITEs; set in the constructor

  private:
    /**
     * Begins to send; the default lets RDMA_PSN_WINDOW packets be unacknowledged.
     * \param lineRate Rate of the port, bit/s.
     * \param mtu Path MTU, bytes.
     * \param first Number of the first packet.
     */
    virtual void DoStartSending(uint64_t lineRate, uint32_t mtu, uint64_t first);
    /**
     * Begins to receive; the default keeps nothing that comes ahead of its turn.
     * \param lineRate Rate of the port, bit/s.
     * \param mtu Path MTU, bytes.
     */
    virtual void DoStartReceiving(uint64_t lineRate, uint32_t mtu);
    /**
     * Decides what to do about a loss.
     * \param event The loss.
     * \return Whether to go back.
     */
    virtual bool DoLost(const RdmaLossEvent& event) = 0;
    /// \param unacked Number of the oldest packet that is not acknowledged.
    virtual void DoAcked(uint64_t unacked);
    /**
     * Selective ones keep it in mind.
     * \param sequence Number of a packet that has arrived.
     * \return Whether it is new, and could be kept in mind.
     */
    virtual bool DoArrived(uint64_t sequence);
    /**
     * \param sequence Number of a packet that is not acknowledged.
     * \return Whether it is known to have arrived.
     */
    virtual bool DoHasArrived(uint64_t sequence) const;
    /**
     * \param sequence Number above m_repeat.
     * \return Whether it, too, is to be sent again.
     */
    virtual bool DoMustRepeat(uint64_t sequence) const;
    /**
     * Sets m_repeat to what follows.
     * \param count Packets sent again.
     * \param highest Number behind the highest packet ever sent.
     */
    virtual void DoRepeated(uint64_t count, uint64_t highest);
    /**
     * \param ackTimeout What the timeout attribute of the queue pair stands for, ps.
     * \param inFlight Packets sent and not acknowledged.
     * \return Time until the timer expires, ps.
     */
    virtual int64_t DoGetTimeout(int64_t ackTimeout, uint64_t inFlight) const;

    Time m_adaptiveStart;    //!< first timeout of the adaptive timer
    Time m_adaptiveMinimum;  //!< its shortest
    int64_t m_timeout{0};    //!< timeout of the adaptive timer, ps
    int64_t m_quietUntil{0}; //!< it shrinks when nothing is lost until then, ps
    bool m_adaptive{false};  //!< whether the timer adapts
    bool m_reportGaps{true}; //!< whether the responder sends NAKs for gaps
    TracedCallback<uint32_t, uint64_t, int64_t> m_lossTrace; //!< losses
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_LOSS_RECOVERY_H */
