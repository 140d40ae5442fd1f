/* SPDX-License-Identifier: GPL-2.0-only */
/* Live networks from plans: what is built, the routes, and what a cut cable changes. */

#include "ns3/error-model.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

const FabricLinkSpec HOST_LINK{100'000'000'000, 1'000'000, 0};
const FabricLinkSpec FABRIC_LINK{400'000'000'000, 2'000'000, 0};

/// Simulations that leave nothing behind.
class FabricTopologyHelperTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// \return The ports of a switch towards an endpoint.
    static std::vector<uint16_t> Ports(const FabricHelper& fabric,
                                       uint32_t place,
                                       uint32_t endpoint)
    {
        const auto found = fabric.GetSwitches().at(place)->GetTable().Lookup(endpoint);
        return std::vector<uint16_t>(found.first, found.first + found.count);
    }
};

TEST_F(FabricTopologyHelperTest, BuildsWhatThePlanSays)
{
    FabricHelper fabric;
    const auto plan = FabricTopology::LeafSpine({2, 2, 3}, HOST_LINK, FABRIC_LINK);
    const FabricTopologyHelper built(plan, fabric);
    EXPECT_EQ(NodeList::GetNNodes(), 10u);
    EXPECT_EQ(built.GetHosts().GetN(), 6u);
    EXPECT_EQ(built.GetSwitches().GetN(), 4u);
    EXPECT_EQ(fabric.GetSwitches().size(), 4u);
    EXPECT_EQ(fabric.GetSwitches()[0]->GetNode(), built.GetSwitches().Get(0));
    EXPECT_EQ(fabric.GetSwitches()[0]->GetNPorts(), 5u);
    EXPECT_EQ(fabric.GetSwitches()[3]->GetNPorts(), 2u);
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        ASSERT_EQ(built.GetDevices(rank).GetN(), 1u);
        const auto device = DynamicCast<FabricNetDevice>(built.GetDevices(rank).Get(0));
        EXPECT_EQ(device->GetNode(), built.GetHosts().Get(rank));
        EXPECT_EQ(device->GetEndpoint(), rank);
        EXPECT_EQ(device->GetRate(), HOST_LINK.bitsPerSecond);
        EXPECT_EQ(device->GetFabricChannel(), built.GetChannel(rank));
        EXPECT_EQ(device->GetFabricChannel()->GetDelay(), MicroSeconds(1));
    }
    EXPECT_EQ(fabric.GetSwitches()[0]->GetPort(4)->GetRate(), FABRIC_LINK.bitsPerSecond);
    EXPECT_EQ(built.GetChannel(9)->GetDelay(), MicroSeconds(2));
    EXPECT_TRUE(fabric.GetRouting()->GetUnreachable(5).empty());
}

TEST_F(FabricTopologyHelperTest, PathsAreAsLongAsTheyShouldBe)
{
    FabricHelper fabric;
    const auto plan = FabricTopology::FatTree(4, HOST_LINK, FABRIC_LINK);
    const FabricTopologyHelper built(plan, fabric);
    const auto length = [&](uint32_t a, uint32_t b) {
        return fabric.GetRouting()->GetPath(a, b).size();
    };
    EXPECT_EQ(length(3, 3), 0u);
    EXPECT_EQ(length(0, 1), 2u);
    EXPECT_EQ(length(0, 2), 4u);
    EXPECT_EQ(length(0, 4), 6u);
    EXPECT_EQ(length(15, 0), 6u);
    const auto path = fabric.GetRouting()->GetPath(0, 2);
    EXPECT_EQ(path.front(), built.GetChannel(0));
    EXPECT_EQ(path.back(), built.GetChannel(2));
    EXPECT_EQ(path[1]->GetDelay(), MicroSeconds(2));
}

TEST_F(FabricTopologyHelperTest, HostsWithSeveralCardsAndCablesBetweenHosts)
{
    // h0 has a card at each switch and a cable to h1, who has one more at s1.
    FabricTopology plan;
    const uint32_t h0 = plan.AddHost();
    const uint32_t h1 = plan.AddHost();
    const uint32_t s0 = plan.AddSwitch();
    const uint32_t s1 = plan.AddSwitch();
    plan.AddLink(h0, s0, HOST_LINK);
    plan.AddLink(s1, h0, HOST_LINK);
    plan.AddLink(h0, h1, HOST_LINK);
    plan.AddLink(h1, s1, HOST_LINK);
    FabricHelper fabric;
    const FabricTopologyHelper built(plan, fabric);
    EXPECT_EQ(built.GetDevices(0).GetN(), 3u);
    EXPECT_EQ(built.GetDevices(1).GetN(), 2u);
    // Endpoints in the order of the links: h0 0, h0 1, h0 2 and h1 3, h1 4.
    EXPECT_EQ(Ports(fabric, 1, 1), (std::vector<uint16_t>{0}));
    EXPECT_EQ(Ports(fabric, 1, 4), (std::vector<uint16_t>{1}));
    EXPECT_TRUE(Ports(fabric, 0, 4).empty());
    EXPECT_EQ(fabric.GetRouting()->GetPath(2, 3).size(), 1u);
    EXPECT_EQ(fabric.GetRouting()->GetPath(1, 4).size(), 2u);
    EXPECT_TRUE(fabric.GetRouting()->GetPath(0, 4).empty());
    EXPECT_TRUE(fabric.GetRouting()->GetUnreachable(5).empty());
    // Without the cable between them there is the way by s1, without h1's card there is none.
    Simulator::Schedule(MilliSeconds(1), &FabricChannel::SetUp, built.GetChannel(2), false);
    Simulator::Run();
    EXPECT_TRUE(fabric.GetRouting()->GetUnreachable(5).empty());
    built.GetChannel(3)->SetUp(false);
    EXPECT_EQ(fabric.GetRouting()->GetUnreachable(5),
              (std::vector<std::string>{"node 0 and node 1"}));
}

