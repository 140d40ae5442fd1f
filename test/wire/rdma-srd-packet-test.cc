/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's own SRD headers: bytes by hand, frames there and back, damaged packets. */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-srd-packet.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \return A frame in which every field that is on the wire is random.
FabricFrame
RandomSrdFrame(Random& random, RdmaSrdOpcode opcode)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::SRD;
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.payload = SrdHasPayload(opcode) ? static_cast<uint32_t>(random() % 8929) : 0;
    frame.bytes = SrdFrameBytes(opcode, frame.payload);
    frame.priority = static_cast<uint8_t>(Bits(random, 3));
    frame.ecn = static_cast<uint8_t>(Bits(random, 2));
    frame.hopLimit = static_cast<uint8_t>(Bits(random, 8));
    frame.queuePair = static_cast<uint32_t>(Bits(random, 16));
    frame.sourceQueuePair = static_cast<uint32_t>(Bits(random, 16));
    frame.psn = static_cast<uint32_t>(random());
    frame.srd.sourcePort = static_cast<uint16_t>(random());
    frame.srd.transmission = static_cast<uint8_t>(random());
    frame.srd.status = static_cast<uint8_t>(random());
    frame.srd.connectionKey = static_cast<uint32_t>(random());
    frame.srd.messageId = static_cast<uint32_t>(random());
    if (SrdHasRemote(opcode))
    {
        frame.srd.remoteAddress = random();
        frame.srd.remoteKey = static_cast<uint32_t>(random());
    }
    if (SrdHasPlace(opcode))
    {
        frame.srd.length = static_cast<uint32_t>(random());
        frame.srd.offset = static_cast<uint32_t>(random());
    }
    if (SrdHasImmediate(opcode))
    {
        frame.srd.immediate = static_cast<uint32_t>(random());
    }
    if (SrdIsAnswer(opcode))
    {
        frame.srd.cumulative = static_cast<uint32_t>(random());
        frame.srd.received = random();
    }
    return frame;
}

/// \return All fields of a frame that are on the wire.
auto
Fields(const FabricFrame& f)
{
    return std::tuple_cat(
        std::make_tuple(f.kind,
                        f.opcode,
                        f.payload,
                        f.bytes,
                        f.priority,
                        f.ecn,
                        f.hopLimit,
                        f.queuePair,
                        f.sourceQueuePair,
                        f.psn),
        std::make_tuple(f.srd.sourcePort,
                        f.srd.transmission,
                        f.srd.status,
                        f.srd.connectionKey,
                        f.srd.messageId,
                        f.srd.remoteAddress,
                        f.srd.remoteKey,
                        f.srd.length),
        std::make_tuple(f.srd.offset, f.srd.immediate, f.srd.cumulative, f.srd.received));
}

/// \return A packet that is in order.
Bytes
GoodPacket()
{
    RdmaSrdPacket packet;
    packet.ip.source = Ipv4Address("10.0.0.1");
    packet.ip.destination = Ipv4Address("10.0.0.2");
    packet.srd.opcode = RdmaSrdOpcode::WRITE_IMM;
    packet.srd.payloadBytes = 100;
    return packet.Encode();
}

} // namespace

TEST(RdmaSrdHeader, HasTheLayoutOfItsTable)
{
    RdmaSrdHeader header;
    header.opcode = RdmaSrdOpcode::WRITE_IMM;
    header.transmission = 2;
    header.status = 0;
    header.destinationQueuePair = 0x0102;
    header.sourceQueuePair = 0x0304;
    header.connectionKey = 0x05060708;
    header.sequence = 0x090a0b0c;
    header.messageId = 0x0d0e0f10;
    header.payloadBytes = 0x1112;
    header.remoteAddress = 0x1314151617181920;
    header.remoteKey = 0x21222324;
    header.length = 0x25262728;
    header.offset = 0x292a2b2c;
    header.immediate = 0x2d2e2f30;
    Bytes bytes;
    ByteWriter writer(bytes);
    header.Write(writer);
    EXPECT_EQ(bytes,
              FromHex("01 03 02 00  0102 0304  05060708  090a0b0c  0d0e0f10  1112 0000"
                      "1314151617181920 21222324  25262728 292a2b2c  2d2e2f30"));

    RdmaSrdHeader ack;
    ack.opcode = RdmaSrdOpcode::NACK;
    ack.transmission = 1;
    ack.status = 10;
    ack.sequence = 5;
    ack.cumulative = 4;
    ack.received = 0xf000000000000001;
    bytes.clear();
    ack.Write(writer);
    EXPECT_EQ(bytes,
              FromHex("01 08 01 0a  0000 0000  00000000  00000005  00000000  0000 0000"
                      "00000004 f000000000000001"));
}

