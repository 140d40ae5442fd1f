/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_PACKET_RING_H
#define RDMA_SRD_PACKET_RING_H

#include "ns3/rdma-srd-message.h"
#include "ns3/rdma-srd-rate-sampler.h"
#include "ns3/rdma-srd-window.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A packet that was made and is not acknowledged.
 */
struct RdmaSrdPacketRecord
{
    /// Where it is.
    enum class State : uint8_t
    {
        DONE,   //!< acknowledged
        FLYING, //!< under way
        LOST,   //!< to be sent, again or for the first time
    };

    RdmaSrdMessage* message{nullptr};              //!< what it is a part of; nullptr: VOID
    int64_t sent{0};                               //!< when it was sent last, ps
    RdmaSrdRateSampler::Mark mark;                 //!< what had arrived by then
    uint64_t previous{0};                          //!< the one before it in the list it is in
    uint64_t next{0};                              //!< the one behind
    uint64_t pathPrevious{0};                      //!< while it flies: the one before on its path
    uint64_t pathNext{0};                          //!< the one behind
    uint32_t offset{0};                            //!< of the payload in the message
    uint32_t messageId{0};                         //!< number of the message in packets
    uint32_t order{0};                             //!< counts the packets of its path
    uint16_t payload{0};                           //!< payload bytes
    uint16_t path{0};                              //!< path it took last
    uint8_t transmissions{0};                      //!< how often it was sent
    RdmaSrdPacketRecord::State state{State::DONE}; //!< where it is
};

/**
 * \ingroup rdma
 * The packets of a peer that are not acknowledged, by number: a ring that grows as needed, a list
 * of those that fly by the time they were sent, for each path one by order, and a list of those
 * that are to be sent (again). Lists are linked by packet numbers; 0 is none.
 */
class RdmaSrdPacketRing
{
  public:
    /// What flies on a path.
    struct Path
    {
        uint64_t head{0};    //!< oldest
        uint64_t tail{0};    //!< newest
        uint32_t sent{0};    //!< packets ever sent
        uint32_t arrived{0}; //!< order of the latest that is known to have arrived
    };

    /// \param paths How many paths there are.
    void SetPaths(uint16_t paths);

    /**
     * \param base The oldest number that is not acknowledged.
     * \return The number of a new record, which is nowhere.
     */
    uint64_t Add(uint64_t base);

    /// \param sequence A number that is not acknowledged. \return Its record.
    RdmaSrdPacketRecord& At(uint64_t sequence)
    {
        return m_ring[sequence & (m_ring.size() - 1)];
    }

    /// \param sequence A number that is not acknowledged. \return When it was sent last, ps.
    int64_t Sent(uint64_t sequence) const
    {
        return m_ring[sequence & (m_ring.size() - 1)].sent;
    }

    /// \return The number that the next packet gets.
    uint64_t GetNext() const
    {
        return m_next;
    }

    /// \return The packet that flies longest, 0 for none.
    uint64_t GetOldest() const
    {
        return m_flying.head;
    }

    /// \return The packet that is to be sent first, 0 for none.
    uint64_t GetFirstLost() const
    {
        return m_lost.head;
    }

    /// \param path A path. \return What flies there.
    Path& GetPath(uint16_t path)
    {
        return m_paths[path];
    }

    /**
     * \param sequence A packet that is nowhere; its path and time are set.
     */
    void AddFlying(uint64_t sequence);
    /// \param sequence A packet that flies, and does no more.
    void RemoveFlying(uint64_t sequence);
    /// \param sequence A packet that is nowhere, to be sent behind the others.
    void AddLost(uint64_t sequence);
    /// \param sequence A packet that is to be sent, and is no more.
    void RemoveLost(uint64_t sequence);

  private:
    /// A list by number.
    struct List
    {
        uint64_t head{0}; //!< first
        uint64_t tail{0}; //!< last
    };

    /**
     * \param list A list.
     * \param sequence A packet to append.
     */
    void Append(List& list, uint64_t sequence);
    /**
     * \param list A list.
     * \param sequence A packet to take out of it.
     */
    void Remove(List& list, uint64_t sequence);

    std::vector<RdmaSrdPacketRecord> m_ring; //!< records; a power of two
    std::vector<Path> m_paths;               //!< by path
    List m_flying;                           //!< under way, by time
    List m_lost;                             //!< to be sent
    uint64_t m_next{RdmaSrdWindow::FIRST};   //!< number of the next packet
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_PACKET_RING_H */
