/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-roce-v2-frame.h"

#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-transport.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <utility>

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
EncodeRoceV2Frame(const FabricFrame& frame, const RdmaFrameExtras& extras, bool isIpv6)
{
    RoceV2Packet packet;
    RdmaFrameToTransport(frame, packet);
    packet.ethernet.source = extras.sourceMac;
    packet.ethernet.destination = extras.destinationMac;
    packet.udp.sourcePort = frame.rdma.sourcePort;
    if (isIpv6)
    {
        RdmaIpv6Header ip;
        ip.dscp = extras.dscp;
        ip.ecn = frame.ecn;
        ip.flowLabel = RdmaFlowLabelOfPort(frame.rdma.sourcePort);
        ip.hopLimit = frame.hopLimit;
        ip.source = extras.sourceGid;
        ip.destination = extras.destinationGid;
        packet.ip = ip;
    }
    else
    {
        RdmaIpv4Header ip;
        ip.dscp = extras.dscp;
        ip.ecn = frame.ecn;
        ip.timeToLive = frame.hopLimit;
        ip.source = extras.source;
        ip.destination = extras.destination;
        packet.ip = ip;
    }
    return packet.Encode();
}

std::optional<RdmaFrameExtras>
DecodeRoceV2Frame(const uint8_t* data, std::size_t size, bool isIpv6, FabricFrame& frame)
{
    std::optional<RoceV2Packet> packet = RoceV2Packet::Decode(data, size);
    if (!packet || !RdmaFrameHolds(packet->transport.bth.opcode) ||
        std::holds_alternative<RdmaIpv6Header>(packet->ip) != isIpv6)
    {
        return std::nullopt;
    }
    RdmaFrameExtras extras;
    if (isIpv6)
    {
        const auto& ip = std::get<RdmaIpv6Header>(packet->ip);
        extras.dscp = ip.dscp;
        extras.sourceGid = ip.source;
        extras.destinationGid = ip.destination;
        frame.ecn = ip.ecn;
        frame.hopLimit = ip.hopLimit;
    }
    else
    {
        const auto& ip = std::get<RdmaIpv4Header>(packet->ip);
        extras.dscp = ip.dscp;
        extras.source = ip.source;
        extras.destination = ip.destination;
        frame.ecn = ip.ecn;
        frame.hopLimit = ip.timeToLive;
    }
    extras.sourceMac = packet->ethernet.source;
    extras.destinationMac = packet->ethernet.destination;
    RdmaTransportToFrame(*packet, frame);
    frame.priority = extras.dscp >> 3;
    frame.rdma.sourcePort = packet->udp.sourcePort;
    frame.bytes =
        RdmaFrameBytes(isIpv6 ? RdmaEncapsulation::ROCE_V2_IPV6 : RdmaEncapsulation::ROCE_V2_IPV4,
                       frame.opcode,
                       frame.payload);
    extras.payload = std::move(packet->payload);
    return extras;
}

} // namespace rdma
} // namespace ns3
