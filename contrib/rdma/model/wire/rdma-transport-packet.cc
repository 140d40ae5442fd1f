/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-transport-packet.h"

#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-wire-sizes.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

uint32_t
RdmaTransportPacket::GetTransportBytes() const
{
    return OpcodeHeaderBytes(transport.bth.opcode) + payloadBytes + RdmaPadBytes(payloadBytes) +
           ICRC_BYTES;
}

void
RdmaTransportPacket::WriteTransport(ByteWriter& writer) const
{
    NS_ASSERT_MSG(payload.empty() || payload.size() == payloadBytes,
                  "payload of " << payload.size() << " bytes, but its length is " << payloadBytes);
    const uint32_t padBytes = RdmaPadBytes(payloadBytes);
    RdmaTransportHeaders sent = transport;
    sent.bth.padCount = static_cast<uint8_t>(padBytes);
    sent.Write(writer);
    writer.WriteBytes(payload.data(), payload.size());
    writer.WriteZeros(payloadBytes - payload.size() + padBytes);
}

bool
RdmaTransportPacket::ReadTransport(ByteReader& reader)
{
    const std::optional<RdmaTransportHeaders> headers = RdmaTransportHeaders::Read(reader);
    if (!headers || !reader.Has(headers->bth.padCount + ICRC_BYTES))
    {
        return false;
    }
    transport = *headers;

    const std::size_t padded = reader.GetRemaining() - ICRC_BYTES;
    if (padded % 4 != 0 || (padded > 0 && !OpcodeHasPayload(transport.bth.opcode)))
    {
        return false;
    }
    payloadBytes = static_cast<uint32_t>(padded - transport.bth.padCount);
    const uint8_t* begin = reader.GetData();
    const uint8_t* end = begin + payloadBytes;
    payload.clear();
    if (std::any_of(begin, end, [](uint8_t byte) { return byte != 0; }))
    {
        payload.assign(begin, end);
    }
    reader.Skip(padded);
    return true;
}

} // namespace rdma
} // namespace ns3
