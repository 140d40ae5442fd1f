/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-bth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaBth::Write(ByteWriter& writer) const
{
    writer.WriteU8(opcode);
    NS_ASSERT_MSG(padCount <= 3, "pad count " << +padCount << " does not fit two bits");
    // The low four bits are the transport version: 0.
    writer.WriteU8(static_cast<uint8_t>((solicited ? 0x80 : 0) | (migration ? 0x40 : 0) |
                                        (padCount & 3) << 4));
    writer.WriteU16(partitionKey);
    writer.WriteU8(static_cast<uint8_t>((fecn ? 0x80 : 0) | (becn ? 0x40 : 0)));
    writer.WriteU24(destinationQueuePair);
    writer.WriteU8(ackRequest ? 0x80 : 0);
    writer.WriteU24(psn);
}

std::optional<RdmaBth>
RdmaBth::Read(ByteReader& reader)
{
    if (!reader.Has(BTH_BYTES))
    {
        return std::nullopt;
    }
    RdmaBth header;
    header.opcode = reader.ReadU8();
    const uint8_t flags = reader.ReadU8();
    header.solicited = flags & 0x80;
    header.migration = flags & 0x40;
    header.padCount = flags >> 4 & 3;
    header.partitionKey = reader.ReadU16();
    const uint8_t congestion = reader.ReadU8();
    header.fecn = congestion & 0x80;
    header.becn = congestion & 0x40;
    header.destinationQueuePair = reader.ReadU24();
    header.ackRequest = reader.ReadU8() & 0x80;
    header.psn = reader.ReadU24();
    if (flags & 0x0f)
    {
        return std::nullopt;
    }
    return header;
}

} // namespace rdma
} // namespace ns3
