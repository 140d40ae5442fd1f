/* SPDX-License-Identifier: GPL-2.0-only */
/* Which ways frames take: equal-cost paths, hosts with several NICs or none, cut cables. */

#include "system/fabric-test-checks.h"

#include "ns3/fabric-channel.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// A fabric with a NIC on every device of a host.
struct Net
{
    FabricHelper fabric;                            //!< the fabric
    std::unique_ptr<FabricTopologyHelper> topology; //!< what was built
    std::vector<Ptr<RdmaContext>> nics;             //!< by endpoint
    std::vector<RdmaConnectedPair> pairs;           //!< one for each write

    explicit Net(const FabricTopology& plan)
    {
        topology = std::make_unique<FabricTopologyHelper>(plan, fabric);
        nics = RdmaHelper().Install(fabric.GetEndpoints());
    }

    /// Writes from one NIC to another on a queue pair of its own.
    void Write(uint32_t from, uint32_t to, uint64_t bytes, uint16_t sourcePort = 0)
    {
        RdmaQpAttributes attributes;
        attributes.address.sourcePort = sourcePort;
        pairs.push_back(
            RdmaHelper::Connect(nics[from], nics[to], attributes, RdmaQpInitAttributes(), 1 << 30));
        RdmaSendWr request;
        request.length = bytes;
        request.lkey = pairs.back().a.memory.lkey;
        request.rkey = pairs.back().b.memory.rkey;
        EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
    }

    /// Runs to the end: every write completes once, nothing is lost or left.
    void Finish()
    {
        Simulator::Run();
        for (const auto& pair : pairs)
        {
            const auto completions = pair.a.cq->Poll(2);
            ASSERT_EQ(completions.size(), 1U);
            EXPECT_EQ(completions[0].status, RdmaWcStatus::SUCCESS);
        }
        ExpectDrained(fabric);
    }
};

} // namespace

class RoutingCases : public FabricSystemTest
{
};

// k = 8: every pod has 4 edge and 4 aggregation switches, and 16 cores join the pods. 4096 flows of
// one packet, from the hosts of pod 0 to those of pod 1, take one of 4 x 4 ways each with p = 1/16:
// of a binomial with n = 4096 the mean is 256 and sigma = sqrt(4096 x 1/16 x 15/16) = 15.5. With
// the same hash at every hop a flow that an edge switch sends to aggregation i always goes on to
// the same of its 4 cores, and 12 of 16 cores stay idle.
TEST_F(RoutingCases, B6_1_EveryCoreOfAFatTreeGetsItsShare)
{
    Net net(FabricTopology::FatTree(8, FabricLinkSpec(), FabricLinkSpec()));
    std::map<uint32_t, uint64_t> perCore;
    for (uint32_t i = 0; i < 4096; ++i)
    {
        // Endpoints are numbered pod by pod, 16 to a pod.
        net.Write(i % 16, 16 + i / 16 % 16, 1000, static_cast<uint16_t>(0xc000 + i * 3));
    }
    net.Finish();
    uint32_t cores = 0;
    uint64_t total = 0;
    for (const auto& fabricSwitch : net.fabric.GetSwitches())
    {
        // A core has a port to each pod and none to a host: its ports 0 and 1 lead to pods 0 and 1.
        bool core = true;
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            const auto device = fabricSwitch->GetPort(port);
            const auto peer = device->GetFabricChannel()->GetPeer(device);
            const auto node = peer->GetNode()->GetObject<FabricSwitch>();
            core &= node && node->GetNode()->GetId() < fabricSwitch->GetNode()->GetId();
        }
        if (!core)
        {
            continue;
        }
        ++cores;
        uint64_t towardsPod1 = 0;
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            towardsPod1 = std::max(towardsPod1,
                                   fabricSwitch->GetPort(port)->GetPort().GetCounters().txFrames);
        }
        total += towardsPod1;
        EXPECT_NEAR(static_cast<double>(towardsPod1), 256, 5 * 15.5);
    }
    EXPECT_EQ(cores, 16U);
    EXPECT_NEAR(static_cast<double>(total), 4096, 400);
}

// Two leaves, 4 spines: 2048 flows that differ in the UDP source port only. Binomial with n = 2048
// and p = 1/4: mean 512, sigma = sqrt(2048 x 1/4 x 3/4) = 19.6.
TEST_F(RoutingCases, B6_2_FlowsThatDifferInTheSourcePortOnlyAreSpread)
{
    FabricTopology::LeafSpineSize size;
    size.leaves = 2;
    size.spines = 4;
    size.hostsPerLeaf = 1;
    Net net(FabricTopology::LeafSpine(size, FabricLinkSpec(), FabricLinkSpec()));
    for (uint32_t i = 0; i < 2048; ++i)
    {
        net.Write(0, 1, 100, static_cast<uint16_t>(0xc000 + i));
    }
    net.Finish();
    const Ptr<FabricSwitch> leaf = net.fabric.GetSwitches()[0];
    uint32_t uplinks = 0;
    for (uint32_t port = 0; port < leaf->GetNPorts(); ++port)
    {
        const auto device = leaf->GetPort(port);
        if (device->GetFabricChannel()->GetPeer(device)->GetEndpoint() == FABRIC_NO_ENDPOINT)
        {
            ++uplinks;
            EXPECT_NEAR(static_cast<double>(device->GetPort().GetCounters().txFrames),
                        512,
                        5 * 19.6);
        }
    }
    EXPECT_EQ(uplinks, 4U);
}

