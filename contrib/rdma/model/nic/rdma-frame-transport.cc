/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-frame-transport.h"

#include "ns3/assert.h"
#include "ns3/rdma-opcode.h"

namespace ns3
{
namespace rdma
{

bool
RdmaFrameHolds(uint8_t opcode)
{
    constexpr uint32_t beyondTheFrame = OPCODE_HAS_FETH | OPCODE_HAS_RDETH;
    return OpcodeIsKnown(opcode) && !OpcodeHas(opcode, beyondTheFrame) &&
           (opcode & OPCODE_PREFIX_MASK) != OPCODE_PREFIX_XRC;
}

void
RdmaFrameToTransport(const FabricFrame& frame, RdmaTransportPacket& packet)
{
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::RDMA && RdmaFrameHolds(frame.opcode),
                  "a frame with opcode " << +frame.opcode << " does not hold a whole packet");
    RdmaTransportHeaders& headers = packet.transport;
    headers.bth.opcode = frame.opcode;
    headers.bth.ackRequest = frame.flags & FabricFrame::ACK_REQUEST;
    headers.bth.solicited = frame.flags & FabricFrame::SOLICITED;
    headers.bth.fecn = frame.flags & FabricFrame::FECN;
    headers.bth.becn = frame.flags & FabricFrame::BECN;
    headers.bth.destinationQueuePair = frame.queuePair;
    headers.bth.psn = frame.psn;
    if (OpcodeHasReth(frame.opcode))
    {
        headers.reth.virtualAddress = frame.rdma.virtualAddress;
        headers.reth.remoteKey = frame.rdma.remoteKey;
        headers.reth.dmaLength = frame.rdma.dmaLength;
    }
    if (OpcodeHasAeth(frame.opcode))
    {
        headers.aeth.syndrome = frame.rdma.syndrome;
        headers.aeth.msn = frame.rdma.msn;
    }
    if (OpcodeHasImmediate(frame.opcode))
    {
        headers.immDt.immediate = frame.rdma.immediate;
    }
    if (OpcodeHas(frame.opcode, OPCODE_HAS_DETH))
    {
        headers.deth.queueKey = frame.rdma.queueKey;
        headers.deth.sourceQueuePair = frame.sourceQueuePair;
    }
    if (OpcodeIsAtomic(frame.opcode))
    {
        headers.atomicEth.virtualAddress = frame.rdma.virtualAddress;
        headers.atomicEth.remoteKey = frame.rdma.remoteKey;
        headers.atomicEth.swapOrAdd = frame.rdma.swap;
        headers.atomicEth.compare = frame.rdma.compare;
    }
    if (OpcodeIsAtomicAck(frame.opcode))
    {
        headers.atomicAck.originalData = frame.rdma.original;
    }
    if (OpcodeHas(frame.opcode, OPCODE_HAS_IETH))
    {
        headers.ieth.remoteKey = frame.rdma.remoteKey;
    }
    packet.payloadBytes = frame.payload;
    if (frame.flags & FabricFrame::HAS_DATA)
    {
        packet.payload.assign(frame.rdma.data, frame.rdma.data + frame.payload);
    }
}

void
RdmaTransportToFrame(const RdmaTransportPacket& packet, FabricFrame& frame)
{
    const RdmaTransportHeaders& headers = packet.transport;
    const RdmaBth& bth = headers.bth;
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = bth.opcode;
    frame.flags = static_cast<uint8_t>((bth.ackRequest ? FabricFrame::ACK_REQUEST : 0) |
                                       (bth.solicited ? FabricFrame::SOLICITED : 0) |
                                       (bth.fecn ? FabricFrame::FECN : 0) |
                                       (bth.becn ? FabricFrame::BECN : 0));
    frame.queuePair = bth.destinationQueuePair;
    frame.psn = bth.psn;
    frame.payload = packet.payloadBytes;
    if (OpcodeHasReth(bth.opcode))
    {
        frame.rdma.virtualAddress = headers.reth.virtualAddress;
        frame.rdma.remoteKey = headers.reth.remoteKey;
        frame.rdma.dmaLength = headers.reth.dmaLength;
    }
    if (OpcodeHasAeth(bth.opcode))
    {
        frame.rdma.syndrome = headers.aeth.syndrome;
        frame.rdma.msn = headers.aeth.msn;
    }
    if (OpcodeHasImmediate(bth.opcode))
    {
        frame.rdma.immediate = headers.immDt.immediate;
    }
    if (OpcodeHas(bth.opcode, OPCODE_HAS_DETH))
    {
        frame.rdma.queueKey = headers.deth.queueKey;
        frame.sourceQueuePair = headers.deth.sourceQueuePair;
    }
    if (OpcodeIsAtomic(bth.opcode))
    {
        frame.rdma.virtualAddress = headers.atomicEth.virtualAddress;
        frame.rdma.remoteKey = headers.atomicEth.remoteKey;
        frame.rdma.swap = headers.atomicEth.swapOrAdd;
        frame.rdma.compare = headers.atomicEth.compare;
    }
    if (OpcodeIsAtomicAck(bth.opcode))
    {
        frame.rdma.original = headers.atomicAck.originalData;
    }
    if (OpcodeHas(bth.opcode, OPCODE_HAS_IETH))
    {
        frame.rdma.remoteKey = headers.ieth.remoteKey;
    }
}

} // namespace rdma
} // namespace ns3
