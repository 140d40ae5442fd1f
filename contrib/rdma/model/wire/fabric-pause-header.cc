/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-pause-header.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
FabricPauseHeader::MakeFrame(const Mac48Address& source) const
{
    std::vector<uint8_t> body;
    ByteWriter writer(body);
    Write(writer);
    return MakeMacControlFrame(source, body);
}

void
FabricPauseHeader::Write(ByteWriter& writer) const
{
    writer.WriteU16(MAC_CONTROL_PAUSE);
    writer.WriteU16(quanta);
}

std::optional<FabricPauseHeader>
FabricPauseHeader::Read(ByteReader& reader)
{
    if (!reader.Has(PAUSE_BODY_BYTES) || reader.ReadU16() != MAC_CONTROL_PAUSE)
    {
        return std::nullopt;
    }
    FabricPauseHeader header;
    header.quanta = reader.ReadU16();
    return header;
}

} // namespace rdma
} // namespace ns3
