/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-frame-pool.h"

#include "ns3/packet.h"

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

void
FabricFramePool::ReleasePacket(FabricFrame* frame)
{
    frame->net.packet->Unref();
    frame->net.packet = nullptr;
}

} // namespace rdma
} // namespace ns3
