/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REORDER_BUFFER_H
#define RDMA_REORDER_BUFFER_H

#include "ns3/fabric-frame-pool.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Request packets that have come ahead of their turn. It stands for what a NIC does that places
 * data at once and notes the arrival in a bitmap: messages are checked, completed and answered when
 * their turn comes.
 */
class RdmaReorderBuffer
{
  public:
    /// \param packets How far ahead a packet may be; above 0.
    void Resize(uint64_t packets);
    /**
     * Keeps a copy of a packet.
     * \param frame The packet.
     * \param sequence Its number.
     * \param expected Number of the packet whose turn it is, below \p sequence.
     * \param pool Where the copy comes from.
     * \return Whether it is kept now; not when it is too far ahead.
     */
    bool Keep(const FabricFrame& frame,
              uint64_t sequence,
              uint64_t expected,
              FabricFramePool& pool);
    /**
     * \param sequence Number of the packet whose turn it is.
     * \return The packet, which now is the caller's, or nullptr.
     */
    FabricFrame* Take(uint64_t sequence);
    /// \param pool Takes back all packets that are kept.
    void Clear(FabricFramePool& pool);

    /// \return Whether nothing is kept.
    bool IsEmpty() const
    {
        return m_kept == 0;
    }

  private:
    /// A place of the ring.
    struct Place
    {
        uint64_t sequence;  //!< number of the packet
        FabricFrame* frame; //!< the packet, or nullptr
    };

    std::vector<Place> m_places; //!< by number, modulo the size; made when needed
    uint64_t m_size{0};          //!< how far ahead a packet may be
    uint64_t m_kept{0};          //!< packets in it
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_REORDER_BUFFER_H */
