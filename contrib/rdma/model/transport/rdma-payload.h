/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PAYLOAD_H
#define RDMA_PAYLOAD_H

#include "ns3/fabric-frame-pool.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-send-wqe.h"

/**
 * \file
 * \ingroup rdma
 * The bytes of messages, between memory regions that have bytes and packets. Only what has bytes at
 * both ends is moved; the rest is lengths.
 */

namespace ns3
{
namespace rdma
{

/**
 * Reads from a list of pieces of memory.
 * \param memory The regions.
 * \param pieces The pieces.
 * \param offset Where in all of them to begin.
 * \param [out] data Gets the bytes; 0 where the memory has none.
 * \param bytes How many.
 */
void RdmaGather(const RdmaMemoryTable& memory,
                const std::vector<RdmaSge>& pieces,
                uint64_t offset,
                uint8_t* data,
                uint32_t bytes);
/**
 * Writes to a list of pieces of memory.
 * \param memory The regions.
 * \param pieces The pieces.
 * \param offset Where in all of them to begin.
 * \param data The bytes.
 * \param bytes How many.
 */
void RdmaScatter(const RdmaMemoryTable& memory,
                 const std::vector<RdmaSge>& pieces,
                 uint64_t offset,
                 const uint8_t* data,
                 uint32_t bytes);

/// \param request A work request. \return Its local memory.
std::vector<RdmaSge> RdmaPieces(const RdmaSendWqe& request);

/**
 * Puts the bytes of a work request into a packet.
 * \param memory The regions.
 * \param pool Where the frame comes from.
 * \param request The work request; its data has bytes.
 * \param offset The packet's place in the message.
 * \param frame The packet.
 */
void RdmaAttachPayload(const RdmaMemoryTable& memory,
                       FabricFramePool& pool,
                       const RdmaSendWqe& request,
                       uint64_t offset,
                       FabricFrame* frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PAYLOAD_H */
