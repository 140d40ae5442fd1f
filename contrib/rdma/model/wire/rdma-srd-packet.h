/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_PACKET_H
#define RDMA_SRD_PACKET_H

#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-ipv4-header.h"
#include "ns3/rdma-srd-header.h"
#include "ns3/rdma-udp-header.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A whole SRD packet: Ethernet, IPv4, UDP, SRD headers, payload, and a CRC-32 (that of Ethernet,
 * least significant byte first) over SRD headers and payload. The payload is zeros.
 */
struct RdmaSrdPacket
{
    RdmaEthernetHeader ethernet; //!< its EtherType is set when encoded
    RdmaIpv4Header ip;           //!< its length is set when encoded
    RdmaUdpHeader udp;           //!< its length and destination port are set when encoded
    RdmaSrdHeader srd;           //!< headers of SRD

    /**
     * \return The frame from MAC header to CRC, zero-padded to the minimum length of an Ethernet
     *         frame, without FCS.
     */
    std::vector<uint8_t> Encode() const;

    /**
     * \param data First byte of a frame that starts with a MAC header and has no FCS.
     * \param size Its length; bytes behind the IP packet (padding) do not matter.
     * \return The packet, or nothing when it is no SRD packet over IPv4, its lengths do not fit
     *         together, its opcode takes no payload but has one, or its CRC is wrong.
     */
    static std::optional<RdmaSrdPacket> Decode(const uint8_t* data, std::size_t size);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_PACKET_H */
