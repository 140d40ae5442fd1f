/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IPV6_HEADER_H
#define RDMA_IPV6_HEADER_H

#include "ns3/ipv6-address.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-udp-header.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * IPv6 header without extension headers (RFC 8200). The GRH of InfiniBand has the same layout.
 */
struct RdmaIpv6Header
{
    uint8_t dscp{0};                     //!< differentiated services code point, 6 bit
    uint8_t ecn{0};                      //!< ECN field, 2 bit, see FabricEcn
    uint32_t flowLabel{0};               //!< 20 bit
    uint16_t payloadLength{0};           //!< bytes that follow this header
    uint8_t nextHeader{IP_PROTOCOL_UDP}; //!< what follows
    uint8_t hopLimit{64};                //!< routers it may still cross
    Ipv6Address source;                  //!< sender
    Ipv6Address destination;             //!< receiver

    /// \param writer Takes the 40 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing or the version is not 6.
     */
    static std::optional<RdmaIpv6Header> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IPV6_HEADER_H */
