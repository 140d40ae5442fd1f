/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAYLOAD_FETCH_H
#define RDMA_PAYLOAD_FETCH_H

#include "ns3/rdma-dma.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The packets that a stream of a queue pair has asked host memory for and not sent yet, oldest
 * first. It asks ahead of the wire, so that the delay of reads is paid once for each stream.
 */
class RdmaPayloadFetch
{
  public:
    /// \param dma The way to memory; it outlives this.
    explicit RdmaPayloadFetch(RdmaDma& dma)
        : m_dma(dma)
    {
    }

    /**
     * Forgets everything that was asked for.
     * \param first Number of the packet that is sent next.
     */
    void Restart(uint64_t first)
    {
        m_packets.clear();
        m_first = m_end = first;
        m_bytes = 0;
        m_ahead = 0;
    }

    /// \return Number of the packet that is sent next.
    uint64_t GetFirst() const
    {
        return m_first;
    }

    /// \return Number behind the last packet that was asked for.
    uint64_t GetEnd() const
    {
        return m_end;
    }

    /// \return How many messages were asked for whole and not sent whole.
    uint32_t GetAhead() const
    {
        return m_ahead;
    }

    /// \return Whether nothing was asked for.
    bool IsEmpty() const
    {
        return m_packets.empty();
    }

    /// \return Whether one more packet may be asked for.
    bool HasRoom() const
    {
        return m_bytes < m_dma.GetParameters().window || m_packets.empty();
    }

    /// \return When the oldest packet may go onto the wire, in ps; there is one.
    int64_t GetReady() const
    {
        return m_packets.front().ready;
    }

    /**
     * Asks for a packet.
     * \param numbers Packet numbers that it stands for: more than 1 for a read request.
     * \param payload Bytes that host memory is asked for; 0: none, the NIC has everything.
     * \param last Whether it ends a message.
     * \param now The time in ps.
     */
    void Push(uint64_t numbers, uint32_t payload, bool last, int64_t now)
    {
        if (m_packets.full())
        {
            m_packets.set_capacity(2 * m_packets.capacity() + 4);
        }
        const int64_t here = payload ? m_dma.Read(payload, now) : now;
        m_packets.push_back({here + m_dma.GetParameters().transmitLatency, numbers, payload, last});
        m_end += numbers;
        m_bytes += payload;
        m_ahead += last;
    }

    /// The oldest packet goes onto the wire.
    void Pop()
    {
        const Packet& packet = m_packets.front();
        m_first += packet.numbers;
        m_bytes -= packet.payload;
        m_ahead -= packet.last;
        m_packets.pop_front();
    }

  private:
    /// A packet that was asked for.
    struct Packet
    {
        int64_t ready;    //!< when it may be sent, ps
        uint64_t numbers; //!< packet numbers
        uint32_t payload; //!< bytes read
        bool last;        //!< whether it ends a message
    };

    RdmaDma& m_dma;                           //!< way to memory
    boost::circular_buffer<Packet> m_packets; //!< oldest first
    uint64_t m_first{0};                      //!< number of the oldest
    uint64_t m_end{0};                        //!< number behind the newest
    uint64_t m_bytes{0};                      //!< bytes of all
    uint32_t m_ahead{0};                      //!< ends of messages among them
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PAYLOAD_FETCH_H */
