/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-packet.h"

#include <algorithm>
#include <boost/crc.hpp>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * \param data First byte of the SRD headers.
 * \param size Bytes of headers and payload.
 * \return Their CRC.
 */
uint32_t
SrdCrc(const uint8_t* data, std::size_t size)
{
    boost::crc_32_type crc;
    crc.process_bytes(data, size);
    return static_cast<uint32_t>(crc.checksum());
}

} // namespace

std::vector<uint8_t>
RdmaSrdPacket::Encode() const
{
    NS_ASSERT_MSG(!srd.payloadBytes || SrdHasPayload(srd.opcode),
                  "an SRD packet without room for a payload has one of " << srd.payloadBytes);
    const uint32_t udpBytes =
        UDP_HEADER_BYTES + SrdHeaderBytes(srd.opcode) + srd.payloadBytes + ICRC_BYTES;
    std::vector<uint8_t> frame;
    frame.reserve(ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + udpBytes);
    ByteWriter writer(frame);

    RdmaEthernetHeader sentEthernet = ethernet;
    sentEthernet.etherType = ETHERTYPE_IPV4;
    sentEthernet.Write(writer);
    RdmaIpv4Header sentIp = ip;
    sentIp.totalLength = static_cast<uint16_t>(IPV4_HEADER_BYTES + udpBytes);
    sentIp.Write(writer);
    RdmaUdpHeader sentUdp = udp;
    sentUdp.destinationPort = SRD_UDP_PORT;
    sentUdp.length = static_cast<uint16_t>(udpBytes);
    sentUdp.Write(writer);

    const std::size_t start = frame.size();
    srd.Write(writer);
    writer.WriteZeros(srd.payloadBytes);
    writer.WriteU32LittleEndian(SrdCrc(frame.data() + start, frame.size() - start));
    frame.resize(
        std::max<std::size_t>(frame.size(), ETHERNET_MIN_FRAME_BYTES - ETHERNET_FCS_BYTES));
    return frame;
}

std::optional<RdmaSrdPacket>
RdmaSrdPacket::Decode(const uint8_t* data, std::size_t size)
{
    ByteReader reader(data, size);
    RdmaSrdPacket packet;
    const std::optional<RdmaEthernetHeader> ethernet = RdmaEthernetHeader::Read(reader);
    if (!ethernet || ethernet->etherType != ETHERTYPE_IPV4)
    {
        return std::nullopt;
    }
    packet.ethernet = *ethernet;

    const std::optional<RdmaIpv4Header> ip = RdmaIpv4Header::Read(reader);
    if (!ip || ip->protocol != IP_PROTOCOL_UDP || ip->moreFragments || ip->fragmentOffset ||
        ip->totalLength < IPV4_HEADER_BYTES || !reader.Has(ip->totalLength - IPV4_HEADER_BYTES))
    {
        return std::nullopt;
    }
    packet.ip = *ip;
    reader.Truncate(ip->totalLength - IPV4_HEADER_BYTES);

    const std::size_t udpBytes = reader.GetRemaining();
    const std::optional<RdmaUdpHeader> udp = RdmaUdpHeader::Read(reader);
    if (!udp || udp->destinationPort != SRD_UDP_PORT || udp->length != udpBytes)
    {
        return std::nullopt;
    }
    packet.udp = *udp;

    const uint8_t* start = reader.GetData();
    const std::optional<RdmaSrdHeader> srd = RdmaSrdHeader::Read(reader);
    if (!srd || reader.GetRemaining() != srd->payloadBytes + ICRC_BYTES ||
        (srd->payloadBytes && !SrdHasPayload(srd->opcode)))
    {
        return std::nullopt;
    }
    packet.srd = *srd;
    reader.Skip(srd->payloadBytes);
    const auto covered = static_cast<std::size_t>(reader.GetData() - start);
    if (SrdCrc(start, covered) != reader.ReadU32LittleEndian())
    {
        return std::nullopt;
    }
    return packet;
}

} // namespace rdma
} // namespace ns3
