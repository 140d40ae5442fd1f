/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-cnp.h"
#include "ns3/rdma-icrc.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \param bytes A frame. \return What it decodes to.
std::optional<RoceV2Packet>
Decode(const Bytes& bytes)
{
    return RoceV2Packet::Decode(bytes.data(), bytes.size());
}

/**
 * \param random Source of randomness.
 * \param opcode A known opcode.
 * \return A random packet as it looks after decoding, its lengths filled in.
 */
RoceV2Packet
RandomPacket(Random& random, uint8_t opcode)
{
    RoceV2Packet packet;
    Fill(random, packet.ethernet);
    packet.transport = RandomTransport(random, opcode);
    if (OpcodeHasPayload(opcode))
    {
        packet.payloadBytes = static_cast<uint32_t>(Bits(random, 6));
        if (packet.payloadBytes > 0 && Bits(random, 1))
        {
            packet.payload.resize(packet.payloadBytes);
            std::generate(packet.payload.begin(), packet.payload.end(), [&random]() {
                return static_cast<uint8_t>(Bits(random, 8));
            });
            packet.payload.back() |= 1; // not all zeros
        }
    }
    packet.transport.bth.padCount = static_cast<uint8_t>((4 - packet.payloadBytes % 4) % 4);
    const std::size_t afterUdp =
        OpcodeHeaderBytes(opcode) + packet.payloadBytes + packet.transport.bth.padCount + 4;
    Fill(random, packet.udp);
    packet.udp.destinationPort = 4791;
    packet.udp.length = static_cast<uint16_t>(8 + afterUdp);
    if (Bits(random, 1))
    {
        RdmaIpv4Header ip;
        Fill(random, ip);
        ip.moreFragments = false;
        ip.fragmentOffset = 0;
        ip.protocol = 17;
        ip.totalLength = static_cast<uint16_t>(20 + packet.udp.length);
        packet.ip = ip;
        packet.ethernet.etherType = 0x0800;
    }
    else
    {
        RdmaIpv6Header ip;
        Fill(random, ip);
        ip.nextHeader = 17;
        ip.payloadLength = packet.udp.length;
        packet.ip = ip;
        packet.ethernet.etherType = 0x86dd;
    }
    return packet;
}

/// \param a A packet. \param b Another. Expects that all their fields are the same.
void
ExpectSame(const RoceV2Packet& a, const RoceV2Packet& b)
{
    EXPECT_EQ(Fields(a.ethernet), Fields(b.ethernet));
    ASSERT_EQ(a.ip.index(), b.ip.index());
    if (const auto* v4 = std::get_if<RdmaIpv4Header>(&a.ip))
    {
        EXPECT_EQ(Fields(*v4), Fields(std::get<RdmaIpv4Header>(b.ip)));
    }
    else
    {
        EXPECT_EQ(Fields(std::get<RdmaIpv6Header>(a.ip)), Fields(std::get<RdmaIpv6Header>(b.ip)));
    }
    EXPECT_EQ(Fields(a.udp), Fields(b.udp));
    EXPECT_EQ(Fields(a.transport), Fields(b.transport));
    EXPECT_EQ(a.payloadBytes, b.payloadBytes);
    EXPECT_EQ(a.payload, b.payload);
}

/**
 * Puts the right IP checksum and ICRC into a frame without VLAN tag, so that only what the test
 * changed can be wrong with it.
 *
 * \param frame The frame.
 * \param icrcAt Offset of the ICRC, which ends the packet.
 * \return The frame.
 */
Bytes
Reseal(Bytes frame, std::size_t icrcAt)
{
    if (frame[14] == 0x45)
    {
        frame[24] = frame[25] = 0;
        const uint16_t checksum = Ipv4HeaderChecksum(frame.data() + 14);
        frame[24] = static_cast<uint8_t>(checksum >> 8);
        frame[25] = static_cast<uint8_t>(checksum);
    }
    Bytes icrc;
    ByteWriter writer(icrc);
    writer.WriteU32LittleEndian(RoceV2Icrc(frame.data() + 14, icrcAt - 14).value_or(0));
    std::copy(icrc.begin(), icrc.end(), frame.begin() + icrcAt);
    return frame;
}

