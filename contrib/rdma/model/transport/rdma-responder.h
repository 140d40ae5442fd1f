/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "ns3/rdma-aeth.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-payload-fetch.h"
#include "ns3/rdma-qp-init-attributes.h"
#include "ns3/rdma-receive-queue.h"
#include "ns3/rdma-reorder-buffer.h"
#include "ns3/rdma-tx-job.h"

#include <boost/circular_buffer.hpp>
#include <memory>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The receiving half of a reliable connection (IBA volume 1, section 9.7): takes requests in order,
 * places them, answers reads, and acknowledges. With selective recovery it keeps requests that come
 * ahead of their turn.
 */
class RdmaResponder
{
  public:
    /**
     * \param connection What it shares with the requester.
     * \param ackJob Its stream of acknowledgements at the NIC.
     * \param responseJob Its stream of read responses at the NIC.
     */
    RdmaResponder(RdmaConnection& connection, RdmaTxJob& ackJob, RdmaTxJob& responseJob);

    /**
     * \param init How the queue pair was created.
     */
    void Configure(const RdmaQpInitAttributes& init);
    /// Forgets everything, and expects the connection's rqPsn first.
    void Reset();
    /// Takes the connection's rqPsn as the next packet, keeping the receives that are posted.
    void Start();
    /**
     * \param request The receive.
     * \return As RdmaReceiveQueue::Post.
     */
    int Post(const RdmaRecvWr& request);
    /**
     * \param frame A request packet.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    /**
     * \param now The time in ps.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The acknowledgement that is due, or nullptr.
     */
    FabricFrame* BuildAck(int64_t now, int64_t& again);
    /**
     * \param now The time in ps; the congestion control has been advanced to it.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet of read data, or nullptr.
     */
    FabricFrame* BuildResponse(int64_t now, int64_t& again);
    /**
     * Completes all posted receives, and forgets what was to be sent; but a refusal is still sent,
     * and before it what was asked for earlier.
     * \param first Status of the oldest; the rest is flushed.
     */
    void Flush(RdmaWcStatus first);

    /// \return Receives posted and not consumed.
    uint32_t GetPostedReceives() const;
    /// \return Payload bytes of requests placed since Reset.
    uint64_t GetReceivedBytes() const;

  private:
    /// A remote read or atomic that is being answered.
    struct Read
    {
        uint64_t first;   //!< number of its first response
        uint64_t packets; //!< responses
        uint64_t sent;    //!< responses sent
        uint64_t fetched; //!< responses whose data was asked for
        uint64_t length;  //!< bytes
        bool repeated;    //!< whether it was asked for before
        bool atomic;      //!< whether it is an atomic
        uint32_t key;     //!< R_Key
        uint64_t value;   //!< address of the data; of an atomic: what the word held before
    };

    /// An atomic that was done: when it is asked for again, this is the answer.
    struct AtomicResult
    {
        uint64_t sequence; //!< its number
        uint64_t original; //!< what the word held before
    };

    /**
     * A request that comes ahead of its turn.
     * \param frame The request.
     * \param sequence Its number.
     * \param now The time in ps.
     */
    void ReceiveAhead(const FabricFrame& frame, uint64_t sequence, int64_t now);
    /**
     * The request whose turn it is.
     * \param frame The request.
     * \param now The time in ps.
     */
    void Execute(const FabricFrame& frame, int64_t now);
    /**
     * \param frame A request packet that is next in order.
     * \return What is wrong with its opcode at this point of a message, if anything.
     */
    bool IsSequenceValid(const FabricFrame& frame) const;
    /**
     * \param opcode Of a message that starts.
     * \return The right that it needs, RdmaAccess bit.
     */
    static uint32_t GetRight(uint8_t opcode);
    /// The reads have changed: what was asked for ahead of the wire is not what is sent next.
    void ForgetFetched();
    /**
     * Asks host memory for the data of reads, as far ahead as is allowed.
     * \param now The time in ps; there is a response to send.
     * \return When it may go onto the wire; a time that has passed means now.
     */
    int64_t Fetch(int64_t now);
    /**
     * A message starts that is to access remote memory, or be placed into a receive.
     * \param frame Its first packet.
     * \param now The time in ps.
     * \return false when it was refused.
     */
    bool CheckAccess(const FabricFrame& frame, int64_t now);
    /**
     * \param read A read or atomic, new or repeated.
     * \return false when there are too many outstanding.
     */
    bool AddRead(const Read& read);
    /**
     * A new read or atomic, which is allowed.
     * \param frame The request.
     * \param now The time in ps.
     */
    void ReceiveRead(const FabricFrame& frame, int64_t now);
    /**
     * Does an atomic and keeps its result.
     * \param frame The request.
     * \return What the word held before.
     */
    uint64_t DoAtomic(const FabricFrame& frame);
    /**
     * Writes the bytes of a packet where they belong, as far as the memory has any.
     * \param frame The packet, which is in order.
     */
    void Place(const FabricFrame& frame);
    /**
     * Asks the NIC to send answers with data.
     * \param now The time in ps.
     */
    void Respond(int64_t now);
    /**
     * A request that was received before.
     * \param frame The request.
     * \param sequence Its number.
     * \param now The time in ps.
     */
    void ReceiveDuplicate(const FabricFrame& frame, uint64_t sequence, int64_t now);
    /**
     * A read or atomic that was asked for before, with selective recovery: it, or a part of it, is
     * answered again, ahead of the others.
     * \param repeat What is to be answered.
     * \return false when the first answer is still to be sent.
     */
    bool AddRepeat(const Read& repeat);
    /// Forgets what has come and what was to be sent, and expects the connection's rqPsn.
    void Forget();
    /// The request that was missing has come.
    void GapClosed();

