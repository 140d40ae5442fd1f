/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-frame-test-util.h"
#include "wire/rdma-tshark-util.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-net-device.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-frame-transport.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-pcap-helper.h"
#include "ns3/simulator.h"

#include <filesystem>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

/**
 * \file
 * Captures of RdmaPcapHelper, read by tshark.
 */

namespace
{

/// Sends a list of frames, and throws away what arrives.
class Player : public FabricTxSource, public FabricRxSink
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

    void LinkChanged(FabricPort&, bool, int64_t) override {}

    FabricFrameQueue frames; //!< to send
};

/**
 * \param opcode An opcode.
 * \param list Opcodes.
 * \param text What tshark prints if the opcode is among them.
 * \param columns How many columns that are.
 * \return The text, or a dash for each column.
 */
std::string
If(int opcode, const std::vector<int>& list, const std::string& text, int columns)
{
    if (std::find(list.begin(), list.end(), opcode) != list.end())
    {
        return " " + text;
    }
    std::string dashes;
    for (int i = 0; i < columns; ++i)
    {
        dashes += " -";
    }
    return dashes;
}

/// Captures of one device that plays frames of all opcodes.
class RdmaPcapHelperTest : public RdmaTshark
{
  protected:
    /// \param encapsulation What the frames are wrapped in.
    void CaptureAllOpcodes(RdmaEncapsulation encapsulation)
    {
        const Ptr<FabricNetwork> network = CreateObject<FabricNetwork>();
        network->SetEncapsulation(encapsulation);
        const Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
        std::array<Ptr<FabricNetDevice>, 2> devices;
        std::array<Player, 2> players;
        for (std::size_t i = 0; i < devices.size(); ++i)
        {
            devices[i] = CreateObject<FabricNetDevice>();
            devices[i]->SetNetwork(network);
            devices[i]->SetAddress(Mac48Address(i ? "00:11:22:33:44:66" : "00:11:22:33:44:55"));
            devices[i]->MakeEndpoint();
            devices[i]->SetFlowControl(CreateObject<FabricFlowControl>());
            devices[i]->Attach(channel);
            devices[i]->GetPort().SetSource(&players[i]);
            devices[i]->GetPort().SetSink(&players[i]);
            devices[i]->Initialize();
        }
        network->SetSubnet(1, 3);
        RdmaPcapHelper().EnablePcap(m_file, devices[0], true, true);
        for (int opcode = 0; opcode < 256; ++opcode)
        {
            if (!IsComparable(opcode))
            {
                continue;
            }
            FabricFrame* frame = devices[0]->Allocate();
            frame->kind = FabricFrameKind::RDMA;
            frame->source = 0;
            frame->destination = 1;
            frame->priority = 3;
            frame->serviceLevel = 5;
            frame->dlid = 0x0102;
            frame->slid = 0x0304;
            frame->hopLimit = 17;
            frame->opcode = static_cast<uint8_t>(opcode);
            frame->flags = FabricFrame::ACK_REQUEST;
            frame->sourceQueuePair = 0x12;
            frame->queuePair = 0x34;
            frame->psn = 1000 + opcode;
            frame->payload = OpcodeHasPayload(opcode) ? 62 : 0;
            frame->bytes = RdmaFrameBytes(encapsulation, frame->opcode, frame->payload);
            frame->rdma = FabricFrame::RdmaFields{};
            frame->rdma.sourcePort = 0xc3a8;
            // Fields that share their place differ in kind, never in a packet.
            frame->rdma.virtualAddress = opcode == RC_ATOMIC_ACKNOWLEDGE ? 999 : 4096;
            frame->rdma.remoteKey = 77;
            frame->rdma.dmaLength = 62;
            frame->rdma.immediate = 0x01020304;
            frame->rdma.syndrome = 0x1f;
            frame->rdma.msn = 5;
            frame->rdma.queueKey = 0x11;
            frame->rdma.swap = 6;
            frame->rdma.compare = 8;
            players[0].frames.Push(frame);
        }
        Simulator::Schedule(MicroSeconds(1), [&] {
            devices[0]->GetPort().Wake(devices[0]->GetDriver()->GetClock().Now());
        });
        Simulator::Run();
        channel->Dispose();
        for (auto& device : devices)
        {
            device->Dispose();
            device =
                nullptr; // with its trace sources it lets go of the file, which is then complete
        }
        network->Dispose();
        Simulator::Destroy();
    }