/// \return A SEND of 18 bytes on UC whose ICRC is known (vector of scapy's RoCE tests).
RoceV2Packet
UcSend()
{
    RoceV2Packet packet;
    packet.ethernet.destination = Mac48Address("00:00:00:00:00:01");
    packet.ethernet.source = Mac48Address("00:00:00:00:00:02");
    RdmaIpv4Header ip;
    ip.ecn = 1;
    ip.identification = 1144;
    ip.source = Ipv4Address("192.168.0.7");
    ip.destination = Ipv4Address("192.168.0.7");
    packet.ip = ip;
    packet.udp.sourcePort = 49152;
    packet.udp.checksum = 0xaca2;
    packet.transport.bth.opcode = UC_SEND_ONLY;
    packet.transport.bth.migration = true;
    packet.transport.bth.destinationQueuePair = 211;
    packet.transport.bth.psn = 13571856;
    packet.payload = FromHex("4630818be28935d90e9a95505401be885e50");
    packet.payloadBytes = 18;
    return packet;
}

} // namespace

TEST(RoceV2Packet, CapturedCnp)
{
    RoceV2Packet packet;
    packet.ethernet.destination = Mac48Address("e4:1d:2d:ab:2b:c2");
    packet.ethernet.source = Mac48Address("7c:fe:90:64:3b:32");
    RdmaIpv4Header ip;
    ip.dscp = CNP_DEFAULT_DSCP;
    ip.ecn = 2;
    ip.identification = 0x718c;
    ip.source = Ipv4Address("10.0.17.1");
    ip.destination = Ipv4Address("10.0.18.1");
    packet.ip = ip;
    packet.transport.bth = RdmaCnp::MakeBth(0x118);

    const Bytes captured = FromHex("e41d2dab2bc27cfe90643b32080045c2003c718c400040119161"
                                   "0a0011010a001201000012b7002800008100ffff4000011800000000"
                                   "0000000000000000000000000000000082fd002a");
    EXPECT_EQ(packet.Encode(), captured);
    EXPECT_EQ(captured.size() + ETHERNET_FCS_BYTES, RoceV2FrameBytes(ROCE_CNP, 0));

    const auto decoded = Decode(captured);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->transport.bth.opcode, ROCE_CNP);
    EXPECT_TRUE(decoded->transport.bth.becn);
    EXPECT_EQ(decoded->transport.bth.destinationQueuePair, 0x118U);
    EXPECT_EQ(std::get<RdmaIpv4Header>(decoded->ip).totalLength, 60);
    EXPECT_EQ(decoded->udp.length, 40);
}

TEST(RoceV2Packet, KnownSend)
{
    const Bytes expected = FromHex("000000000001 000000000002 0800"
                                   "4501 0040 0478 4000 4011 b4d5 c0a80007 c0a80007"
                                   "c000 12b7 002c aca2"
                                   "24 60 ffff 00 0000d3 00 cf1710"
                                   "4630818be28935d90e9a95505401be885e50 0000"
                                   "78f353f3");
    EXPECT_EQ(UcSend().Encode(), expected);
    const auto decoded = Decode(expected);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->payloadBytes, 18U);
    EXPECT_EQ(decoded->transport.bth.padCount, 2);
    EXPECT_EQ(decoded->payload, UcSend().payload);
}

