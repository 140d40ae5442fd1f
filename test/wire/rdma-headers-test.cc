/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-cnp.h"
#include "ns3/rdma-opcode.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

TEST(RdmaHeaders, BthBytes)
{
    RdmaBth bth;
    bth.opcode = 0x04;
    bth.solicited = true;
    bth.migration = true;
    bth.padCount = 3;
    bth.partitionKey = 0x8001;
    bth.fecn = true;
    bth.becn = true;
    bth.destinationQueuePair = 0x123456;
    bth.ackRequest = true;
    bth.psn = 0xabcdef;
    // SE 0x80, M 0x40, pad 3 -> 0x30: 0xf0. FECN 0x80, BECN 0x40: 0xc0.
    EXPECT_EQ(ToBytes(bth), FromHex("04 f0 8001 c0 123456 80 abcdef"));

    // Each flag has its own bit.
    const auto flag = [](bool RdmaBth::*member) {
        RdmaBth b;
        b.*member = true;
        return ToBytes(b);
    };
    EXPECT_EQ(flag(&RdmaBth::solicited), FromHex("00 80 ffff 00 000000 00 000000"));
    EXPECT_EQ(flag(&RdmaBth::migration), FromHex("00 40 ffff 00 000000 00 000000"));
    EXPECT_EQ(flag(&RdmaBth::fecn), FromHex("00 00 ffff 80 000000 00 000000"));
    EXPECT_EQ(flag(&RdmaBth::becn), FromHex("00 00 ffff 40 000000 00 000000"));
    EXPECT_EQ(flag(&RdmaBth::ackRequest), FromHex("00 00 ffff 00 000000 80 000000"));
}

TEST(RdmaHeaders, BthIgnoresReservedBitsAndRefusesOtherVersions)
{
    const auto bth = FromBytes<RdmaBth>(FromHex("04 00 ffff 3f 000011 7f 000007"));
    ASSERT_TRUE(bth);
    EXPECT_FALSE(bth->fecn || bth->becn || bth->ackRequest);
    EXPECT_EQ(bth->destinationQueuePair, 0x11U);
    EXPECT_EQ(bth->psn, 7U);
    EXPECT_FALSE(FromBytes<RdmaBth>(FromHex("04 01 ffff 00 000011 00 000007")));
}

TEST(RdmaHeaders, ExtendedHeaderBytes)
{
    RdmaReth reth;
    reth.virtualAddress = 0x0102030405060708;
    reth.remoteKey = 0x11121314;
    reth.dmaLength = 0x21222324;
    EXPECT_EQ(ToBytes(reth), FromHex("0102030405060708 11121314 21222324"));

    RdmaImmDt immDt;
    immDt.immediate = 0xdeadbeef;
    EXPECT_EQ(ToBytes(immDt), FromHex("deadbeef"));

    RdmaIeth ieth;
    ieth.remoteKey = 0x01020304;
    EXPECT_EQ(ToBytes(ieth), FromHex("01020304"));

    // The Q_Key of the general service interface; one reserved byte; 24 bit queue pair.
    RdmaDeth deth;
    deth.queueKey = 0x80010000;
    deth.sourceQueuePair = 0x010203;
    EXPECT_EQ(ToBytes(deth), FromHex("80010000 00 010203"));

    // Placement in bits 3-0, selectivity in bits 5-4.
    RdmaFeth feth;
    feth.placementType = 2;
    feth.selectivity = 1;
    EXPECT_EQ(ToBytes(feth), FromHex("00000012"));

    RdmaAtomicEth atomic;
    atomic.virtualAddress = 0x0102030405060708;
    atomic.remoteKey = 0x11121314;
    atomic.swapOrAdd = 0x2122232425262728;
    atomic.compare = 0x3132333435363738;
    EXPECT_EQ(ToBytes(atomic),
              FromHex("0102030405060708 11121314 2122232425262728 3132333435363738"));

    RdmaAtomicAckEth atomicAck;
    atomicAck.originalData = 0x4142434445464748;
    EXPECT_EQ(ToBytes(atomicAck), FromHex("4142434445464748"));
}

