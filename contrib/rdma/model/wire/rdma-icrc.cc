/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-icrc.h"

#include "ns3/rdma-header-sizes.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>

namespace ns3
{
namespace rdma
{

namespace
{

/// Bytes of the local route header that RoCEv2 does not have but whose place the ICRC covers.
constexpr std::size_t DUMMY_LRH_BYTES = 8;

/// Longest IPv4 header: fifteen words.
constexpr std::size_t MAX_IP_HEADER_BYTES = 60;

} // namespace

std::optional<uint32_t>
RoceV2Icrc(const uint8_t* packet, std::size_t size)
{
    if (size == 0)
    {
        return std::nullopt;
    }
    const unsigned version = packet[0] >> 4;
    if (version != 4 && version != 6)
    {
        return std::nullopt;
    }
    const std::size_t ipBytes = version == 4 ? (packet[0] & 15U) * 4 : IPV6_HEADER_BYTES;
    const std::size_t headerBytes = ipBytes + UDP_HEADER_BYTES + BTH_BYTES;
    if (ipBytes < IPV4_HEADER_BYTES || size < headerBytes)
    {
        return std::nullopt;
    }

    std::array<uint8_t, DUMMY_LRH_BYTES + MAX_IP_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES>
        masked;
    std::fill_n(masked.begin(), DUMMY_LRH_BYTES, uint8_t{0xff});
    uint8_t* ip = masked.data() + DUMMY_LRH_BYTES;
    std::copy_n(packet, headerBytes, ip);
    if (version == 4)
    {
        ip[1] = 0xff;  // type of service
        ip[8] = 0xff;  // time to live
        ip[10] = 0xff; // checksum
        ip[11] = 0xff;
    }
    else
    {
        ip[0] |= 0x0f; // traffic class
        ip[1] = 0xff;  // traffic class and flow label
        ip[2] = 0xff;
        ip[3] = 0xff;
        ip[7] = 0xff; // hop limit
    }
    uint8_t* udp = ip + ipBytes;
    udp[6] = 0xff; // checksum
    udp[7] = 0xff;
    uint8_t* bth = udp + UDP_HEADER_BYTES;
    bth[4] = 0xff; // FECN, BECN and reserved bits

    boost::crc_32_type crc;
    crc.process_bytes(masked.data(), DUMMY_LRH_BYTES + headerBytes);
    crc.process_bytes(packet + headerBytes, size - headerBytes);
    return static_cast<uint32_t>(crc.checksum());
}

} // namespace rdma
} // namespace ns3