// The cable from leaf 0 to spine 0 is cut at 5 ms and mended at 8 ms. New tables come 1 ms later,
// once each time.
TEST_F(FabricTopologyHelperTest, CutCablesChangeTheRoutes)
{
    std::vector<Time> computed;
    Ptr<FabricChannel> cable;
    {
        FabricHelper gone;
        const auto plan = FabricTopology::LeafSpine({2, 2, 1}, HOST_LINK, FABRIC_LINK);
        const FabricTopologyHelper built(plan, gone);
        cable = built.GetChannel(2);
        gone.GetRouting()->TraceConnectWithoutContext("Computed", Callback<void>([&computed]() {
                                                          computed.push_back(Simulator::Now());
                                                      }));
        const auto leaf = gone.GetSwitches()[0];
        const auto other = gone.GetSwitches()[1];
        const auto check = [leaf, other](int ms, uint32_t up, uint32_t down) {
            Simulator::Schedule(MilliSeconds(ms), [leaf, other, up, down]() {
                EXPECT_EQ(leaf->GetTable().Lookup(1).count, up);
                EXPECT_EQ(other->GetTable().Lookup(0).count, down);
            });
        };
        check(4, 2, 2);
        check(7, 1, 1);
        check(10, 2, 2);
    }
    Simulator::Schedule(MilliSeconds(5), &FabricChannel::SetUp, cable, false);
    Simulator::Schedule(MilliSeconds(8), &FabricChannel::SetUp, cable, true);
    Simulator::Run();
    EXPECT_EQ(computed, (std::vector<Time>{MilliSeconds(6), MilliSeconds(9)}));
}

TEST_F(FabricTopologyHelperTest, SwitchThatFailsIsRoutedAroundOnce)
{
    FabricHelper fabric;
    const auto plan = FabricTopology::LeafSpine({2, 2, 1, 2}, HOST_LINK, FABRIC_LINK);
    const FabricTopologyHelper built(plan, fabric);
    int computed = 0;
    fabric.GetRouting()->TraceConnectWithoutContext("Computed",
                                                    Callback<void>([&]() { ++computed; }));
    fabric.GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(Time(0)));
    // Both cables of both leaves to spine 0: links 2, 3 and 6, 7.
    for (const uint32_t link : {2u, 3u, 6u, 7u})
    {
        Simulator::Schedule(MilliSeconds(1), &FabricChannel::SetUp, built.GetChannel(link), false);
    }
    Simulator::Run();
    EXPECT_EQ(computed, 1);
    EXPECT_EQ(Ports(fabric, 0, 1), (std::vector<uint16_t>{3, 4}));
    EXPECT_TRUE(Ports(fabric, 2, 1).empty());
    EXPECT_TRUE(fabric.GetRouting()->GetUnreachable(5).empty());
    built.GetChannel(1)->SetUp(false);
    EXPECT_EQ(fabric.GetRouting()->GetUnreachable(5),
              (std::vector<std::string>{"node 0 and node 1"}));
    Simulator::Run();
    EXPECT_EQ(computed, 2);
    EXPECT_TRUE(Ports(fabric, 0, 1).empty());
    EXPECT_TRUE(fabric.GetRouting()->GetPath(0, 1).empty());
}

TEST_F(FabricTopologyHelperTest, LinksLoseFramesAsOftenAsThePlanSays)
{
    FabricHelper fabric;
    auto lossy = HOST_LINK;
    lossy.errorRate = 0.25;
    FabricTopologyHelper built(FabricTopology::BackToBack(lossy), fabric);
    EXPECT_EQ(built.AssignStreams(1), 2);
    PointerValue value;
    built.GetDevices(1).Get(0)->GetAttribute("ReceiveErrorModel", value);
    const auto errors = value.Get<RateErrorModel>();
    ASSERT_NE(errors, nullptr);
    EXPECT_EQ(errors->GetRate(), 0.25);
    EXPECT_EQ(errors->GetUnit(), RateErrorModel::ERROR_UNIT_PACKET);
    FabricHelper other;
    FabricTopologyHelper clean(FabricTopology::BackToBack(HOST_LINK), other);
    EXPECT_EQ(clean.AssignStreams(1), 0);
}

TEST(FabricTopologyHelperDeathTest, RefusesAPlanThatCannotBeBuilt)
{
    FabricTopology plan = FabricTopology::Star(2, HOST_LINK);
    plan.AddHost("lonely");
    EXPECT_DEATH(
        {
            FabricHelper fabric;
            FabricTopologyHelper built(plan, fabric);
        },
        "cannot be built: host lonely has no link");
}

} // namespace
} // namespace ns3
