/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/ib-crc.h"
#include "ns3/ib-packet.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \param bytes A packet. \return What the decoder makes of it.
std::optional<IbPacket>
Decode(const Bytes& bytes)
{
    return IbPacket::Decode(bytes.data(), bytes.size());
}

/// \param random Source of randomness. \param opcode A known opcode. \return A packet.
IbPacket
RandomPacket(Random& random, uint8_t opcode)
{
    IbPacket packet;
    Fill(random, packet.lrh);
    if (Bits(random, 1))
    {
        packet.grh.emplace();
        Fill(random, *packet.grh);
    }
    packet.transport = RandomTransport(random, opcode);
    packet.payloadBytes = OpcodeHasPayload(opcode) ? static_cast<uint32_t>(Bits(random, 12)) : 0;
    if (Bits(random, 1))
    {
        packet.payload.resize(packet.payloadBytes);
        std::generate(packet.payload.begin(), packet.payload.end(), [&random]() {
            return static_cast<uint8_t>(1 + Bits(random, 7));
        });
    }
    return packet;
}

/**
 * \param bytes A packet that was changed.
 * \return The packet with ICRC and VCRC that fit what is in it.
 */
Bytes
Reseal(Bytes bytes)
{
    bytes.resize(bytes.size() - ICRC_BYTES - VCRC_BYTES);
    ByteWriter writer(bytes);
    writer.WriteU32LittleEndian(IbIcrc(bytes.data(), bytes.size()).value_or(0));
    writer.WriteU16LittleEndian(IbCrc16(bytes.data(), bytes.size()));
    return bytes;
}

/// \return The sample packet of IBA volume 1, section 7.8.
IbPacket
Sample()
{
    IbPacket packet;
    packet.lrh.virtualLane = 7;
    packet.lrh.serviceLevel = 1;
    packet.lrh.dlid = 0x375c;
    packet.lrh.slid = 0x17d2;
    RdmaBth& bth = packet.transport.bth;
    bth.opcode = RC_RDMA_WRITE_ONLY;
    bth.partitionKey = 0x2487;
    bth.destinationQueuePair = 0x87b1b3;
    bth.psn = 0x0dec2a;
    packet.transport.reth.virtualAddress = 0x01710a1c015d4002;
    packet.transport.reth.remoteKey = 0x38f27a05;
    packet.transport.reth.dmaLength = 14;
    packet.payload = FromHex("bb884d85 fd5cfba4 728bc069 0ed4");
    packet.payloadBytes = 14;
    return packet;
}

} // namespace

TEST(IbPacket, SampleOfTheStandard)
{
    // The bytes are those of the sample, its ICRC too; the VCRC is that of ib-link-test.cc.
    const Bytes expected = FromHex("7012375c 000e17d2"
                                   "0a202487 0087b1b3 000dec2a"
                                   "01710a1c 015d4002 38f27a05 0000000e"
                                   "bb884d85 fd5cfba4 728bc069 0ed40000"
                                   "9625b75a 45fa");
    EXPECT_EQ(Sample().Encode(), expected);
    const auto decoded = Decode(expected);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->payload, Sample().payload);
    EXPECT_EQ(decoded->lrh.packetLength, 14);
}

TEST(IbPacket, Lengths)
{
    // SEND Only of 256 B: (8 + 12 + 256 + 4) / 4 = 70 words; 282 B with VCRC.
    IbPacket packet;
    packet.transport.bth.opcode = RC_SEND_ONLY;
    packet.payloadBytes = 256;
    Bytes bytes = packet.Encode();
    EXPECT_EQ(bytes.size(), 282U);
    EXPECT_EQ(Decode(bytes)->lrh.packetLength, 70);
    EXPECT_EQ(RdmaFrameBytes(RdmaEncapsulation::INFINIBAND, RC_SEND_ONLY, 256), 282U);

    // WRITE Only of 4096 B: (8 + 12 + 16 + 4096 + 4) / 4 = 1034 words; 4138 B, 64.66 blocks of 64.
    packet.transport.bth.opcode = RC_RDMA_WRITE_ONLY;
    packet.payloadBytes = 4096;
    bytes = packet.Encode();
    EXPECT_EQ(bytes.size(), 4138U);
    EXPECT_EQ((bytes.size() + 63) / 64, 65U);
    EXPECT_EQ(Decode(bytes)->lrh.packetLength, 1034);

    // With a GRH: 10 words more; its PayLen is 12 + 16 + 4096 + 4 = 4128.
    packet.grh.emplace();
    bytes = packet.Encode();
    EXPECT_EQ(bytes.size(), 4178U);
    EXPECT_EQ(Decode(bytes)->lrh.packetLength, 1044);
    EXPECT_EQ(Decode(bytes)->grh->payloadLength, 4128);
    EXPECT_EQ(RdmaFrameBytes(RdmaEncapsulation::INFINIBAND_GRH, RC_RDMA_WRITE_ONLY, 4096), 4178U);

    // A CNP is LRH, BTH and the CRCs: 8 + 12 + 4 + 2; nothing is padded to a minimum.
    IbPacket cnp;
    cnp.transport.bth.opcode = IB_CNP;
    EXPECT_EQ(cnp.Encode().size(), 26U);
    EXPECT_EQ(RdmaFrameBytes(RdmaEncapsulation::INFINIBAND, IB_CNP, 0), 26U);
}