TEST(RoceV2Packet, DecodeInvertsEncode)
{
    Random random(5);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        for (int i = 0; OpcodeIsKnown(opcode) && i < 100; ++i)
        {
            const RoceV2Packet packet = RandomPacket(random, opcode);
            const Bytes bytes = packet.Encode();
            const auto decoded = Decode(bytes);
            ASSERT_TRUE(decoded) << opcode;
            ExpectSame(*decoded, packet);
            EXPECT_EQ(decoded->Encode(), bytes);

            const bool isV4 = packet.ip.index() == 0;
            const uint32_t tag = packet.ethernet.vlanTag ? VLAN_TAG_BYTES : 0;
            const uint32_t frameBytes =
                RoceV2FrameBytes(opcode, packet.payloadBytes, isV4 ? 20 : 40);
            // A tag lengthens the frame, but within the minimum it takes the place of padding.
            if (frameBytes > ETHERNET_MIN_FRAME_BYTES)
            {
                EXPECT_EQ(bytes.size() + ETHERNET_FCS_BYTES, frameBytes + tag) << opcode;
            }
        }
    }
}

TEST(RoceV2Packet, EncodeSetsTheLengths)
{
    RoceV2Packet packet = UcSend();
    packet.ethernet.etherType = 0x1234;
    std::get<RdmaIpv4Header>(packet.ip).totalLength = 1;
    packet.udp.length = 2;
    packet.transport.bth.padCount = 1;
    EXPECT_EQ(packet.Encode(), UcSend().Encode());
}

TEST(RoceV2Packet, AbsentPayloadIsZeros)
{
    RoceV2Packet absent = UcSend();
    absent.payload.clear();
    absent.payloadBytes = 1000;
    RoceV2Packet zeros = absent;
    zeros.payload.assign(1000, 0);
    EXPECT_EQ(absent.Encode(), zeros.Encode());
    const auto decoded = Decode(absent.Encode());
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(decoded->payload.empty());
    EXPECT_EQ(decoded->payloadBytes, 1000U);
}

TEST(RoceV2Packet, ShortFrameIsPadded)
{
    // 14 + 20 + 8 + 12 + 4 = 58: two bytes of Ethernet padding that belong to nothing.
    RoceV2Packet packet = UcSend();
    packet.payload.clear();
    packet.payloadBytes = 0;
    const Bytes bytes = packet.Encode();
    EXPECT_EQ(bytes.size(), 60U);
    const auto decoded = Decode(bytes);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->payloadBytes, 0U);
    EXPECT_EQ(std::get<RdmaIpv4Header>(decoded->ip).totalLength, 44);
    EXPECT_TRUE(Decode(Bytes(bytes.begin(), bytes.begin() + 58)));
}

TEST(RoceV2Packet, RefusesEveryTruncation)
{
    Random random(6);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        if (!OpcodeIsKnown(opcode))
        {
            continue;
        }
        const RoceV2Packet packet = RandomPacket(random, opcode);
        const Bytes bytes = packet.Encode();
        // Ethernet's padding may be missing, nothing else.
        const std::size_t needed = 14 + (packet.ethernet.vlanTag ? 4 : 0) +
                                   (packet.ip.index() == 0 ? 20 : 40) + packet.udp.length;
        for (std::size_t size = 0; size < needed; ++size)
        {
            EXPECT_FALSE(Decode(Bytes(bytes.begin(), bytes.begin() + size)))
                << opcode << " " << size;
        }
        EXPECT_TRUE(Decode(Bytes(bytes.begin(), bytes.begin() + needed))) << opcode;
    }
}

TEST(RoceV2Packet, RefusesDamage)
{
    const Bytes good = UcSend().Encode();
    ASSERT_TRUE(Decode(good));
    for (std::size_t i = 12; i < good.size(); ++i)
    {
        Bytes bad = good;
        bad[i] ^= 0x04;
        // UDP source port is covered by the ICRC; its checksum (40, 41) and the congestion bits of
        // the BTH (46) are not.
        const bool uncovered = i == 40 || i == 41 || i == 46;
        EXPECT_EQ(Decode(bad).has_value(), uncovered) << "byte " << i;
    }
}

