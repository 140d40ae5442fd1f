/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-cnp.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

RdmaBth
RdmaCnp::MakeBth(uint32_t destinationQueuePair, uint8_t opcode)
{
    NS_ASSERT_MSG(OpcodeIsCnp(opcode), "opcode " << +opcode << " is no CNP");
    RdmaBth bth;
    bth.opcode = opcode;
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
