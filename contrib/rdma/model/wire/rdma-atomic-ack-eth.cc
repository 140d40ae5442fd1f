/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-atomic-ack-eth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaAtomicAckEth::Write(ByteWriter& writer) const
{
    writer.WriteU64(originalData);
}

std::optional<RdmaAtomicAckEth>
RdmaAtomicAckEth::Read(ByteReader& reader)
{
    if (!reader.Has(ATOMIC_ACK_ETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaAtomicAckEth header;
    header.originalData = reader.ReadU64();
    return header;
}

} // namespace rdma
} // namespace ns3
