/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "ns3/rdma-aeth.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-payload-fetch.h"
#include "ns3/rdma-tx-job.h"
#include "ns3/rdma-work-request.h"

#include <boost/circular_buffer.hpp>
#include <memory>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The receiving half of a reliable connection (IBA volume 1, section 9.7): takes requests in order,
 * places them, answers reads, and acknowledges.
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
     * \param completions Where completions of receives go.
     * \param depth Receives that may be posted.
     */
    void Configure(Ptr<RdmaCompletionQueue> completions, uint32_t depth);
    /// Forgets everything, and expects the connection's rqPsn first.
    void Reset();
    /// Takes the connection's rqPsn as the next packet, keeping the receives that are posted.
    void Start();
    /**
     * \param request The receive.
     * \return 0, or ENOMEM when the queue is full.
     */
    int Post(const RdmaRecvWr& request);
    /**
     * \param frame A request packet.
     * \param queuePair Whose message it is, for NIC callbacks.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, RdmaQueuePair& queuePair, int64_t now);
    /**
     * \return The acknowledgement that is due, or nullptr.
     */
    FabricFrame* BuildAck();
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
    /// A remote read that is being answered.
    struct Read
    {
        uint64_t first;   //!< number of its first response
        uint64_t packets; //!< responses
        uint64_t sent;    //!< responses sent
        uint64_t fetched; //!< responses whose data was asked for
        uint64_t length;  //!< bytes
        bool repeated;    //!< whether it was asked for before
    };

    /**
     * \param frame A request packet that is next in order.
     * \return What is wrong with its opcode at this point of a message, if anything.
     */
    bool IsSequenceValid(const FabricFrame& frame) const;
    /**
     * \param frame The first packet of a read, new or repeated.
     * \param sequence Its number.
     * \param repeated Whether it was received before.
     * \return false when there are too many reads outstanding.
     */
    bool AddRead(const FabricFrame& frame, uint64_t sequence, bool repeated);
    /// The reads have changed: what was asked for ahead of the wire is not what is sent next.
    void ForgetFetched();
    /**
     * Asks host memory for the data of reads, as far ahead as is allowed.
     * \param now The time in ps; there is a response to send.
     * \return When it may go onto the wire; a time that has passed means now.
     */
    int64_t Fetch(int64_t now);
    /**
     * Asks the NIC to send read responses.
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
    /// The request that was missing has come.
    void GapClosed();
    /**
     * Asks the NIC to send an acknowledgement.
     * \param syndrome Of the AETH.
     * \param now The time in ps.
     */
    void Acknowledge(uint8_t syndrome, int64_t now);
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

    RdmaConnection& m_connection;                  //!< shared with the requester
    RdmaTxJob& m_ackJob;                           //!< acknowledgements at the NIC
    RdmaTxJob& m_responseJob;                      //!< read responses at the NIC
    Ptr<RdmaCompletionQueue> m_completions;        //!< where completions go
    boost::circular_buffer<RdmaRecvWr> m_receives; //!< receives, oldest first
    boost::circular_buffer<Read> m_reads;          //!< reads being answered, oldest first
    std::unique_ptr<RdmaPayloadFetch> m_fetch;     //!< data on its way; nullptr: takes no time
    uint64_t m_expected{0};                        //!< number of the next request
    uint64_t m_messageBytes{0};                    //!< bytes of the current message so far
    uint64_t m_messageLimit{0};                    //!< bytes that it may have
    uint64_t m_received{0};                        //!< bytes placed
    uint32_t m_depth{0};                           //!< receives that fit
    uint32_t m_msn{0};                             //!< messages completed, 24 bit on the wire
    uint32_t m_generation{0};                      //!< counts flushes and resets
    uint8_t m_syndrome{0};                         //!< of the acknowledgement that is due
    bool m_ackDue{false};                          //!< whether one is due
    bool m_nakSent{false};                         //!< whether a gap was reported
    bool m_refused{false};                         //!< whether a request was refused for good
    bool m_inMessage{false};                       //!< whether a message is under way
    bool m_messageIsSend{false};                   //!< whether it is a send
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RESPONDER_H */