TEST(RdmaHeaders, CnpBytes)
{
    EXPECT_EQ(ToBytes(RdmaCnp::MakeBth(0x118)), FromHex("81 00 ffff 40000118 00000000"));
    EXPECT_EQ(ToBytes(RdmaCnp()), Bytes(16, 0));
    EXPECT_TRUE(FromBytes<RdmaCnp>(Bytes(16, 0xee))) << "content of reserved bytes is ignored";
}

TEST(RdmaHeaders, EthernetBytes)
{
    RdmaEthernetHeader ethernet;
    ethernet.destination = Mac48Address("e4:1d:2d:ab:2b:c2");
    ethernet.source = Mac48Address("7c:fe:90:64:3b:32");
    ethernet.etherType = ETHERTYPE_IPV4;
    EXPECT_EQ(ToBytes(ethernet), FromHex("e41d2dab2bc2 7cfe90643b32 0800"));

    // PCP 6 -> 0xc000, DEI 0x1000, VLAN 0x123
    ethernet.vlanTag = RdmaEthernetHeader::VlanTag{6, true, 0x123};
    EXPECT_EQ(ToBytes(ethernet), FromHex("e41d2dab2bc2 7cfe90643b32 8100 d123 0800"));
}

TEST(RdmaHeaders, Ipv4Bytes)
{
    // The IPv4 header of a captured CNP: DSCP 48, ECN 2 -> ToS 0xc2; checksum 0x9161.
    RdmaIpv4Header ip;
    ip.dscp = 48;
    ip.ecn = 2;
    ip.totalLength = 60;
    ip.identification = 0x718c;
    ip.source = Ipv4Address("10.0.17.1");
    ip.destination = Ipv4Address("10.0.18.1");
    const Bytes bytes = FromHex("45c2 003c 718c 4000 4011 9161 0a001101 0a001201");
    EXPECT_EQ(ToBytes(ip), bytes);

    Bytes wrongChecksum = bytes;
    wrongChecksum[11] ^= 1;
    EXPECT_FALSE(FromBytes<RdmaIpv4Header>(wrongChecksum));

    // Version 5, and a header of six words, each with the right checksum: 0x0100 more in the first
    // word takes 0x0100 from the checksum, 0x1000 more takes 0x1000.
    EXPECT_FALSE(
        FromBytes<RdmaIpv4Header>(FromHex("46c2 003c 718c 4000 4011 9061 0a001101 0a001201")));
    EXPECT_FALSE(
        FromBytes<RdmaIpv4Header>(FromHex("55c2 003c 718c 4000 4011 8161 0a001101 0a001201")));
}

TEST(RdmaHeaders, Ipv4ChecksumOfAnotherPacket)
{
    // Type of service 1 and identification 1144 between two times 192.168.0.7: checksum 0xb4d5.
    RdmaIpv4Header ip;
    ip.ecn = 1;
    ip.totalLength = 64;
    ip.identification = 1144;
    ip.source = Ipv4Address("192.168.0.7");
    ip.destination = Ipv4Address("192.168.0.7");
    EXPECT_EQ(ToBytes(ip), FromHex("4501 0040 0478 4000 4011 b4d5 c0a80007 c0a80007"));
}

TEST(RdmaHeaders, Ipv4Fragment)
{
    RdmaIpv4Header ip;
    ip.dontFragment = false;
    ip.moreFragments = true;
    ip.fragmentOffset = 0x1234;
    const Bytes bytes = ToBytes(ip);
    EXPECT_EQ(bytes[6], 0x20 | 0x12);
    EXPECT_EQ(bytes[7], 0x34);
}

TEST(RdmaHeaders, Ipv6Bytes)
{
    RdmaIpv6Header ip;
    ip.dscp = 26;
    ip.ecn = 2;
    ip.flowLabel = 0x12345;
    ip.payloadLength = 32;
    ip.source = Ipv6Address("2001:db8::1");
    ip.destination = Ipv6Address("2001:db8::2");
    // Traffic class 26 << 2 | 2 = 0x6a
    EXPECT_EQ(ToBytes(ip),
              FromHex("6 6a 12345 0020 11 40 20010db8000000000000000000000001"
                      "20010db8000000000000000000000002"));
    Bytes version4 = ToBytes(ip);
    version4[0] = 0x46;
    EXPECT_FALSE(FromBytes<RdmaIpv6Header>(version4));
}

