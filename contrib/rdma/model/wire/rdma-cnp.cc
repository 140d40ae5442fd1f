/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-cnp.h"

#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-opcode.h"

namespace ns3
{
namespace rdma
{

RdmaBth
RdmaCnp::MakeBth(uint32_t destinationQueuePair)
{
    RdmaBth bth;
    bth.opcode = ROCE_CNP;
    bth.becn = true;
    bth.destinationQueuePair = destinationQueuePair;
    return bth;
}

void
RdmaCnp::Write(ByteWriter& writer) const
{
    writer.WriteZeros(CNP_RESERVED_BYTES);
}

std::optional<RdmaCnp>
RdmaCnp::Read(ByteReader& reader)
{
    if (!reader.Has(CNP_RESERVED_BYTES))
    {
        return std::nullopt;
    }
    reader.Skip(CNP_RESERVED_BYTES);
    return RdmaCnp();
}

} // namespace rdma
} // namespace ns3
