/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HEADER_SIZES_H
#define RDMA_HEADER_SIZES_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Sizes of headers, trailers and gaps on the wire, in bytes.
 */

namespace ns3
{
namespace rdma
{

// Ethernet (IEEE 802.3 clauses 3 and 4, 802.1Q clause 9)
inline constexpr uint32_t ETHERNET_HEADER_BYTES = 14;    //!< two MAC addresses and EtherType
inline constexpr uint32_t VLAN_TAG_BYTES = 4;            //!< 802.1Q tag
inline constexpr uint32_t ETHERNET_FCS_BYTES = 4;        //!< frame check sequence
inline constexpr uint32_t ETHERNET_PREAMBLE_BYTES = 8;   //!< preamble and start of frame delimiter
inline constexpr uint32_t ETHERNET_IFG_BYTES = 12;       //!< shortest gap between two frames
inline constexpr uint32_t ETHERNET_MIN_FRAME_BYTES = 64; //!< shortest frame, MAC header to FCS
/// What every frame occupies on the wire beyond itself.
inline constexpr uint32_t ETHERNET_WIRE_OVERHEAD_BYTES =
    ETHERNET_PREAMBLE_BYTES + ETHERNET_IFG_BYTES;

// Internet protocols (RFC 791, RFC 8200, RFC 768)
inline constexpr uint32_t IPV4_HEADER_BYTES = 20; //!< IPv4 without options
inline constexpr uint32_t IPV6_HEADER_BYTES = 40; //!< IPv6 without extension headers
inline constexpr uint32_t UDP_HEADER_BYTES = 8;   //!< UDP

// InfiniBand transport headers (IBA volume 1, chapter 9)
inline constexpr uint32_t BTH_BYTES = 12;           //!< base transport header
inline constexpr uint32_t DETH_BYTES = 8;           //!< datagram extended transport header
inline constexpr uint32_t RDETH_BYTES = 4;          //!< reliable datagram extended transport header
inline constexpr uint32_t XRCETH_BYTES = 4;         //!< XRC extended transport header
inline constexpr uint32_t RETH_BYTES = 16;          //!< RDMA extended transport header
inline constexpr uint32_t AETH_BYTES = 4;           //!< ACK extended transport header
inline constexpr uint32_t ATOMIC_ETH_BYTES = 28;    //!< atomic extended transport header
inline constexpr uint32_t ATOMIC_ACK_ETH_BYTES = 8; //!< atomic ACK extended transport header
inline constexpr uint32_t IMM_DT_BYTES = 4;         //!< immediate data
inline constexpr uint32_t IETH_BYTES = 4;           //!< invalidate extended transport header
inline constexpr uint32_t FETH_BYTES = 4;           //!< FLUSH extended transport header
inline constexpr uint32_t ICRC_BYTES = 4;           //!< invariant CRC
inline constexpr uint32_t CNP_RESERVED_BYTES = 16;  //!< zero bytes after the BTH of a CNP

// InfiniBand link and network layer (IBA volume 1, chapters 7 and 8)
inline constexpr uint32_t LRH_BYTES = 8;  //!< local route header
inline constexpr uint32_t GRH_BYTES = 40; //!< global route header
inline constexpr uint32_t VCRC_BYTES = 2; //!< variant CRC
/// Start and end delimiter of a packet, one symbol each: what a packet occupies beyond itself.
inline constexpr uint32_t INFINIBAND_WIRE_OVERHEAD_BYTES = 2;
/// Flow control packet: op, FCTBS, VL and FCCL in 4 bytes and a CRC of 2.
inline constexpr uint32_t FLOW_CONTROL_PACKET_BYTES = 6;

// Pause frames (IEEE 802.3 annex 31B, 802.1Qbb)
inline constexpr uint32_t PAUSE_FRAME_BYTES = ETHERNET_MIN_FRAME_BYTES; //!< PFC and 802.3x frames
inline constexpr uint32_t PFC_BODY_BYTES = 20;      //!< opcode, class-enable vector, eight times
inline constexpr uint32_t PAUSE_BODY_BYTES = 4;     //!< opcode and one time
inline constexpr uint32_t PAUSE_QUANTUM_BITS = 512; //!< bit times of one unit of pause time

} // namespace rdma
} // namespace ns3

#endif /* RDMA_HEADER_SIZES_H */