    /**
     * \param i A place in the order in which reads are answered, from 0.
     * \return The read.
     */
    Read& GetRead(std::size_t i)
    {
        return i < m_again.size() ? m_again[i] : m_reads[i - m_again.size()];
    }

    /// \return Whether read responses are to be sent, which go before acknowledgements.
    bool HasResponses() const
    {
        return !m_reads.empty() || !m_again.empty();
    }

    /**
     * Asks the NIC to send an acknowledgement.
     * \param syndrome Of the AETH.
     * \param now The time in ps.
     */
    void Acknowledge(uint8_t syndrome, int64_t now);
    /**
     * The oldest read or atomic is answered.
     * \param now The time in ps.
     * \param again On return: when to ask for the next answer, if there is one.
     */
    void EndRead(int64_t now, int64_t& again);
    /**
     * \param read A read.
     * \param frame A part of its answer: gets the bytes that the memory has now, if it has any.
     */
    void AttachReadData(const Read& read, FabricFrame* frame) const;
    /**
     * A request cannot be done: says so, and fails.
     * \param code What the requester is told.
     * \param local Status of the oldest receive: WR_FLUSH_ERR when it is not concerned.
     * \param now The time in ps.
     */
    void Refuse(RdmaNakCode code, RdmaWcStatus local, int64_t now);
    /**
     * Completes the oldest receive.
     * \param frame The packet that ends the message.
     * \param opcode What the completion says.
     * \return false when the completion queue is overrun.
     */
    bool CompleteReceive(const FabricFrame& frame, RdmaWcOpcode opcode);

    RdmaConnection& m_connection;              //!< shared with the requester
    RdmaTxJob& m_ackJob;                       //!< acknowledgements at the NIC
    RdmaTxJob& m_responseJob;                  //!< read responses at the NIC
    RdmaReceiveQueue m_receives;               //!< receives
    boost::circular_buffer<Read> m_reads;      //!< reads and atomics being answered, oldest first
    std::unique_ptr<RdmaPayloadFetch> m_fetch; //!< data on its way; nullptr: takes no time
    boost::circular_buffer<AtomicResult> m_atomics; //!< the last atomics done
    uint64_t m_messageAddress{0};                   //!< of a write: where it goes
    uint32_t m_messageKey{0};                       //!< of a write: its R_Key
    boost::circular_buffer<Read> m_again;           //!< parts read again, sent before m_reads
    boost::circular_buffer<uint64_t> m_early;       //!< selective: packets to report as kept
    RdmaReorderBuffer m_kept;                       //!< requests ahead of their turn
    uint64_t m_expected{0};                         //!< number of the next request
    uint64_t m_messageBytes{0};                     //!< bytes of the current message so far
    uint64_t m_messageLimit{0};                     //!< bytes that it may have
    uint64_t m_received{0};                         //!< bytes placed
    uint32_t m_msn{0};                              //!< messages completed, 24 bit on the wire
    uint8_t m_syndrome{0};                          //!< of the acknowledgement that is due
    bool m_ackDue{false};                           //!< whether one is due
    bool m_nakSent{false};                          //!< whether a gap was reported
    bool m_catchingUp{false};                       //!< kept requests are having their turn
    bool m_gap{false};                              //!< whether requests came ahead of their turn
    bool m_refused{false};                          //!< whether a request was refused for good
    bool m_inMessage{false};                        //!< whether a message is under way
    bool m_messageIsSend{false};                    //!< whether it is a send
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RESPONDER_H */
