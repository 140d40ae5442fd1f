/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PERFTEST_APPLICATION_H
#define RDMA_PERFTEST_APPLICATION_H

#include "ns3/application.h"
#include "ns3/rdma-context.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What the messages of a performance test are.
enum RdmaPerftestVerb
{
    PERFTEST_WRITE, //!< RDMA writes
    PERFTEST_SEND,  //!< sends
    PERFTEST_READ,  //!< RDMA reads, by the client
};

/**
 * \ingroup rdma
 * One side of a test in the manner of the perftest programs (ib_write_lat and so on): a client and
 * a server with queue pairs between them. What the program itself does takes no time; the delays of
 * its host are those of the RdmaHostInterface.
 */
class RdmaPerftestApplication : public Application
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaPerftestApplication();
    ~RdmaPerftestApplication() override;

    /**
     * \param context The verbs of the NIC to use.
     * \param attributes Path MTU, priority and so on of its queue pairs; addresses and rights are
     *        filled in.
     */
    void Setup(Ptr<RdmaContext> context, const RdmaQpAttributes& attributes);
    /**
     * Makes the queue pairs of both sides and connects them, as the programs do out of band.
     * \param client The side that begins; set up.
     * \param server The other; set up, with the same attributes.
     */
    static void Connect(Ptr<RdmaPerftestApplication> client, Ptr<RdmaPerftestApplication> server);

    /// \return Whether this side has done all that it had to.
    bool IsFinished() const
    {
        return m_finished;
    }

    /// \return SUCCESS, or the status of the first work request that failed, which ends the test.
    RdmaWcStatus GetStatus() const
    {
        return m_status;
    }

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// A queue pair of this side.
    struct Link
    {
        Ptr<RdmaQueuePair> queuePair; //!< in state RTS
        uint32_t remoteKey;           //!< of the other side's memory
    };

    /**
     * Posts messages of the test, as a list when there are several.
     * \param link Index of the queue pair.
     * \param count How many.
     */
    void PostMessages(uint32_t link, uint32_t count);
    /**
     * Posts a receive for a message of the test.
     * \param link Index of the queue pair.
     */
    void PostReceive(uint32_t link);

    /// This side has done everything.
    void Finish()
    {
        m_finished = true;
    }

    /// \return How many queue pairs there are.
    uint32_t GetNLinks() const
    {
        return static_cast<uint32_t>(m_links.size());
    }

    /// \return The time in ps.
    static int64_t Now();

    RdmaPerftestVerb m_verb;   //!< what messages are
    uint64_t m_size;           //!< bytes of a message
    uint32_t m_iterations;     //!< messages of each queue pair
    uint32_t m_txDepth;        //!< messages that may be outstanding
    uint32_t m_inlineSize;     //!< up to so many bytes are inline
    bool m_isClient{false};    //!< whether this side begins
    bool m_watchMemory{false}; //!< whether it looks for messages that are writes

  private:
    /// What the test does when it starts; receives are posted.
    virtual void DoStart() = 0;
    /**
     * A message that this side posted is done.
     * \param link Index of the queue pair.
     */
    virtual void DoSent(uint32_t link) = 0;
    /**
     * A message of the other side is there.
     * \param link Index of the queue pair.
     */
    virtual void DoReceived(uint32_t link) = 0;

    /// Makes memory, completion queues and queue pairs.
    void MakeQueuePairs();
    /// \param peer The other side, whose queue pairs exist.
    void ConnectTo(const RdmaPerftestApplication& peer);
    /// \param number A queue pair number. \return Its index, or GetNLinks() when it is not ours.
    uint32_t FindLink(uint32_t number) const;
    /// \param queue The completion queue that has something.
    void Poll(Ptr<RdmaCompletionQueue> queue);
    /**
     * A message is in memory.
     * \param queuePair Who received it.
     * \param bytes Its length.
     * \param ps The time in ps.
     */
    void MemoryChanged(const RdmaQueuePair* queuePair, uint64_t bytes, int64_t ps);
    /// \param link Index of the queue pair whose message the program has found in memory.
    void Found(uint32_t link);
    /// Ends the connection to queues and NIC.
    void Silence();

    Ptr<RdmaContext> m_context;                   //!< verbs
    RdmaQpAttributes m_attributes;                //!< of queue pairs
    RdmaMemoryRegion m_memory;                    //!< what is sent and received
    Ptr<RdmaProtectionDomain> m_domain;           //!< of everything
    Ptr<RdmaCompletionQueue> m_sendQueue;         //!< completions of messages
    Ptr<RdmaCompletionQueue> m_recvQueue;         //!< completions of receives
    std::vector<Link> m_links;                    //!< queue pairs
    RdmaWcStatus m_status{RdmaWcStatus::SUCCESS}; //!< how it went
    uint32_t m_queuePairs;                        //!< how many are wanted
    uint32_t m_rxDepth;                           //!< receives posted ahead
    bool m_running{false};                        //!< between start and stop
    bool m_finished{false};                       //!< everything is done
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PERFTEST_APPLICATION_H */
