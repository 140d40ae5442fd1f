/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/fabric-net-device.h"
#include "ns3/packet.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/**
 * \param random Source of randomness.
 * \param opcode A supported opcode.
 * \return A frame of kind RDMA in which every field that is on the wire is random.
 */
FabricFrame
RandomFrame(Random& random, uint8_t opcode)
{
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = opcode;
    frame.payload = OpcodeHasPayload(opcode) ? static_cast<uint32_t>(Bits(random, 12)) : 0;
    frame.bytes = RoceV2FrameBytes(opcode, frame.payload);
    frame.priority = static_cast<uint8_t>(Bits(random, 3));
    frame.ecn = static_cast<uint8_t>(Bits(random, 2));
    frame.hopLimit = static_cast<uint8_t>(Bits(random, 8));
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

/// \param f A frame of kind RDMA. \return The fields that are on the wire.
auto
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
                           f.rdma.compare);
}

/// \param packet A packet. \return Its bytes.
Bytes
PacketBytes(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
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
    int supported = 0;
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        if (!RdmaFrameCodec::IsSupported(opcode))
        {
            continue;
        }
        ++supported;
        for (int i = 0; i < 100; ++i)
        {
            const FabricFrame frame = RandomFrame(random, opcode);
            RdmaFrameAddresses addresses;
            addresses.sourceMac = RandomMac(random);
            addresses.destinationMac = RandomMac(random);
            addresses.source.Set(static_cast<uint32_t>(Bits(random, 32)));
            addresses.destination.Set(static_cast<uint32_t>(Bits(random, 32)));
            addresses.udpSourcePort = static_cast<uint16_t>(Bits(random, 16));
            addresses.dscp = static_cast<uint8_t>(frame.priority << 3 | Bits(random, 3));

            const Bytes bytes = RdmaFrameCodec::Encode(frame, addresses);
            EXPECT_EQ(bytes.size() + ETHERNET_FCS_BYTES, frame.bytes);
            FabricFrame decoded{};
            const auto read = RdmaFrameCodec::Decode(bytes.data(), bytes.size(), decoded);
            ASSERT_TRUE(read) << opcode;
            EXPECT_EQ(WireFields(decoded), WireFields(frame)) << opcode;
            EXPECT_EQ(read->sourceMac, addresses.sourceMac);
            EXPECT_EQ(read->destinationMac, addresses.destinationMac);
            EXPECT_EQ(read->source, addresses.source);
            EXPECT_EQ(read->destination, addresses.destination);
            EXPECT_EQ(read->udpSourcePort, addresses.udpSourcePort);
            EXPECT_EQ(read->dscp, addresses.dscp);
        }
    }
    // RC: 6 SEND, 2 with Invalidate, 6 WRITE, READ request, 4 READ responses, Acknowledge, 2
    // atomics and their Acknowledge, ATOMIC WRITE; UC: 6 SEND, 6 WRITE; UD: 2 SEND; CNP
    EXPECT_EQ(supported, 39);
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
        const bool decoded =
            RdmaFrameCodec::Decode(encoded.data(), encoded.size(), untouched).has_value();
        EXPECT_EQ(untouched.psn, decoded ? 0U : 77U);
        return decoded;
    };
    EXPECT_TRUE(decodes([](auto&) {}));
    EXPECT_FALSE(decodes([](auto& packet) { packet.ip = RdmaIpv6Header(); }));
    EXPECT_FALSE(decodes([](auto& packet) { packet.transport.bth.opcode = RC_FLUSH; }));
    EXPECT_FALSE(decodes([](auto& packet) { packet.udp.destinationPort = 53; }));
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
