/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-reth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaReth::Write(ByteWriter& writer) const
{
    writer.WriteU64(virtualAddress);
    writer.WriteU32(remoteKey);
    writer.WriteU32(dmaLength);
}

std::optional<RdmaReth>
RdmaReth::Read(ByteReader& reader)
{
    if (!reader.Has(RETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaReth header;
    header.virtualAddress = reader.ReadU64();
    header.remoteKey = reader.ReadU32();
    header.dmaLength = reader.ReadU32();
    return header;
}

} // namespace rdma
} // namespace ns3
