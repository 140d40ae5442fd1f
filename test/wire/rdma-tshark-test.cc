/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-tshark-util.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-pfc.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/rdma-cnp.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-roce-v2-packet.h"
#include "ns3/rdma-wire-sizes.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

/**
 * \file
 * Wireshark's dissectors as an independent reader of what the codecs write.
 */

namespace
{

/**
 * \param opcode BTH opcode.
 * \param psn Packet sequence number.
 * \param payloadBytes Payload.
 * \return A packet from queue pair 0x12 to queue pair 0x34.
 */
RoceV2Packet
MakePacket(uint8_t opcode, uint32_t psn, uint32_t payloadBytes)
{
    RoceV2Packet packet;
    packet.ethernet.source = Mac48Address("02:00:00:00:00:01");
    packet.ethernet.destination = Mac48Address("02:00:00:00:00:02");
    RdmaIpv4Header ip;
    ip.dscp = 26;
    ip.ecn = 2;
    ip.source = Ipv4Address("10.0.0.1");
    ip.destination = Ipv4Address("10.0.0.2");
    packet.ip = ip;
    packet.udp.sourcePort = RdmaUdpSourcePort(RdmaFlowLabel(0x12, 0x34));
    packet.transport.bth.opcode = opcode;
    packet.transport.bth.destinationQueuePair = 0x34;
    packet.transport.bth.psn = psn;
    packet.payloadBytes = payloadBytes;
    return packet;
}

/// Gives a port a list of frames and throws away what arrives.
class ListSource : public FabricTxSource, public FabricRxSink
{
  public:
    FabricFrame* Pull(FabricPort&, int64_t now, int64_t& next) override
    {
        FabricFrame* frame = frames.IsEmpty() ? nullptr : frames.Pop();
        next = frames.IsEmpty() ? FABRIC_NEVER : now;
        return frame;
    }

    void Receive(FabricPort& port, FabricFrame* frame, int64_t) override
    {
        port.GetDevice()->Free(frame);
    }

    void LinkChanged(FabricPort&, bool, int64_t) override
    {
    }

    FabricFrameQueue frames; //!< to send
};

} // namespace

TEST_F(RdmaTshark, TransportPackets)
{
    RoceV2Packet send = MakePacket(RC_SEND_ONLY, 100, 13);
    send.transport.bth.ackRequest = true;
    send.transport.bth.solicited = true;

    RoceV2Packet writeFirst = MakePacket(RC_RDMA_WRITE_FIRST, 101, 1024);
    writeFirst.transport.reth.virtualAddress = 0x100000001000;
    writeFirst.transport.reth.remoteKey = 0xcafe;
    writeFirst.transport.reth.dmaLength = 1500;
    RoceV2Packet writeLast = MakePacket(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 102, 476);
    writeLast.transport.immDt.immediate = 0x01020304;

    RoceV2Packet readRequest = MakePacket(RC_RDMA_READ_REQUEST, 103, 0);
    readRequest.transport.reth.virtualAddress = 0x2000;
    readRequest.transport.reth.remoteKey = 0xbeef;
    readRequest.transport.reth.dmaLength = 2500;
    RoceV2Packet readFirst = MakePacket(RC_RDMA_READ_RESPONSE_FIRST, 103, 1024);
    readFirst.transport.aeth.syndrome = RdmaAckSyndrome();
    readFirst.transport.aeth.msn = 7;
    const RoceV2Packet readMiddle = MakePacket(RC_RDMA_READ_RESPONSE_MIDDLE, 104, 1024);
    RoceV2Packet readLast = MakePacket(RC_RDMA_READ_RESPONSE_LAST, 105, 452);
    readLast.transport.aeth = readFirst.transport.aeth;

    RoceV2Packet ack = MakePacket(RC_ACKNOWLEDGE, 102, 0);
    ack.transport.aeth.syndrome = RdmaAckSyndrome(5);
    ack.transport.aeth.msn = 6;
    RoceV2Packet nak = MakePacket(RC_ACKNOWLEDGE, 0xfffffe, 0);
    nak.transport.aeth.syndrome = RdmaNakSyndrome(RdmaNakCode::REMOTE_ACCESS_ERROR);
    nak.transport.aeth.msn = 8;
    RoceV2Packet rnr = MakePacket(RC_ACKNOWLEDGE, 9, 0);
    rnr.transport.aeth.syndrome = RdmaRnrNakSyndrome(25);

    RoceV2Packet cnp = MakePacket(ROCE_CNP, 0, 0);
    cnp.transport.bth = RdmaCnp::MakeBth(0x12);

    WritePcap({send.Encode(),
               writeFirst.Encode(),
               writeLast.Encode(),
               readRequest.Encode(),
               readFirst.Encode(),
               readMiddle.Encode(),
               readLast.Encode(),
               ack.Encode(),
               nak.Encode(),
               rnr.Encode(),
               cnp.Encode()});

    // Opcodes 0x04, 0x06, 0x09, 0x0c, 0x0d, 0x0e, 0x0f, 3 x 0x11 and 0x81; queue pairs 0x34 and
    // 0x12.
    EXPECT_EQ(Dissect("infiniband.bth.opcode infiniband.bth.psn infiniband.bth.destqp "
                      "infiniband.bth.padcnt infiniband.bth.se infiniband.bth.a"),
              (std::vector<std::string>{"4 100 52 3 1 1",
                                        "6 101 52 0 0 0",
                                        "9 102 52 0 0 0",
                                        "12 103 52 0 0 0",
                                        "13 103 52 0 0 0",
                                        "14 104 52 0 0 0",
                                        "15 105 52 0 0 0",
                                        "17 102 52 0 0 0",
                                        "17 16777214 52 0 0 0",
                                        "17 9 52 0 0 0",
                                        "129 0 18 0 0 0"}));
    // RETH: 0x100000001000 and 0x2000; R_Key 0xcafe and 0xbeef. ImmDt prints as bytes.
    const std::string none = "- - - -";
    EXPECT_EQ(Dissect("infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen "
                      "infiniband.immdt"),
              (std::vector<std::string>{none,
                                        "17592186048512 51966 1500 -",
                                        "- - - 01020304",
                                        "8192 48879 2500 -",
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        none}));
    // AETH: kind (0 ACK, 1 RNR NAK, 3 NAK), its detail, MSN
    EXPECT_EQ(Dissect("infiniband.aeth.syndrome.opcode infiniband.aeth.syndrome.credit_count "
                      "infiniband.aeth.syndrome.timer infiniband.aeth.syndrome.error_code "
                      "infiniband.aeth.msn"),
              (std::vector<std::string>{"- - - - -",
                                        "- - - - -",
                                        "- - - - -",
                                        "- - - - -",
                                        "0 31 - - 7",
                                        "- - - - -",
                                        "0 31 - - 7",
                                        "0 5 - - 6",
                                        "3 - - 2 8",
                                        "1 - 25 - 0",
                                        "- - - - -"}));
    ExpectWellFormed();
}

