/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ipv6-header.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaIpv6Header::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(dscp <= 63 && ecn <= 3 && flowLabel <= 0xfffff,
                  "DSCP " << +dscp << ", ECN " << +ecn << " or flow label " << flowLabel
                          << " does not fit its field");
    writer.WriteU32(6U << 28 | (dscp & 63U) << 22 | (ecn & 3U) << 20 | (flowLabel & 0xfffff));
    writer.WriteU16(payloadLength);
    writer.WriteU8(nextHeader);
    writer.WriteU8(hopLimit);
    uint8_t address[16];
    source.GetBytes(address);
    writer.WriteBytes(address, sizeof(address));
    destination.GetBytes(address);
    writer.WriteBytes(address, sizeof(address));
}

std::optional<RdmaIpv6Header>
RdmaIpv6Header::Read(ByteReader& reader)
{
    if (!reader.Has(IPV6_HEADER_BYTES))
    {
        return std::nullopt;
    }
    RdmaIpv6Header header;
    const uint32_t first = reader.ReadU32();
    if (first >> 28 != 6)
    {
        return std::nullopt;
    }
    header.dscp = first >> 22 & 63;
    header.ecn = first >> 20 & 3;
    header.flowLabel = first & 0xfffff;
    header.payloadLength = reader.ReadU16();
    header.nextHeader = reader.ReadU8();
    header.hopLimit = reader.ReadU8();
    uint8_t address[16];
    reader.ReadBytes(address, sizeof(address));
    header.source.Set(address);
    reader.ReadBytes(address, sizeof(address));
    header.destination.Set(address);
    return header;
}

} // namespace rdma
} // namespace ns3
