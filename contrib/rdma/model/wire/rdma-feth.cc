/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-feth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaFeth::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(placementType <= 15 && selectivity <= 3,
                  "placement type " << +placementType << " or selectivity " << +selectivity
                                    << " does not fit its field");
    writer.WriteU32((selectivity & 3U) << 4 | (placementType & 15U));
}

std::optional<RdmaFeth>
RdmaFeth::Read(ByteReader& reader)
{
    if (!reader.Has(FETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaFeth header;
    const uint32_t bits = reader.ReadU32();
    header.placementType = bits & 15;
    header.selectivity = bits >> 4 & 3;
    return header;
}

} // namespace rdma
} // namespace ns3
