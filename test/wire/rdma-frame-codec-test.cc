/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-frame-test-util.h"

#include "ns3/fabric-net-device.h"
#include "ns3/packet.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-frame-transport.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \param packet A packet. \return Its bytes.
Bytes
PacketBytes(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/**
 * \param random Source of randomness.
 * \param encapsulation What the frame is wrapped in.
 * \param frame A frame.
 * \return What else stands in its packet, at random.
 */
RdmaFrameExtras
RandomExtras(Random& random, RdmaEncapsulation encapsulation, const FabricFrame& frame)
{
    RdmaFrameExtras extras;
    if (!IsInfiniBand(encapsulation))
    {
        extras.sourceMac = RandomMac(random);
        extras.destinationMac = RandomMac(random);
        extras.dscp = static_cast<uint8_t>(frame.priority << 3 | Bits(random, 3));
    }
    if (encapsulation == RdmaEncapsulation::ROCE_V2_IPV4)
    {
        extras.source.Set(static_cast<uint32_t>(Bits(random, 32)));
        extras.destination.Set(static_cast<uint32_t>(Bits(random, 32)));
    }
    else if (encapsulation != RdmaEncapsulation::INFINIBAND)
    {
        extras.sourceGid = RandomIpv6(random);
        extras.destinationGid = RandomIpv6(random);
    }
    if (encapsulation == RdmaEncapsulation::INFINIBAND_GRH)
    {
        extras.dscp = static_cast<uint8_t>(Bits(random, 6));
    }
    return extras;
}

/// \param e Extras. \return All but the payload.
auto
ExtraFields(const RdmaFrameExtras& e)
{
    return std::make_tuple(e.sourceMac,
                           e.destinationMac,
                           e.source,
                           e.destination,
                           e.sourceGid,
                           e.destinationGid,
                           e.dscp);
}

/// A network of two hosts and a switch port, with the codec.
class RdmaFrameCodecNetwork : public testing::Test
{
  protected:
    RdmaFrameCodecNetwork()
    {
        for (int i = 0; i < 3; ++i)
        {
            m_devices[i] = CreateObject<FabricNetDevice>();
            m_devices[i]->SetNetwork(m_network);
        }
        m_devices[1]->MakeEndpoint(); // endpoint 0
        m_devices[2]->MakeEndpoint(); // endpoint 1
        m_devices[1]->SetAddress(Mac48Address("00:11:22:33:44:55"));
        m_devices[2]->SetAddress(Mac48Address("00:11:22:33:44:66"));
        m_network->SetCodec(Create<RdmaFrameCodec>(*m_network));
    }

    ~RdmaFrameCodecNetwork() override
    {
        for (auto& device : m_devices)
        {
            device->Dispose();
        }
        m_network->Dispose();
    }

    /// \param frame A frame. \return Its bytes as a listener of a device sees them.
    Bytes ToBytes(const FabricFrame& frame) const
    {
        return PacketBytes(m_network->GetCodec()->ToPacket(frame));
    }

    Ptr<FabricNetwork> m_network{CreateObject<FabricNetwork>()}; //!< the network
    std::array<Ptr<FabricNetDevice>, 3> m_devices;               //!< switch port, two hosts
};

} // namespace

