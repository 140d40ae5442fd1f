/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-roce-v2-packet.h"

#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * Reads the IP header and cuts off what lies behind the IP packet.
 *
 * \param etherType EtherType in front of it.
 * \param reader Stands at the IP header.
 * \param [out] ip The header.
 * \return Whether it is a complete, unfragmented IP packet that carries UDP.
 */
bool
ReadIp(uint16_t etherType, ByteReader& reader, std::variant<RdmaIpv4Header, RdmaIpv6Header>& ip)
{
    std::size_t following = 0;
    if (etherType == ETHERTYPE_IPV4)
    {
        const std::optional<RdmaIpv4Header> v4 = RdmaIpv4Header::Read(reader);
        if (!v4 || v4->protocol != IP_PROTOCOL_UDP || v4->moreFragments || v4->fragmentOffset ||
            v4->totalLength < IPV4_HEADER_BYTES)
        {
            return false;
        }
        ip = *v4;
        following = v4->totalLength - IPV4_HEADER_BYTES;
    }
    else if (etherType == ETHERTYPE_IPV6)
    {
        const std::optional<RdmaIpv6Header> v6 = RdmaIpv6Header::Read(reader);
        if (!v6 || v6->nextHeader != IP_PROTOCOL_UDP)
        {
            return false;
        }
        ip = *v6;
        following = v6->payloadLength;
    }
    else
    {
        return false;
    }
    if (!reader.Has(following))
    {
        return false;
    }
    reader.Truncate(following);
    return true;
}

} // namespace

std::vector<uint8_t>
RoceV2Packet::Encode() const
{
    const uint32_t udpBytes = UDP_HEADER_BYTES + GetTransportBytes();
    NS_ASSERT_MSG(udpBytes + IPV4_HEADER_BYTES <= 0xffff,
                  "payload of " << payloadBytes << " bytes does not fit an IP packet");

    std::vector<uint8_t> frame;
    frame.reserve(ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES + IPV6_HEADER_BYTES + udpBytes);
    ByteWriter writer(frame);

    const bool isIpv4 = std::holds_alternative<RdmaIpv4Header>(ip);
    RdmaEthernetHeader sentEthernet = ethernet;
    sentEthernet.etherType = isIpv4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
    sentEthernet.Write(writer);

    const std::size_t ipStart = frame.size();
    if (isIpv4)
    {
        RdmaIpv4Header sentIp = std::get<RdmaIpv4Header>(ip);
        sentIp.totalLength = static_cast<uint16_t>(IPV4_HEADER_BYTES + udpBytes);
        sentIp.Write(writer);
    }
    else
    {
        RdmaIpv6Header sentIp = std::get<RdmaIpv6Header>(ip);
        sentIp.payloadLength = static_cast<uint16_t>(udpBytes);
        sentIp.Write(writer);
    }

    RdmaUdpHeader sentUdp = udp;
    sentUdp.length = static_cast<uint16_t>(udpBytes);
    sentUdp.Write(writer);

    WriteTransport(writer);

    const std::optional<uint32_t> icrc = RoceV2Icrc(frame.data() + ipStart, frame.size() - ipStart);
    NS_ASSERT_MSG(icrc, "the ICRC refuses a packet that was just built");
    writer.WriteU32LittleEndian(*icrc);

    frame.resize(
        std::max<std::size_t>(frame.size(), ETHERNET_MIN_FRAME_BYTES - ETHERNET_FCS_BYTES));
    return frame;
}

std::optional<RoceV2Packet>
RoceV2Packet::Decode(const uint8_t* data, std::size_t size)
{
    ByteReader reader(data, size);
    RoceV2Packet packet;

    const std::optional<RdmaEthernetHeader> ethernet = RdmaEthernetHeader::Read(reader);
    if (!ethernet)
    {
        return std::nullopt;
    }
    packet.ethernet = *ethernet;

    const uint8_t* ipStart = reader.GetData();
    if (!ReadIp(ethernet->etherType, reader, packet.ip))
    {
        return std::nullopt;
    }

    const std::size_t udpBytes = reader.GetRemaining();
    const std::optional<RdmaUdpHeader> udp = RdmaUdpHeader::Read(reader);
    if (!udp || udp->destinationPort != ROCE_V2_UDP_PORT || udp->length != udpBytes)
    {
        return std::nullopt;
    }
    packet.udp = *udp;

    if (!packet.ReadTransport(reader))
    {
        return std::nullopt;
    }
    const std::optional<uint32_t> icrc = RoceV2Icrc(ipStart, reader.GetData() - ipStart);
    if (!icrc || *icrc != reader.ReadU32LittleEndian())
    {
        return std::nullopt;
    }
    return packet;
}

} // namespace rdma
} // namespace ns3
