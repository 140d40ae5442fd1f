/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WIRE_TEST_UTIL_H
#define RDMA_WIRE_TEST_UTIL_H

#include "ns3/fabric-pause-header.h"
#include "ns3/fabric-pfc-header.h"
#include "ns3/ib-flow-control-packet.h"
#include "ns3/ib-lrh.h"
#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-ipv4-header.h"
#include "ns3/rdma-ipv6-header.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-transport-headers.h"
#include "ns3/rdma-udp-header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

/**
 * \file
 * What the tests of the wire formats share: hexadecimal text, random fields, and the fields of each
 * header as a tuple to compare.
 */

namespace ns3
{
namespace rdma
{
namespace wiretest
{

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

/// \param text Hexadecimal digits; white space between them is ignored. \return The bytes.
inline Bytes
FromHex(const std::string& text)
{
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](unsigned char c) {
        return std::isxdigit(c);
    });
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/// \param header Any header. \return Its bytes.
template <typename Header>
Bytes
ToBytes(const Header& header)
{
    Bytes bytes;
    ByteWriter writer(bytes);
    header.Write(writer);
    return bytes;
}

/// \param bytes A header and nothing else. \return The header.
template <typename Header>
std::optional<Header>
FromBytes(const Bytes& bytes)
{
    ByteReader reader(bytes);
    return Header::Read(reader);
}

/// \param random Source of randomness. \param bits Width. \return A random number of that width.
inline uint64_t
Bits(Random& random, unsigned bits)
{
    return random() >> (64 - bits);
}

/// \param random Source of randomness. \return A random header, one overload for each type.
/// \{
inline void
Fill(Random& random, RdmaBth& h)
{
    h.opcode = static_cast<uint8_t>(Bits(random, 8));
    h.solicited = Bits(random, 1);
    h.migration = Bits(random, 1);
    h.padCount = static_cast<uint8_t>(Bits(random, 2));
    h.partitionKey = static_cast<uint16_t>(Bits(random, 16));
    h.fecn = Bits(random, 1);
    h.becn = Bits(random, 1);
    h.destinationQueuePair = static_cast<uint32_t>(Bits(random, 24));
    h.ackRequest = Bits(random, 1);
    h.psn = static_cast<uint32_t>(Bits(random, 24));
}

inline void
Fill(Random& random, RdmaReth& h)
{
    h.virtualAddress = random();
    h.remoteKey = static_cast<uint32_t>(Bits(random, 32));
    h.dmaLength = static_cast<uint32_t>(Bits(random, 32));
}

inline void
Fill(Random& random, RdmaAeth& h)
{
    h.syndrome = static_cast<uint8_t>(Bits(random, 8));
    h.msn = static_cast<uint32_t>(Bits(random, 24));
}

inline void
Fill(Random& random, RdmaImmDt& h)
{
    h.immediate = static_cast<uint32_t>(Bits(random, 32));
}

inline void
Fill(Random& random, RdmaIeth& h)
{
    h.remoteKey = static_cast<uint32_t>(Bits(random, 32));
}

inline void
Fill(Random& random, RdmaDeth& h)
{
    h.queueKey = static_cast<uint32_t>(Bits(random, 32));
    h.sourceQueuePair = static_cast<uint32_t>(Bits(random, 24));
}

inline void
Fill(Random& random, RdmaFeth& h)
{
    h.placementType = static_cast<uint8_t>(Bits(random, 4));
    h.selectivity = static_cast<uint8_t>(Bits(random, 2));
}

inline void
Fill(Random& random, RdmaAtomicEth& h)
{
    h.virtualAddress = random();
    h.remoteKey = static_cast<uint32_t>(Bits(random, 32));
    h.swapOrAdd = random();
    h.compare = random();
}

inline void
Fill(Random& random, RdmaAtomicAckEth& h)
{
    h.originalData = random();
}

inline void
Fill(Random& random, RdmaRdeth& h)
{
    h.eeContext = static_cast<uint32_t>(Bits(random, 24));
}

inline void
Fill(Random& random, RdmaXrceth& h)
{
    h.sharedReceiveQueue = static_cast<uint32_t>(Bits(random, 24));
}

inline void
Fill(Random& random, IbLrh& h)
{
    h.virtualLane = static_cast<uint8_t>(Bits(random, 4));
    h.linkVersion = static_cast<uint8_t>(Bits(random, 4));
    h.serviceLevel = static_cast<uint8_t>(Bits(random, 4));
    h.nextHeader = static_cast<IbNextHeader>(Bits(random, 2));
    h.dlid = static_cast<uint16_t>(Bits(random, 16));
    h.packetLength = static_cast<uint16_t>(Bits(random, 11));
    h.slid = static_cast<uint16_t>(Bits(random, 16));
}

inline void
Fill(Random& random, IbFlowControlPacket& h)
{
    h.initial = Bits(random, 1);
    h.sentBlocks = static_cast<uint16_t>(Bits(random, 12));
    h.virtualLane = static_cast<uint8_t>(Bits(random, 4));
    h.creditLimit = static_cast<uint16_t>(Bits(random, 12));
}

inline Mac48Address
RandomMac(Random& random)
{
    uint8_t bytes[6];
    std::generate(std::begin(bytes), std::end(bytes), [&random]() {
        return static_cast<uint8_t>(Bits(random, 8));
    });
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

inline void
Fill(Random& random, RdmaEthernetHeader& h)
{
    h.destination = RandomMac(random);
    h.source = RandomMac(random);
    // Any EtherType but the one that announces a tag.
    h.etherType = static_cast<uint16_t>(Bits(random, 15));
    if (Bits(random, 1))
    {
        RdmaEthernetHeader::VlanTag tag;
        tag.priority = static_cast<uint8_t>(Bits(random, 3));
        tag.dropEligible = Bits(random, 1);
        tag.vlan = static_cast<uint16_t>(Bits(random, 12));
        h.vlanTag = tag;
    }
}

inline void
Fill(Random& random, RdmaIpv4Header& h)
{
    h.dscp = static_cast<uint8_t>(Bits(random, 6));
    h.ecn = static_cast<uint8_t>(Bits(random, 2));
    h.totalLength = static_cast<uint16_t>(Bits(random, 16));
    h.identification = static_cast<uint16_t>(Bits(random, 16));
    h.dontFragment = Bits(random, 1);
    h.moreFragments = Bits(random, 1);
    h.fragmentOffset = static_cast<uint16_t>(Bits(random, 13));
    h.timeToLive = static_cast<uint8_t>(Bits(random, 8));
    h.protocol = static_cast<uint8_t>(Bits(random, 8));
    h.source.Set(static_cast<uint32_t>(Bits(random, 32)));
    h.destination.Set(static_cast<uint32_t>(Bits(random, 32)));
}

inline Ipv6Address
RandomIpv6(Random& random)
{
    uint8_t bytes[16];
    std::generate(std::begin(bytes), std::end(bytes), [&random]() {
        return static_cast<uint8_t>(Bits(random, 8));
    });
    return Ipv6Address(bytes);
}

inline void
Fill(Random& random, RdmaIpv6Header& h)
{
    h.dscp = static_cast<uint8_t>(Bits(random, 6));
    h.ecn = static_cast<uint8_t>(Bits(random, 2));
    h.flowLabel = static_cast<uint32_t>(Bits(random, 20));
    h.payloadLength = static_cast<uint16_t>(Bits(random, 16));
    h.nextHeader = static_cast<uint8_t>(Bits(random, 8));
    h.hopLimit = static_cast<uint8_t>(Bits(random, 8));
    h.source = RandomIpv6(random);
    h.destination = RandomIpv6(random);
}

inline void
Fill(Random& random, RdmaUdpHeader& h)
{
    h.sourcePort = static_cast<uint16_t>(Bits(random, 16));
    h.destinationPort = static_cast<uint16_t>(Bits(random, 16));
    h.length = static_cast<uint16_t>(Bits(random, 16));
    h.checksum = static_cast<uint16_t>(Bits(random, 16));
}

inline void
Fill(Random& random, FabricPfcHeader& h)
{
    h.classEnable = static_cast<uint8_t>(Bits(random, 8));
    std::generate(h.quanta.begin(), h.quanta.end(), [&random]() {
        return static_cast<uint16_t>(Bits(random, 16));
    });
}

inline void
Fill(Random& random, FabricPauseHeader& h)
{
    h.quanta = static_cast<uint16_t>(Bits(random, 16));
}

/// \}

/// \param h A header. \return All its fields, one overload for each type.
/// \{
inline auto
Fields(const RdmaBth& h)
{
    return std::make_tuple(h.opcode,
                           h.solicited,
                           h.migration,
                           h.padCount,
                           h.partitionKey,
                           h.fecn,
                           h.becn,
                           h.destinationQueuePair,
                           h.ackRequest,
                           h.psn);
}

inline auto
Fields(const RdmaReth& h)
{
    return std::make_tuple(h.virtualAddress, h.remoteKey, h.dmaLength);
}

inline auto
Fields(const RdmaAeth& h)
{
    return std::make_tuple(h.syndrome, h.msn);
}

inline auto
Fields(const RdmaImmDt& h)
{
    return std::make_tuple(h.immediate);
}

inline auto
Fields(const RdmaIeth& h)
{
    return std::make_tuple(h.remoteKey);
}

inline auto
Fields(const RdmaDeth& h)
{
    return std::make_tuple(h.queueKey, h.sourceQueuePair);
}

inline auto
Fields(const RdmaFeth& h)
{
    return std::make_tuple(h.placementType, h.selectivity);
}

inline auto
Fields(const RdmaAtomicEth& h)
{
    return std::make_tuple(h.virtualAddress, h.remoteKey, h.swapOrAdd, h.compare);
}

inline auto
Fields(const RdmaAtomicAckEth& h)
{
    return std::make_tuple(h.originalData);
}

inline auto
Fields(const RdmaRdeth& h)
{
    return std::make_tuple(h.eeContext);
}

inline auto
Fields(const RdmaXrceth& h)
{
    return std::make_tuple(h.sharedReceiveQueue);
}

inline auto
Fields(const IbLrh& h)
{
    return std::make_tuple(h.virtualLane,
                           h.linkVersion,
                           h.serviceLevel,
                           h.nextHeader,
                           h.dlid,
                           h.packetLength,
                           h.slid);
}

inline auto
Fields(const IbFlowControlPacket& h)
{
    return std::make_tuple(h.initial, h.sentBlocks, h.virtualLane, h.creditLimit);
}

inline auto
Fields(const RdmaEthernetHeader& h)
{
    const auto tag = h.vlanTag.value_or(RdmaEthernetHeader::VlanTag());
    return std::make_tuple(h.destination,
                           h.source,
                           h.etherType,
                           h.vlanTag.has_value(),
                           tag.priority,
                           tag.dropEligible,
                           tag.vlan);
}

inline auto
Fields(const RdmaIpv4Header& h)
{
    return std::make_tuple(h.dscp,
                           h.ecn,
                           h.totalLength,
                           h.identification,
                           h.dontFragment,
                           h.moreFragments,
                           h.fragmentOffset,
                           h.timeToLive,
                           h.protocol,
                           h.source,
                           h.destination);
}

inline auto
Fields(const RdmaIpv6Header& h)
{
    return std::make_tuple(h.dscp,
                           h.ecn,
                           h.flowLabel,
                           h.payloadLength,
                           h.nextHeader,
                           h.hopLimit,
                           h.source,
                           h.destination);
}

inline auto
Fields(const RdmaUdpHeader& h)
{
    return std::make_tuple(h.sourcePort, h.destinationPort, h.length, h.checksum);
}

inline auto
Fields(const FabricPfcHeader& h)
{
    return std::make_tuple(h.classEnable, h.quanta);
}

inline auto
Fields(const FabricPauseHeader& h)
{
    return std::make_tuple(h.quanta);
}

inline auto
Fields(const RdmaTransportHeaders& h)
{
    return std::tuple_cat(Fields(h.bth),
                          Fields(h.rdeth),
                          Fields(h.xrceth),
                          Fields(h.deth),
                          Fields(h.feth),
                          Fields(h.reth),
                          Fields(h.atomicEth),
                          Fields(h.aeth),
                          Fields(h.atomicAck),
                          Fields(h.immDt),
                          Fields(h.ieth));
}

/// \}

/**
 * \param random Source of randomness.
 * \param opcode A known opcode.
 * \return Transport headers with random content where the opcode has a header, defaults elsewhere.
 */
inline RdmaTransportHeaders
RandomTransport(Random& random, uint8_t opcode)
{
    RdmaTransportHeaders h;
    Fill(random, h.bth);
    h.bth.opcode = opcode;
    const auto fillIf = [&random, opcode](uint32_t trait, auto& header) {
        if (OpcodeHas(opcode, trait))
        {
            Fill(random, header);
        }
    };
    fillIf(OPCODE_HAS_RDETH, h.rdeth);
    fillIf(OPCODE_HAS_XRCETH, h.xrceth);
    fillIf(OPCODE_HAS_DETH, h.deth);
    fillIf(OPCODE_HAS_FETH, h.feth);
    fillIf(OPCODE_HAS_RETH, h.reth);
    fillIf(OPCODE_HAS_ATOMIC_ETH, h.atomicEth);
    fillIf(OPCODE_HAS_AETH, h.aeth);
    fillIf(OPCODE_HAS_ATOMIC_ACK_ETH, h.atomicAck);
    fillIf(OPCODE_HAS_IMMEDIATE, h.immDt);
    fillIf(OPCODE_HAS_IETH, h.ieth);
    return h;
}

} // namespace wiretest
} // namespace rdma
} // namespace ns3

#endif /* RDMA_WIRE_TEST_UTIL_H */
