/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ROCE_V1_PACKET_H
#define RDMA_ROCE_V1_PACKET_H

#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-grh.h"
#include "ns3/rdma-transport-packet.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/// EtherType of RoCEv1.
inline constexpr uint16_t ETHERTYPE_ROCE_V1 = 0x8915;

/**
 * \ingroup rdma
 * A whole RoCEv1 packet: Ethernet, GRH, transport headers, payload, ICRC (IBA annex A16).
 */
struct RoceV1Packet : RdmaTransportPacket
{
    RdmaEthernetHeader ethernet; //!< its EtherType is set when encoded
    RdmaGrh grh;                 //!< its length and next header are set when encoded

    /**
     * \return The frame from MAC header to ICRC, zero-padded to the minimum length of an Ethernet
     *         frame, without FCS.
     */
    std::vector<uint8_t> Encode() const;

    /**
     * \param data First byte of a frame that starts with a MAC header and has no FCS.
     * \param size Its length; bytes behind the ICRC (padding) do not matter.
     * \return The packet, or nothing when it is no RoCEv1 packet, its lengths do not fit together,
     *         its opcode is not known or takes no payload but has one, or its ICRC is wrong.
     */
    static std::optional<RoceV1Packet> Decode(const uint8_t* data, std::size_t size);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ROCE_V1_PACKET_H */