// Two cables between two switches are two next hops: 1024 flows, mean 512, sigma = 16.
TEST_F(RoutingCases, B6_4_ParallelLinksAreBothUsed)
{
    FabricTopology plan;
    const uint32_t a = plan.AddHost("a");
    const uint32_t b = plan.AddHost("b");
    const uint32_t left = plan.AddSwitch("left", 1);
    const uint32_t right = plan.AddSwitch("right", 1);
    plan.AddLink(a, left, FabricLinkSpec());
    plan.AddLink(b, right, FabricLinkSpec());
    const uint32_t first = plan.AddLink(left, right, FabricLinkSpec());
    const uint32_t second = plan.AddLink(left, right, FabricLinkSpec());
    Net net(plan);
    for (uint32_t i = 0; i < 1024; ++i)
    {
        net.Write(0, 1, 100, static_cast<uint16_t>(0xc000 + i));
    }
    net.Finish();
    for (uint32_t link : {first, second})
    {
        const auto device =
            DynamicCast<FabricNetDevice>(net.topology->GetChannel(link)->GetDevice(0));
        EXPECT_NEAR(static_cast<double>(device->GetPort().GetCounters().txFrames), 512, 5 * 16);
    }
}

// A host with two NICs on two switches (dual ToR): each NIC is an endpoint of its own, and traffic
// to it comes by its own switch.
TEST_F(RoutingCases, B6_4_BothNicsOfAHostOnTwoSwitchesAreUsed)
{
    FabricTopology plan;
    const uint32_t dual = plan.AddHost("dual");
    const uint32_t other = plan.AddHost("other");
    const uint32_t left = plan.AddSwitch("left", 1);
    const uint32_t right = plan.AddSwitch("right", 1);
    plan.AddLink(dual, left, FabricLinkSpec());
    plan.AddLink(dual, right, FabricLinkSpec());
    plan.AddLink(other, left, FabricLinkSpec());
    plan.AddLink(left, right, FabricLinkSpec());
    Net net(plan);
    ASSERT_EQ(net.nics.size(), 3U);
    ASSERT_EQ(net.topology->GetDevices(0).GetN(), 2U);
    net.Write(2, 0, 40'960);
    net.Write(2, 1, 81'920);
    net.Write(0, 2, 4'096);
    net.Write(1, 2, 4'096);
    net.Finish();
    EXPECT_EQ(net.nics[0]->GetNic()->GetCounters().deliveredBytes, 40'960U);
    EXPECT_EQ(net.nics[1]->GetNic()->GetCounters().deliveredBytes, 81'920U);
    EXPECT_EQ(net.nics[2]->GetNic()->GetCounters().deliveredBytes, 8'192U);
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
}

// Four hosts in a full mesh of cables, without a switch: 12 NICs, each reaches the one at the other
// end of its cable, and a NIC of another cable is out of reach: the frames are counted, by reason.
TEST_F(RoutingCases, B6_5_HostsInAFullMeshOfCablesReachEachOther)
{
    FabricTopology plan;
    std::vector<uint32_t> hosts;
    for (const char* name : {"a", "b", "c", "d"})
    {
        hosts.push_back(plan.AddHost(name));
    }
    uint32_t cables = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = i + 1; j < 4; ++j)
        {
            plan.AddLink(hosts[i], hosts[j], FabricLinkSpec());
            ++cables;
        }
    }
    Net net(plan);
    ASSERT_EQ(net.nics.size(), 2 * cables);
    for (uint32_t cable = 0; cable < cables; ++cable)
    {
        net.Write(2 * cable, 2 * cable + 1, 10'000);
        net.Write(2 * cable + 1, 2 * cable, 10'000);
    }
    net.Finish();
    EXPECT_EQ(CountAllDrops(net.fabric), 0U);
}

// When a cable is cut, what is on it is lost, the routes are computed anew after the convergence
// delay, and the transport repairs the loss: every byte arrives by the other spine.
TEST_F(RoutingCases, ACutCableIsRoutedAround)
{
    FabricTopology::LeafSpineSize size;
    size.leaves = 2;
    size.spines = 2;
    size.hostsPerLeaf = 1;
    Net net(FabricTopology::LeafSpine(size, FabricLinkSpec(), FabricLinkSpec()));
    net.fabric.GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(100)));
    net.Write(0, 1, 4'000'000);
    // The path of the flow, by which spine it goes, is that of its frames so far.
    Simulator::Schedule(MicroSeconds(50), [&net] {
        for (uint32_t port = 0; port < net.fabric.GetSwitches()[0]->GetNPorts(); ++port)
        {
            const auto device = net.fabric.GetSwitches()[0]->GetPort(port);
            const bool uplink =
                device->GetFabricChannel()->GetPeer(device)->GetEndpoint() == FABRIC_NO_ENDPOINT;
            if (uplink && device->GetPort().GetCounters().txFrames > 0)
            {
                device->GetFabricChannel()->SetUp(false);
                return;
            }
        }
        ADD_FAILURE() << "no uplink is in use";
    });
    net.Finish();
    EXPECT_GT(CountDrops(net.fabric, FabricDropReason::LINK_DOWN), 0U);
    EXPECT_EQ(net.nics[1]->GetNic()->GetCounters().deliveredBytes, 4'000'000U);
    EXPECT_GT(net.pairs[0].a.queuePair->GetRequester().GetRetransmitted(), 0U);
}
