/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROCE_V1_FRAME_H
#define RDMA_ROCE_V1_FRAME_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-frame-extras.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Frames as RoCEv1 packets.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param frame A frame of kind RDMA with an opcode that it holds.
 * \param extras What else stands in the packet.
 * \return The packet from MAC header to the last byte before the FCS. Its flow label is that of the
 *         entropy of the frame, see RdmaFlowLabelOfPort.
 */
std::vector<uint8_t> EncodeRoceV1Frame(const FabricFrame& frame, const RdmaFrameExtras& extras);

/**
 * \param data First byte of the MAC header.
 * \param size Bytes, without FCS.
 * \param [out] frame Gets all fields that are on the wire; its priority is the upper three bits of
 *        the traffic class. Unchanged if the result is nothing.
 * \return The rest of what the packet says, or nothing when it is no RoCEv1 packet with an opcode
 *         that a frame holds.
 */
std::optional<RdmaFrameExtras> DecodeRoceV1Frame(const uint8_t* data,
                                                 std::size_t size,
                                                 FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ROCE_V1_FRAME_H */