TEST_F(RdmaTshark, Addresses)
{
    RoceV2Packet v4 = MakePacket(RC_SEND_ONLY, 0, 64);
    v4.ethernet.vlanTag = RdmaEthernetHeader::VlanTag{3, false, 100};
    RoceV2Packet v6 = MakePacket(RC_SEND_ONLY, 1, 64);
    RdmaIpv6Header ip;
    ip.dscp = 48;
    ip.ecn = 3;
    ip.flowLabel = 0x12345;
    ip.source = Ipv6Address("2001:db8::1");
    ip.destination = Ipv6Address("2001:db8::2");
    v6.ip = ip;
    RoceV2Packet ud = MakePacket(UD_SEND_ONLY, 2, 64);
    ud.transport.deth.queueKey = 0x80010000;
    ud.transport.deth.sourceQueuePair = 0x12;
    WritePcap({v4.Encode(), v6.Encode(), ud.Encode()});

    // 0x12 * 0x34 = 0x3a8 -> source port 0xc3a8 = 50088
    EXPECT_EQ(Dissect("udp.srcport udp.dstport infiniband.bth.opcode infiniband.bth.psn"),
              (std::vector<std::string>{"50088 4791 4 0", "50088 4791 4 1", "50088 4791 100 2"}));
    EXPECT_EQ(Dissect("eth.src eth.dst vlan.priority vlan.id"),
              (std::vector<std::string>{"02:00:00:00:00:01 02:00:00:00:00:02 3 100",
                                        "02:00:00:00:00:01 02:00:00:00:00:02 - -",
                                        "02:00:00:00:00:01 02:00:00:00:00:02 - -"}));
    EXPECT_EQ(Dissect("ip.src ip.dst ip.dsfield.dscp ip.dsfield.ecn ip.flags.df ip.len ip.ttl"),
              (std::vector<std::string>{"10.0.0.1 10.0.0.2 26 2 1 108 64",
                                        "- - - - - - -",
                                        "10.0.0.1 10.0.0.2 26 2 1 116 64"}));
    EXPECT_EQ(Dissect("ipv6.src ipv6.dst ipv6.tclass.dscp ipv6.tclass.ecn ipv6.flow ipv6.plen")[1],
              "2001:db8::1 2001:db8::2 48 3 74565 88");
    // 0x80010000
    EXPECT_EQ(Dissect("infiniband.deth.q_key infiniband.deth.srcqp")[2], "2147549184 18");
    ExpectWellFormed();
}