    /**
     * \param opcode An opcode.
     * \return Whether all versions of Wireshark read it alike: the module's own are unknown to it, and
     *         ATOMIC WRITE is to older ones.
     */
    static bool IsComparable(int opcode)
    {
        return opcode < OPCODE_PLACED && opcode != RC_ATOMIC_WRITE && RdmaFrameHolds(opcode);
    }

    /**
     * Expects every opcode with its headers, by table 38 of IBA volume 1 and annex A17.
     * \param link Names of fields of the link layer.
     * \param values Their values, the same in all packets.
     */
    void ExpectAllOpcodes(const std::string& link, const std::string& values) const
    {
        std::vector<std::string> expected;
        for (int opcode = 0; opcode < 256; ++opcode)
        {
            if (!IsComparable(opcode))
            {
                continue;
            }
            std::string line = std::to_string(opcode) + " " + std::to_string(1000 + opcode) + " 52";
            // RETH: the virtual address field serves AtomicETH, too.
            line +=
                If(opcode, {0x06, 0x0A, 0x0B, 0x0C, 0x13, 0x14, 0x26, 0x2A, 0x2B}, "4096 77", 2);
            line += If(opcode, {0x06, 0x0A, 0x0B, 0x0C, 0x26, 0x2A, 0x2B}, "62", 1);
            line +=
                If(opcode, {0x03, 0x05, 0x09, 0x0B, 0x23, 0x25, 0x29, 0x2B, 0x65}, "01020304", 1);
            line += If(opcode, {0x0D, 0x0F, 0x10, 0x11, 0x12}, "5", 1);
            line += If(opcode, {0x13, 0x14}, "6 8", 2);
            line += If(opcode, {0x12}, "999", 1);
            line += If(opcode, {0x64, 0x65}, "17 18", 2);
            line += If(opcode, {0x16, 0x17}, "0000004d", 1);
            expected.push_back(line + values);
        }
        EXPECT_EQ(expected.size(), 39U);
        EXPECT_EQ(Dissect("infiniband.bth.opcode infiniband.bth.psn infiniband.bth.destqp "
                          "infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen "
                          "infiniband.immdt infiniband.aeth.msn infiniband.atomiceth.swapdt "
                          "infiniband.atomiceth.cmpdt infiniband.atomicacketh.origremdt "
                          "infiniband.deth.q_key infiniband.deth.srcqp infiniband.ieth " +
                          link),
                  expected);
        ExpectWellFormed();
    }
};

} // namespace

TEST_F(RdmaPcapHelperTest, EveryOpcodeOverRoceV2Ipv4)
{
    CaptureAllOpcodes(RdmaEncapsulation::ROCE_V2_IPV4);
    ExpectAllOpcodes("ip.src ip.dst ip.dsfield.dscp ip.ttl udp.srcport",
                     " 10.0.0.1 10.3.0.2 24 17 50088");
}

TEST_F(RdmaPcapHelperTest, EveryOpcodeOverRoceV2Ipv6)
{
    CaptureAllOpcodes(RdmaEncapsulation::ROCE_V2_IPV6);
    // 0xc3a8 & 0x3fff = 936
    ExpectAllOpcodes("ipv6.src ipv6.dst ipv6.tclass.dscp ipv6.hlim ipv6.flow udp.srcport",
                     " fd00::211:22ff:fe33:4455 fd00::3:211:22ff:fe33:4466 24 17 936 50088");
}

TEST_F(RdmaPcapHelperTest, EveryOpcodeOverRoceV1)
{
    CaptureAllOpcodes(RdmaEncapsulation::ROCE_V1);
    // EtherType 0x8915 = 35093; TClass 24 << 2 = 96; next header 27
    ExpectAllOpcodes("eth.src eth.type infiniband.grh.sgid infiniband.grh.dgid "
                     "infiniband.grh.tclass infiniband.grh.flowlabel infiniband.grh.nxthdr "
                     "infiniband.grh.hoplmt",
                     " 00:11:22:33:44:55 35093 fd00::211:22ff:fe33:4455 "
                     "fd00::3:211:22ff:fe33:4466 96 936 27 17");
}

