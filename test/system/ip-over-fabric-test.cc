/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's own network stack over the ports of the fabric, beside RDMA. */

#include "fabric-test-checks.h"

#include "ns3/applications-module.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/internet-module.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace ns3
{
namespace
{

/**
 * Up to ns-3.41 an address carries the type of service, later the application has an attribute.
 * \param address An address.
 * \param tos Type of service.
 * \return Whether the address took it.
 */
template <typename T>
auto
SetTos(T& address, uint8_t tos, int) -> decltype(address.SetTos(tos), true)
{
    address.SetTos(tos);
    return true;
}

/// As above, where addresses do not.
template <typename T>
bool
SetTos(T&, uint8_t, long)
{
    return false;
}

using namespace rdma;

/// IP over the fabric.
class IpOverFabric : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr uint16_t PORT = 5000;
const FabricLinkSpec LINK{100 * G, 1'000'000, 0};

/// 4 hosts at 2 leaves with ns-3's stack and an RDMA NIC each: endpoints 0, 1 at leaf 0 and 2, 3 at
/// leaf 1.
struct Net
{
    FabricHelper fabric;                         //!< what makes it
    std::unique_ptr<FabricTopologyHelper> built; //!< the network
    std::vector<Ptr<RdmaContext>> nics;          //!< by endpoint
    Ipv4InterfaceContainer interfaces;           //!< by endpoint

    /// \param change Called before anything is built.
    explicit Net(const std::function<void(FabricHelper&)>& change = nullptr)
    {
        // ARP asks at once, and keeps what waits for the answer: by itself it waits up to 10 ms
        // and keeps 3 packets.
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(1000));
        if (change)
        {
            change(fabric);
        }
        built =
            std::make_unique<FabricTopologyHelper>(FabricTopology::LeafSpine({2, 2, 2}, LINK, LINK),
                                                   fabric);
        nics = RdmaHelper().Install(fabric.GetEndpoints());
        InternetStackHelper stack;
        stack.Install(built->GetHosts());
        stack.AssignStreams(built->GetHosts(), 1000);
        interfaces =
            Ipv4AddressHelper("192.168.0.0", "255.255.255.0").Assign(fabric.GetEndpoints());
    }

    /// \param host A host. \param factory "ns3::UdpSocketFactory" or the other. \return A sink on
    /// it.
    Ptr<PacketSink> Sink(uint32_t host, const std::string& factory)
    {
        PacketSinkHelper helper(factory, InetSocketAddress(Ipv4Address::GetAny(), PORT));
        return DynamicCast<PacketSink>(helper.Install(built->GetHosts().Get(host)).Get(0));
    }

    /// Sends datagrams of 1000 bytes, one each 200 ns. \param from A host. \param to Another.
    /// \param tos Of IP.
    void Udp(uint32_t from, uint32_t to, uint32_t datagrams, uint8_t tos = 0)
    {
        InetSocketAddress remote(interfaces.GetAddress(to), PORT);
        const bool isSet = SetTos(remote, tos, 0);
        UdpClientHelper helper(remote);
        if (!isSet && tos)
        {
            helper.SetAttribute("Tos", UintegerValue(tos));
        }
        helper.SetAttribute("MaxPackets", UintegerValue(datagrams));
        helper.SetAttribute("PacketSize", UintegerValue(1000));
        helper.SetAttribute("Interval", TimeValue(NanoSeconds(200)));
        helper.Install(built->GetHosts().Get(from));
    }

    /// \param from A host. \param to Another. \param bytes What TCP sends.
    void Tcp(uint32_t from, uint32_t to, uint64_t bytes)
    {
        BulkSendHelper helper("ns3::TcpSocketFactory",
                              InetSocketAddress(interfaces.GetAddress(to), PORT));
        helper.SetAttribute("MaxBytes", UintegerValue(bytes));
        helper.Install(built->GetHosts().Get(from));
    }

    /// \param from A host. \param to Another. \param bytes Length of an RDMA write. \return Both
    /// sides.
    RdmaConnectedPair Write(uint32_t from, uint32_t to, uint64_t bytes)
    {
        RdmaConnectedPair pair = RdmaHelper::Connect(nics[from], nics[to]);
        RdmaSendWr request;
        request.length = bytes;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        return pair;
    }

    /// Runs to a time at which all is over. Applications keep timers, so events are left.
    void Run()
    {
        AuditEvery(fabric, MicroSeconds(20), MilliSeconds(2));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        EXPECT_EQ(fabric.GetNetwork()->GetPool().GetLive(), 0u);
        for (const auto& fabricSwitch : fabric.GetSwitches())
        {
            EXPECT_EQ(fabricSwitch->GetBufferPolicy()->GetUsed(), 0u);
            EXPECT_EQ(fabricSwitch->GetBufferPolicy()->Audit(), "");
        }
        ExpectLossless(fabric);
    }
};

// TCP and UDP from one host across the network, beside a write from the same port. All in full; ARP
// has found the addresses by broadcast.
TEST_F(IpOverFabric, TcpAndUdpBesideRdmaArriveInFull)
{
    Net net;
    const auto tcp = net.Sink(2, "ns3::TcpSocketFactory");
    const auto udp = net.Sink(3, "ns3::UdpSocketFactory");
    const auto pair = net.Write(0, 2, 4'000'000);
    net.Tcp(0, 2, 1'000'000);
    net.Udp(1, 3, 500);
    net.Run();
    EXPECT_EQ(tcp->GetTotalRx(), 1'000'000u);
    EXPECT_EQ(udp->GetTotalRx(), 500'000u);
    EXPECT_EQ(net.nics[2]->GetNic()->GetCounters().deliveredBytes, 4'000'000u);
    const auto completions = pair.a.cq->Poll(10);
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(completions[0].status, RdmaWcStatus::SUCCESS);
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
}

// One datagram of 1000 bytes: an ARP request, which all 4 hosts but the sender get once, and its
// answer; then the datagram. On the wire: 14 MAC header + 20 IPv4 + 8 UDP + 1000 + 4 FCS = 1046
// bytes, and ARP 14 + 28 + 4 padded to 64.
TEST_F(IpOverFabric, ArpAsksAllAndIsAnsweredOnce)
{
    Net net;
    const auto udp = net.Sink(3, "ns3::UdpSocketFactory");
    std::map<uint32_t, std::vector<uint32_t>> received;
    const auto& endpoints = net.fabric.GetNetwork()->GetEndpoints();
    for (uint32_t endpoint = 0; endpoint < endpoints.size(); ++endpoint)
    {
        endpoints[endpoint]->TraceConnectWithoutContext(
            "FrameRx",
            Callback<void, const FabricFrame*, int64_t>(
                [&received, endpoint](const FabricFrame* frame, int64_t) {
                    received[endpoint].push_back(frame->bytes);
                }));
    }
    net.Udp(0, 3, 1);
    net.Run();
    EXPECT_EQ(udp->GetTotalRx(), 1000u);
    EXPECT_EQ(received[0], (std::vector<uint32_t>{64}));
    EXPECT_EQ(received[1], (std::vector<uint32_t>{64}));
    EXPECT_EQ(received[2], (std::vector<uint32_t>{64}));
    EXPECT_EQ(received[3], (std::vector<uint32_t>{64, 1046}));
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
}

// The trace sources of PointToPointNetDevice's names, for 10 datagrams and an ARP exchange on
// either side: the sender's port sends 11 packets and receives one.
TEST_F(IpOverFabric, TraceSourcesOfNs3Fire)
{
    Net net;
    net.Sink(3, "ns3::UdpSocketFactory");
    std::map<std::string, uint32_t> count;
    std::map<std::string, uint32_t> bytes;
    const auto device = net.fabric.GetNetwork()->GetEndpoints()[0];
    for (const char* name : {"MacTx",
                             "MacRx",
                             "MacPromiscRx",
                             "PhyTxBegin",
                             "PhyTxEnd",
                             "PhyRxEnd",
                             "Sniffer",
                             "PromiscSniffer"})
    {
        device->TraceConnectWithoutContext(
            name,
            Callback<void, Ptr<const Packet>>([&count, &bytes, name](Ptr<const Packet> packet) {
                ++count[name];
                bytes[name] += packet->GetSize();
            }));
    }
    net.Udp(0, 3, 10);
    net.Run();
    EXPECT_EQ(count["MacTx"], 11u);
    EXPECT_EQ(count["PhyTxBegin"], 11u);
    EXPECT_EQ(count["PhyTxEnd"], 11u);
    EXPECT_EQ(count["PhyRxEnd"], 1u);
    EXPECT_EQ(count["MacRx"], 1u);
    EXPECT_EQ(count["MacPromiscRx"], 1u);
    EXPECT_EQ(count["Sniffer"], 12u);
    EXPECT_EQ(count["PromiscSniffer"], 12u);
    // MacTx sees packets of the network layer: 10 x 1028 and 28 of ARP. A capture sees the MAC
    // header as well, and neither padding nor FCS.
    EXPECT_EQ(bytes["MacTx"], 10 * 1028u + 28);
    EXPECT_EQ(bytes["Sniffer"], 10 * 1042u + 42 + 42);
}

// Two hosts send 40 Gb/s of UDP each to one in a lossy class through a switch whose queue marks
// from 5 KB on; ECT(0) is 2 in the lower bits of the TOS. The packets that the switches marked, and
// no others, come with CE (3).
TEST_F(IpOverFabric, CongestionExperiencedReachesTheIpHeader)
{
    Net net([](FabricHelper& fabric) {
        ObjectFactory marker("ns3::rdma::FabricRedMarker");
        marker.Set("Kmin", UintegerValue(5000));
        marker.Set("Kmax", UintegerValue(5000));
        marker.Set("ReferenceRate", DataRateValue(DataRate(0)));
        fabric.SetMarker(marker);
    });
    std::map<Ipv4Header::EcnType, uint32_t> seen;
    net.built->GetHosts().Get(3)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
            [&seen](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) {
                Ipv4Header header;
                packet->PeekHeader(header);
                ++seen[header.GetEcn()];
            }));
    const auto udp = net.Sink(3, "ns3::UdpSocketFactory");
    const auto send = [&net](uint32_t host, uint8_t tos) {
        const auto socket =
            Socket::CreateSocket(net.built->GetHosts().Get(host), UdpSocketFactory::GetTypeId());
        const InetSocketAddress remote(net.interfaces.GetAddress(3), PORT);
        socket->Connect(remote);
        socket->SetIpTos(tos);
        for (int i = 0; i < 200; ++i)
        {
            Simulator::Schedule(NanoSeconds(200 * i),
                                [socket]() { socket->Send(Create<Packet>(1400)); });
        }
    };
    send(0, 2);
    send(1, 2);
    send(2, 2);
    net.Run();
    EXPECT_EQ(udp->GetTotalRx(), 600u * 1400);
    EXPECT_GT(seen[Ipv4Header::ECN_CE], 0u);
    EXPECT_EQ(seen[Ipv4Header::ECN_CE], CountMarks(net.fabric));
    EXPECT_EQ(seen[Ipv4Header::ECN_CE] + seen[Ipv4Header::ECN_ECT0], 600u);
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
}

