/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_SENDER_H
#define RDMA_SRD_SENDER_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-path-policy.h"
#include "ns3/rdma-srd-message.h"
#include "ns3/rdma-srd-packet-ring.h"
#include "ns3/rdma-srd-rate-sampler.h"
#include "ns3/rdma-srd-streams.h"
#include "ns3/rdma-srd-window.h"

#include <vector>

namespace ns3
{
namespace rdma
{

class RdmaSrdPeer;

/**
 * \ingroup rdma
 * The sending half of the context of an SRD peer: cuts messages into packets, spreads those over
 * paths at the rate of the congestion control, sends again what is lost, and ends messages.
 *
 * Each packet has a sequence number of the peer, whatever message it belongs to, and each number is
 * acknowledged or refused by itself. A refusal is final for its number: the sender answers it with
 * an empty packet of the same number (VOID), and a message that may try again does so with a new
 * number. So no late copy of a packet can be taken after its refusal was reported.
 */
class RdmaSrdSender
{
  public:
    /// \param peer Whose half it is.
    explicit RdmaSrdSender(RdmaSrdPeer& peer);

    /**
     * \param message A message from the table of the NIC, all set but its sender.
     * \param now The time in ps.
     */
    void Post(RdmaSrdMessage* message, int64_t now);
    /**
     * Ends a message before its time.
     * \param message One of its messages.
     * \param status What its user is told; nobody is when the message has no queue pair.
     * \param now The time in ps.
     */
    void End(RdmaSrdMessage* message, RdmaSrdStatus status, int64_t now);
    /**
     * Data of a read has come.
     * \param message The read.
     * \param bytes How many.
     * \param now The time in ps.
     */
    void ReadArrived(RdmaSrdMessage* message, uint32_t bytes, int64_t now);
    /**
     * \param now The time in ps.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet, or nullptr.
     */
    FabricFrame* Build(int64_t now, int64_t& again);
    /**
     * \param frame An ACK or NACK of the peer.
     * \param now The time in ps.
     */
    void ReceiveAnswer(const FabricFrame& frame, int64_t now);
    /**
     * The peer lives: a packet of any kind came.
     * \param now The time in ps.
     */
    void Heard(int64_t now);
    /**
     * Does what is due.
     * \param now The time in ps.
     * \return When its timer is due next.
     */
    int64_t OnTimer(int64_t now);

    /// \return Payload bytes in flight.
    uint64_t GetInFlight() const
    {
        return m_inFlight;
    }

    /// \return The congestion control; nullptr before the first message.
    Ptr<RdmaCongestionOps> GetCongestion() const
    {
        return m_congestion;
    }

    /// \return The path policy; nullptr before the first message.
    Ptr<RdmaPathPolicy> GetPathPolicy() const
    {
        return m_policy;
    }

    /// \return Smoothed round-trip time in ps; 0 before the first.
    int64_t GetSmoothedRtt() const
    {
        return m_smoothedRtt;
    }

  private:
    /// A message that waits because no receive was posted for it.
    struct Waiting
    {
        int64_t when;            //!< until when, ps
        RdmaSrdMessage* message; //!< the message
    };

    /// Makes what the first message needs.
    void Prepare(int64_t now);
    /// \return Payload bytes that may be in flight.
    uint64_t GetWindow() const;
    /// \return From when on the pace allows a packet, ps.
    int64_t GetPacedTime() const;
    /// \return Whether a packet may be sent but for its pace.
    bool HasWork() const;
    /**
     * Tells the NIC, if there is something to send.
     * \param now The time in ps.
     */
    void Kick(int64_t now);
    /**
     * Makes a packet of the next message.
     * \param now The time in ps.
     * \return Its number, or 0 when there is none.
     */
    uint64_t CutPacket(int64_t now);
    /**
     * Makes a packet without a message, to be sent as soon as possible.
     * \param messageId Of a message that has ended half-way, or 0.
     */
    void AddVoid(uint32_t messageId);
    /**
     * Puts a packet on its way.
     * \param sequence Its number.
     * \param now The time in ps.
     * \return The frame.
     */
    FabricFrame* Send(uint64_t sequence, int64_t now);
    /**
     * A packet has arrived.
     * \param sequence Its number.
     * \param transmission Which of its transmissions is known to have; 0: unknown.
     * \param now The time in ps.
     */
    void Acknowledge(uint64_t sequence, uint8_t transmission, int64_t now);
    /**
     * A packet has been refused.
     * \param sequence Its number.
     * \param frame The NACK.
     * \param now The time in ps.
     */
    void Refuse(uint64_t sequence, const FabricFrame& frame, int64_t now);
    /**
     * What an answer tells about path and round-trip time.
     * \param sequence Number of the answered packet.
     * \param transmission Which of its transmissions; 0: unknown.
     * \param now The time in ps.
     */
    void Sample(uint64_t sequence, uint8_t transmission, int64_t now);
    /**
     * A packet counts as lost.
     * \param sequence Its number; it flies.
     * \param timeout Whether time has run out.
     * \param now The time in ps.
     */
    void Lose(uint64_t sequence, bool timeout, int64_t now);
    /**
     * Takes back what a packet did to what is in flight.
     * \param sequence Its number; it flies.
     */
    void Land(uint64_t sequence);
    /**
     * Ends a message, or frees it, when nothing of it is under way.
     * \param message The message.
     * \param now The time in ps.
     */
    void Settle(RdmaSrdMessage* message, int64_t now);
    /**
     * Gives up on the peer: ends all messages.
     * \param now The time in ps.
     */
    void Fail(int64_t now);
    /// \return The retransmission timeout, ps.
    int64_t GetTimeout() const;
    /// \return When the timer has something to do next, ps.
    int64_t GetDeadline() const;

    RdmaSrdPeer& m_peer;                 //!< whose half it is
    RdmaSrdStreams m_streams;            //!< messages to be cut
    RdmaSrdPacketRing m_packets;         //!< packets not acknowledged
    RdmaSrdWindow m_acknowledged;        //!< numbers that are
    RdmaSrdRateSampler m_sampler;        //!< how fast packets arrive
    Ptr<RdmaCongestionOps> m_congestion; //!< how fast to send
    Ptr<RdmaPathPolicy> m_policy;        //!< which way
    std::vector<Waiting> m_waiting;      //!< messages that wait for a receive, earliest first
    CcAckEvent m_event;                  //!< what the answer at hand tells
    uint64_t m_inFlight{0};              //!< payload bytes in flight
    int64_t m_smoothedRtt{0};            //!< smoothed round-trip time, ps
    int64_t m_rttVariation{0};           //!< its mean deviation, ps
    int64_t m_heardAt{0};                //!< when the peer was heard of, or not missed, ps
    int64_t m_paceStart{0};              //!< when the last packet counts as started, ps
    uint32_t m_paceBytes{0};             //!< its bytes of wire time
    uint32_t m_reading{0};               //!< reads that wait for data only
    uint8_t m_backoff{0};                //!< doublings of the timeout
    bool m_everHeard{false};             //!< whether the peer has ever answered
    bool m_parked{false};                //!< whether the peer was given up
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_SENDER_H */
