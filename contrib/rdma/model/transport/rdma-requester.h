/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "ns3/rdma-aeth.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-payload-fetch.h"
#include "ns3/rdma-send-wqe.h"
#include "ns3/rdma-tx-job.h"

#include <boost/circular_buffer.hpp>
#include <memory>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The sending half of a reliable connection (IBA volume 1, section 9.7): cuts the send queue into
 * packets, and completes it as acknowledgements and read responses come. What is sent again when
 * something is lost is up to RdmaLossRecovery.
 */
class RdmaRequester
{
  public:
    /**
     * \param connection What it shares with the responder.
     * \param job Its stream of packets at the NIC.
     */
    RdmaRequester(RdmaConnection& connection, RdmaTxJob& job);

    /**
     * \param completions Where completions go.
     * \param depth Work requests that may be outstanding.
     */
    void Configure(Ptr<RdmaCompletionQueue> completions, uint32_t depth);
    /// Forgets everything, and numbers packets from the connection's sqPsn on.
    void Reset();
    /**
     * \param request The work request.
     * \param allowed Whether its memory may be used; if not, it fails when its turn comes.
     * \param now The time in ps.
     * \return 0, or ENOMEM when the queue is full.
     */
    int Post(const RdmaSendWqe& request, bool allowed, int64_t now);
    /// \param request A work request that comes after the queue pair has failed.
    void PostFlushed(const RdmaSendWqe& request);
    /**
     * \param now The time in ps; the congestion control has been advanced to it.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet, or nullptr.
     */
    FabricFrame* Build(int64_t now, int64_t& again);
    /**
     * \param frame An ACK or NAK.
     * \param now The time in ps.
     */
    void ReceiveAck(const FabricFrame& frame, int64_t now);
    /**
     * \param frame A read response, or the answer to an atomic.
     * \param now The time in ps.
     */
    void ReceiveResponse(const FabricFrame& frame, int64_t now);
    /**
     * Does what is due.
     * \param now The time in ps.
     * \return When its timer is due next.
     */
    int64_t OnTimer(int64_t now);
    /**
     * Completes everything with an error: the oldest with a given one, the rest as flushed.
     * \param first Status of the oldest work request.
     */
    void Flush(RdmaWcStatus first);

    /// Begins no work request any more; says so when what was begun is finished.
    void Drain();
    /**
     * Goes on after Drain.
     * \param now The time in ps.
     */
    void Resume(int64_t now);

    /// \return Work requests posted and not completed.
    uint32_t GetOutstanding() const;
    /// \return Payload bytes acknowledged since Reset.
    uint64_t GetAckedBytes() const;
    /// \return Payload bytes posted since Reset.
    uint64_t GetPostedBytes() const;
    /// \return Packets sent again since Reset.
    uint64_t GetRetransmitted() const;

  private:
    /// A work request in the queue.
    struct Entry
    {
        RdmaSendWqe request;   //!< what is asked
        uint64_t first;        //!< number of its first packet
        uint64_t packets;      //!< how many numbers it takes
        uint64_t streamOffset; //!< bytes posted before it
        int64_t arrival{0};    //!< when the NIC has the request, ps
    };

    /// What became of everything before a packet that the responder answers.
    enum class Progress
    {
        DONE,         //!< it is acknowledged
        READ_MISSING, //!< all but a read, whose responses have not come, and what is behind it
        OVER,         //!< the queue pair has failed, or was reset, meanwhile
    };