TEST(RdmaFrameCodec, DecodeInvertsEncode)
{
    Random random(8);
    for (const RdmaEncapsulation encapsulation : ENCAPSULATIONS)
    {
        int held = 0;
        for (int opcode = 0; opcode < 256; ++opcode)
        {
            if (!RdmaFrameHolds(opcode))
            {
                continue;
            }
            ++held;
            for (int i = 0; i < 50; ++i)
            {
                FabricFrame frame = RandomFrame(random, encapsulation, opcode);
                Bytes payload;
                if (frame.payload && Bits(random, 1))
                {
                    payload.resize(frame.payload);
                    std::generate(payload.begin(), payload.end(), [&random]() {
                        return static_cast<uint8_t>(1 + Bits(random, 7));
                    });
                    frame.flags |= FabricFrame::HAS_DATA;
                    frame.rdma.data = payload.data();
                }
                const RdmaFrameExtras extras = RandomExtras(random, encapsulation, frame);
                const Bytes bytes = RdmaFrameCodec::Encode(encapsulation, frame, extras);
                const uint32_t fcs = IsInfiniBand(encapsulation) ? 0 : ETHERNET_FCS_BYTES;
                EXPECT_EQ(bytes.size() + fcs, frame.bytes);

                FabricFrame decoded{};
                const auto read =
                    RdmaFrameCodec::Decode(encapsulation, bytes.data(), bytes.size(), decoded);
                ASSERT_TRUE(read) << opcode;
                if (frame.flags & FabricFrame::HAS_DATA)
                {
                    frame.flags &= ~FabricFrame::HAS_DATA;
                    frame.rdma.data = nullptr;
                }
                EXPECT_EQ(WireFields(decoded), WireFields(frame)) << opcode;
                EXPECT_EQ(read->payload, payload);
                EXPECT_EQ(ExtraFields(*read), ExtraFields(extras)) << opcode;

                // Whatever else it is wrapped in, it is not that.
                for (const RdmaEncapsulation other : ENCAPSULATIONS)
                {
                    FabricFrame untouched{};
                    untouched.psn = 77;
                    if (other != encapsulation)
                    {
                        EXPECT_FALSE(
                            RdmaFrameCodec::Decode(other, bytes.data(), bytes.size(), untouched));
                        EXPECT_EQ(untouched.psn, 77U);
                    }
                }
            }
        }
        // RC: 6 SEND, 2 SEND with invalidate, 6 WRITE, READ request, 4 READ responses, Acknowledge,
        // 2 atomics and their ACK, ATOMIC WRITE; UC: 6 SEND, 6 WRITE; UD: 2 SEND; 2 CNPs. 14 SEND
        // and WRITE with a RETH in every packet.
        EXPECT_EQ(held, 54);
    }
}

TEST(RdmaFrameCodec, DecodeInvertsEncodeOfControlFrames)
{
    Random random(9);
    for (int i = 0; i < 1000; ++i)
    {
        FabricFrame credit{};
        credit.kind = FabricFrameKind::CREDIT;
        credit.bytes = 6;
        credit.credit.initial = Bits(random, 1);
        credit.credit.sentBlocks = static_cast<uint16_t>(Bits(random, 12));
        credit.credit.creditLimit = static_cast<uint16_t>(Bits(random, 12));
        credit.credit.lane = static_cast<uint8_t>(Bits(random, 4));
        for (const auto encapsulation :
             {RdmaEncapsulation::INFINIBAND, RdmaEncapsulation::INFINIBAND_GRH})
        {
            const Bytes bytes = RdmaFrameCodec::Encode(encapsulation, credit, {});
            FabricFrame read{};
            ASSERT_TRUE(RdmaFrameCodec::Decode(encapsulation, bytes.data(), bytes.size(), read));
            EXPECT_EQ(read.kind, FabricFrameKind::CREDIT);
            EXPECT_EQ(read.bytes, bytes.size());
            EXPECT_EQ(read.credit.initial, credit.credit.initial);
            EXPECT_EQ(read.credit.sentBlocks, credit.credit.sentBlocks);
            EXPECT_EQ(read.credit.creditLimit, credit.credit.creditLimit);
            EXPECT_EQ(read.credit.lane, credit.credit.lane);
        }

        FabricFrame pause{};
        pause.kind = Bits(random, 1) ? FabricFrameKind::PFC : FabricFrameKind::PAUSE;
        const bool isPfc = pause.kind == FabricFrameKind::PFC;
        pause.bytes = 64;
        pause.pause.classes = isPfc ? static_cast<uint8_t>(Bits(random, 8)) : 0;
        for (int c = 0; c < (isPfc ? 8 : 1); ++c)
        {
            pause.pause.quanta[c] = static_cast<uint16_t>(Bits(random, 16));
        }
        RdmaFrameExtras extras;
        extras.sourceMac = RandomMac(random);
        for (const auto encapsulation : {RdmaEncapsulation::ROCE_V2_IPV4,
                                         RdmaEncapsulation::ROCE_V2_IPV6,
                                         RdmaEncapsulation::ROCE_V1})
        {
            const Bytes bytes = RdmaFrameCodec::Encode(encapsulation, pause, extras);
            FabricFrame read{};
            const auto rest =
                RdmaFrameCodec::Decode(encapsulation, bytes.data(), bytes.size(), read);
            ASSERT_TRUE(rest);
            EXPECT_EQ(rest->sourceMac, extras.sourceMac);
            EXPECT_EQ(rest->destinationMac, Mac48Address("01:80:c2:00:00:01"));
            EXPECT_EQ(read.kind, pause.kind);
            EXPECT_EQ(read.bytes, bytes.size() + ETHERNET_FCS_BYTES);
            EXPECT_EQ(read.pause.classes, pause.pause.classes);
            EXPECT_TRUE(std::equal(read.pause.quanta, read.pause.quanta + 8, pause.pause.quanta));
        }
    }
}

