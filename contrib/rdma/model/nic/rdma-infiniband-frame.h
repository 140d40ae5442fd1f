/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_INFINIBAND_FRAME_H
#define RDMA_INFINIBAND_FRAME_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-frame-extras.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Frames as packets of InfiniBand, its flow control packets among them.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param frame A frame of kind RDMA with an opcode that it holds.
 * \param extras What else stands in the packet.
 * \param hasGrh Whether it has a GRH; its flow label is then that of the entropy of the frame, see
 *        RdmaFlowLabelOfPort.
 * \return The packet from LRH to VCRC.
 */
std::vector<uint8_t> EncodeInfiniBandFrame(const FabricFrame& frame,
                                           const RdmaFrameExtras& extras,
                                           bool hasGrh);

/// \param frame A frame of kind CREDIT. \return The flow control packet with its CRC.
std::vector<uint8_t> EncodeCreditFrame(const FabricFrame& frame);

/**
 * Reads a packet, or a flow control packet, which its length tells apart.
 *
 * \param data First byte of the packet.
 * \param size Bytes, with CRC.
 * \param hasGrh Whether a packet must have a GRH, or else none.
 * \param [out] frame Gets all fields that are on the wire. Unchanged if the result is nothing.
 * \return The rest of what the packet says, or nothing when it is no such packet with an opcode
 *         that a frame holds, and no flow control packet.
 */
std::optional<RdmaFrameExtras> DecodeInfiniBandFrame(const uint8_t* data,
                                                     std::size_t size,
                                                     bool hasGrh,
                                                     FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_INFINIBAND_FRAME_H */
