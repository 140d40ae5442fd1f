/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_FRAME_H
#define RDMA_SRD_FRAME_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-frame-extras.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Frames as SRD packets on Ethernet.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param frame A frame of kind SRD.
 * \param extras What else stands in the packet.
 * \return The packet from MAC header to the last byte before the FCS.
 */
std::vector<uint8_t> EncodeSrdFrame(const FabricFrame& frame, const RdmaFrameExtras& extras);

/**
 * Reads a packet back into a frame.
 *
 * \param data First byte of the MAC header.
 * \param size Bytes, without FCS.
 * \param [out] frame Gets all fields that are on the wire; its priority is the upper three bits of
 *        the DSCP. Endpoints, flow hash and ingress port stay, and so do the SRD fields that the
 *        opcode has no header for.
 * \return The rest of what the packet says, or nothing when it is no SRD packet; the frame is
 *         unchanged then.
 */
std::optional<RdmaFrameExtras> DecodeSrdFrame(const uint8_t* data,
                                              std::size_t size,
                                              FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_FRAME_H */
