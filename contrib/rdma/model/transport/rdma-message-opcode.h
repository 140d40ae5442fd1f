/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_OPCODE_H
#define RDMA_MESSAGE_OPCODE_H

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-verbs.h"

/**
 * \file
 * \ingroup rdma
 * From what a work request does to the opcodes of its packets and of its completion.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param opcode What a work request does.
 * \return Whether it is over with an answer that carries data, not with an acknowledgement.
 */
constexpr bool
RdmaAwaitsResponse(RdmaWrOpcode opcode)
{
    return opcode == RdmaWrOpcode::RDMA_READ || opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP ||
           opcode == RdmaWrOpcode::ATOMIC_FETCH_AND_ADD;
}

/// \param opcode What a work request does. \return Whether it is an atomic operation.
constexpr bool
RdmaIsAtomic(RdmaWrOpcode opcode)
{
    return opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP ||
           opcode == RdmaWrOpcode::ATOMIC_FETCH_AND_ADD;
}

/// \param opcode What a work request does. \return Whether it is a send of any kind.
constexpr bool
RdmaIsSend(RdmaWrOpcode opcode)
{
    return opcode == RdmaWrOpcode::SEND || opcode == RdmaWrOpcode::SEND_WITH_IMM ||
           opcode == RdmaWrOpcode::SEND_WITH_INV;
}

/**
 * \param opcode What a work request does; no read and no atomic.
 * \param first Whether this is its first packet.
 * \param last Whether it is its last.
 * \return The BTH opcode of the packet on a reliable connection.
 */
RdmaOpcode RdmaPacketOpcode(RdmaWrOpcode opcode, bool first, bool last);

/// \param opcode What a work request does. \return What its completion says.
RdmaWcOpcode RdmaCompletionOpcode(RdmaWrOpcode opcode);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_MESSAGE_OPCODE_H */
