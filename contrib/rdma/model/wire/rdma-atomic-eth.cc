/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-atomic-eth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaAtomicEth::Write(ByteWriter& writer) const
{
    writer.WriteU64(virtualAddress);
    writer.WriteU32(remoteKey);
    writer.WriteU64(swapOrAdd);
    writer.WriteU64(compare);
}

std::optional<RdmaAtomicEth>
RdmaAtomicEth::Read(ByteReader& reader)
{
    if (!reader.Has(ATOMIC_ETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaAtomicEth header;
    header.virtualAddress = reader.ReadU64();
    header.remoteKey = reader.ReadU32();
    header.swapOrAdd = reader.ReadU64();
    header.compare = reader.ReadU64();
    return header;
}

} // namespace rdma
} // namespace ns3