TEST(RdmaFrameCodec, RefusesWhatAFrameCannotHold)
{
    const auto decodes = [](auto change) {
        RoceV2Packet packet;
        packet.transport.bth.opcode = RC_SEND_ONLY;
        change(packet);
        const Bytes encoded = packet.Encode();
        FabricFrame untouched{};
        untouched.psn = 77;
        const bool decoded = RdmaFrameCodec::Decode(RdmaEncapsulation::ROCE_V2_IPV4,
                                                    encoded.data(),
                                                    encoded.size(),
                                                    untouched)
                                 .has_value();
        EXPECT_EQ(untouched.psn, decoded ? 0U : 77U);
        return decoded;
    };
    EXPECT_TRUE(decodes([](auto&) {}));
    for (const uint8_t opcode : {uint8_t{RC_FLUSH},
                                 static_cast<uint8_t>(OPCODE_PREFIX_RD | RC_SEND_ONLY),
                                 static_cast<uint8_t>(OPCODE_PREFIX_XRC | RC_SEND_ONLY),
                                 static_cast<uint8_t>(OPCODE_PREFIX_XRC | RC_ACKNOWLEDGE)})
    {
        EXPECT_FALSE(decodes([opcode](auto& packet) { packet.transport.bth.opcode = opcode; }));
    }
    EXPECT_FALSE(decodes([](auto& packet) { packet.udp.destinationPort = 53; }));

    // Another MAC control frame than the two pauses.
    Bytes control = FabricPauseHeader().MakeFrame(Mac48Address("00:00:00:00:00:01"));
    FabricFrame frame{};
    EXPECT_TRUE(RdmaFrameCodec::Decode(RdmaEncapsulation::ROCE_V1, control.data(), 60, frame));
    control[15] = 2;
    EXPECT_FALSE(RdmaFrameCodec::Decode(RdmaEncapsulation::ROCE_V1, control.data(), 60, frame));
}

TEST(RdmaFrameCodec, SurvivesRandomBytes)
{
    Random random(10);
    for (int i = 0; i < 50000; ++i)
    {
        Bytes bytes(Bits(random, 7));
        std::generate(bytes.begin(), bytes.end(), [&random]() {
            return static_cast<uint8_t>(Bits(random, 8));
        });
        static constexpr uint16_t types[] = {0x0800, 0x86dd, 0x8915, 0x8808};
        if (bytes.size() >= 14)
        {
            const uint16_t type = types[Bits(random, 2)];
            bytes[12] = static_cast<uint8_t>(type >> 8);
            bytes[13] = static_cast<uint8_t>(type);
        }
        for (const RdmaEncapsulation encapsulation : ENCAPSULATIONS)
        {
            FabricFrame frame{};
            RdmaFrameCodec::Decode(encapsulation, bytes.data(), bytes.size(), frame);
        }
    }
    // Damage and cuts that leave most of a frame intact reach deeper into the decoders.
    for (int i = 0; i < 20000; ++i)
    {
        const RdmaEncapsulation encapsulation = ENCAPSULATIONS[random() % ENCAPSULATIONS.size()];
        uint8_t opcode = 0;
        do
        {
            opcode = static_cast<uint8_t>(Bits(random, 8));
        } while (!RdmaFrameHolds(opcode));
        const FabricFrame frame = RandomFrame(random, encapsulation, opcode);
        Bytes bytes = RdmaFrameCodec::Encode(encapsulation, frame, {});
        bytes[random() % std::min<std::size_t>(bytes.size(), 80)] ^=
            static_cast<uint8_t>(1U << Bits(random, 3));
        bytes.resize(bytes.size() - (Bits(random, 1) ? Bits(random, 4) : 0));
        FabricFrame read{};
        RdmaFrameCodec::Decode(encapsulation, bytes.data(), bytes.size(), read);
    }
}

