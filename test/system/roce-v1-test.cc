/* SPDX-License-Identifier: GPL-2.0-only */
/* RDMA over Ethernet without UDP over IPv4: RoCEv1 stays in its subnet, and RoCEv2 over IPv6. */

#include "system/rdma-test-net.h"

#include "ns3/fabric-network.h"
#include "ns3/fabric-switch.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// \param encapsulation What packets are wrapped in. \return Makes a star of three hosts.
std::function<void(RdmaTestPlan&)>
Star(RdmaEncapsulation encapsulation)
{
    return [encapsulation](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(3, FabricLinkSpec());
        plan.fabric.GetNetwork()->SetEncapsulation(encapsulation);
    };
}

/// \param net A network with a switch. \return Frames that ports of the switch dropped for it.
uint64_t
NotRoutable(const RdmaTestNet& net)
{
    uint64_t drops = 0;
    const auto& ethernetSwitch = net.plan->fabric.GetSwitches().at(0);
    for (uint32_t port = 0; port < ethernetSwitch->GetNPorts(); ++port)
    {
        drops += ethernetSwitch->GetPort(port)->GetDrops(FabricDropReason::ROCE_V1_NOT_ROUTABLE);
    }
    return drops;
}

} // namespace

TEST(RoceV1, CarriesDataWithinItsSubnet)
{
    for (const auto encapsulation : {RdmaEncapsulation::ROCE_V1, RdmaEncapsulation::ROCE_V2_IPV6})
    {
        RdmaTestNet net(Star(encapsulation));
        const auto& pair = net.Connect(0, 1);
        std::vector<uint32_t> bytes;
        std::vector<uint8_t> ecn;
        net.Device(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame*, int64_t>([&](const FabricFrame* frame, int64_t) {
                bytes.push_back(frame->bytes);
                ecn.push_back(frame->ecn);
            }));
        ASSERT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1000)), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), (std::vector<IdAndStatus>{{0, RdmaWcStatus::SUCCESS}}));
        // One WRITE Only: Ethernet 14, GRH 40 or IPv6 40 and UDP 8, BTH 12, RETH 16, 1000, ICRC 4,
        // FCS 4.
        const bool isV1 = encapsulation == RdmaEncapsulation::ROCE_V1;
        EXPECT_EQ(bytes, (std::vector<uint32_t>{isV1 ? 1090U : 1098U}));
        // A GRH has no ECN field that a switch could mark.
        EXPECT_EQ(ecn, (std::vector<uint8_t>{isV1 ? ECN_NOT_ECT : ECN_ECT0}));
    }
}

TEST(RoceV1, IsNotRoutedBetweenSubnets)
{
    for (const auto encapsulation : {RdmaEncapsulation::ROCE_V1,
                                     RdmaEncapsulation::ROCE_V2_IPV4,
                                     RdmaEncapsulation::ROCE_V2_IPV6})
    {
        RdmaTestNet net(Star(encapsulation));
        RdmaQpAttributes attributes;
        attributes.timeout = 8; // about 1 ms
        attributes.retryCount = 2;
        const auto& across = net.Connect(0, 1, attributes);
        const auto& within = net.Connect(0, 2, attributes);
        // Hosts that move to another subnet after they connected.
        net.plan->fabric.GetNetwork()->SetSubnet(1, 1);
        uint64_t traced = 0;
        for (uint32_t port = 0; port < 3; ++port)
        {
            net.plan->fabric.GetSwitches().at(0)->GetPort(port)->TraceConnectWithoutContext(
                "FrameDrop",
                Callback<void, const FabricFrame*, FabricDropReason, int64_t>(
                    [&](const FabricFrame*, FabricDropReason reason, int64_t) {
                        traced += reason == FabricDropReason::ROCE_V1_NOT_ROUTABLE;
                    }));
        }
        ASSERT_EQ(across.a.queuePair->PostSend(MakeSend(across, RdmaWrOpcode::RDMA_WRITE, 100)), 0);
        ASSERT_EQ(within.a.queuePair->PostSend(MakeSend(within, RdmaWrOpcode::RDMA_WRITE, 100)), 0);
        net.Run();
        const bool isV1 = encapsulation == RdmaEncapsulation::ROCE_V1;
        EXPECT_EQ(IdsOf(TakeAll(across.a)),
                  (std::vector<IdAndStatus>{
                      {0, isV1 ? RdmaWcStatus::RETRY_EXC_ERR : RdmaWcStatus::SUCCESS}}));
        EXPECT_EQ(IdsOf(TakeAll(within.a)), (std::vector<IdAndStatus>{{0, RdmaWcStatus::SUCCESS}}));
        // The packet and its two repetitions.
        EXPECT_EQ(NotRoutable(net), isV1 ? 3U : 0U);
        EXPECT_EQ(traced, NotRoutable(net));
    }
    EXPECT_STREQ(FabricDropReasonName(FabricDropReason::ROCE_V1_NOT_ROUTABLE),
                 "roce-v1-not-routable");
}

