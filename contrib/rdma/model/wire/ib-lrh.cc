/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-lrh.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
IbLrh::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(virtualLane <= 15 && linkVersion <= 15 && serviceLevel <= 15 &&
                      packetLength <= 0x7ff,
                  "virtual lane " << +virtualLane << ", link version " << +linkVersion
                                  << ", service level " << +serviceLevel << " or length "
                                  << packetLength << " does not fit its field");
    writer.WriteU8(static_cast<uint8_t>(virtualLane << 4 | (linkVersion & 15)));
    writer.WriteU8(static_cast<uint8_t>(serviceLevel << 4 | static_cast<uint8_t>(nextHeader)));
    writer.WriteU16(dlid);
    writer.WriteU16(packetLength & 0x7ff);
    writer.WriteU16(slid);
}

std::optional<IbLrh>
IbLrh::Read(ByteReader& reader)
{
    if (!reader.Has(LRH_BYTES))
    {
        return std::nullopt;
    }
    IbLrh header;
    const uint8_t first = reader.ReadU8();
    header.virtualLane = first >> 4;
    header.linkVersion = first & 15;
    const uint8_t second = reader.ReadU8();
    header.serviceLevel = second >> 4;
    header.nextHeader = static_cast<IbNextHeader>(second & 3);
    header.dlid = reader.ReadU16();
    header.packetLength = reader.ReadU16() & 0x7ff;
    header.slid = reader.ReadU16();
    return header;
}

} // namespace rdma
} // namespace ns3
