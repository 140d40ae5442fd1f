/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-infiniband-frame.h"

#include "ns3/assert.h"
#include "ns3/ib-flow-control-packet.h"
#include "ns3/ib-packet.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-transport.h"
#include "ns3/rdma-header-sizes.h"

#include <utility>

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
EncodeInfiniBandFrame(const FabricFrame& frame, const RdmaFrameExtras& extras, bool hasGrh)
{
    IbPacket packet;
    RdmaFrameToTransport(frame, packet);
    packet.lrh.virtualLane = frame.priority;
    packet.lrh.serviceLevel = frame.serviceLevel;
    packet.lrh.dlid = frame.dlid;
    packet.lrh.slid = frame.slid;
    if (hasGrh)
    {
        RdmaGrh grh;
        grh.dscp = extras.dscp;
        grh.ecn = frame.ecn;
        grh.flowLabel = RdmaFlowLabelOfPort(frame.rdma.sourcePort);
        grh.hopLimit = frame.hopLimit;
        grh.source = extras.sourceGid;
        grh.destination = extras.destinationGid;
        packet.grh = grh;
    }
    return packet.Encode();
}

std::vector<uint8_t>
EncodeCreditFrame(const FabricFrame& frame)
{
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::CREDIT, "not a flow control packet");
    IbFlowControlPacket packet;
    packet.initial = frame.credit.initial;
    packet.sentBlocks = frame.credit.sentBlocks;
    packet.virtualLane = frame.credit.lane;
    packet.creditLimit = frame.credit.creditLimit;
    std::vector<uint8_t> bytes;
    ByteWriter writer(bytes);
    packet.Write(writer);
    return bytes;
}

std::optional<RdmaFrameExtras>
DecodeInfiniBandFrame(const uint8_t* data, std::size_t size, bool hasGrh, FabricFrame& frame)
{
    if (size == FLOW_CONTROL_PACKET_BYTES)
    {
        ByteReader reader(data, size);
        const std::optional<IbFlowControlPacket> packet = IbFlowControlPacket::Read(reader);
        if (!packet)
        {
            return std::nullopt;
        }
        frame.kind = FabricFrameKind::CREDIT;
        frame.bytes = FLOW_CONTROL_PACKET_BYTES;
        frame.credit.initial = packet->initial;
        frame.credit.sentBlocks = packet->sentBlocks;
        frame.credit.lane = packet->virtualLane;
        frame.credit.creditLimit = packet->creditLimit;
        return RdmaFrameExtras();
    }
    std::optional<IbPacket> packet = IbPacket::Decode(data, size);
    if (!packet || !RdmaFrameHolds(packet->transport.bth.opcode) ||
        packet->grh.has_value() != hasGrh)
    {
        return std::nullopt;
    }
    RdmaTransportToFrame(*packet, frame);
    frame.bytes = static_cast<uint32_t>(size);
    frame.priority = packet->lrh.virtualLane;
    frame.serviceLevel = packet->lrh.serviceLevel;
    frame.dlid = packet->lrh.dlid;
    frame.slid = packet->lrh.slid;
    RdmaFrameExtras extras;
    if (packet->grh)
    {
        extras.dscp = packet->grh->dscp;
        extras.sourceGid = packet->grh->source;
        extras.destinationGid = packet->grh->destination;
        frame.ecn = packet->grh->ecn;
        frame.hopLimit = packet->grh->hopLimit;
        frame.rdma.sourcePort = RdmaUdpSourcePort(packet->grh->flowLabel);
    }
    extras.payload = std::move(packet->payload);
    return extras;
}

} // namespace rdma
} // namespace ns3