TEST_F(RdmaPcapHelperTest, EveryOpcodeOverInfiniBand)
{
    CaptureAllOpcodes(RdmaEncapsulation::INFINIBAND);
    // Record type 21; DLID 0x0102 = 258, SLID 0x0304 = 772
    ExpectAllOpcodes("erf.types.type infiniband.lrh.vl infiniband.lrh.sl infiniband.lrh.lnh "
                     "infiniband.lrh.dlid infiniband.lrh.slid",
                     " 21 3 5 2 258 772");
}

TEST_F(RdmaPcapHelperTest, EveryOpcodeOverInfiniBandWithGrh)
{
    CaptureAllOpcodes(RdmaEncapsulation::INFINIBAND_GRH);
    ExpectAllOpcodes("infiniband.lrh.lnh infiniband.lrh.dlid infiniband.grh.sgid "
                     "infiniband.grh.dgid infiniband.grh.tclass infiniband.grh.hoplmt",
                     " 3 258 fd00::211:22ff:fe33:4455 fd00::3:211:22ff:fe33:4466 0 17");
}

TEST_F(RdmaPcapHelperTest, SimulationOfInfiniBand)
{
    std::vector<std::string> files;
    {
        FabricHelper fabric;
        fabric.UseInfiniBand();
        NodeContainer hosts(2);
        NodeContainer switches(1);
        fabric.InstallSwitch(switches);
        fabric.Connect(hosts.Get(0), switches.Get(0));
        fabric.Connect(hosts.Get(1), switches.Get(0));
        fabric.ComputeRoutes();
        // LIDs 1 and 2, and the ports of the switch that lead there.
        fabric.GetNetwork()->SetLid(0, 1, 0);
        fabric.GetNetwork()->SetLid(1, 2, 0);
        fabric.GetIbSwitches()[0]->SetLft({IbSwitch::NO_PORT, 0, 1});
        const auto contexts = RdmaHelper().Install(fabric.GetEndpoints());
        RdmaPcapHelper pcap;
        pcap.EnablePcap(m_file, hosts);
        pcap.SetFlowControlPackets(true);
        pcap.EnablePcap(m_file, switches);
        for (const Ptr<Node>& node : {hosts.Get(0), switches.Get(0), switches.Get(0)})
        {
            files.push_back(m_file + "-" + std::to_string(node->GetId()) + "-" +
                            (files.size() == 2 ? "1" : "0") + ".pcap");
        }
        auto pair = RdmaHelper::Connect(contexts[0], contexts[1]);
        RdmaSendWr write;
        write.opcode = RdmaWrOpcode::RDMA_WRITE;
        write.length = 9000; // 4096 + 4096 + 808
        write.lkey = pair.a.memory.lkey;
        write.rkey = pair.b.memory.rkey;
        ASSERT_EQ(pair.a.queuePair->PostSend(write), 0);
        Simulator::Run();
        EXPECT_EQ(pair.a.cq->Poll(2).size(), 1U);
    }
    Simulator::Destroy();

    // The NIC: WRITE First, Middle and Last go, an Acknowledge comes.
    const std::string own = m_file;
    m_file = files[0];
    EXPECT_EQ(Dissect("infiniband.bth.opcode frame.len"),
              (std::vector<std::string>{"6 4138", "7 4122", "8 834", "17 30"}))
        << "LRH 8, BTH 12, RETH 16 or AETH 4, 4096 or 808, ICRC 4, VCRC 2";
    ExpectWellFormed();
    // Both ports of the switch, with flow control packets. Wireshark names them, and then takes
    // their first bytes for an LRH, which it calls malformed.
    for (int port : {1, 2})
    {
        m_file = files[port];
        int packets = 0;
        int credits = 0;
        for (const std::string& line : Dissect("erf.types.type"))
        {
            packets += line == "21";
            credits += line == "25";
        }
        EXPECT_EQ(packets, 4);
        EXPECT_GE(credits, 2) << "each end of the cable tells its credits";
        ExpectWellFormed("erf.types.type == 21");
    }
    for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    {
        if (entry.path().string().rfind(own, 0) == 0)
        {
            std::filesystem::remove(entry.path());
        }
    }
    m_file = own;
}
