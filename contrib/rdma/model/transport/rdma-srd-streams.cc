/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-streams.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

void
RdmaSrdStreams::Push(RdmaSrdMessage* message)
{
    const uint32_t key = uint32_t{message->localQueuePair} << 1 |
                         (message->opcode == RdmaSrdOpcode::READ_RESPONSE ? 1 : 0);
    message->queued = true;
    message->next = nullptr;
    const auto found = std::find_if(m_streams.begin(),
                                    m_streams.end(),
                                    [key](const Stream& stream) { return stream.key == key; });
    if (found == m_streams.end())
    {
        m_streams.push_back({key, message, message});
        return;
    }
    found->tail->next = message;
    found->tail = message;
}

RdmaSrdMessage*
RdmaSrdStreams::Pop()
{
    Stream& stream = m_streams[m_turn];
    RdmaSrdMessage* message = stream.head;
    message->queued = false;
    if (message->next)
    {
        stream.head = message->next;
        Advance();
        return message;
    }
    m_streams.erase(m_streams.begin() + m_turn);
    if (m_turn >= m_streams.size())
    {
        m_turn = 0;
    }
    return message;
}

} // namespace rdma
} // namespace ns3
