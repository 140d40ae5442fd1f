/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-icrc.h"

#include "ns3/ib-lrh.h"
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

/// Longest IPv4 header: fifteen words.
constexpr std::size_t MAX_IP_HEADER_BYTES = 60;

/// Where the BTH has FECN, BECN and reserved bits.
constexpr std::size_t BTH_VARIANT_BYTE = 4;

/**
 * \param masked Headers with ones in what may change.
 * \param maskedSize Their bytes.
 * \param rest What follows.
 * \param restSize Its bytes.
 * \return CRC-32 of both.
 */
uint32_t
Crc32(const uint8_t* masked, std::size_t maskedSize, const uint8_t* rest, std::size_t restSize)
{
    boost::crc_32_type crc;
    crc.process_bytes(masked, maskedSize);
    crc.process_bytes(rest, restSize);
    return static_cast<uint32_t>(crc.checksum());
}

/// \param [in,out] header An IPv6 header or a GRH; gets ones in what may change.
void
MaskIpv6(uint8_t* header)
{
    header[0] |= 0x0f; // traffic class
    header[1] = 0xff;  // traffic class and flow label
    header[2] = 0xff;
    header[3] = 0xff;
    header[7] = 0xff; // hop limit
}

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

    std::array<uint8_t, LRH_BYTES + MAX_IP_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES> masked;
    std::fill_n(masked.begin(), LRH_BYTES, uint8_t{0xff});
    uint8_t* ip = masked.data() + LRH_BYTES;
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
        MaskIpv6(ip);
    }
    uint8_t* udp = ip + ipBytes;
    udp[6] = 0xff; // checksum
    udp[7] = 0xff;
    udp[UDP_HEADER_BYTES + BTH_VARIANT_BYTE] = 0xff;
    return Crc32(masked.data(), LRH_BYTES + headerBytes, packet + headerBytes, size - headerBytes);
}

std::optional<uint32_t>
RoceV1Icrc(const uint8_t* packet, std::size_t size)
{
    constexpr std::size_t headerBytes = GRH_BYTES + BTH_BYTES;
    if (size < headerBytes || packet[0] >> 4 != 6)
    {
        return std::nullopt;
    }
    std::array<uint8_t, LRH_BYTES + headerBytes> masked;
    std::fill_n(masked.begin(), LRH_BYTES, uint8_t{0xff});
    uint8_t* grh = masked.data() + LRH_BYTES;
    std::copy_n(packet, headerBytes, grh);
    MaskIpv6(grh);
    grh[GRH_BYTES + BTH_VARIANT_BYTE] = 0xff;
    return Crc32(masked.data(), masked.size(), packet + headerBytes, size - headerBytes);
}

std::optional<uint32_t>
IbIcrc(const uint8_t* packet, std::size_t size)
{
    constexpr std::size_t headerBytes = LRH_BYTES + BTH_BYTES;
    if (size < headerBytes)
    {
        return std::nullopt;
    }
    const auto nextHeader = static_cast<IbNextHeader>(packet[1] & 3);
    if (nextHeader == IbNextHeader::GLOBAL)
    {
        return RoceV1Icrc(packet + LRH_BYTES, size - LRH_BYTES);
    }
    if (nextHeader != IbNextHeader::LOCAL)
    {
        return std::nullopt;
    }
    std::array<uint8_t, headerBytes> masked;
    std::copy_n(packet, headerBytes, masked.data());
    masked[0] |= 0xf0; // virtual lane
    masked[LRH_BYTES + BTH_VARIANT_BYTE] = 0xff;
    return Crc32(masked.data(), masked.size(), packet + headerBytes, size - headerBytes);
}

} // namespace rdma
} // namespace ns3
