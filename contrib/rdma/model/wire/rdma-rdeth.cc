/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-rdeth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaRdeth::Write(ByteWriter& writer) const
{
    writer.WriteU8(0);
    writer.WriteU24(eeContext);
}

std::optional<RdmaRdeth>
RdmaRdeth::Read(ByteReader& reader)
{
    if (!reader.Has(RDETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaRdeth header;
    reader.Skip(1);
    header.eeContext = reader.ReadU24();
    return header;
}

} // namespace rdma
} // namespace ns3
