/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-xrceth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaXrceth::Write(ByteWriter& writer) const
{
    writer.WriteU8(0);
    writer.WriteU24(sharedReceiveQueue);
}

std::optional<RdmaXrceth>
RdmaXrceth::Read(ByteReader& reader)
{
    if (!reader.Has(XRCETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaXrceth header;
    reader.Skip(1);
    header.sharedReceiveQueue = reader.ReadU24();
    return header;
}

} // namespace rdma
} // namespace ns3