TEST(RoceV2Packet, RefusesWhatIsNotRoce)
{
    const auto decodes = [](auto change) {
        RoceV2Packet packet = UcSend();
        change(packet, std::get<RdmaIpv4Header>(packet.ip));
        return Decode(packet.Encode()).has_value();
    };
    EXPECT_TRUE(decodes([](auto&, auto&) {}));
    EXPECT_FALSE(decodes([](auto& packet, auto&) { packet.udp.destinationPort = 4790; }));
    EXPECT_FALSE(decodes([](auto&, auto& ip) { ip.protocol = 6; }));
    EXPECT_FALSE(decodes([](auto&, auto& ip) { ip.moreFragments = true; }));
    EXPECT_FALSE(decodes([](auto&, auto& ip) { ip.fragmentOffset = 1; }));
    // An acknowledge carries no message bytes.
    EXPECT_FALSE(
        decodes([](auto& packet, auto&) { packet.transport.bth.opcode = RC_ACKNOWLEDGE; }));
    FabricPfcHeader pfc;
    EXPECT_FALSE(Decode(pfc.MakeFrame(Mac48Address("00:00:00:00:00:01"))));
}

TEST(RoceV2Packet, RefusesLengthsThatDoNotFit)
{
    // Ethernet 14, IPv4 20 (length at 16), UDP 8 (length at 38), BTH 12 (pad count in byte 43), 20
    // bytes of padded payload, ICRC at 74.
    const Bytes good = UcSend().Encode();
    ASSERT_EQ(good.size(), 78U);
    ASSERT_EQ(Reseal(good, 74), good);

    Bytes udpLength = good;
    udpLength[39] -= 4;
    EXPECT_FALSE(Decode(Reseal(udpLength, 74))) << "UDP is shorter than IP says";

    Bytes ipLength = good;
    ipLength[17] += 4;
    EXPECT_FALSE(Decode(Reseal(ipLength, 74))) << "IP is longer than the frame";
    ipLength[17] = 19;
    EXPECT_FALSE(Decode(Reseal(ipLength, 74))) << "IP is shorter than its header";

    // One byte of payload less everywhere: 19 bytes are no multiple of four.
    Bytes odd = good;
    odd.erase(odd.begin() + 73);
    odd[17] -= 1;
    odd[39] -= 1;
    EXPECT_FALSE(Decode(Reseal(odd, 73)));

    // Three bytes of padding in a packet without payload: IP 44 bytes, UDP 24, ICRC at 54.
    RoceV2Packet packet = UcSend();
    packet.payload.clear();
    packet.payloadBytes = 0;
    Bytes pad = packet.Encode();
    ASSERT_EQ(Reseal(pad, 54), pad);
    pad[43] |= 0x30;
    EXPECT_FALSE(Decode(Reseal(pad, 54)));

    RdmaIpv6Header ip;
    packet.ip = ip;
    Bytes tcp = packet.Encode(); // next header at 20, ICRC at 14 + 40 + 8 + 12
    ASSERT_EQ(Reseal(tcp, 74), tcp);
    tcp[20] = 6;
    EXPECT_FALSE(Decode(Reseal(tcp, 74))) << "IPv6 with TCP";
}

TEST(RoceV2Packet, SurvivesRandomBytes)
{
    Random random(7);
    int decoded = 0;
    for (int i = 0; i < 20000; ++i)
    {
        Bytes bytes(Bits(random, 7));
        std::generate(bytes.begin(), bytes.end(), [&random]() {
            return static_cast<uint8_t>(Bits(random, 8));
        });
        if (bytes.size() >= 14 && Bits(random, 1))
        {
            bytes[12] = Bits(random, 1) ? 0x08 : 0x86;
            bytes[13] = bytes[12] == 0x08 ? 0x00 : 0xdd;
        }
        decoded += Decode(bytes).has_value();
    }
    EXPECT_EQ(decoded, 0) << "no random bytes have a right ICRC";

    // Damage that leaves most of a packet intact reaches deeper into the decoder.
    for (int i = 0; i < 20000; ++i)
    {
        Bytes bytes = RandomPacket(random, RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE).Encode();
        bytes.resize(bytes.size() - Bits(random, 3));
        bytes[14 + Bits(random, 5)] = static_cast<uint8_t>(Bits(random, 8));
        Decode(bytes);
    }
}
