/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ieth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaIeth::Write(ByteWriter& writer) const
{
    writer.WriteU32(remoteKey);
}

std::optional<RdmaIeth>
RdmaIeth::Read(ByteReader& reader)
{
    if (!reader.Has(IETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaIeth header;
    header.remoteKey = reader.ReadU32();
    return header;
}

} // namespace rdma
} // namespace ns3
