/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_TEST_UTIL_H
#define RDMA_FRAME_TEST_UTIL_H

#include "wire/rdma-wire-test-util.h"

#include "ns3/fabric-frame.h"
#include "ns3/rdma-wire-sizes.h"

/**
 * \file
 * What the tests of frames and their bytes share.
 */

namespace ns3
{
namespace rdma
{
namespace wiretest
{

/// All encapsulations.
inline constexpr std::array<RdmaEncapsulation, 5> ENCAPSULATIONS = {
    RdmaEncapsulation::ROCE_V2_IPV4,
    RdmaEncapsulation::ROCE_V2_IPV6,
    RdmaEncapsulation::ROCE_V1,
    RdmaEncapsulation::INFINIBAND,
    RdmaEncapsulation::INFINIBAND_GRH};
static_assert(ENCAPSULATIONS.size() == static_cast<std::size_t>(RdmaEncapsulation::COUNT));

/**
 * \param random Source of randomness.
 * \param encapsulation What it is wrapped in.
 * \param opcode An opcode that a frame holds.
 * \return A frame of kind RDMA in which every field that is on the wire is random.
 */
inline FabricFrame
RandomFrame(Random& random, RdmaEncapsulation encapsulation, uint8_t opcode)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = opcode;
    frame.payload = OpcodeHasPayload(opcode) ? static_cast<uint32_t>(Bits(random, 12)) : 0;
    frame.bytes = RdmaFrameBytes(encapsulation, opcode, frame.payload);
    if (IsInfiniBand(encapsulation))
    {
        frame.priority = static_cast<uint8_t>(Bits(random, 4));
        frame.serviceLevel = static_cast<uint8_t>(Bits(random, 4));
        frame.dlid = static_cast<uint16_t>(Bits(random, 16));
        frame.slid = static_cast<uint16_t>(Bits(random, 16));
    }
    else
    {
        frame.priority = static_cast<uint8_t>(Bits(random, 3));
    }
    if (encapsulation != RdmaEncapsulation::INFINIBAND)
    {
        frame.ecn = static_cast<uint8_t>(Bits(random, 2));
        frame.hopLimit = static_cast<uint8_t>(Bits(random, 8));
        // A flow label, and IPv6's, carries the ports of RdmaUdpSourcePort.
        frame.rdma.sourcePort = static_cast<uint16_t>(0xc000 | Bits(random, 14));
    }
    frame.flags = static_cast<uint8_t>(Bits(random, 4));
    frame.queuePair = static_cast<uint32_t>(Bits(random, 24));
    frame.psn = static_cast<uint32_t>(Bits(random, 24));
    if (OpcodeHasReth(opcode))
    {
        frame.rdma.virtualAddress = random();
        frame.rdma.remoteKey = static_cast<uint32_t>(Bits(random, 32));
        frame.rdma.dmaLength = static_cast<uint32_t>(Bits(random, 32));
    }
    if (OpcodeHasAeth(opcode))
    {
        frame.rdma.syndrome = static_cast<uint8_t>(Bits(random, 8));
        frame.rdma.msn = static_cast<uint32_t>(Bits(random, 24));
    }
    if (OpcodeHasImmediate(opcode))
    {
        frame.rdma.immediate = static_cast<uint32_t>(Bits(random, 32));
    }
    if (OpcodeHas(opcode, OPCODE_HAS_DETH))
    {
        frame.rdma.queueKey = static_cast<uint32_t>(Bits(random, 32));
        frame.sourceQueuePair = static_cast<uint32_t>(Bits(random, 24));
    }
    if (OpcodeIsAtomic(opcode))
    {
        frame.rdma.virtualAddress = random();
        frame.rdma.remoteKey = static_cast<uint32_t>(Bits(random, 32));
        frame.rdma.swap = random();
        frame.rdma.compare = random();
    }
    if (OpcodeIsAtomicAck(opcode))
    {
        frame.rdma.original = random();
    }
    if (OpcodeHas(opcode, OPCODE_HAS_IETH))
    {
        frame.rdma.remoteKey = static_cast<uint32_t>(Bits(random, 32));
    }
    return frame;
}

/// \param f A frame of kind RDMA. \return The fields that are on the wire of some link layer.
inline auto
WireFields(const FabricFrame& f)
{
    return std::make_tuple(f.kind,
                           f.bytes,
                           f.payload,
                           f.priority,
                           f.ecn,
                           f.hopLimit,
                           f.opcode,
                           f.flags,
                           f.queuePair,
                           f.psn,
                           f.rdma.virtualAddress,
                           f.rdma.remoteKey,
                           f.rdma.dmaLength,
                           f.rdma.syndrome,
                           f.rdma.msn,
                           f.rdma.immediate,
                           f.rdma.queueKey,
                           f.sourceQueuePair,
                           f.rdma.swap,
                           f.rdma.compare,
                           f.rdma.sourcePort,
                           f.serviceLevel,
                           f.dlid,
                           f.slid);
}

} // namespace wiretest
} // namespace rdma
} // namespace ns3

#endif /* RDMA_FRAME_TEST_UTIL_H */