TEST_F(RdmaTshark, PauseFrames)
{
    FabricPfcHeader pfc;
    pfc.classEnable = 0x48;
    pfc.quanta[3] = 65535;
    pfc.quanta[6] = 512;
    FabricPauseHeader pause;
    pause.quanta = 1000;
    const Mac48Address port("02:00:00:00:00:03");
    WritePcap({pfc.MakeFrame(port), pause.MakeFrame(port)});

    // Opcodes 0x0101 and 0x0001; the class-enable vector 0x48
    EXPECT_EQ(Dissect("eth.dst eth.src macc.opcode macc.cbfc.enbv macc.pause_time"),
              (std::vector<std::string>{"01:80:c2:00:00:01 02:00:00:00:00:03 257 72 -",
                                        "01:80:c2:00:00:01 02:00:00:00:00:03 1 - 1000"}));
    EXPECT_EQ(
        Dissect("macc.cbfc.enbv.c2 macc.cbfc.enbv.c3 macc.cbfc.enbv.c6 macc.cbfc.pause_time.c0 "
                "macc.cbfc.pause_time.c3 macc.cbfc.pause_time.c6 macc.cbfc.pause_time.c7")[0],
        "0 1 1 0 65535 512 0");
    ExpectWellFormed();
}

TEST_F(RdmaTshark, CaptureOfADevice)
{
    const Ptr<FabricNetwork> network = CreateObject<FabricNetwork>();
    network->SetCodec(Create<RdmaFrameCodec>(*network));
    const Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
    std::array<Ptr<FabricNetDevice>, 2> devices;
    std::array<ListSource, 2> sources;
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        devices[i] = CreateObject<FabricNetDevice>();
        devices[i]->SetNetwork(network);
        devices[i]->MakeEndpoint();
        devices[i]->SetFlowControl(CreateObject<FabricPfc>());
        devices[i]->Attach(channel);
        devices[i]->GetPort().SetSource(&sources[i]);
        devices[i]->GetPort().SetSink(&sources[i]);
        devices[i]->Initialize();
    }
    {
        PcapHelper pcap;
        const Ptr<PcapFileWrapper> file =
            pcap.CreateFile(m_file, std::ios::out, PcapHelper::DLT_EN10MB);
        pcap.HookDefaultSink<FabricNetDevice>(devices[0], "PromiscSniffer", file);
    }

    const auto add = [&](uint8_t opcode, uint32_t psn, uint32_t payload) {
        FabricFrame* frame = devices[0]->Allocate();
        frame->kind = FabricFrameKind::RDMA;
        frame->source = 0;
        frame->destination = 1;
        frame->priority = 3;
        frame->opcode = opcode;
        frame->sourceQueuePair = 0x12;
        frame->queuePair = 0x34;
        frame->psn = psn;
        frame->payload = payload;
        frame->bytes = RoceV2FrameBytes(opcode, payload);
        frame->rdma = FabricFrame::RdmaFields{};
        frame->rdma.sourcePort = RdmaUdpSourcePort(RdmaFlowLabel(0x12, 0x34));
        sources[0].frames.Push(frame);
    };
    add(RC_SEND_ONLY, 1, 13);
    add(RC_RDMA_WRITE_FIRST, 2, 4096);
    add(RC_ACKNOWLEDGE, 3, 0);
    Simulator::Schedule(MicroSeconds(1), [&] {
        devices[0]->GetPort().Wake(devices[0]->GetDriver()->GetClock().Now());
    });
    // The other end pauses priority 3 later: the device captures what it receives, too.
    Simulator::Schedule(MicroSeconds(10), [&] {
        FabricPort& port = devices[1]->GetPort();
        port.GetFlowControl().SetReceiverFull(3, true, devices[1]->GetDriver()->GetClock().Now());
    });
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
    channel->Dispose();
    for (auto& device : devices)
    {
        device->Dispose();
        device = nullptr; // with its trace sources it lets go of the file, which is then complete
    }
    network->Dispose();
    Simulator::Destroy();

    // Lengths without FCS: 62 + 16, 78 + 4096, 66 and 64 bytes, each less 4.
    EXPECT_EQ(Dissect("frame.len infiniband.bth.opcode infiniband.bth.psn infiniband.bth.destqp "
                      "ip.src ip.dst ip.dsfield.dscp udp.srcport macc.opcode macc.cbfc.enbv"),
              (std::vector<std::string>{"74 4 1 52 10.0.0.1 10.0.0.2 24 50088 - -",
                                        "4170 6 2 52 10.0.0.1 10.0.0.2 24 50088 - -",
                                        "62 17 3 52 10.0.0.1 10.0.0.2 24 50088 - -",
                                        "60 - - - - - - - 257 8"}));
    ExpectWellFormed();
}
