/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-frame-codec.h"

#include "ns3/assert.h"
#include "ns3/fabric-net-device.h"
#include "ns3/packet.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-infiniband-frame.h"
#include "ns3/rdma-pause-frame.h"
#include "ns3/rdma-roce-v1-frame.h"
#include "ns3/rdma-roce-v2-frame.h"
#include "ns3/rdma-srd-frame.h"

namespace ns3
{
namespace rdma
{

RdmaFrameCodec::RdmaFrameCodec(const FabricNetwork& network)
    : m_network(network)
{
}

Ptr<Packet>
RdmaFrameCodec::ToPacket(const FabricFrame& frame) const
{
    const RdmaEncapsulation encapsulation = m_network.GetEncapsulation();
    const std::vector<uint8_t> bytes = Encode(encapsulation, frame, GetExtras(frame));
    const uint32_t notCaptured = IsInfiniBand(encapsulation) ? 0 : ETHERNET_FCS_BYTES;
    NS_ASSERT_MSG(bytes.size() + notCaptured == frame.bytes,
                  "opcode " << +frame.opcode << ": a frame of " << frame.bytes << " bytes has "
                            << bytes.size() + notCaptured << " on the wire");
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

std::vector<uint8_t>
RdmaFrameCodec::Encode(RdmaEncapsulation encapsulation,
                       const FabricFrame& frame,
                       const RdmaFrameExtras& extras)
{
    NS_ASSERT_MSG(frame.kind != FabricFrameKind::PACKET,
                  "a frame that carries an ns3::Packet has its bytes already");
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::RDMA ||
                      (frame.kind == FabricFrameKind::CREDIT) == IsInfiniBand(encapsulation),
                  "control frames of Ethernet and InfiniBand do not meet");
    if (frame.kind == FabricFrameKind::CREDIT)
    {
        return EncodeCreditFrame(frame);
    }
    if (frame.kind == FabricFrameKind::SRD)
    {
        return EncodeSrdFrame(frame, extras);
    }
    if (frame.kind != FabricFrameKind::RDMA)
    {
        return EncodePauseFrame(frame, extras.sourceMac);
    }
    switch (encapsulation)
    {
    case RdmaEncapsulation::ROCE_V2_IPV4:
    case RdmaEncapsulation::ROCE_V2_IPV6:
        return EncodeRoceV2Frame(frame, extras, encapsulation == RdmaEncapsulation::ROCE_V2_IPV6);
    case RdmaEncapsulation::ROCE_V1:
        return EncodeRoceV1Frame(frame, extras);
    case RdmaEncapsulation::INFINIBAND:
    case RdmaEncapsulation::INFINIBAND_GRH:
        return EncodeInfiniBandFrame(frame,
                                     extras,
                                     encapsulation == RdmaEncapsulation::INFINIBAND_GRH);
    case RdmaEncapsulation::COUNT:
        break;
    }
    NS_ASSERT_MSG(false, "not an encapsulation");
    return {};
}

std::optional<RdmaFrameExtras>
RdmaFrameCodec::Decode(RdmaEncapsulation encapsulation,
                       const uint8_t* data,
                       std::size_t size,
                       FabricFrame& frame)
{
    if (IsInfiniBand(encapsulation))
    {
        return DecodeInfiniBandFrame(data,
                                     size,
                                     encapsulation == RdmaEncapsulation::INFINIBAND_GRH,
                                     frame);
    }
    if (const auto extras = DecodePauseFrame(data, size, frame))
    {
        return extras;
    }
    if (const auto extras = DecodeSrdFrame(data, size, frame))
    {
        return extras;
    }
    if (encapsulation == RdmaEncapsulation::ROCE_V1)
    {
        return DecodeRoceV1Frame(data, size, frame);
    }
    return DecodeRoceV2Frame(data, size, encapsulation == RdmaEncapsulation::ROCE_V2_IPV6, frame);
}

RdmaFrameExtras
RdmaFrameCodec::GetExtras(const FabricFrame& frame) const
{
    RdmaFrameExtras extras;
    const RdmaEncapsulation encapsulation = m_network.GetEncapsulation();
    if (!IsInfiniBand(encapsulation))
    {
        extras.sourceMac = GetMac(frame.source);
        extras.destinationMac = GetMac(frame.destination);
    }
    if (frame.kind == FabricFrameKind::SRD)
    {
        extras.source = m_network.GetAddress(frame.source);
        extras.destination = m_network.GetAddress(frame.destination);
        extras.dscp = static_cast<uint8_t>(frame.priority << 3);
        return extras;
    }
    if (frame.kind != FabricFrameKind::RDMA || encapsulation == RdmaEncapsulation::INFINIBAND)
    {
        return extras;
    }
    if (encapsulation == RdmaEncapsulation::ROCE_V2_IPV4)
    {
        extras.source = m_network.GetAddress(frame.source);
        extras.destination = m_network.GetAddress(frame.destination);
    }
    else
    {
        extras.sourceGid = m_network.GetGid(frame.source);
        extras.destinationGid = m_network.GetGid(frame.destination);
    }
    if (!IsInfiniBand(encapsulation))
    {
        extras.dscp = static_cast<uint8_t>(frame.priority << 3);
    }
    return extras;
}

Mac48Address
RdmaFrameCodec::GetMac(uint32_t endpoint) const
{
    const auto& endpoints = m_network.GetEndpoints();
    if (endpoint >= endpoints.size())
    {
        // A port of a switch: locally administered, and no host's.
        static constexpr uint8_t nobody[6] = {0x02, 0, 0, 0, 0, 0};
        Mac48Address address;
        address.CopyFrom(nobody);
        return address;
    }
    return Mac48Address::ConvertFrom(endpoints[endpoint]->GetAddress());
}

} // namespace rdma
} // namespace ns3
