/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROCE_V2_FRAME_H
#define RDMA_ROCE_V2_FRAME_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-frame-extras.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Frames as RoCEv2 packets.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param frame A frame of kind RDMA with an opcode that it holds.
 * \param extras What else stands in the packet.
 * \param isIpv6 Whether the packet is IPv6; its flow label is then that of the entropy of the
 *        frame, see RdmaFlowLabelOfPort.
 * \return The packet from MAC header to the last byte before the FCS.
 */
std::vector<uint8_t> EncodeRoceV2Frame(const FabricFrame& frame,
                                       const RdmaFrameExtras& extras,
                                       bool isIpv6);

/**
 * \param data First byte of the MAC header.
 * \param size Bytes, without FCS.
 * \param isIpv6 Whether it must be IPv6, or else IPv4.
 * \param [out] frame Gets all fields that are on the wire; its priority is the upper three bits of
 *        the DSCP. Unchanged if the result is nothing.
 * \return The rest of what the packet says, or nothing when it is no such packet with an opcode
 *         that a frame holds.
 */
std::optional<RdmaFrameExtras> DecodeRoceV2Frame(const uint8_t* data,
                                                 std::size_t size,
                                                 bool isIpv6,
                                                 FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ROCE_V2_FRAME_H */
