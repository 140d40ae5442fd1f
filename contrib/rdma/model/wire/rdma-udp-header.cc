/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-udp-header.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaUdpHeader::Write(ByteWriter& writer) const
{
    writer.WriteU16(sourcePort);
    writer.WriteU16(destinationPort);
    writer.WriteU16(length);
    writer.WriteU16(checksum);
}

std::optional<RdmaUdpHeader>
RdmaUdpHeader::Read(ByteReader& reader)
{
    if (!reader.Has(UDP_HEADER_BYTES))
    {
        return std::nullopt;
    }
    RdmaUdpHeader header;
    header.sourcePort = reader.ReadU16();
    header.destinationPort = reader.ReadU16();
    header.length = reader.ReadU16();
    header.checksum = reader.ReadU16();
    return header;
}

} // namespace rdma
} // namespace ns3
