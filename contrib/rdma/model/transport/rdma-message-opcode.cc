/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-message-opcode.h"

namespace ns3
{
namespace rdma
{

RdmaOpcode
RdmaPacketOpcode(RdmaWrOpcode opcode, bool first, bool last)
{
    const bool send = RdmaIsSend(opcode);
    if (!last)
    {
        return first ? (send ? RC_SEND_FIRST : RC_RDMA_WRITE_FIRST)
                     : (send ? RC_SEND_MIDDLE : RC_RDMA_WRITE_MIDDLE);
    }
    switch (opcode)
    {
    case RdmaWrOpcode::SEND_WITH_IMM:
        return first ? RC_SEND_ONLY_WITH_IMMEDIATE : RC_SEND_LAST_WITH_IMMEDIATE;
    case RdmaWrOpcode::SEND_WITH_INV:
        return first ? RC_SEND_ONLY_WITH_INVALIDATE : RC_SEND_LAST_WITH_INVALIDATE;
    case RdmaWrOpcode::RDMA_WRITE_WITH_IMM:
        return first ? RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE : RC_RDMA_WRITE_LAST_WITH_IMMEDIATE;
    default:
        return first ? (send ? RC_SEND_ONLY : RC_RDMA_WRITE_ONLY)
                     : (send ? RC_SEND_LAST : RC_RDMA_WRITE_LAST);
    }
}

RdmaWcOpcode
RdmaCompletionOpcode(RdmaWrOpcode opcode)
{
    switch (opcode)
    {
    case RdmaWrOpcode::RDMA_WRITE:
    case RdmaWrOpcode::RDMA_WRITE_WITH_IMM:
        return RdmaWcOpcode::RDMA_WRITE;
    case RdmaWrOpcode::RDMA_READ:
        return RdmaWcOpcode::RDMA_READ;
    case RdmaWrOpcode::ATOMIC_CMP_AND_SWP:
        return RdmaWcOpcode::COMP_SWAP;
    case RdmaWrOpcode::ATOMIC_FETCH_AND_ADD:
        return RdmaWcOpcode::FETCH_ADD;
    default:
        return RdmaWcOpcode::SEND;
    }
}

} // namespace rdma
} // namespace ns3
