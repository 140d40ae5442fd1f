/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-transport-headers.h"

#include "ns3/rdma-cnp.h"
#include "ns3/rdma-opcode.h"

#include <type_traits>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * Calls a function for each extended header that an opcode calls for, in their order on the wire
 * (IBA volume 1, section 9.3).
 *
 * \tparam Headers RdmaTransportHeaders, const or not.
 * \tparam Visitor Takes a reference to any extended header.
 * \param headers Where the headers stand; the opcode is that of its BTH.
 * \param visit The function.
 */
template <typename Headers, typename Visitor>
void
VisitExtendedHeaders(Headers& headers, Visitor visit)
{
    const uint8_t opcode = headers.bth.opcode;
    if (OpcodeHas(opcode, OPCODE_HAS_RDETH))
    {
        visit(headers.rdeth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_XRCETH))
    {
        visit(headers.xrceth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_DETH))
    {
        visit(headers.deth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_FETH))
    {
        visit(headers.feth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_RETH))
    {
        visit(headers.reth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_ATOMIC_ETH))
    {
        visit(headers.atomicEth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_AETH))
    {
        visit(headers.aeth);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_ATOMIC_ACK_ETH))
    {
        visit(headers.atomicAck);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_IMMEDIATE))
    {
        visit(headers.immDt);
    }
    if (OpcodeHas(opcode, OPCODE_HAS_IETH))
    {
        visit(headers.ieth);
    }
    if (opcode == ROCE_CNP)
    {
        RdmaCnp reserved;
        visit(reserved);
    }
}

} // namespace

void
RdmaTransportHeaders::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(OpcodeIsKnown(bth.opcode), "BTH opcode " << +bth.opcode << " is not known");
    bth.Write(writer);
    VisitExtendedHeaders(*this, [&writer](const auto& header) { header.Write(writer); });
}

std::optional<RdmaTransportHeaders>
RdmaTransportHeaders::Read(ByteReader& reader)
{
    // All or nothing: the caller's reader moves only when every header is there.
    ByteReader ahead = reader;
    const std::optional<RdmaBth> bth = RdmaBth::Read(ahead);
    if (!bth || !OpcodeIsKnown(bth->opcode))
    {
        return std::nullopt;
    }
    RdmaTransportHeaders headers;
    headers.bth = *bth;
    bool complete = true;
    VisitExtendedHeaders(headers, [&ahead, &complete](auto& header) {
        const auto read = std::decay_t<decltype(header)>::Read(ahead);
        complete = complete && read;
        header = read.value_or(header);
    });
    if (!complete)
    {
        return std::nullopt;
    }
    reader = ahead;
    return headers;
}

} // namespace rdma
} // namespace ns3
