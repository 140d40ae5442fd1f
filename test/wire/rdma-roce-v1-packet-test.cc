/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"
#include "ns3/rdma-roce-v1-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \param bytes A frame. \return What the decoder makes of it.
std::optional<RoceV1Packet>
Decode(const Bytes& bytes)
{
    return RoceV1Packet::Decode(bytes.data(), bytes.size());
}

/// \return An RC SEND Only of five bytes.
RoceV1Packet
Send()
{
    RoceV1Packet packet;
    packet.ethernet.source = Mac48Address("02:00:00:00:00:01");
    packet.ethernet.destination = Mac48Address("02:00:00:00:00:02");
    packet.grh.source = Ipv6Address("fe80::1");
    packet.grh.destination = Ipv6Address("fe80::2");
    packet.transport.bth.opcode = RC_SEND_ONLY;
    packet.transport.bth.destinationQueuePair = 0x11;
    packet.transport.bth.psn = 7;
    packet.payload = FromHex("68656c6c6f");
    packet.payloadBytes = 5;
    return packet;
}

/**
 * \param bytes A frame without VLAN tag that was changed.
 * \param icrc Where its ICRC is.
 * \return The frame with the ICRC that fits what is in it.
 */
Bytes
Reseal(Bytes bytes, std::size_t icrc)
{
    Bytes sealed;
    ByteWriter writer(sealed);
    writer.WriteU32LittleEndian(RoceV1Icrc(bytes.data() + 14, icrc - 14).value_or(0));
    std::copy(sealed.begin(), sealed.end(), bytes.begin() + icrc);
    return bytes;
}

} // namespace

TEST(RoceV1Packet, Bytes)
{
    // EtherType 0x8915; GRH: version 6, length 12 + 8 + 4 = 24, next header 0x1b, hop limit 64.
    // BTH: pad 3. The ICRC is zlib's crc32 over eight bytes ff and the rest from the GRH on with
    // first word 6fffffff, hop limit ff and BTH byte 4 ff.
    EXPECT_EQ(Send().Encode(),
              FromHex("020000000002 020000000001 8915"
                      "60000000 0018 1b 40"
                      "fe800000000000000000000000000001 fe800000000000000000000000000002"
                      "04 30 ffff 00 000011 00 000007"
                      "68656c6c6f 000000"
                      "b4aee37e"));
}

TEST(RoceV1Packet, DecodeInvertsEncode)
{
    Random random(14);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        for (int i = 0; OpcodeIsKnown(opcode) && i < 50; ++i)
        {
            RoceV1Packet packet;
            Fill(random, packet.ethernet);
            Fill(random, packet.grh);
            packet.transport = RandomTransport(random, opcode);
            packet.payloadBytes =
                OpcodeHasPayload(opcode) ? static_cast<uint32_t>(Bits(random, 12)) : 0;
            const Bytes bytes = packet.Encode();
            const auto decoded = Decode(bytes);
            ASSERT_TRUE(decoded) << opcode;
            EXPECT_EQ(decoded->Encode(), bytes);
            EXPECT_EQ(decoded->payloadBytes, packet.payloadBytes);
            packet.transport.bth.padCount = static_cast<uint8_t>(RdmaPadBytes(packet.payloadBytes));
            EXPECT_EQ(Fields(decoded->transport), Fields(packet.transport));
            packet.grh.nextHeader = 0x1b;
            packet.grh.payloadLength = decoded->grh.payloadLength;
            EXPECT_EQ(Fields(decoded->grh), Fields(packet.grh));
            const uint32_t tag = packet.ethernet.vlanTag ? VLAN_TAG_BYTES : 0;
            EXPECT_EQ(bytes.size() + ETHERNET_FCS_BYTES,
                      RdmaFrameBytes(RdmaEncapsulation::ROCE_V1, opcode, packet.payloadBytes) + tag)
                << opcode;
        }
    }
}

TEST(RoceV1Packet, RefusesDamageAndEveryTruncation)
{
    const Bytes good = Send().Encode();
    ASSERT_TRUE(Decode(good));
    for (std::size_t i = 12; i < good.size(); ++i)
    {
        Bytes bad = good;
        bad[i] ^= 0x04;
        // The ICRC leaves out TClass, FlowLabel (14 to 17), HopLmt (21) and BTH byte 4 (58); the
        // upper half of 14 is the version.
        const bool uncovered = (i >= 14 && i <= 17) || i == 21 || i == 58;
        EXPECT_EQ(Decode(bad).has_value(), uncovered) << "byte " << i;
    }
    for (std::size_t size = 0; size < good.size(); ++size)
    {
        EXPECT_FALSE(Decode(Bytes(good.begin(), good.begin() + size))) << size;
    }
    Bytes trailing = good;
    trailing.resize(good.size() + 9);
    EXPECT_TRUE(Decode(trailing)) << "Ethernet padding belongs to nothing";
}

TEST(RoceV1Packet, RefusesWhatDoesNotFitWithRightIcrc)
{
    const Bytes good = Send().Encode(); // ICRC at 14 + 40 + 12 + 8 = 74
    ASSERT_EQ(Reseal(good, 74), good);
    const auto accepts = [&good](std::size_t byte, uint8_t value) {
        Bytes bad = good;
        bad[byte] = value;
        return Decode(Reseal(bad, 74)).has_value();
    };
    EXPECT_TRUE(accepts(16, 0x77));
    EXPECT_FALSE(accepts(13, 0x14)) << "another EtherType";
    EXPECT_FALSE(accepts(14, 0x40)) << "another version";
    EXPECT_FALSE(accepts(20, 17)) << "UDP behind the GRH";
    EXPECT_FALSE(accepts(19, 0x1c)) << "longer than the frame";
    EXPECT_FALSE(accepts(54, RC_ACKNOWLEDGE)) << "an acknowledge with payload";
}