TEST_F(RdmaFrameCodecNetwork, RdmaFrame)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = RC_RDMA_WRITE_ONLY;
    frame.flags = FabricFrame::ACK_REQUEST;
    frame.source = 0;
    frame.destination = 1;
    frame.sourceQueuePair = 0x11;
    frame.queuePair = 0x11;
    frame.psn = 0x123456;
    frame.priority = 3;
    frame.ecn = ECN_ECT0;
    frame.hopLimit = 62;
    frame.payload = 5;
    frame.rdma.virtualAddress = 0x1122334455667788;
    frame.rdma.remoteKey = 0xaabbccdd;
    frame.rdma.dmaLength = 5;
    frame.rdma.sourcePort = 0xc121;
    frame.bytes = RoceV2FrameBytes(RC_RDMA_WRITE_ONLY, 5);

    // IPv4: ToS = DSCP 24 << 2 | 2 = 0x62; length 20 + 8 + 12 + 16 + 8 + 4 = 68 = 0x44; TTL 62 =
    // 0x3e; addresses 10.0.0.1 and 10.0.0.2; checksum by hand: 4562 + 0044 + 0000 + 4000 + 3e11 +
    // 0a00 + 0001 + 0a00 + 0002 = d7ba, inverted 2845. UDP: source port 0xc121, length 48 =
    // 0x30. BTH: pad 3.
    const Bytes expected = FromHex("001122334466 001122334455 0800"
                                   "4562 0044 0000 4000 3e11 2845 0a000001 0a000002"
                                   "c121 12b7 0030 0000"
                                   "0a 30 ffff 00 000011 80 123456"
                                   "1122334455667788 aabbccdd 00000005"
                                   "00000000 00000000");
    const Bytes bytes = ToBytes(frame);
    ASSERT_EQ(bytes.size(), expected.size() + ICRC_BYTES);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.end() - ICRC_BYTES), expected);
}

