/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs over InfiniBand: goodput, and nothing lost on any topology. */

#include "fabric-test-checks.h"
#include "rdma-test-net.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint64_t G = 1'000'000'000;

/// Queue pairs over InfiniBand.
class IbTransport : public FabricSystemTest
{
};

/// \return a change of a plan: InfiniBand on a topology, with a routing engine and so many lanes
std::function<void(RdmaTestPlan&)>
OnInfiniBand(const FabricTopology& topology, const char* engine, uint32_t lanes)
{
    return [=](RdmaTestPlan& plan) {
        plan.fabric.UseInfiniBand();
        plan.fabric.SetLinkAttribute("DataLanes", UintegerValue(lanes));
        plan.fabric.SetRoutingEngine(ObjectFactory(engine));
        plan.topology = topology;
    };
}

// A stream of WRITEs: 4096 of 4124 bytes of wire time are payload (8 LRH, 12 BTH, 4 ICRC, 2 VCRC, 2
// delimiters), and 16 bytes of RETH in the first of each message.
TEST_F(IbTransport, GoodputOfASaturatedLink)
{
    RdmaTestNet net(OnInfiniBand(FabricTopology::Star(2, {200 * G, 100'000, 0}),
                                 "ns3::rdma::IbMinHopRouting",
                                 1));
    RdmaConnectedPair& pair = net.Connect(0, 1);
    const uint64_t bytes = 40'960'000; // 10,000 packets
    const auto& frames = net.RecordTx(0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, bytes)), 0);
    net.Run();
    ASSERT_GE(frames.size(), 10'000U);
    const auto elapsed = static_cast<double>(frames[9'999].ps - frames[0].ps);
    const double share = 8.0 * 4096 * 9'999 / elapsed / 0.2; // bits per ps at 200 Gb/s
    // 9,999 packets from first bit to first bit, one of them with RETH; flow control packets for
    // the acknowledgements take 8 bytes each now and then.
    EXPECT_NEAR(share, 4096.0 / 4124, 0.0005);
    EXPECT_LE(share, 4096.0 / 4124);
}

// A network layer packet has no LID: it is refused where it is sent, and counted.
TEST_F(IbTransport, PacketsOfAnotherNetworkLayerAreRefused)
{
    RdmaTestNet net(OnInfiniBand(FabricTopology::Star(2, {200 * G, 100'000, 0}),
                                 "ns3::rdma::IbMinHopRouting",
                                 1));
    const auto device = net.Device(0);
    EXPECT_FALSE(device->Send(Create<Packet>(100), net.Device(1)->GetAddress(), 0x0800));
    EXPECT_EQ(device->GetDrops(FabricDropReason::NO_RECEIVER), 1U);
    net.Run();
}

TEST_F(IbTransport, SrdIsRefused)
{
    EXPECT_DEATH(RdmaTestNet net([](RdmaTestPlan& plan) {
                     plan.fabric.UseInfiniBand();
                     plan.rdma.EnableSrd(ObjectFactory("ns3::rdma::RdmaSrdTransport"));
                 }),
                 "SRD is for Ethernet, not for InfiniBand");
}

/// A network, and what routes it without a deadlock.
struct Case
{
    const char* name;
    FabricTopology topology;
    const char* engine;
    uint32_t lanes;
};

// All hosts write to all others at once, and then all to one: credits let nothing be dropped, and
// everything arrives.
TEST_F(IbTransport, NothingIsLostOnAnyTopology)
{
    const FabricLinkSpec link{100 * G, 200'000, 0};
    const std::vector<Case> cases{
        {"star", FabricTopology::Star(6, link), "ns3::rdma::IbMinHopRouting", 1},
        {"dumbbell", FabricTopology::Dumbbell(3, 3, link, link), "ns3::rdma::IbMinHopRouting", 1},
        {"leaf-spine",
         FabricTopology::LeafSpine({3, 2, 2}, link, link),
         "ns3::rdma::IbFatTreeRouting",
         1},
        {"fat-tree", FabricTopology::FatTree(4, link, link), "ns3::rdma::IbFatTreeRouting", 1},
        {"up-down", FabricTopology::FatTree(4, link, link), "ns3::rdma::IbUpDownRouting", 1},
        {"ring", FabricTopology::Ring(5, 1, link, link), "ns3::rdma::IbDimensionOrderRouting", 2},
        {"torus",
         FabricTopology::Torus({3, 3}, 1, link, link),
         "ns3::rdma::IbDimensionOrderRouting",
         2},
        {"dragonfly",
         FabricTopology::Dragonfly({2, 1, 1}, link, link, link),
         "ns3::rdma::IbLayeredRouting",
         4}};
    for (const Case& c : cases)
    {
        SCOPED_TRACE(c.name);
        const auto change = OnInfiniBand(c.topology, c.engine, c.lanes);
        RdmaTestNet net([&](RdmaTestPlan& plan) {
            change(plan);
            plan.fabric.SetLinkAttribute("LaneBuffer", UintegerValue(2 * 66 * 64));
        });
        const auto hosts = static_cast<uint32_t>(c.topology.GetHosts().size());
        RdmaQpAttributes attributes;
        attributes.address.priority = 0;
        for (uint32_t from = 0; from < hosts; ++from)
        {
            for (uint32_t to = 0; to < hosts; ++to)
            {
                if (from != to)
                {
                    const RdmaConnectedPair& pair = net.Connect(from, to, attributes);
                    const uint64_t bytes = to == 0 ? 300'000 : 100'000;
                    EXPECT_EQ(
                        pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, bytes)),
                        0);
                }
            }
        }
        net.Run();
        for (const RdmaConnectedPair& pair : net.pairs)
        {
            EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
        }
        EXPECT_EQ(CountAllDrops(net.plan->fabric), 0U);
    }
}

} // namespace
} // namespace ns3
