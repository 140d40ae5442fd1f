/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-deth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaDeth::Write(ByteWriter& writer) const
{
    writer.WriteU32(queueKey);
    writer.WriteU8(0);
    writer.WriteU24(sourceQueuePair);
}

std::optional<RdmaDeth>
RdmaDeth::Read(ByteReader& reader)
{
    if (!reader.Has(DETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaDeth header;
    header.queueKey = reader.ReadU32();
    reader.Skip(1);
    header.sourceQueuePair = reader.ReadU24();
    return header;
}

} // namespace rdma
} // namespace ns3
