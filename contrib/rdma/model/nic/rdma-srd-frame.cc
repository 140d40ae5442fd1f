/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-frame.h"

#include "ns3/rdma-srd-packet.h"

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
EncodeSrdFrame(const FabricFrame& frame, const RdmaFrameExtras& extras)
{
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::SRD, "only SRD frames have SRD packets");
    RdmaSrdPacket packet;
    packet.ethernet.source = extras.sourceMac;
    packet.ethernet.destination = extras.destinationMac;
    packet.ip.dscp = extras.dscp;
    packet.ip.ecn = frame.ecn;
    packet.ip.timeToLive = frame.hopLimit;
    packet.ip.source = extras.source;
    packet.ip.destination = extras.destination;
    packet.udp.sourcePort = frame.srd.sourcePort;

    RdmaSrdHeader& srd = packet.srd;
    srd.opcode = static_cast<RdmaSrdOpcode>(frame.opcode);
    srd.transmission = frame.srd.transmission;
    srd.status = frame.srd.status;
    srd.destinationQueuePair = static_cast<uint16_t>(frame.queuePair);
    srd.sourceQueuePair = static_cast<uint16_t>(frame.sourceQueuePair);
    srd.connectionKey = frame.srd.connectionKey;
    srd.sequence = frame.psn;
    srd.messageId = frame.srd.messageId;
    srd.payloadBytes = static_cast<uint16_t>(frame.payload);
    srd.remoteAddress = frame.srd.remoteAddress;
    srd.remoteKey = frame.srd.remoteKey;
    srd.length = frame.srd.length;
    srd.offset = frame.srd.offset;
    srd.immediate = frame.srd.immediate;
    srd.cumulative = frame.srd.cumulative;
    srd.received = frame.srd.received;
    return packet.Encode();
}

std::optional<RdmaFrameExtras>
DecodeSrdFrame(const uint8_t* data, std::size_t size, FabricFrame& frame)
{
    const std::optional<RdmaSrdPacket> packet = RdmaSrdPacket::Decode(data, size);
    if (!packet)
    {
        return std::nullopt;
    }
    const RdmaSrdHeader& srd = packet->srd;
    frame.kind = FabricFrameKind::SRD;
    frame.bytes = SrdFrameBytes(srd.opcode, srd.payloadBytes);
    frame.payload = srd.payloadBytes;
    frame.priority = packet->ip.dscp >> 3;
    frame.ecn = packet->ip.ecn;
    frame.hopLimit = packet->ip.timeToLive;
    frame.opcode = static_cast<uint8_t>(srd.opcode);
    frame.queuePair = srd.destinationQueuePair;
    frame.sourceQueuePair = srd.sourceQueuePair;
    frame.psn = srd.sequence;
    frame.srd.sourcePort = packet->udp.sourcePort;
    frame.srd.transmission = srd.transmission;
    frame.srd.status = srd.status;
    frame.srd.connectionKey = srd.connectionKey;
    frame.srd.messageId = srd.messageId;
    if (SrdHasRemote(srd.opcode))
    {
        frame.srd.remoteAddress = srd.remoteAddress;
        frame.srd.remoteKey = srd.remoteKey;
    }
    if (SrdHasPlace(srd.opcode))
    {
        frame.srd.length = srd.length;
        frame.srd.offset = srd.offset;
    }
    if (SrdHasImmediate(srd.opcode))
    {
        frame.srd.immediate = srd.immediate;
    }
    if (SrdIsAnswer(srd.opcode))
    {
        frame.srd.cumulative = srd.cumulative;
        frame.srd.received = srd.received;
    }
    RdmaFrameExtras extras;
    extras.sourceMac = packet->ethernet.source;
    extras.destinationMac = packet->ethernet.destination;
    extras.source = packet->ip.source;
    extras.destination = packet->ip.destination;
    extras.dscp = packet->ip.dscp;
    return extras;
}

} // namespace rdma
} // namespace ns3