TEST(IbPacket, DecodeInvertsEncode)
{
    Random random(11);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        for (int i = 0; OpcodeIsKnown(opcode) && i < 100; ++i)
        {
            const IbPacket packet = RandomPacket(random, opcode);
            const Bytes bytes = packet.Encode();
            const auto decoded = Decode(bytes);
            ASSERT_TRUE(decoded) << opcode;
            EXPECT_EQ(decoded->Encode(), bytes) << opcode;
            EXPECT_EQ(decoded->payloadBytes, packet.payloadBytes);
            EXPECT_EQ(decoded->payload, packet.payload);
            RdmaTransportHeaders transport = packet.transport;
            transport.bth.padCount = static_cast<uint8_t>(RdmaPadBytes(packet.payloadBytes));
            EXPECT_EQ(Fields(decoded->transport), Fields(transport)) << opcode;
            IbLrh lrh = packet.lrh;
            lrh.nextHeader = packet.grh ? IbNextHeader::GLOBAL : IbNextHeader::LOCAL;
            lrh.packetLength = static_cast<uint16_t>((bytes.size() - VCRC_BYTES) / 4);
            EXPECT_EQ(Fields(decoded->lrh), Fields(lrh));
            ASSERT_EQ(decoded->grh.has_value(), packet.grh.has_value());
            if (packet.grh)
            {
                RdmaGrh grh = *packet.grh;
                grh.nextHeader = 0x1b;
                grh.payloadLength = static_cast<uint16_t>(bytes.size() - VCRC_BYTES - 48);
                EXPECT_EQ(Fields(*decoded->grh), Fields(grh));
            }
        }
    }
}

TEST(IbPacket, RefusesDamageAndEveryTruncation)
{
    Random random(12);
    for (uint8_t opcode : {RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, RC_ACKNOWLEDGE, RC_COMPARE_SWAP})
    {
        IbPacket packet = RandomPacket(random, opcode);
        packet.payloadBytes = std::min(packet.payloadBytes, 50U);
        packet.payload.clear();
        const Bytes good = packet.Encode();
        ASSERT_TRUE(Decode(good));
        for (std::size_t i = 0; i < good.size(); ++i)
        {
            Bytes bad = good;
            bad[i] ^= 0x04;
            EXPECT_FALSE(Decode(bad)) << +opcode << ", byte " << i << ": the VCRC covers all";
            EXPECT_FALSE(Decode(Bytes(good.begin(), good.begin() + i))) << +opcode << " " << i;
        }
        Bytes longer = good;
        longer.push_back(0);
        EXPECT_FALSE(Decode(longer)) << "the LRH tells the length";
    }
}

TEST(IbPacket, RefusesWhatDoesNotFitWithRightCrcs)
{
    const Bytes good = Sample().Encode();
    ASSERT_EQ(Reseal(good), good);
    const auto accepts = [&good](std::size_t byte, uint8_t value) {
        Bytes bad = good;
        bad[byte] = value;
        return Decode(Reseal(bad)).has_value();
    };
    EXPECT_TRUE(accepts(0, 0x50)) << "another lane";
    EXPECT_FALSE(accepts(1, 0x10)) << "raw";
    EXPECT_FALSE(accepts(1, 0x11)) << "raw IPv6";
    EXPECT_FALSE(accepts(5, 0x0d)) << "one word less";
    EXPECT_FALSE(accepts(8, 0x1f)) << "an unknown opcode";
    EXPECT_FALSE(accepts(8, RC_ACKNOWLEDGE)) << "an acknowledge with payload";
    EXPECT_FALSE(accepts(9, 0x21)) << "another version of the BTH";

    // A right VCRC over a wrong ICRC (byte 52).
    Bytes icrc = good;
    icrc[52] ^= 1;
    icrc.resize(icrc.size() - VCRC_BYTES);
    ByteWriter writer(icrc);
    writer.WriteU16LittleEndian(IbCrc16(icrc.data(), icrc.size()));
    EXPECT_FALSE(Decode(icrc));

    IbPacket global = Sample();
    global.grh.emplace();
    const Bytes withGrh = global.Encode();
    ASSERT_EQ(Reseal(withGrh), withGrh);
    Bytes bad = withGrh;
    bad[14] = 17; // next header UDP
    EXPECT_FALSE(Decode(Reseal(bad)));
    bad = withGrh;
    bad[13] += 4; // PayLen
    EXPECT_FALSE(Decode(Reseal(bad)));
}

TEST(IbPacket, SurvivesRandomBytes)
{
    Random random(13);
    for (int i = 0; i < 20000; ++i)
    {
        Bytes bytes(Bits(random, 7));
        std::generate(bytes.begin(), bytes.end(), [&random]() {
            return static_cast<uint8_t>(Bits(random, 8));
        });
        if (bytes.size() % 4 == 2 && bytes.size() > 24 && Bits(random, 1))
        {
            // The right length and right CRCs: the decoder goes on to the headers.
            bytes[1] |= 2;
            bytes[4] = 0;
            bytes[5] = static_cast<uint8_t>((bytes.size() - 2) / 4);
            bytes = Reseal(bytes);
        }
        Decode(bytes);
    }
}
