/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UDP_HEADER_H
#define RDMA_UDP_HEADER_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

inline constexpr uint8_t IP_PROTOCOL_UDP = 17;     //!< IPv4 protocol and IPv6 next header of UDP
inline constexpr uint16_t ROCE_V2_UDP_PORT = 4791; //!< destination port of RoCEv2

/**
 * \ingroup rdma
 * UDP header (RFC 768). RoCEv2 sends checksum 0 (IBA annex A17), the ICRC covers the packet;
 * a checksum that was received is kept, not verified.
 */
struct RdmaUdpHeader
{
    uint16_t sourcePort{0};                     //!< entropy of the flow, see RdmaUdpSourcePort
    uint16_t destinationPort{ROCE_V2_UDP_PORT}; //!< receiver
    uint16_t length{0};                         //!< bytes of this header and all that follows it
    uint16_t checksum{0};                       //!< 0: not computed

    /// \param writer Takes the 8 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaUdpHeader> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_UDP_HEADER_H */
