/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-frame-pool.h"

#include "ns3/assert.h"
#include "ns3/packet.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

FabricFramePool::~FabricFramePool()
{
    // Frames that are still on a wire or in a queue when the simulation is torn down hold packets.
    for (FabricFrame* frame = m_free; frame; frame = frame->next)
    {
        frame->kind = FabricFrameKind::RDMA;
    }
    for (auto& block : m_blocks)
    {
        for (uint32_t i = 0; i < BLOCK; ++i)
        {
            if (block[i].kind == FabricFrameKind::PACKET)
            {
                ReleasePacket(&block[i]);
            }
        }
    }
}

void
FabricFramePool::Grow()
{
    // Not value-initialized: who takes a frame sets its fields.
    m_blocks.emplace_back(new FabricFrame[BLOCK]);
    FabricFrame* block = m_blocks.back().get();
    for (uint32_t i = BLOCK; i-- > 0;)
    {
        block[i].kind = FabricFrameKind::RDMA;
        block[i].next = m_free;
        m_free = &block[i];
    }
}

uint8_t*
FabricFramePool::AttachData(FabricFrame* frame)
{
    NS_ASSERT_MSG(frame->payload <= MAX_PAYLOAD && !(frame->flags & FabricFrame::HAS_DATA),
                  "a payload of " << frame->payload << " bytes gets one room");
    if (m_freeBuffers.empty())
    {
        m_buffers.emplace_back(new uint8_t[MAX_PAYLOAD]);
        m_freeBuffers.push_back(m_buffers.back().get());
    }
    frame->rdma.data = m_freeBuffers.back();
    m_freeBuffers.pop_back();
    frame->flags |= FabricFrame::HAS_DATA;
    return frame->rdma.data;
}

FabricFrame*
FabricFramePool::Clone(const FabricFrame& frame)
{
    FabricFrame* copy = Allocate();
    *copy = frame;
    copy->next = nullptr;
    if (frame.flags & FabricFrame::HAS_DATA)
    {
        copy->flags &= ~FabricFrame::HAS_DATA;
        std::copy_n(frame.rdma.data, frame.payload, AttachData(copy));
    }
    return copy;
}

void
FabricFramePool::ReleasePacket(FabricFrame* frame)
{
    frame->net.packet->Unref();
    frame->net.packet = nullptr;
}

} // namespace rdma
} // namespace ns3
