/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROCE_V2_PACKET_H
#define RDMA_ROCE_V2_PACKET_H

#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-ipv4-header.h"
#include "ns3/rdma-ipv6-header.h"
#include "ns3/rdma-transport-packet.h"
#include "ns3/rdma-udp-header.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A whole RoCEv2 packet: Ethernet, IPv4 or IPv6, UDP, transport headers, payload, ICRC (IBA annex
 * A17).
 */
struct RoceV2Packet : RdmaTransportPacket
{
    RdmaEthernetHeader ethernet;                     //!< its EtherType is set when encoded
    std::variant<RdmaIpv4Header, RdmaIpv6Header> ip; //!< its length is set when encoded
    RdmaUdpHeader udp;                               //!< its length is set when encoded

    /**
     * \return The frame from MAC header to ICRC, zero-padded to the minimum length of an Ethernet
     *         frame, without FCS.
     */
    std::vector<uint8_t> Encode() const;

    /**
     * \param data First byte of a frame that starts with a MAC header and has no FCS.
     * \param size Its length; bytes behind the IP packet (padding) do not matter.
     * \return The packet, or nothing when it is no RoCEv2 packet, its lengths do not fit together,
     *         its opcode is not known or takes no payload but has one, or its ICRC is wrong.
     */
    static std::optional<RoceV2Packet> Decode(const uint8_t* data, std::size_t size);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ROCE_V2_PACKET_H */
