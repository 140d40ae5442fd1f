/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-frame-codec.h"

#include "ns3/assert.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-pause-header.h"
#include "ns3/fabric-pfc-header.h"
#include "ns3/packet.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

RdmaFrameCodec::RdmaFrameCodec(const FabricNetwork& network)
    : m_network(network)
{
}

bool
RdmaFrameCodec::IsSupported(uint8_t opcode)
{
    return OpcodeIsKnown(opcode) && !OpcodeHas(opcode, OPCODE_HAS_FETH);
}

std::vector<uint8_t>
RdmaFrameCodec::Encode(const FabricFrame& frame, const RdmaFrameAddresses& addresses)
{
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::RDMA && IsSupported(frame.opcode),
                  "a frame with opcode " << +frame.opcode << " does not hold a whole packet");
    RoceV2Packet packet;
    packet.ethernet.source = addresses.sourceMac;
    packet.ethernet.destination = addresses.destinationMac;

    RdmaIpv4Header ip;
    ip.dscp = addresses.dscp;
    ip.ecn = frame.ecn;
    ip.timeToLive = frame.hopLimit;
    ip.source = addresses.source;
    ip.destination = addresses.destination;
    packet.ip = ip;
    packet.udp.sourcePort = addresses.udpSourcePort;

    RdmaBth& bth = packet.transport.bth;
    bth.opcode = frame.opcode;
    bth.ackRequest = frame.flags & FabricFrame::ACK_REQUEST;
    bth.solicited = frame.flags & FabricFrame::SOLICITED;
    bth.fecn = frame.flags & FabricFrame::FECN;
    bth.becn = frame.flags & FabricFrame::BECN;
    bth.destinationQueuePair = frame.queuePair;
    bth.psn = frame.psn;
    if (OpcodeHasReth(frame.opcode))
    {
        packet.transport.reth.virtualAddress = frame.rdma.virtualAddress;
        packet.transport.reth.remoteKey = frame.rdma.remoteKey;
        packet.transport.reth.dmaLength = frame.rdma.dmaLength;
    }
    if (OpcodeHasAeth(frame.opcode))
    {
        packet.transport.aeth.syndrome = frame.rdma.syndrome;
        packet.transport.aeth.msn = frame.rdma.msn;
    }
    if (OpcodeHasImmediate(frame.opcode))
    {
        packet.transport.immDt.immediate = frame.rdma.immediate;
    }
    if (OpcodeHas(frame.opcode, OPCODE_HAS_DETH))
    {
        packet.transport.deth.queueKey = frame.rdma.queueKey;
        packet.transport.deth.sourceQueuePair = frame.sourceQueuePair;
    }
    if (OpcodeIsAtomic(frame.opcode))
    {
        packet.transport.atomicEth.virtualAddress = frame.rdma.virtualAddress;
        packet.transport.atomicEth.remoteKey = frame.rdma.remoteKey;
        packet.transport.atomicEth.swapOrAdd = frame.rdma.swap;
        packet.transport.atomicEth.compare = frame.rdma.compare;
    }
    if (OpcodeIsAtomicAck(frame.opcode))
    {
        packet.transport.atomicAck.originalData = frame.rdma.original;
    }
    if (OpcodeHas(frame.opcode, OPCODE_HAS_IETH))
    {
        packet.transport.ieth.remoteKey = frame.rdma.remoteKey;
    }
    packet.payloadBytes = frame.payload;
    return packet.Encode();
}

