/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-packet.h"

#include "ns3/ib-crc.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
IbPacket::Encode() const
{
    const uint32_t transportBytes = GetTransportBytes();
    const uint32_t words = (LRH_BYTES + (grh ? GRH_BYTES : 0) + transportBytes) / 4;
    NS_ASSERT_MSG(words <= 0x7ff,
                  "payload of " << payloadBytes << " bytes does not fit an InfiniBand packet");
    std::vector<uint8_t> packet;
    packet.reserve(words * 4 + VCRC_BYTES);
    ByteWriter writer(packet);

    IbLrh sentLrh = lrh;
    sentLrh.nextHeader = grh ? IbNextHeader::GLOBAL : IbNextHeader::LOCAL;
    sentLrh.packetLength = static_cast<uint16_t>(words);
    sentLrh.Write(writer);
    if (grh)
    {
        RdmaGrh sentGrh = *grh;
        sentGrh.nextHeader = GRH_NEXT_HEADER_IBA;
        sentGrh.payloadLength = static_cast<uint16_t>(transportBytes);
        sentGrh.Write(writer);
    }
    WriteTransport(writer);

    const std::optional<uint32_t> icrc = IbIcrc(packet.data(), packet.size());
    NS_ASSERT_MSG(icrc, "the ICRC refuses a packet that was just built");
    writer.WriteU32LittleEndian(*icrc);
    writer.WriteU16LittleEndian(IbCrc16(packet.data(), packet.size()));
    return packet;
}

std::optional<IbPacket>
IbPacket::Decode(const uint8_t* data, std::size_t size)
{
    ByteReader reader(data, size);
    IbPacket packet;
    const std::optional<IbLrh> lrh = IbLrh::Read(reader);
    if (!lrh || std::size_t{lrh->packetLength} * 4 + VCRC_BYTES != size)
    {
        return std::nullopt;
    }
    packet.lrh = *lrh;

    const std::size_t covered = size - VCRC_BYTES; // by the VCRC
    ByteReader trailer(data + covered, VCRC_BYTES);
    if (trailer.ReadU16LittleEndian() != IbCrc16(data, covered))
    {
        return std::nullopt;
    }
    reader.Truncate(reader.GetRemaining() - VCRC_BYTES);

    if (lrh->nextHeader == IbNextHeader::GLOBAL)
    {
        packet.grh = RdmaGrh::Read(reader);
        if (!packet.grh || packet.grh->nextHeader != GRH_NEXT_HEADER_IBA ||
            packet.grh->payloadLength != reader.GetRemaining())
        {
            return std::nullopt;
        }
    }
    else if (lrh->nextHeader != IbNextHeader::LOCAL)
    {
        return std::nullopt;
    }
    if (!packet.ReadTransport(reader))
    {
        return std::nullopt;
    }
    const std::optional<uint32_t> icrc = IbIcrc(data, covered - ICRC_BYTES);
    if (!icrc || *icrc != reader.ReadU32LittleEndian())
    {
        return std::nullopt;
    }
    return packet;
}

} // namespace rdma
} // namespace ns3
