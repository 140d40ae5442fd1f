/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_STREAMS_H
#define RDMA_SRD_STREAMS_H

#include "ns3/rdma-srd-message.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Messages to a peer that are to be cut into packets: first in, first out for each queue pair, and
 * the queue pairs take turns packet by packet. Answers to remote reads are streams of their own.
 */
class RdmaSrdStreams
{
  public:
    /// \return Whether there is no message.
    bool IsEmpty() const
    {
        return m_streams.empty();
    }

    /// \param message A message to append to its stream.
    void Push(RdmaSrdMessage* message);

    /// \return The message whose turn it is. There must be one.
    RdmaSrdMessage* Peek() const
    {
        return m_streams[m_turn].head;
    }

    /// It is the next stream's turn.
    void Advance()
    {
        m_turn = m_turn + 1 < m_streams.size() ? m_turn + 1 : 0;
    }

    /**
     * Takes out the message whose turn it is; it is the next stream's turn.
     * \return The message.
     */
    RdmaSrdMessage* Pop();

  private:
    /// The messages of a queue pair.
    struct Stream
    {
        uint32_t key;         //!< queue pair, and whether it answers reads
        RdmaSrdMessage* head; //!< oldest
        RdmaSrdMessage* tail; //!< newest
    };

    std::vector<Stream> m_streams; //!< those with messages
    uint32_t m_turn{0};            //!< whose turn it is
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_STREAMS_H */
