/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_MANAGER_H
#define RDMA_CONNECTION_MANAGER_H

#include "ns3/event-id.h"
#include "ns3/object.h"
#include "ns3/rdma-cm-channel.h"
#include "ns3/rdma-context.h"

#include <map>
#include <utility>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma How an attempt to connect ended (rdma_cm_event_type).
enum class RdmaCmResult : uint8_t
{
    ESTABLISHED, //!< both sides are in RTS, or will be with the next message
    REJECTED,    //!< the other side does not want it, or nobody listens
    TIMED_OUT,   //!< no answer; the queue pair is in ERR and its work flushed
};

/**
 * \ingroup rdma
 * Connects queue pairs of a NIC with those of others by messages on an RdmaCmChannel: REQ, REP and
 * RTU, as the communication management of InfiniBand does (IBA volume 1, chapter 12).
 *
 * Each attempt has a generation, which all its messages carry. What carries another one, because
 * the attempt has timed out and its queue pair was made anew, is ignored and counted.
 */
class RdmaConnectionManager : public Object
{
  public:
    /// Asked for a queue pair in RESET for who wants to connect; nullptr rejects.
    using Accept = Callback<Ptr<RdmaQueuePair>, const RdmaCmMessage&>;
    /// Told once how an attempt ended, or how one that was accepted did.
    using Done = Callback<void, Ptr<RdmaQueuePair>, RdmaCmResult>;

    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * \param context The verbs of the NIC.
     * \param channel The way to other managers.
     */
    void Attach(Ptr<RdmaContext> context, Ptr<RdmaCmChannel> channel);
    /**
     * rdma_listen.
     * \param service What others name in Connect.
     * \param attributes Of the queue pairs that are accepted; address, destination, PSN of the
     *        peer and MTU come from the request.
     * \param accept Makes queue pairs.
     * \param done Told what became of each.
     */
    void Listen(uint16_t service, const RdmaQpAttributes& attributes, Accept accept, Done done);
    /**
     * rdma_connect.
     * \param queuePair A queue pair in RESET.
     * \param attributes Its attributes; the address is that of the other NIC, the number and PSN of
     *        the queue pair there come with the answer.
     * \param service What the other side listens to.
     * \param done Told what became of it.
     */
    void Connect(Ptr<RdmaQueuePair> queuePair,
                 const RdmaQpAttributes& attributes,
                 uint16_t service,
                 Done done);
    /// \param message A message from the channel.
    void Receive(const RdmaCmMessage& message);

    /// \return Messages of attempts that are over, which were ignored.
    uint64_t GetStale() const;
    /// \return Attempts that are not over.
    std::size_t GetPending() const;

  protected:
    void DoDispose() override;

  private:
    /// A queue pair that is being connected, at either side.
    struct Attempt
    {
        Ptr<RdmaQueuePair> queuePair; //!< the queue pair
        RdmaQpAttributes attributes;  //!< its attributes
        RdmaCmMessage message;        //!< what it repeats until there is an answer
        Done done;                    //!< who is told
        EventId timer;                //!< when it repeats it
        uint32_t sent{0};             //!< how often it was sent
        bool established{false};      //!< whether it is over; kept to answer what is late
    };

    /// What others may ask for.
    struct Service
    {
        RdmaQpAttributes attributes; //!< of queue pairs
        Accept accept;               //!< makes them
        Done done;                   //!< who is told
    };

    /// Endpoint of the side that asked, and its generation.
    using Key = std::pair<uint32_t, uint64_t>;

    /**
     * Sends the message of an attempt, or gives it up when it was sent often enough.
     * \param key The attempt.
     */
    void Repeat(Key key);
    /**
     * An attempt is over. One that was successful is kept: the other side may not know yet.
     * \param key The attempt.
     * \param result How it ended.
     */
    void Finish(const Key& key, RdmaCmResult result);
    /// \param message A message. \return The attempt that it belongs to, or nullptr.
    Attempt* Find(const RdmaCmMessage& message);
    /// \param message A request from another manager.
    void ReceiveRequest(const RdmaCmMessage& message);
    /// \param message An answer to a request of this one.
    void ReceiveReply(const RdmaCmMessage& message);
    /**
     * \param message What it answers.
     * \param kind What to say.
     * \return The answer.
     */
    static RdmaCmMessage Answer(const RdmaCmMessage& message, RdmaCmMessage::Kind kind);

    Ptr<RdmaContext> m_context;             //!< verbs
    Ptr<RdmaCmChannel> m_channel;           //!< way to others
    std::map<uint16_t, Service> m_services; //!< by number
    std::map<Key, Attempt> m_attempts;      //!< what is not over, or was successful
    Time m_timeout;                         //!< until a message is repeated
    uint32_t m_retries;                     //!< how often
    uint64_t m_generation{0};               //!< of the last attempt
    uint64_t m_stale{0};                    //!< messages ignored
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CONNECTION_MANAGER_H */