TEST(RdmaHeaders, UdpBytes)
{
    RdmaUdpHeader udp;
    udp.sourcePort = 49152;
    udp.length = 44;
    udp.checksum = 0xaca2;
    EXPECT_EQ(ToBytes(udp), FromHex("c000 12b7 002c aca2"));
}

template <typename Header>
class RdmaHeaderProperties : public testing::Test
{
};

using AllHeaders = testing::Types<RdmaBth,
                                  RdmaReth,
                                  RdmaAeth,
                                  RdmaImmDt,
                                  RdmaIeth,
                                  RdmaDeth,
                                  RdmaFeth,
                                  RdmaAtomicEth,
                                  RdmaAtomicAckEth,
                                  RdmaRdeth,
                                  RdmaXrceth,
                                  IbLrh,
                                  IbFlowControlPacket,
                                  RdmaEthernetHeader,
                                  RdmaIpv4Header,
                                  RdmaIpv6Header,
                                  RdmaUdpHeader,
                                  FabricPfcHeader,
                                  FabricPauseHeader>;
TYPED_TEST_SUITE(RdmaHeaderProperties, AllHeaders);

TYPED_TEST(RdmaHeaderProperties, DecodeInvertsEncode)
{
    Random random(1);
    for (int i = 0; i < 1000; ++i)
    {
        TypeParam header;
        Fill(random, header);
        Bytes bytes = ToBytes(header);
        const std::size_t size = bytes.size();
        bytes.push_back(0xaa); // what follows stays unread
        ByteReader reader(bytes);
        const auto read = TypeParam::Read(reader);
        ASSERT_TRUE(read);
        EXPECT_EQ(Fields(*read), Fields(header));
        EXPECT_EQ(reader.GetRemaining(), bytes.size() - size);
    }
}

TYPED_TEST(RdmaHeaderProperties, RefusesEveryTruncation)
{
    Random random(2);
    for (int i = 0; i < 20; ++i)
    {
        TypeParam header;
        Fill(random, header);
        const Bytes bytes = ToBytes(header);
        for (std::size_t size = 0; size < bytes.size(); ++size)
        {
            // A vector of just that size: a sanitizer sees any byte read beyond it.
            const Bytes cut(bytes.begin(), bytes.begin() + size);
            EXPECT_FALSE(FromBytes<TypeParam>(cut)) << size << " of " << bytes.size();
        }
    }
}

TEST(RdmaTransportHeaders, DecodeInvertsEncodeForEveryOpcode)
{
    Random random(3);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        if (!OpcodeIsKnown(opcode))
        {
            Bytes bytes(64, 0);
            bytes[0] = static_cast<uint8_t>(opcode);
            EXPECT_FALSE(FromBytes<RdmaTransportHeaders>(bytes)) << opcode;
            continue;
        }
        for (int i = 0; i < 100; ++i)
        {
            const RdmaTransportHeaders headers = RandomTransport(random, opcode);
            const Bytes bytes = ToBytes(headers);
            ASSERT_EQ(bytes.size(), OpcodeHeaderBytes(opcode)) << opcode;
            const auto read = FromBytes<RdmaTransportHeaders>(bytes);
            ASSERT_TRUE(read) << opcode;
            EXPECT_EQ(Fields(*read), Fields(headers)) << opcode;
        }
    }
}

