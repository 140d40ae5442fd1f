/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IPV4_HEADER_H
#define RDMA_IPV4_HEADER_H

#include "ns3/ipv4-address.h"
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
 * IPv4 header without options (RFC 791), with the ECN field of RFC 3168. The checksum is computed
 * when it is written and verified when it is read.
 */
struct RdmaIpv4Header
{
    uint8_t dscp{0};                   //!< differentiated services code point, 6 bit
    uint8_t ecn{0};                    //!< ECN field, 2 bit, see FabricEcn
    uint16_t totalLength{0};           //!< bytes of this header and all that follows it
    uint16_t identification{0};        //!< of the datagram
    bool dontFragment{true};           //!< DF; always set in RoCEv2
    bool moreFragments{false};         //!< MF
    uint16_t fragmentOffset{0};        //!< in units of eight bytes, 13 bit
    uint8_t timeToLive{64};            //!< routers it may still cross
    uint8_t protocol{IP_PROTOCOL_UDP}; //!< what follows
    Ipv4Address source;                //!< sender
    Ipv4Address destination;           //!< receiver

    /// \param writer Takes the 20 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing, the version is not 4,
     *         there are options, or the checksum is wrong.
     */
    static std::optional<RdmaIpv4Header> Read(ByteReader& reader);
};

/**
 * \param header The 20 bytes of an IPv4 header without options.
 * \return Internet checksum (RFC 1071) over them: the value for a checksum field that is 0, and 0
 *         for a header with the right checksum.
 */
uint16_t Ipv4HeaderChecksum(const uint8_t* header);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IPV4_HEADER_H */