TEST_F(RdmaFrameCodecNetwork, AddressesOfEveryEncapsulation)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = RC_SEND_ONLY;
    frame.source = 1;
    frame.destination = 0;
    frame.queuePair = 0x34;
    frame.psn = 7;
    frame.priority = 3;
    frame.ecn = ECN_CE;
    frame.hopLimit = 64;
    frame.rdma.sourcePort = 0xc3a8;
    frame.dlid = 0x0102;
    frame.slid = 0x0304;
    frame.serviceLevel = 5;
    m_network->SetSubnet(1, 9);
    const auto upToIcrc = [&](RdmaEncapsulation encapsulation) {
        m_network->SetEncapsulation(encapsulation);
        frame.bytes = RdmaFrameBytes(encapsulation, frame.opcode, frame.payload);
        Bytes bytes = ToBytes(frame);
        bytes.resize(bytes.size() - ICRC_BYTES - (IsInfiniBand(encapsulation) ? VCRC_BYTES : 0));
        return bytes;
    };
    // GIDs: prefix fd00:0:0:subnet, EUI-64 of 00:11:22:33:44:66 (subnet 9) and ...:55 (subnet 0).
    const std::string gids = "fd00000000000009 021122fffe334466 fd00000000000000 021122fffe334455";
    const std::string macs = "001122334455 001122334466";
    const std::string bth = "04 00 ffff 00 000034 00 000007";
    // IPv6: version 6, traffic class DSCP 24 << 2 | 3 = 63, flow label 0xc3a8 & 0x3fff = 003a8;
    // length 8 + 12 + 4 = 24, UDP 17 = 0x11, hop limit 0x40.
    EXPECT_EQ(upToIcrc(RdmaEncapsulation::ROCE_V2_IPV6),
              FromHex(macs + "86dd 663003a8 0018 11 40" + gids + "c3a8 12b7 0018 0000" + bth));
    // GRH: length 12 + 4 = 16, next header 0x1b. 14 + 40 + 12 + 4 + FCS is more than 64.
    EXPECT_EQ(upToIcrc(RdmaEncapsulation::ROCE_V1),
              FromHex(macs + "8915 663003a8 0010 1b 40" + gids + bth));
    // LRH: VL 3, SL 5, LNH 2, length (8 + 12 + 4) / 4 = 6
    EXPECT_EQ(upToIcrc(RdmaEncapsulation::INFINIBAND), FromHex("30 52 0102 0006 0304" + bth));
    // LNH 3, length 6 + 10; the traffic class has no DSCP.
    EXPECT_EQ(upToIcrc(RdmaEncapsulation::INFINIBAND_GRH),
              FromHex("30 53 0102 0010 0304 603003a8 0010 1b 40" + gids + bth));
    // IPv4 of subnet 9 with a prefix of 16 bits: 10.9.0.2. Header checksum by hand: 4563 + 002c +
    // 0000 + 4000 + 4011 + 0a09 + 0002 + 0a00 + 0001 = d9ac, inverted 2653.
    EXPECT_EQ(upToIcrc(RdmaEncapsulation::ROCE_V2_IPV4).size(), 14U + 20 + 8 + 12 + 2)
        << "58 bytes with ICRC, padded to 60";
    m_network->SetEncapsulation(RdmaEncapsulation::ROCE_V2_IPV4);
    const Bytes v4 = ToBytes(frame);
    EXPECT_EQ(Bytes(v4.begin(), v4.begin() + 34),
              FromHex(macs + "0800 4563 002c 0000 4000 4011 2653 0a090002 0a000001"));
}

TEST_F(RdmaFrameCodecNetwork, CreditFrame)
{
    m_network->SetEncapsulation(RdmaEncapsulation::INFINIBAND);
    FabricFrame frame{};
    frame.kind = FabricFrameKind::CREDIT;
    frame.bytes = 6;
    frame.source = m_devices[0]->GetEndpoint(); // a port of a switch
    frame.destination = FABRIC_BROADCAST;
    frame.credit.sentBlocks = 0x123;
    frame.credit.creditLimit = 0x456;
    frame.credit.lane = 7;
    const Bytes bytes = ToBytes(frame);
    ASSERT_EQ(bytes.size(), 6U);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 4), FromHex("0123 7456"));
}

TEST_F(RdmaFrameCodecNetwork, PauseFrames)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::PFC;
    frame.bytes = 64;
    frame.source = 1;
    frame.destination = FABRIC_BROADCAST;
    frame.pause.classes = 0x08;
    frame.pause.quanta[3] = 0x1234;
    const std::string zeros(52, '0');
    EXPECT_EQ(ToBytes(frame),
              FromHex("0180c2000001 001122334466 8808 0101 0008"
                      "000000000000 1234 0000000000000000" +
                      zeros));

    // A port of a switch has no endpoint number.
    frame.source = m_devices[0]->GetEndpoint();
    EXPECT_EQ(ToBytes(frame),
              FromHex("0180c2000001 020000000000 8808 0101 0008"
                      "000000000000 1234 0000000000000000" +
                      zeros));

    frame.kind = FabricFrameKind::PAUSE;
    frame.source = 0;
    frame.pause.quanta[0] = 0xffff;
    EXPECT_EQ(ToBytes(frame),
              FromHex("0180c2000001 001122334455 8808 0001 ffff" + std::string(84, '0')));
}
