/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-header.h"

namespace ns3
{
namespace rdma
{

void
RdmaSrdHeader::Write(ByteWriter& writer) const
{
    writer.WriteU8(SRD_VERSION);
    writer.WriteU8(static_cast<uint8_t>(opcode));
    writer.WriteU8(transmission);
    writer.WriteU8(status);
    writer.WriteU16(destinationQueuePair);
    writer.WriteU16(sourceQueuePair);
    writer.WriteU32(connectionKey);
    writer.WriteU32(sequence);
    writer.WriteU32(messageId);
    writer.WriteU16(payloadBytes);
    writer.WriteZeros(2);
    if (SrdHasRemote(opcode))
    {
        writer.WriteU64(remoteAddress);
        writer.WriteU32(remoteKey);
    }
    if (SrdHasPlace(opcode))
    {
        writer.WriteU32(length);
        writer.WriteU32(offset);
    }
    if (SrdHasImmediate(opcode))
    {
        writer.WriteU32(immediate);
    }
    if (SrdIsAnswer(opcode))
    {
        writer.WriteU32(cumulative);
        writer.WriteU64(received);
    }
}

std::optional<RdmaSrdHeader>
RdmaSrdHeader::Read(ByteReader& reader)
{
    if (!reader.Has(SRD_BASE_BYTES) || reader.GetData()[0] != SRD_VERSION ||
        reader.GetData()[1] >= static_cast<uint8_t>(RdmaSrdOpcode::COUNT))
    {
        return std::nullopt;
    }
    RdmaSrdHeader header;
    header.opcode = static_cast<RdmaSrdOpcode>(reader.GetData()[1]);
    if (!reader.Has(SrdHeaderBytes(header.opcode)))
    {
        return std::nullopt;
    }
    reader.Skip(2);
    header.transmission = reader.ReadU8();
    header.status = reader.ReadU8();
    header.destinationQueuePair = reader.ReadU16();
    header.sourceQueuePair = reader.ReadU16();
    header.connectionKey = reader.ReadU32();
    header.sequence = reader.ReadU32();
    header.messageId = reader.ReadU32();
    header.payloadBytes = reader.ReadU16();
    reader.Skip(2);
    if (SrdHasRemote(header.opcode))
    {
        header.remoteAddress = reader.ReadU64();
        header.remoteKey = reader.ReadU32();
    }
    if (SrdHasPlace(header.opcode))
    {
        header.length = reader.ReadU32();
        header.offset = reader.ReadU32();
    }
    if (SrdHasImmediate(header.opcode))
    {
        header.immediate = reader.ReadU32();
    }
    if (SrdIsAnswer(header.opcode))
    {
        header.cumulative = reader.ReadU32();
        header.received = reader.ReadU64();
    }
    return header;
}

} // namespace rdma
} // namespace ns3