    /**
     * Appends to the queue.
     * \param request A work request.
     */
    void Append(const RdmaSendWqe& request);
    /// \return Number behind the last packet of all that was begun.
    uint64_t GetBegunEnd() const;
    /**
     * \param entry A work request.
     * \param sequence One of its packets, or the one behind the last.
     * \return Bytes of the whole stream that lie before that packet.
     */
    uint64_t StreamOffset(const Entry& entry, uint64_t sequence) const;
    /// \return Bytes sent and not acknowledged.
    uint64_t GetInFlight() const;
    /// \return Whether there is a packet that may be sent but for its pace.
    bool HasWork() const;
    /**
     * Tells the NIC, if there is something to send.
     * \param now The time in ps.
     */
    void Kick(int64_t now);
    /**
     * A request was appended.
     * \param now The time in ps.
     * \return When the NIC has it.
     */
    int64_t RingDoorbell(int64_t now);
    /**
     * Asks host memory for payload, as far ahead as is allowed.
     * \param now The time in ps; there is a packet to send.
     * \return When the next packet may go onto the wire; a time that has passed means now.
     */
    int64_t Fetch(int64_t now);
    /**
     * Everything before a packet is acknowledged, except reads whose responses are missing.
     * \param sequence Number of the first packet that is not.
     * \param now The time in ps.
     * \return What became of that.
     */
    Progress AdvanceTo(uint64_t sequence, int64_t now);
    /**
     * \param sequence Number of a packet that was sent and is not acknowledged.
     * \return The work request that it belongs to.
     */
    const Entry& FindEntry(uint64_t sequence) const;
    /**
     * Makes a packet of a read or of data.
     * \param entry The work request.
     * \param sequence Number of the packet.
     * \param packets Packets that a read is to ask for.
     * \param now The time in ps.
     * \return The packet.
     */
    FabricFrame* MakePacket(const Entry& entry, uint64_t sequence, uint64_t packets, int64_t now);
    /**
     * \param now The time in ps; the pace allows to send.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return What the recovery wants sent again.
     */
    FabricFrame* BuildRepeat(int64_t now, int64_t& again);
    /**
     * Starts again from the oldest packet that is not acknowledged.
     * \param now The time in ps.
     */
    void GoBack(int64_t now);
    /**
     * Does what the recovery says.
     * \param kind How a loss was noticed.
     * \param ahead NAK, RESPONSE_GAP: number of the packet that has come.
     * \param now The time in ps.
     */
    void Recover(RdmaLossEvent::Kind kind, uint64_t ahead, int64_t now);
    /**
     * Uses up one retry.
     * \return false when there was none left; then the queue pair has failed.
     */
    bool UseRetry();
    /// Selective: tells the recovery what the responder has done behind a read that is missing.
    void MarkConfirmed();
    /**
     * Responses to the oldest read were lost: what is behind them has come. Acts once until there
     * is progress, unless the recovery is selective.
     * \param ahead Number of the packet that was answered.
     * \param now The time in ps.
     */
    void ReadGap(uint64_t ahead, int64_t now);
    /**
     * A read response, with selective recovery.
     * \param frame The response.
     * \param sequence Its number, of a packet that was sent and is not acknowledged.
     * \param now The time in ps.
     */
    void ReceiveSelective(const FabricFrame& frame, uint64_t sequence, int64_t now);
    /**
     * \param entry A read or an atomic.
     * \param sequence Number of one of its packets.
     * \param frame What answers that.
     * \return Whether it is of the right kind and length.
     */
    bool IsExpected(const Entry& entry, uint64_t sequence, const FabricFrame& frame) const;
    /**
     * Writes what was read where it belongs, as far as the memory has bytes.
     * \param entry The read, or the atomic.
     * \param frame Its answer, or a part of it.
     * \param offset The part's place.
     */
    void PlaceResponse(const Entry& entry, const FabricFrame& frame, uint64_t offset) const;
    /**
     * The responder has no receive for the oldest work request.
     * \param frame The RNR NAK.
     * \param now The time in ps.
     */
    void ReceiverNotReady(const FabricFrame& frame, int64_t now);
    /**
     * The responder refuses the oldest packet.
     * \param frame The NAK.
     * \param now The time in ps.
     */
    void Refused(const FabricFrame& frame, int64_t now);
    /**
     * Nothing is under way any more and nothing is to be begun: because the queue is drained, or
     * because the oldest work request is one whose memory must not be used.
     * \return Whether the queue pair has failed for that.
     */
    bool CheckStop();
    /**
     * \param entry A work request that is over.
     * \param status How it ended.
     * \return false when the completion queue is overrun.
     */
    bool Complete(const Entry& entry, RdmaWcStatus status);
    /// Starts the retransmission timer anew, or stops it when nothing is outstanding.
    void RestartTimer(int64_t now);
    /// Packets were acknowledged: all retries may be used again, and the timer starts anew.
    void Progressed(int64_t now);

    RdmaConnection& m_connection;              //!< shared with the responder
    RdmaTxJob& m_job;                          //!< its stream at the NIC
    Ptr<RdmaCompletionQueue> m_completions;    //!< where completions go
    boost::circular_buffer<Entry> m_queue;     //!< work requests, oldest first
    uint64_t m_next{0};                        //!< number of the next packet to send
    uint64_t m_highest{0};                     //!< number behind the highest packet ever sent
    uint64_t m_unacked{0};                     //!< number of the oldest packet not acknowledged
    uint64_t m_end{0};                         //!< number behind the last packet posted
    uint64_t m_sendEnd{0};                     //!< number behind the last packet that may be sent
    uint64_t m_faultStart{0};                  //!< first number of the first faulty request
    uint64_t m_posted{0};                      //!< bytes posted
    uint64_t m_acked{0};                       //!< bytes acknowledged
    uint64_t m_retransmitted{0};               //!< packets sent again
    uint64_t m_packetWindow{0};                //!< packets that may be unacknowledged
    uint64_t m_repeat{0};                      //!< the next packet to send again, or NOTHING
    uint64_t m_repeatFetched{0};               //!< of which of them host memory was asked for
    int64_t m_repeatReady{0};                  //!< when its payload is in the NIC, ps
    uint64_t m_confirmed{0};                   //!< selective: what the responder has done ends here
    int64_t m_waited{0};                       //!< timeouts since the last retry was used, ps
    int64_t m_timeout{0};                      //!< the one that runs, ps
    int64_t m_deadline{FABRIC_NEVER};          //!< when the retransmission timer expires, ps
    int64_t m_waitUntil{0};                    //!< RNR: nothing is sent before, ps
    uint32_t m_cursor{0};                      //!< index of the work request that m_next is in
    uint32_t m_depth{0};                       //!< work requests that fit
    uint32_t m_sinceAckRequest{0};             //!< packets since the last AckReq
    uint8_t m_reads{0};                        //!< reads sent and not complete
    uint8_t m_retries{0};                      //!< transport retries used
    uint8_t m_opcodePrefix{0};                 //!< of opcodes of SENDs and WRITEs
    uint8_t m_rnrRetries{0};                   //!< RNR retries used
    uint32_t m_generation{0};                  //!< counts flushes and resets
    std::unique_ptr<RdmaPayloadFetch> m_fetch; //!< payload on its way; nullptr: takes no time
    bool m_selective{false};                   //!< whether single packets are sent again
    bool m_ownTimer{false};                    //!< whether the recovery decides on timeouts
    bool m_gapSeen{false};                     //!< a gap in read responses was acted on
    bool m_faulty{false};                      //!< a request must not be done, at m_faultStart
    bool m_draining{false};                    //!< no request is begun
    bool m_stopped{false};                     //!< m_faulty or m_draining
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_REQUESTER_H */
