/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECEIVE_QUEUE_H
#define RDMA_RECEIVE_QUEUE_H

#include "ns3/rdma-connection.h"
#include "ns3/rdma-shared-receive-queue.h"
#include "ns3/rdma-work-request.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace rdma
{

struct RdmaQpInitAttributes;

/**
 * \ingroup rdma
 * The receives of a queue pair, its own or those of a shared receive queue, and the one that the
 * message under way goes into.
 */
class RdmaReceiveQueue
{
  public:
    /// \param connection Whose receives they are.
    explicit RdmaReceiveQueue(RdmaConnection& connection);

    /// \param init How the queue pair was created.
    void Configure(const RdmaQpInitAttributes& init);
    /// Forgets all receives; those of a shared receive queue stay there.
    void Reset();
    /**
     * \param request The receive.
     * \return 0; EINVAL when the queue pair has a shared receive queue; ENOMEM when the queue is
     *         full or the receive has too many pieces.
     */
    int Post(const RdmaRecvWr& request);

    /**
     * A message needs a receive: takes the oldest, or keeps that of a message that was abandoned.
     * \return Whether there is one.
     */
    bool Begin();

    /// \return Bytes that fit into the current receive.
    uint64_t GetRoom() const
    {
        return m_room;
    }

    /// \return Whether the memory of the current receive may be written.
    bool IsAllowed() const;
    /// \return Whether the current receive begins in memory that has bytes.
    bool HasBytes() const;
    /**
     * Writes bytes where they belong, as far as the memory has any.
     * \param offset Their place in the current receive.
     * \param data The bytes.
     * \param bytes How many.
     */
    void Scatter(uint64_t offset, const uint8_t* data, uint32_t bytes) const;
    /**
     * The current receive is filled.
     * \param completion What to say of it; its number and queue pair are filled in.
     * \return false when the completion queue is overrun.
     */
    bool Complete(RdmaWc completion);
    /**
     * Completes all receives with an error, the current one first. Those of a shared receive queue
     * that were not taken stay there.
     * \param first Status of the first; the rest is flushed.
     */
    void Flush(RdmaWcStatus first);

    /// \return Receives posted and not filled; of a shared receive queue only the current one.
    uint32_t GetPosted() const;
    /// \return Whether the receives come from a shared receive queue.
    bool IsShared() const;

  private:
    RdmaConnection& m_connection;                  //!< whose receives they are
    Ptr<RdmaCompletionQueue> m_completions;        //!< where completions go
    Ptr<RdmaSharedReceiveQueue> m_shared;          //!< nullptr: own receives
    boost::circular_buffer<RdmaRecvWr> m_receives; //!< own receives, oldest first
    RdmaRecvWr m_current;                          //!< the one that is being filled
    uint64_t m_room{0};                            //!< bytes that fit into it
    uint32_t m_depth{0};                           //!< own receives that fit
    uint32_t m_maxSge{0};                          //!< pieces of a receive
    uint32_t m_generation{0};                      //!< counts flushes and resets
    bool m_hasCurrent{false};                      //!< whether there is a current one
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RECEIVE_QUEUE_H */
