/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ipv4-header.h"

#include "ns3/rdma-header-sizes.h"

#include <vector>

namespace ns3
{
namespace rdma
{

uint16_t
Ipv4HeaderChecksum(const uint8_t* header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < IPV4_HEADER_BYTES; i += 2)
    {
        sum += static_cast<uint32_t>(header[i]) << 8 | header[i + 1];
    }
    // Ten words sum to less than 10 * 2^16: two folds leave no carry.
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

void
RdmaIpv4Header::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(dscp <= 63 && ecn <= 3 && fragmentOffset <= 0x1fff,
                  "DSCP " << +dscp << ", ECN " << +ecn << " or fragment offset " << fragmentOffset
                          << " does not fit its field");
    std::vector<uint8_t> header;
    header.reserve(IPV4_HEADER_BYTES);
    ByteWriter fields(header);
    fields.WriteU8(0x45); // version 4, header of five words
    fields.WriteU8(static_cast<uint8_t>(dscp << 2 | (ecn & 3)));
    fields.WriteU16(totalLength);
    fields.WriteU16(identification);
    fields.WriteU16(static_cast<uint16_t>(
        (dontFragment ? 0x4000 : 0) | (moreFragments ? 0x2000 : 0) | (fragmentOffset & 0x1fff)));
    fields.WriteU8(timeToLive);
    fields.WriteU8(protocol);
    fields.WriteU16(0);
    fields.WriteU32(source.Get());
    fields.WriteU32(destination.Get());
    const uint16_t checksum = Ipv4HeaderChecksum(header.data());
    header[10] = static_cast<uint8_t>(checksum >> 8);
    header[11] = static_cast<uint8_t>(checksum);
    writer.WriteBytes(header.data(), header.size());
}

std::optional<RdmaIpv4Header>
RdmaIpv4Header::Read(ByteReader& reader)
{
    if (!reader.Has(IPV4_HEADER_BYTES) || Ipv4HeaderChecksum(reader.GetData()) != 0)
    {
        return std::nullopt;
    }
    RdmaIpv4Header header;
    if (reader.ReadU8() != 0x45)
    {
        return std::nullopt;
    }
    const uint8_t service = reader.ReadU8();
    header.dscp = service >> 2;
    header.ecn = service & 3;
    header.totalLength = reader.ReadU16();
    header.identification = reader.ReadU16();
    const uint16_t fragment = reader.ReadU16();
    header.dontFragment = fragment & 0x4000;
    header.moreFragments = fragment & 0x2000;
    header.fragmentOffset = fragment & 0x1fff;
    header.timeToLive = reader.ReadU8();
    header.protocol = reader.ReadU8();
    reader.Skip(2); // checksum
    header.source.Set(reader.ReadU32());
    header.destination.Set(reader.ReadU32());
    return header;
}

} // namespace rdma
} // namespace ns3
