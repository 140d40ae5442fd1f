/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WIRE_SIZES_H
#define RDMA_WIRE_SIZES_H

#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-opcode.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Lengths of whole frames, in bytes.
 */

namespace ns3
{
namespace rdma
{

/// \param payload Payload bytes. \return Bytes that pad it to a multiple of four (BTH PadCnt).
constexpr uint32_t
RdmaPadBytes(uint32_t payload)
{
    return -payload & 3;
}

/**
 * Length of a RoCEv2 frame from MAC header to FCS: transport headers of the opcode, payload padded
 * to four bytes, ICRC, and Ethernet's own padding to 64 bytes. No VLAN tag.
 *
 * \param opcode BTH opcode.
 * \param payload Payload bytes without padding.
 * \param ipHeaderBytes IPV4_HEADER_BYTES or IPV6_HEADER_BYTES.
 * \return Bytes; add ETHERNET_WIRE_OVERHEAD_BYTES for the time on the wire.
 */
constexpr uint32_t
RoceV2FrameBytes(uint8_t opcode, uint32_t payload, uint32_t ipHeaderBytes = IPV4_HEADER_BYTES)
{
    const uint32_t bytes = ETHERNET_HEADER_BYTES + ipHeaderBytes + UDP_HEADER_BYTES +
                           OpcodeHeaderBytes(opcode) + ((payload + 3) & ~uint32_t{3}) + ICRC_BYTES +
                           ETHERNET_FCS_BYTES;
    return bytes < ETHERNET_MIN_FRAME_BYTES ? ETHERNET_MIN_FRAME_BYTES : bytes;
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_WIRE_SIZES_H */
