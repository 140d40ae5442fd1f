/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_PACKET_H
#define IB_PACKET_H

#include "ns3/ib-lrh.h"
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

/**
 * \ingroup rdma
 * A whole InfiniBand packet: LRH, GRH if it leaves the subnet, transport headers, payload, ICRC,
 * VCRC (IBA volume 1, chapter 7).
 */
struct IbPacket : RdmaTransportPacket
{
    IbLrh lrh;                  //!< its length and next header are set when encoded
    std::optional<RdmaGrh> grh; //!< its length and next header are set when encoded

    /// \return The packet from LRH to VCRC, what stands between the delimiters on the wire.
    std::vector<uint8_t> Encode() const;

    /**
     * \param data First byte of the LRH.
     * \param size Bytes up to the end of the VCRC.
     * \return The packet, or nothing when it is no IBA packet, its lengths do not fit together, its
     *         opcode is not known or takes no payload but has one, or a CRC is wrong.
     */
    static std::optional<IbPacket> Decode(const uint8_t* data, std::size_t size);
};

} // namespace rdma
} // namespace ns3

#endif /* IB_PACKET_H */
