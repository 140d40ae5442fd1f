/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-imm-dt.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaImmDt::Write(ByteWriter& writer) const
{
    writer.WriteU32(immediate);
}

std::optional<RdmaImmDt>
RdmaImmDt::Read(ByteReader& reader)
{
    if (!reader.Has(IMM_DT_BYTES))
    {
        return std::nullopt;
    }
    RdmaImmDt header;
    header.immediate = reader.ReadU32();
    return header;
}

} // namespace rdma
} // namespace ns3
