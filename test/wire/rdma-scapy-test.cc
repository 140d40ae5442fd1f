/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-tshark-util.h"

#include "ns3/rdma-roce-v2-packet.h"

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

/**
 * \file
 * scapy's RoCE layer as a second program that computes ICRCs. It can do so for RoCEv2 over IPv4.
 */

TEST_F(RdmaTshark, ScapyComputesTheSameIcrc)
{
    std::string python;
    for (const char* candidate : {"/usr/bin/python3", "python3"})
    {
        if (std::system((std::string(candidate) + " -c 'import scapy.contrib.roce' 2> /dev/null")
                            .c_str()) == 0)
        {
            python = candidate;
            break;
        }
    }
    if (python.empty())
    {
        GTEST_SKIP() << "scapy is not installed (python3-scapy)";
    }
    Random random(15);
    std::vector<Bytes> frames;
    std::vector<int> opcodes;
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        // InfiniBand's CNP is no packet of RoCE, and so short that Ethernet pads it.
        for (int i = 0; OpcodeIsKnown(opcode) && opcode != IB_CNP && i < 2; ++i)
        {
            RoceV2Packet packet;
            packet.ethernet.source = RandomMac(random);
            packet.ethernet.destination = Mac48Address("02:00:00:00:00:02");
            RdmaIpv4Header ip;
            Fill(random, ip);
            ip.moreFragments = false;
            ip.fragmentOffset = 0;
            ip.protocol = IP_PROTOCOL_UDP;
            packet.ip = ip;
            packet.udp.sourcePort = static_cast<uint16_t>(Bits(random, 16));
            packet.transport = RandomTransport(random, static_cast<uint8_t>(opcode));
            if (OpcodeHasPayload(opcode))
            {
                packet.payloadBytes = 1 + static_cast<uint32_t>(Bits(random, 8));
            }
            frames.push_back(packet.Encode());
            opcodes.push_back(opcode);
        }
    }
    WritePcap(frames);
    std::istringstream output(
        Run(python + " " RDMA_SOURCE_DIR "/test/wire/scapy-icrc.py '" + m_file + "'"));
    for (const int opcode : opcodes)
    {
        int read = -1;
        std::string sent;
        std::string computed;
        output >> read >> sent >> computed;
        EXPECT_EQ(read, opcode);
        EXPECT_EQ(computed, sent) << opcode;
        EXPECT_EQ(sent.size(), 8U);
    }
}