TEST(RdmaTransportHeaders, OrderOnTheWire)
{
    RdmaTransportHeaders h;
    h.deth.queueKey = 0xdddddddd;
    h.feth.placementType = 1;
    h.reth.remoteKey = 0xeeeeeeee;
    h.aeth.msn = 0xaaaaaa;
    h.atomicAck.originalData = 0xbbbbbbbbbbbbbbbb;
    h.immDt.immediate = 0xcccccccc;
    const auto afterBth = [&h](uint8_t opcode) {
        h.bth.opcode = opcode;
        const Bytes bytes = ToBytes(h);
        return Bytes(bytes.begin() + 12, bytes.end());
    };
    EXPECT_EQ(afterBth(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE),
              FromHex("0000000000000000 eeeeeeee 00000000 cccccccc"));
    EXPECT_EQ(afterBth(RC_ATOMIC_ACKNOWLEDGE), FromHex("00aaaaaa bbbbbbbbbbbbbbbb"));
    EXPECT_EQ(afterBth(UD_SEND_ONLY_WITH_IMMEDIATE), FromHex("dddddddd 00000000 cccccccc"));
    EXPECT_EQ(afterBth(RC_FLUSH), FromHex("00000001 0000000000000000 eeeeeeee 00000000"));

    // RD: RDETH and, in requests, DETH go first. XRC: XRCETH goes first, in requests only.
    h.rdeth.eeContext = 0x111111;
    h.xrceth.sharedReceiveQueue = 0x222222;
    EXPECT_EQ(afterBth(OPCODE_PREFIX_RD | RC_RDMA_READ_REQUEST),
              FromHex("00111111 dddddddd 00000000 0000000000000000 eeeeeeee 00000000"));
    EXPECT_EQ(afterBth(OPCODE_PREFIX_RD | RC_ACKNOWLEDGE), FromHex("00111111 00aaaaaa"));
    EXPECT_EQ(afterBth(OPCODE_PREFIX_XRC | RC_SEND_ONLY_WITH_IMMEDIATE),
              FromHex("00222222 cccccccc"));
    EXPECT_EQ(afterBth(OPCODE_PREFIX_XRC | RC_ACKNOWLEDGE), FromHex("00aaaaaa"));
    EXPECT_EQ(afterBth(IB_CNP), Bytes());
}

TEST(RdmaTransportHeaders, ReaderStaysWhenTheHeadersAreIncomplete)
{
    Random random(4);
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        if (!OpcodeIsKnown(opcode))
        {
            continue;
        }
        const Bytes bytes = ToBytes(RandomTransport(random, opcode));
        for (std::size_t size = 0; size < bytes.size(); ++size)
        {
            const Bytes cut(bytes.begin(), bytes.begin() + size);
            ByteReader reader(cut);
            EXPECT_FALSE(RdmaTransportHeaders::Read(reader)) << opcode << " " << size;
            EXPECT_EQ(reader.GetRemaining(), size);
        }
    }
}

TEST(ByteReader, NeverReadsBeyondTheEnd)
{
    const Bytes bytes = FromHex("01 02 03");
    ByteReader reader(bytes);
    EXPECT_EQ(reader.ReadU16(), 0x0102);
    EXPECT_EQ(reader.ReadU32(), 0U) << "only one byte is left";
    EXPECT_EQ(reader.GetRemaining(), 0U);
    EXPECT_EQ(reader.ReadU8(), 0);
    EXPECT_EQ(reader.ReadU64(), 0U);
    reader.Skip(10);
    EXPECT_FALSE(reader.Has(1));
    EXPECT_TRUE(reader.Has(0));

    ByteReader copying(bytes);
    uint8_t copy[5];
    copying.ReadBytes(copy, sizeof(copy));
    EXPECT_EQ(Bytes(copy, copy + 5), FromHex("01 02 03 00 00"));

    ByteReader empty(nullptr, 0);
    EXPECT_EQ(empty.ReadU24(), 0U);
}

TEST(ByteReader, LittleEndianAndTruncate)
{
    const Bytes bytes = FromHex("78f353f3 01");
    ByteReader reader(bytes);
    reader.Truncate(100);
    EXPECT_EQ(reader.GetRemaining(), 5U);
    reader.Truncate(4);
    EXPECT_EQ(reader.ReadU32LittleEndian(), 0xf353f378U);
    EXPECT_EQ(reader.GetRemaining(), 0U);

    Bytes out;
    ByteWriter writer(out);
    writer.WriteU32LittleEndian(0xf353f378);
    writer.WriteU24(0x010203);
    EXPECT_EQ(out, FromHex("78f353f3 010203"));
}
