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

/**
 * \ingroup rdma
 * What RDMA packets are wrapped in. All RDMA packets of a FabricNetwork have the same.
 */
enum class RdmaEncapsulation : uint8_t
{
    ROCE_V2_IPV4,   //!< Ethernet, IPv4, UDP
    ROCE_V2_IPV6,   //!< Ethernet, IPv6, UDP
    ROCE_V1,        //!< Ethernet, GRH
    INFINIBAND,     //!< LRH, within a subnet
    INFINIBAND_GRH, //!< LRH and GRH
    COUNT           //!< how many there are
};

/**
 * \param encapsulation An encapsulation.
 * \return Whether its packets travel over InfiniBand links, not Ethernet.
 */
constexpr bool
IsInfiniBand(RdmaEncapsulation encapsulation)
{
    return encapsulation == RdmaEncapsulation::INFINIBAND ||
           encapsulation == RdmaEncapsulation::INFINIBAND_GRH;
}

/**
 * \param encapsulation An encapsulation.
 * \return Whether its packets have an IP header, whose ECN field a switch may mark.
 */
constexpr bool
HasIpHeader(RdmaEncapsulation encapsulation)
{
    return encapsulation == RdmaEncapsulation::ROCE_V2_IPV4 ||
           encapsulation == RdmaEncapsulation::ROCE_V2_IPV6;
}

/**
 * Length of a frame with an RDMA packet: from MAC header to FCS on Ethernet, padding included; from
 * LRH to VCRC on InfiniBand.
 *
 * \param encapsulation What the packet is wrapped in.
 * \param opcode BTH opcode.
 * \param payload Payload bytes without padding.
 * \return Bytes; add ETHERNET_WIRE_OVERHEAD_BYTES or INFINIBAND_WIRE_OVERHEAD_BYTES for the time on
 *         the wire.
 */
constexpr uint32_t
RdmaFrameBytes(RdmaEncapsulation encapsulation, uint8_t opcode, uint32_t payload)
{
    constexpr uint32_t ethernet = ETHERNET_HEADER_BYTES + ICRC_BYTES + ETHERNET_FCS_BYTES;
    constexpr uint32_t infiniBand = LRH_BYTES + ICRC_BYTES + VCRC_BYTES;
    constexpr uint32_t wrapping[] = {ethernet + IPV4_HEADER_BYTES + UDP_HEADER_BYTES,
                                     ethernet + IPV6_HEADER_BYTES + UDP_HEADER_BYTES,
                                     ethernet + GRH_BYTES,
                                     infiniBand,
                                     infiniBand + GRH_BYTES};
    static_assert(sizeof(wrapping) / sizeof(wrapping[0]) ==
                      static_cast<int>(RdmaEncapsulation::COUNT),
                  "each encapsulation has a length");
    const uint32_t bytes = wrapping[static_cast<int>(encapsulation)] + OpcodeHeaderBytes(opcode) +
                           payload + RdmaPadBytes(payload);
    const uint32_t shortest = IsInfiniBand(encapsulation) ? 0 : ETHERNET_MIN_FRAME_BYTES;
    return bytes < shortest ? shortest : bytes;
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_WIRE_SIZES_H */
