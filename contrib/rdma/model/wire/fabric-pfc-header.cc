/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-pfc-header.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
FabricPfcHeader::MakeFrame(const Mac48Address& source) const
{
    std::vector<uint8_t> body;
    ByteWriter writer(body);
    Write(writer);
    return MakeMacControlFrame(source, body);
}

void
FabricPfcHeader::Write(ByteWriter& writer) const
{
    writer.WriteU16(MAC_CONTROL_PFC);
    writer.WriteU16(classEnable); // the high byte of the vector is zero
    for (uint16_t q : quanta)
    {
        writer.WriteU16(q);
    }
}

std::optional<FabricPfcHeader>
FabricPfcHeader::Read(ByteReader& reader)
{
    if (!reader.Has(PFC_BODY_BYTES) || reader.ReadU16() != MAC_CONTROL_PFC)
    {
        return std::nullopt;
    }
    FabricPfcHeader header;
    reader.Skip(1);
    header.classEnable = reader.ReadU8();
    for (uint16_t& q : header.quanta)
    {
        q = reader.ReadU16();
    }
    return header;
}

} // namespace rdma
} // namespace ns3