std::optional<RdmaFrameAddresses>
RdmaFrameCodec::Decode(const uint8_t* data, std::size_t size, FabricFrame& frame)
{
    const std::optional<RoceV2Packet> packet = RoceV2Packet::Decode(data, size);
    if (!packet || !IsSupported(packet->transport.bth.opcode))
    {
        return std::nullopt;
    }
    const auto* ip = std::get_if<RdmaIpv4Header>(&packet->ip);
    if (!ip)
    {
        return std::nullopt;
    }
    const RdmaBth& bth = packet->transport.bth;
    frame.kind = FabricFrameKind::RDMA;
    frame.bytes = RoceV2FrameBytes(bth.opcode, packet->payloadBytes);
    frame.payload = packet->payloadBytes;
    frame.priority = ip->dscp >> 3;
    frame.ecn = ip->ecn;
    frame.hopLimit = ip->timeToLive;
    frame.opcode = bth.opcode;
    frame.flags = static_cast<uint8_t>((bth.ackRequest ? FabricFrame::ACK_REQUEST : 0) |
                                       (bth.solicited ? FabricFrame::SOLICITED : 0) |
                                       (bth.fecn ? FabricFrame::FECN : 0) |
                                       (bth.becn ? FabricFrame::BECN : 0));
    frame.queuePair = bth.destinationQueuePair;
    frame.psn = bth.psn;
    if (OpcodeHasReth(bth.opcode))
    {
        frame.rdma.virtualAddress = packet->transport.reth.virtualAddress;
        frame.rdma.remoteKey = packet->transport.reth.remoteKey;
        frame.rdma.dmaLength = packet->transport.reth.dmaLength;
    }
    if (OpcodeHasAeth(bth.opcode))
    {
        frame.rdma.syndrome = packet->transport.aeth.syndrome;
        frame.rdma.msn = packet->transport.aeth.msn;
    }
    if (OpcodeHasImmediate(bth.opcode))
    {
        frame.rdma.immediate = packet->transport.immDt.immediate;
    }
    if (OpcodeHas(bth.opcode, OPCODE_HAS_DETH))
    {
        frame.rdma.queueKey = packet->transport.deth.queueKey;
        frame.sourceQueuePair = packet->transport.deth.sourceQueuePair;
    }
    if (OpcodeIsAtomic(bth.opcode))
    {
        frame.rdma.virtualAddress = packet->transport.atomicEth.virtualAddress;
        frame.rdma.remoteKey = packet->transport.atomicEth.remoteKey;
        frame.rdma.swap = packet->transport.atomicEth.swapOrAdd;
        frame.rdma.compare = packet->transport.atomicEth.compare;
    }
    if (OpcodeIsAtomicAck(bth.opcode))
    {
        frame.rdma.original = packet->transport.atomicAck.originalData;
    }
    if (OpcodeHas(bth.opcode, OPCODE_HAS_IETH))
    {
        frame.rdma.remoteKey = packet->transport.ieth.remoteKey;
    }
    RdmaFrameAddresses addresses;
    addresses.sourceMac = packet->ethernet.source;
    addresses.destinationMac = packet->ethernet.destination;
    addresses.source = ip->source;
    addresses.destination = ip->destination;
    addresses.udpSourcePort = packet->udp.sourcePort;
    addresses.dscp = ip->dscp;
    return addresses;
}

Ptr<Packet>
RdmaFrameCodec::ToPacket(const FabricFrame& frame) const
{
    std::vector<uint8_t> bytes;
    switch (frame.kind)
    {
    case FabricFrameKind::RDMA: {
        RdmaFrameAddresses addresses;
        addresses.sourceMac = GetMac(frame.source);
        addresses.destinationMac = GetMac(frame.destination);
        addresses.source = m_network.GetAddress(frame.source);
        addresses.destination = m_network.GetAddress(frame.destination);
        addresses.udpSourcePort = frame.rdma.sourcePort;
        addresses.dscp = static_cast<uint8_t>(frame.priority << 3);
        bytes = Encode(frame, addresses);
        break;
    }
    case FabricFrameKind::PFC: {
        FabricPfcHeader pfc;
        pfc.classEnable = frame.pause.classes;
        std::copy_n(frame.pause.quanta, FABRIC_PRIORITIES, pfc.quanta.begin());
        bytes = pfc.MakeFrame(GetMac(frame.source));
        break;
    }
    case FabricFrameKind::PAUSE: {
        FabricPauseHeader pause;
        pause.quanta = frame.pause.quanta[0];
        bytes = pause.MakeFrame(GetMac(frame.source));
        break;
    }
    case FabricFrameKind::PACKET:
        NS_ASSERT_MSG(false, "a frame that carries an ns3::Packet has its bytes already");
        break;
    case FabricFrameKind::CREDIT:
        NS_ASSERT_MSG(false, "there are no flow control packets of InfiniBand on Ethernet");
        break;
    }
    NS_ASSERT_MSG(bytes.size() + ETHERNET_FCS_BYTES == frame.bytes,
                  "opcode " << +frame.opcode << ": a frame of " << frame.bytes << " bytes has "
                            << bytes.size() + ETHERNET_FCS_BYTES << " on the wire");
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
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
