/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_TRANSPORT_H
#define RDMA_FRAME_TRANSPORT_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-transport-packet.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The part of a frame that all link layers write alike: transport headers and payload.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param opcode A BTH opcode.
 * \return Whether a frame can carry all that a packet with this opcode says.
 */
bool RdmaFrameHolds(uint8_t opcode);

/**
 * \param frame A frame of kind RDMA with an opcode that it holds.
 * \param [out] packet Gets what the frame says; its payload is zeros unless the frame has bytes.
 */
void RdmaFrameToTransport(const FabricFrame& frame, RdmaTransportPacket& packet);

/**
 * \param packet A packet with an opcode that a frame holds.
 * \param [out] frame Gets kind, opcode, flags, queue pair, PSN, payload length, and the RDMA fields
 *        that the opcode has a header for. The others stay.
 */
void RdmaTransportToFrame(const RdmaTransportPacket& packet, FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FRAME_TRANSPORT_H */
