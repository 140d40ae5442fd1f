/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-flow-control-packet.h"

#include "ns3/ib-crc.h"
#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

namespace
{

/// Bytes in front of the link packet CRC, and those that it covers.
constexpr std::size_t COVERED_BYTES = 4;

} // namespace

void
IbFlowControlPacket::Write(ByteWriter& writer) const
{
    NS_ASSERT_MSG(sentBlocks <= 0xfff && virtualLane <= 15 && creditLimit <= 0xfff,
                  "FCTBS " << sentBlocks << ", virtual lane " << +virtualLane << " or FCCL "
                           << creditLimit << " does not fit its field");
    std::vector<uint8_t> covered;
    ByteWriter fields(covered);
    fields.WriteU16(static_cast<uint16_t>((initial ? 0x1000 : 0) | (sentBlocks & 0xfff)));
    fields.WriteU16(static_cast<uint16_t>(virtualLane << 12 | (creditLimit & 0xfff)));
    writer.WriteBytes(covered.data(), covered.size());
    writer.WriteU16LittleEndian(IbCrc16(covered.data(), covered.size()));
}

std::optional<IbFlowControlPacket>
IbFlowControlPacket::Read(ByteReader& reader)
{
    ByteReader ahead = reader;
    if (!ahead.Has(FLOW_CONTROL_PACKET_BYTES))
    {
        return std::nullopt;
    }
    const uint16_t crc = IbCrc16(ahead.GetData(), COVERED_BYTES);
    const uint16_t first = ahead.ReadU16();
    const uint16_t second = ahead.ReadU16();
    if (first >> 12 > 1 || ahead.ReadU16LittleEndian() != crc)
    {
        return std::nullopt;
    }
    IbFlowControlPacket packet;
    packet.initial = first >> 12 == 1;
    packet.sentBlocks = first & 0xfff;
    packet.virtualLane = static_cast<uint8_t>(second >> 12);
    packet.creditLimit = second & 0xfff;
    reader = ahead;
    return packet;
}

} // namespace rdma
} // namespace ns3
