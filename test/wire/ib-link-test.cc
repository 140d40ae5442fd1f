/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/ib-crc.h"
#include "ns3/ib-flow-control-packet.h"
#include "ns3/ib-lrh.h"
#include "ns3/rdma-grh.h"
#include "ns3/rdma-icrc.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// The sample packet without GRH of IBA volume 1, section 7.8 (an RDMA WRITE Only of 14 bytes on
/// lane 7), up to its padding.
const std::string LOCAL_SAMPLE = "7012375c 000e17d2"
                                 "0a202487 0087b1b3 000dec2a"
                                 "01710a1c 015d4002 38f27a05 0000000e"
                                 "bb884d85 fd5cfba4 728bc069 0ed40000";

/// The sample packet with GRH of the same section.
const std::string GLOBAL_SAMPLE = "7013375c 001817d2"
                                  "60000000 00320010"
                                  "00000000 00000125 00000000 00000026"
                                  "00000000 00000117 00000000 00000096"
                                  "0a202487 0087b1b3 000dec2a"
                                  "01710a1c 015d4002 38f27a05 0000000e"
                                  "bb884d85 fd5cfba4 728bc069 0ed40000";

/// \param icrc An ICRC. \return Its bytes in the order of the wire.
Bytes
Sent(std::optional<uint32_t> icrc)
{
    Bytes bytes;
    ByteWriter writer(bytes);
    EXPECT_TRUE(icrc);
    writer.WriteU32LittleEndian(icrc.value_or(0));
    return bytes;
}

} // namespace

TEST(IbLrh, Bytes)
{
    IbLrh lrh;
    lrh.virtualLane = 7;
    lrh.linkVersion = 1;
    lrh.serviceLevel = 9;
    lrh.nextHeader = IbNextHeader::GLOBAL;
    lrh.dlid = 0x375c;
    lrh.packetLength = 0x7ff;
    lrh.slid = 0x17d2;
    // VL 7, LVer 1; SL 9, two reserved bits, LNH 3; five reserved bits in front of the length
    EXPECT_EQ(ToBytes(lrh), FromHex("71 93 375c 07ff 17d2"));

    // Reserved bits are ignored.
    const auto read = FromBytes<IbLrh>(FromHex("71 9f 375c ffff 17d2"));
    ASSERT_TRUE(read);
    EXPECT_EQ(Fields(*read), Fields(lrh));
}

TEST(IbCrc, SamplePacket)
{
    // Computed bit by bit from the definition (polynomial 0x100b, start ffff, low bit of each byte
    // first, inverted), over the sample with its ICRC: 0xfa45, low byte first on the wire.
    const Bytes packet = FromHex(LOCAL_SAMPLE + "9625b75a");
    EXPECT_EQ(IbCrc16(packet.data(), packet.size()), 0xfa45);
    // From start 0, one byte 0x80 leaves the reflected polynomial: 1011 0000 0000 1000 = 0xd008 is
    // 0x100b read backwards. With start ffff, feeding ff 7f first makes the register 0 and 80.
    const Bytes probe = FromHex("ff7f");
    const Bytes zero = FromHex("ffff");
    EXPECT_EQ(IbCrc16(probe.data(), 2) ^ IbCrc16(zero.data(), 2), 0xd008);
}

TEST(IbCrc, Nothing)
{
    EXPECT_EQ(IbCrc16(nullptr, 0), 0) << "ones, inverted";
}

TEST(IbIcrc, SamplePackets)
{
    const Bytes local = FromHex(LOCAL_SAMPLE);
    EXPECT_EQ(Sent(IbIcrc(local.data(), local.size())), FromHex("9625b75a")) << "as printed there";
    // zlib's crc32 over the sample with LRH, TClass, FlowLabel, HopLmt and BTH byte 4 set to ones.
    const Bytes global = FromHex(GLOBAL_SAMPLE);
    EXPECT_EQ(Sent(IbIcrc(global.data(), global.size())), FromHex("1493ec46"));
    EXPECT_EQ(Sent(RoceV1Icrc(global.data() + 8, global.size() - 8)), FromHex("1493ec46"));
}