// A lossy class of too much traffic loses packets, and a lossless one beside it none: three hosts
// write to the one that two of them overload with UDP, through queues that hold 20 KB.
TEST_F(IpOverFabric, LossOfTheLossyClassDoesNotTouchRdma)
{
    Net net([](FabricHelper& fabric) {
        ObjectFactory buffer("ns3::rdma::FabricStaticBuffer");
        buffer.Set("LossyLimit", UintegerValue(20'000));
        buffer.Set("Reserved", UintegerValue(100'000));
        fabric.SetBufferPolicy(buffer);
        // All datagrams fit into the hosts' own queues.
        fabric.SetDeviceAttribute("MaxQueueBytes", UintegerValue(2'000'000));
    });
    const auto udp = net.Sink(3, "ns3::UdpSocketFactory");
    uint32_t lost = 0; // datagrams; ARP is in the same class
    for (FabricNetDevice* device : net.fabric.GetNetwork()->GetDevices())
    {
        device->TraceConnectWithoutContext(
            "FrameDrop",
            Callback<void, const FabricFrame*, FabricDropReason, int64_t>(
                [&lost](const FabricFrame* frame, FabricDropReason, int64_t) {
                    lost += frame->bytes == 1046;
                }));
    }
    std::vector<RdmaConnectedPair> pairs;
    for (uint32_t host = 0; host < 3; ++host)
    {
        pairs.push_back(net.Write(host, 3, 1'000'000));
        net.Udp(host, 3, 1000);
    }
    net.Run();
    EXPECT_EQ(net.nics[3]->GetNic()->GetCounters().deliveredBytes, 3'000'000u);
    for (const auto& pair : pairs)
    {
        EXPECT_EQ(pair.a.cq->Poll(10).size(), 1u);
    }
    EXPECT_GT(CountAllDrops(net.fabric), 0u);
    EXPECT_EQ(CountAllDrops(net.fabric), CountDrops(net.fabric, FabricDropReason::QUEUE_FULL));
    EXPECT_EQ(udp->GetTotalRx() + 1000 * lost, 3'000'000u);
    EXPECT_GT(CountXoff(net.fabric), 0u);
}

// What the device refuses is counted with its reason.
TEST_F(IpOverFabric, RefusedPacketsAreCountedByReason)
{
    Net net;
    FabricNetDevice* device = net.fabric.GetNetwork()->GetEndpoints()[0];
    const Address known = net.fabric.GetNetwork()->GetEndpoints()[3]->GetAddress();
    EXPECT_FALSE(device->Send(Create<Packet>(1501), known, 0x0800));
    EXPECT_EQ(device->GetDrops(FabricDropReason::TOO_LONG), 1u);
    EXPECT_FALSE(device->Send(Create<Packet>(100), Mac48Address("02:00:00:00:ff:ff"), 0x0800));
    EXPECT_EQ(device->GetDrops(FabricDropReason::UNKNOWN_DESTINATION), 1u);
    device->SetAttribute("MaxQueueBytes", UintegerValue(1518 * 3));
    // The first goes onto the wire at once, three wait.
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(device->Send(Create<Packet>(1500), known, 0x0806), i < 4);
    }
    EXPECT_EQ(device->GetDrops(FabricDropReason::QUEUE_FULL), 1u);
    net.built->GetChannel(0)->SetUp(false);
    EXPECT_FALSE(device->Send(Create<Packet>(100), known, 0x0800));
    EXPECT_EQ(device->GetDrops(FabricDropReason::LINK_DOWN), 1u);
}

} // namespace
} // namespace ns3
