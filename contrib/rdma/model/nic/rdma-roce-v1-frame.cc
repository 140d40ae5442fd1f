/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-roce-v1-frame.h"

#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-transport.h"
#include "ns3/rdma-roce-v1-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <utility>

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
EncodeRoceV1Frame(const FabricFrame& frame, const RdmaFrameExtras& extras)
{
    RoceV1Packet packet;
    RdmaFrameToTransport(frame, packet);
    packet.ethernet.source = extras.sourceMac;
    packet.ethernet.destination = extras.destinationMac;
    packet.grh.dscp = extras.dscp;
    packet.grh.ecn = frame.ecn;
    packet.grh.flowLabel = RdmaFlowLabelOfPort(frame.rdma.sourcePort);
    packet.grh.hopLimit = frame.hopLimit;
    packet.grh.source = extras.sourceGid;
    packet.grh.destination = extras.destinationGid;
    return packet.Encode();
}

std::optional<RdmaFrameExtras>
DecodeRoceV1Frame(const uint8_t* data, std::size_t size, FabricFrame& frame)
{
    std::optional<RoceV1Packet> packet = RoceV1Packet::Decode(data, size);
    if (!packet || !RdmaFrameHolds(packet->transport.bth.opcode))
    {
        return std::nullopt;
    }
    RdmaFrameExtras extras;
    extras.sourceMac = packet->ethernet.source;
    extras.destinationMac = packet->ethernet.destination;
    extras.dscp = packet->grh.dscp;
    extras.sourceGid = packet->grh.source;
    extras.destinationGid = packet->grh.destination;
    RdmaTransportToFrame(*packet, frame);
    frame.ecn = packet->grh.ecn;
    frame.hopLimit = packet->grh.hopLimit;
    frame.priority = extras.dscp >> 3;
    frame.rdma.sourcePort = RdmaUdpSourcePort(packet->grh.flowLabel);
    frame.bytes = RdmaFrameBytes(RdmaEncapsulation::ROCE_V1, frame.opcode, frame.payload);
    extras.payload = std::move(packet->payload);
    return extras;
}

} // namespace rdma
} // namespace ns3
