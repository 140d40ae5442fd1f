/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-message.h"

#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

RdmaSrdMessage*
RdmaSrdMessageTable::Allocate()
{
    if (!m_free)
    {
        const auto first = static_cast<uint32_t>(m_blocks.size()) * BLOCK;
        NS_ABORT_MSG_IF(first >= 1U << (32 - TAG_BITS),
                        "an SRD NIC has at most " << (1U << (32 - TAG_BITS))
                                                  << " messages outstanding");
        m_blocks.push_back(std::make_unique<RdmaSrdMessage[]>(BLOCK));
        for (uint32_t i = BLOCK; i-- > 0;)
        {
            RdmaSrdMessage& message = m_blocks.back()[i];
            message.id = (first + i) << TAG_BITS;
            message.next = m_free;
            m_free = &message;
        }
    }
    RdmaSrdMessage* message = m_free;
    m_free = message->next;
    const uint32_t id = message->id;
    *message = RdmaSrdMessage();
    message->id = message->wireId = id;
    ++m_live;
    return message;
}

void
RdmaSrdMessageTable::Free(RdmaSrdMessage* message)
{
    NS_ASSERT_MSG(message->sender && !message->unacknowledged && !message->queued,
                  "a message is freed once, when nobody refers to it");
    constexpr uint32_t tag = (1U << TAG_BITS) - 1;
    message->id = (message->id & ~tag) | ((message->id + 1) & tag);
    message->sender = nullptr;
    message->next = m_free;
    m_free = message;
    --m_live;
}

RdmaSrdMessage*
RdmaSrdMessageTable::Find(uint32_t id)
{
    const uint32_t place = id >> TAG_BITS;
    if (place >= m_blocks.size() * BLOCK)
    {
        return nullptr;
    }
    RdmaSrdMessage& message = m_blocks[place / BLOCK][place % BLOCK];
    return message.sender && message.id == id ? &message : nullptr;
}

} // namespace rdma
} // namespace ns3