TEST(IbIcrc, CoversAllButTheVariantFields)
{
    // Without GRH: the lane (upper half of byte 0) and BTH byte 4.
    const Bytes local = FromHex(LOCAL_SAMPLE);
    const auto icrc = IbIcrc(local.data(), local.size());
    for (std::size_t i = 0; i < local.size(); ++i)
    {
        Bytes changed = local;
        changed[i] ^= i == 0 ? 0xf0 : i == 1 ? 0xf0 : 0xff; // not the next header, LNH
        EXPECT_EQ(IbIcrc(changed.data(), changed.size()) == icrc, i == 0 || i == 12) << i;
    }
    Bytes version = local;
    version[0] ^= 0x01;
    EXPECT_NE(IbIcrc(version.data(), version.size()), icrc);

    // With GRH: all of the LRH, the lower half of byte 8 to byte 11 (TClass and FlowLabel), 15
    // (HopLmt), and BTH byte 4 at 52.
    const Bytes global = FromHex(GLOBAL_SAMPLE);
    const auto globalIcrc = IbIcrc(global.data(), global.size());
    for (std::size_t i = 0; i < global.size(); ++i)
    {
        Bytes changed = global;
        changed[i] ^= i == 1 ? 0xf0 : i == 8 ? 0x0f : 0xff;
        EXPECT_EQ(IbIcrc(changed.data(), changed.size()) == globalIcrc,
                  i <= 11 || i == 15 || i == 52)
            << i;
    }
}

TEST(IbIcrc, RefusesWhatIsNoPacket)
{
    EXPECT_FALSE(IbIcrc(nullptr, 0));
    EXPECT_FALSE(RoceV1Icrc(nullptr, 0));
    for (const auto& [text, headers] : {std::make_pair(LOCAL_SAMPLE, 20U), {GLOBAL_SAMPLE, 60U}})
    {
        const Bytes packet = FromHex(text);
        for (std::size_t size = 0; size < headers; ++size)
        {
            const Bytes cut(packet.begin(), packet.begin() + size);
            EXPECT_FALSE(IbIcrc(cut.data(), cut.size())) << size;
        }
        EXPECT_TRUE(IbIcrc(packet.data(), headers));
    }
    Bytes raw = FromHex(LOCAL_SAMPLE);
    raw[1] = 0x10; // a raw packet has no ICRC
    EXPECT_FALSE(IbIcrc(raw.data(), raw.size()));
    Bytes version = FromHex(GLOBAL_SAMPLE);
    version[8] = 0x40;
    EXPECT_FALSE(IbIcrc(version.data(), version.size()));
}

TEST(IbFlowControlPacket, Bytes)
{
    IbFlowControlPacket packet;
    packet.initial = true;
    packet.sentBlocks = 0xabc;
    packet.virtualLane = 5;
    packet.creditLimit = 0x123;
    // Op 1, FCTBS abc; VL 5, FCCL 123; then the CRC of these four bytes, low byte first.
    const Bytes covered = FromHex("1abc 5123");
    const uint16_t crc = IbCrc16(covered.data(), covered.size());
    const Bytes bytes = ToBytes(packet);
    ASSERT_EQ(bytes.size(), 6U);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 4), covered);
    EXPECT_EQ(bytes[4], crc & 0xff);
    EXPECT_EQ(bytes[5], crc >> 8);
}

TEST(IbFlowControlPacket, RefusesOtherOpsAndDamage)
{
    const auto sealed = [](Bytes bytes) {
        ByteWriter writer(bytes);
        writer.WriteU16LittleEndian(IbCrc16(bytes.data(), bytes.size()));
        return bytes;
    };
    EXPECT_TRUE(FromBytes<IbFlowControlPacket>(sealed(FromHex("1abc 5123"))));
    EXPECT_FALSE(FromBytes<IbFlowControlPacket>(sealed(FromHex("2abc 5123"))));

    const Bytes good = sealed(FromHex("0abc 5123"));
    for (std::size_t bit = 0; bit < 48; ++bit)
    {
        Bytes bad = good;
        bad[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
        ByteReader reader(bad);
        EXPECT_FALSE(IbFlowControlPacket::Read(reader)) << "bit " << bit;
        EXPECT_EQ(reader.GetRemaining(), 6U) << "a refused packet stays";
    }
}

TEST(RdmaGid, OfAddresses)
{
    // The universal/local bit of the first byte is inverted: 00 becomes 02, 02 becomes 00.
    EXPECT_EQ(RdmaGidOf(Ipv6Address("fe80::"), Mac48Address("00:11:22:33:44:55")),
              Ipv6Address("fe80::211:22ff:fe33:4455"));
    EXPECT_EQ(RdmaGidOf(Ipv6Address("fd00:0:0:7::"), Mac48Address("02:00:00:00:00:01")),
              Ipv6Address("fd00:0:0:7:0:ff:fe00:1"));
}
