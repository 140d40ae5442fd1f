/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-roce-v1-packet.h"

#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
RoceV1Packet::Encode() const
{
    const uint32_t transportBytes = GetTransportBytes();
    NS_ASSERT_MSG(transportBytes <= 0xffff,
                  "payload of " << payloadBytes << " bytes does not fit a RoCEv1 packet");
    std::vector<uint8_t> frame;
    frame.reserve(ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES + GRH_BYTES + transportBytes);
    ByteWriter writer(frame);

    RdmaEthernetHeader sentEthernet = ethernet;
    sentEthernet.etherType = ETHERTYPE_ROCE_V1;
    sentEthernet.Write(writer);
    const std::size_t grhStart = frame.size();
    RdmaGrh sentGrh = grh;
    sentGrh.nextHeader = GRH_NEXT_HEADER_IBA;
    sentGrh.payloadLength = static_cast<uint16_t>(transportBytes);
    sentGrh.Write(writer);
    WriteTransport(writer);

    const std::optional<uint32_t> icrc =
        RoceV1Icrc(frame.data() + grhStart, frame.size() - grhStart);
    NS_ASSERT_MSG(icrc, "the ICRC refuses a packet that was just built");
    writer.WriteU32LittleEndian(*icrc);

    frame.resize(
        std::max<std::size_t>(frame.size(), ETHERNET_MIN_FRAME_BYTES - ETHERNET_FCS_BYTES));
    return frame;
}

std::optional<RoceV1Packet>
RoceV1Packet::Decode(const uint8_t* data, std::size_t size)
{
    ByteReader reader(data, size);
    RoceV1Packet packet;
    const std::optional<RdmaEthernetHeader> ethernet = RdmaEthernetHeader::Read(reader);
    if (!ethernet || ethernet->etherType != ETHERTYPE_ROCE_V1)
    {
        return std::nullopt;
    }
    packet.ethernet = *ethernet;

    const uint8_t* grhStart = reader.GetData();
    const std::optional<RdmaGrh> grh = RdmaGrh::Read(reader);
    if (!grh || grh->nextHeader != GRH_NEXT_HEADER_IBA || !reader.Has(grh->payloadLength))
    {
        return std::nullopt;
    }
    packet.grh = *grh;
    reader.Truncate(grh->payloadLength);
    if (!packet.ReadTransport(reader))
    {
        return std::nullopt;
    }
    const std::optional<uint32_t> icrc = RoceV1Icrc(grhStart, reader.GetData() - grhStart);
    if (!icrc || *icrc != reader.ReadU32LittleEndian())
    {
        return std::nullopt;
    }
    return packet;
}

} // namespace rdma
} // namespace ns3