TEST(RdmaSrdHeader, LengthsAreThoseOfTheTable)
{
    // 14 Ethernet + 20 IPv4 + 8 UDP + 24 base + 4 CRC + 4 FCS = 74, and the extensions.
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::SEND, 8928), 9002u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::SEND_IMM, 0), 78u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::WRITE, 8928), 9022u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::WRITE_IMM, 1), 99u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::READ_REQUEST, 0), 94u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::READ_RESPONSE, 10), 92u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::VOID, 0), 74u);
    EXPECT_EQ(SrdFrameBytes(RdmaSrdOpcode::ACK, 0), 86u);
}

TEST(RdmaSrdFrameCodec, GivesFramesBackAsTheyWere)
{
    Random random(1);
    RdmaFrameExtras addresses;
    addresses.source = Ipv4Address("10.0.0.1");
    addresses.destination = Ipv4Address("10.0.0.2");
    for (int round = 0; round < 50; ++round)
    {
        for (uint8_t opcode = 0; opcode < static_cast<uint8_t>(RdmaSrdOpcode::COUNT); ++opcode)
        {
            const FabricFrame sent = RandomSrdFrame(random, static_cast<RdmaSrdOpcode>(opcode));
            addresses.dscp = static_cast<uint8_t>(sent.priority << 3);
            const Bytes bytes =
                RdmaFrameCodec::Encode(RdmaEncapsulation::ROCE_V2_IPV4, sent, addresses);
            EXPECT_EQ(bytes.size() + ETHERNET_FCS_BYTES, sent.bytes);
            FabricFrame got{};
            const auto rest = RdmaFrameCodec::Decode(RdmaEncapsulation::ROCE_V2_IPV4,
                                                     bytes.data(),
                                                     bytes.size(),
                                                     got);
            ASSERT_TRUE(rest) << "opcode " << +opcode;
            EXPECT_EQ(Fields(got), Fields(sent)) << "opcode " << +opcode;
            EXPECT_EQ(rest->source, addresses.source);
            EXPECT_EQ(rest->destination, addresses.destination);
        }
    }
}

TEST(RdmaSrdPacket, RefusesEachDamagedByte)
{
    const Bytes good = GoodPacket();
    ASSERT_TRUE(RdmaSrdPacket::Decode(good.data(), good.size()));
    const std::size_t srd = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES;
    for (std::size_t i = srd; i < good.size(); ++i)
    {
        Bytes bad = good;
        bad[i] ^= 0x10;
        EXPECT_FALSE(RdmaSrdPacket::Decode(bad.data(), bad.size())) << "byte " << i;
    }
}

TEST(RdmaSrdPacket, RefusesEachShorterPacket)
{
    const Bytes good = GoodPacket();
    for (std::size_t size = 0; size < good.size(); ++size)
    {
        const Bytes bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(RdmaSrdPacket::Decode(bad.data(), bad.size())) << size << " bytes";
    }
}

TEST(RdmaSrdPacket, RefusesOtherPorts)
{
    Bytes other = GoodPacket();
    other[ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + 3] ^= 1; // UDP destination port
    EXPECT_FALSE(RdmaSrdPacket::Decode(other.data(), other.size()));
}
