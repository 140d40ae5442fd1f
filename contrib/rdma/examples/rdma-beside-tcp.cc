/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ns-3's TCP and UDP applications across the fabric, beside RDMA.
 *
 *   host 0 (RDMA, TCP) --+                                       +-- host 2
 *                        leaf 0 ---- spine (100 Gb/s) ---- leaf 1
 *   host 1 (UDP) --------+                                       +-- host 3
 *
 * All links have 100 Gb/s and 1 us. Host 0 writes 10 MB to host 2 by RDMA in priority 3, which is
 * lossless (PFC), and sends it 3 MB by TCP in priority 0, which is lossy. Host 1 sends host 3 1000
 * UDP datagrams of 1000 bytes, one a microsecond.
 *
 * Expected, whatever the options:
 *   RDMA    10000000 bytes
 *   TCP      3000000 bytes
 *   UDP      1000000 bytes
 *   lost in priority 3: 0 frames
 * The write takes some 0.9 ms: 10,200,216 bytes of wire are 0.816 ms, and TCP takes its share.
 * The program exits 1 when anything else comes out.
 */

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::rdma;

int
main(int argc, char* argv[])
{
    uint64_t rdmaBytes = 10'000'000;
    uint64_t tcpBytes = 3'000'000;
    uint32_t datagrams = 1000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rdmaBytes", "Length of the RDMA write, 1 to 2^31", rdmaBytes);
    cmd.AddValue("tcpBytes", "Bytes that TCP sends, at least 1", tcpBytes);
    cmd.AddValue("datagrams", "UDP datagrams of 1000 bytes", datagrams);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    FabricHelper::UseWheelScheduler();

    // The network: hosts 0 and 1 at leaf 0, 2 and 3 at leaf 1.
    const FabricLinkSpec link{100'000'000'000, 1'000'000, 0};
    FabricHelper fabric;
    FabricTopologyHelper built(FabricTopology::LeafSpine({2, 1, 2}, link, link), fabric);
    const NetDeviceContainer devices = fabric.GetEndpoints();

    // RDMA.
    const auto nics = RdmaHelper().Install(devices);
    RdmaConnectedPair pair = RdmaHelper::Connect(nics[0], nics[2]);
    RdmaSendWr write;
    write.length = rdmaBytes;
    write.lkey = pair.a.memory.lkey;
    write.rkey = pair.b.memory.rkey;
    pair.a.queuePair->PostSend(write);

    // ns-3's own stack on the same ports. Its ARP asks up to 10 ms late and lets 3 packets wait
    // for the answer; UDP would lose most of its datagrams that way.
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(datagrams));
    InternetStackHelper().Install(built.GetHosts());
    Ipv4AddressHelper addresses("192.168.0.0", "255.255.255.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    const uint16_t port = 5000;
    PacketSinkHelper tcpSink("ns3::TcpSocketFactory",
                             InetSocketAddress(Ipv4Address::GetAny(), port));
    PacketSinkHelper udpSink("ns3::UdpSocketFactory",
                             InetSocketAddress(Ipv4Address::GetAny(), port));
    ApplicationContainer sinks = tcpSink.Install(built.GetHosts().Get(2));
    sinks.Add(udpSink.Install(built.GetHosts().Get(3)));
    BulkSendHelper tcp("ns3::TcpSocketFactory", InetSocketAddress(interfaces.GetAddress(2), port));
    tcp.SetAttribute("MaxBytes", UintegerValue(tcpBytes));
    tcp.Install(built.GetHosts().Get(0));
    UdpClientHelper udp(interfaces.GetAddress(3), port);
    udp.SetAttribute("MaxPackets", UintegerValue(datagrams));
    udp.SetAttribute("PacketSize", UintegerValue(1000));
    udp.SetAttribute("Interval", TimeValue(MicroSeconds(1)));
    udp.Install(built.GetHosts().Get(1));

    Simulator::Stop(Seconds(10));
    Simulator::Run();

    const uint64_t written = nics[2]->GetNic()->GetCounters().deliveredBytes;
    const uint64_t byTcp = DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx();
    const uint64_t byUdp = DynamicCast<PacketSink>(sinks.Get(1))->GetTotalRx();
    uint64_t lost = 0;
    for (const FabricNetDevice* device : fabric.GetNetwork()->GetDevices())
    {
        lost += device->GetDrops(FabricDropReason::HEADROOM_FULL);
    }
    const auto completions = pair.a.cq->Poll(2);
    std::cout << "RDMA  " << written << " bytes\n"
              << "TCP   " << byTcp << " bytes\n"
              << "UDP   " << byUdp << " bytes\n"
              << "lost in priority 3: " << lost << " frames" << std::endl;
    const bool expected = completions.size() == 1 &&
                          completions[0].status == RdmaWcStatus::SUCCESS && written == rdmaBytes &&
                          byTcp == tcpBytes && byUdp == 1000ULL * datagrams && lost == 0;
    Simulator::Destroy();
    return expected ? 0 : 1;
}