TEST(RoceV1DeathTest, ConnectAcrossSubnetsFails)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    RdmaTestNet net(Star(RdmaEncapsulation::ROCE_V1));
    net.plan->fabric.GetNetwork()->SetSubnet(2, 7);
    EXPECT_DEATH(net.Connect(0, 2),
                 "RoCEv1 is not routed: endpoint 0 is in subnet 0, and endpoint 2 in subnet 7");
    net.plan->fabric.GetNetwork()->SetSubnet(0, 7);
    net.Connect(0, 2);
    EXPECT_DEATH(net.plan->fabric.GetNetwork()->SetSubnet(3, 1), "There is no endpoint 3");
}

TEST(RoceV1, SwitchesHashMacAddressesOnly)
{
    // Queue pairs of the same two hosts share a path with RoCEv1, and have their own with RoCEv2.
    for (const auto encapsulation : {RdmaEncapsulation::ROCE_V1, RdmaEncapsulation::ROCE_V2_IPV6})
    {
        RdmaTestNet net(Star(encapsulation));
        std::vector<uint32_t> hashes;
        net.Device(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame*, int64_t>(
                [&](const FabricFrame* frame, int64_t) { hashes.push_back(frame->flowHash); }));
        for (const uint32_t to : {1U, 1U, 2U})
        {
            const auto& pair = net.Connect(0, to);
            ASSERT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100)), 0);
        }
        net.Run();
        ASSERT_EQ(hashes.size(), 3U);
        EXPECT_EQ(hashes[0] == hashes[1], encapsulation == RdmaEncapsulation::ROCE_V1);
        EXPECT_NE(hashes[0], hashes[2]);
    }
}

TEST(FabricNetworkAddresses, TellTheSubnet)
{
    RdmaTestNet net(Star(RdmaEncapsulation::ROCE_V2_IPV4));
    const Ptr<FabricNetwork> network = net.plan->fabric.GetNetwork();
    EXPECT_EQ(network->GetAddress(2), Ipv4Address("10.0.0.3"));
    network->SetSubnet(2, 5);
    EXPECT_EQ(network->GetSubnet(2), 5);
    EXPECT_EQ(network->GetSubnet(1), 0);
    // 16 bits of prefix: the subnet is the second byte.
    EXPECT_EQ(network->GetAddress(2), Ipv4Address("10.5.0.3"));
    EXPECT_EQ(network->GetAddress(1), Ipv4Address("10.0.0.2"));
    network->SetAttribute("SubnetPrefixLength", UintegerValue(24));
    EXPECT_EQ(network->GetAddress(2), Ipv4Address("10.0.5.3"));

    network->SetAttribute("GidPrefix", Ipv6AddressValue(Ipv6Address("2001:db8:0:fe::")));
    net.Device(2)->SetAddress(Mac48Address("00:11:22:33:44:55"));
    // fe + 5 = 0x103
    EXPECT_EQ(network->GetGid(2), Ipv6Address("2001:db8:0:103:211:22ff:fe33:4455"));
}
