/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_POOL_H
#define FABRIC_FRAME_POOL_H

#include "ns3/fabric-frame.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Where frames come from and go to: last freed, first used, so that few stay in the caches.
 */
class FabricFramePool
{
  public:
    FabricFramePool() = default;
    FabricFramePool(const FabricFramePool&) = delete;
    FabricFramePool& operator=(const FabricFramePool&) = delete;
    ~FabricFramePool();

    /// \return A frame with undefined contents, except that flags, ecn and next are zero.
    FabricFrame* Allocate()
    {
        if (!m_free)
        {
            Grow();
        }
        FabricFrame* frame = m_free;
        m_free = frame->next;
        ++m_live;
        frame->next = nullptr;
        frame->flags = 0;
        frame->ecn = ECN_NOT_ECT;
        frame->hopLimit = HOP_LIMIT;
        return frame;
    }

    /// \param frame A frame of this pool that nobody refers to any more.
    void Free(FabricFrame* frame)
    {
        if (frame->kind == FabricFrameKind::PACKET)
        {
            ReleasePacket(frame);
        }
        else if (frame->flags & FabricFrame::HAS_DATA)
        {
            m_freeBuffers.push_back(frame->rdma.data);
        }
        frame->next = m_free;
        m_free = frame;
        --m_live;
    }

    /**
     * Gives a frame of kind RDMA room for the bytes of its payload; they go with the frame.
     * \param frame The frame; its payload is at most MAX_PAYLOAD bytes.
     * \return The room.
     */
    uint8_t* AttachData(FabricFrame* frame);

    /**
     * \param frame A frame of kind RDMA.
     * \return A copy of it, with the bytes of its payload if it has them.
     */
    FabricFrame* Clone(const FabricFrame& frame);

    /// \return How many frames are allocated and not freed.
    uint64_t GetLive() const
    {
        return m_live;
    }

    /// Longest payload that may have bytes.
    static constexpr uint32_t MAX_PAYLOAD = 9216;

  private:
    /// Switches a frame may cross before it counts as looping.
    static constexpr uint8_t HOP_LIMIT = 64;
    /// Frames made at a time.
    static constexpr uint32_t BLOCK = 128;

    /// Makes more frames.
    void Grow();
    /**
     * Gives back the reference that a frame holds.
     * \param frame A frame of kind PACKET.
     */
    static void ReleasePacket(FabricFrame* frame);

    FabricFrame* m_free{nullptr};                         //!< free frames
    uint64_t m_live{0};                                   //!< frames in use
    std::vector<std::unique_ptr<FabricFrame[]>> m_blocks; //!< what the frames live in
    std::vector<std::unique_ptr<uint8_t[]>> m_buffers;    //!< rooms for payload bytes
    std::vector<uint8_t*> m_freeBuffers;                  //!< those that no frame has
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_FRAME_POOL_H */
