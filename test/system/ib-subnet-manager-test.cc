/* SPDX-License-Identifier: GPL-2.0-only */
/* The subnet manager in a running network: addresses, tables, lanes, cut cables, deadlocks. */

#include "system/fabric-test-checks.h"

#include "ns3/boolean.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/ib-link.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// A fabric of InfiniBand with a NIC on every host, and writes between them.
struct Subnet
{
    FabricHelper fabric;                            //!< the fabric
    std::unique_ptr<FabricTopologyHelper> topology; //!< what was built
    std::vector<Ptr<RdmaContext>> nics;             //!< by endpoint
    std::vector<RdmaConnectedPair> pairs;           //!< one for each write
    std::vector<IbRouteReport> sweeps;              //!< reports of sweeps after the first
    std::vector<Time> times;                        //!< when they were

    /// Makes the fabric InfiniBand with so many lanes, each with a buffer of three packets.
    explicit Subnet(uint32_t lanes)
    {
        fabric.UseInfiniBand();
        fabric.SetLinkAttribute("DataLanes", UintegerValue(lanes));
        fabric.SetLinkAttribute("LaneBuffer", UintegerValue(3 * 4224));
        // Nothing is dropped because it has waited for too long.
        for (const char* life : {"PacketLifetime", "HoqLife", "LeafHoqLife"})
        {
            fabric.SetSwitchAttribute(life, UintegerValue(20));
        }
    }

    /// Builds a plan, whose routes an engine computes.
    void Build(const FabricTopology& plan, const ObjectFactory& engine)
    {
        fabric.SetRoutingEngine(engine);
        topology = std::make_unique<FabricTopologyHelper>(plan, fabric);
        nics = RdmaHelper().Install(fabric.GetEndpoints());
        fabric.GetSubnetManager()->TraceConnectWithoutContext("Swept",
                                                              MakeCallback(&Subnet::Swept, this));
    }

    /// Takes note of a sweep.
    void Swept(const IbRouteReport& report)
    {
        sweeps.push_back(report);
        times.push_back(Simulator::Now());
    }

    /// Writes from one host to another, without time-out unless given.
    void Write(uint32_t from, uint32_t to, uint64_t bytes, uint8_t timeout = 0)
    {
        RdmaQpAttributes attributes;
        attributes.timeout = timeout;
        pairs.push_back(RdmaHelper::Connect(nics[from], nics[to], attributes, {}, 1 << 30));
        RdmaSendWr request;
        request.length = bytes;
        request.lkey = pairs.back().a.memory.lkey;
        request.rkey = pairs.back().b.memory.rkey;
        EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
    }

    /// \return How many writes have completed, each with success.
    uint32_t CountCompleted() const
    {
        uint32_t count = 0;
        for (const auto& pair : pairs)
        {
            for (const RdmaWc& completion : pair.a.cq->Poll(2))
            {
                EXPECT_EQ(completion.status, RdmaWcStatus::SUCCESS);
                ++count;
            }
        }
        return count;
    }

    /// \return Packets inside the switches.
    uint64_t CountHeld() const
    {
        uint64_t held = 0;
        for (const auto& ibSwitch : fabric.GetIbSwitches())
        {
            held += ibSwitch->GetHeld();
        }
        return held;
    }

    /// \return The report of the last sweep.
    const IbRouteReport& Report() const
    {
        return fabric.GetSubnetManager()->GetReport();
    }
};

class IbSubnetManagerTest : public FabricSystemTest
{
};

const FabricLinkSpec LINK{100'000'000'000, 100'000, 0};

/// \return A factory of an engine.
ObjectFactory
Engine(const std::string& name)
{
    return ObjectFactory("ns3::rdma::" + name);
}

// Each of four hosts of a ring writes to the one two hops ahead: minimal routes, one lane. The
// static check names the cycle of four, and the run ends with packets in the switches and nothing
// done.
TEST_F(IbSubnetManagerTest, B6_8_RingDeadlocksAsTheCheckForetells)
{
    Subnet net(1);
    ObjectFactory engine = Engine("IbDimensionOrderRouting");
    engine.Set("Dateline", BooleanValue(false));
    net.Build(FabricTopology::Ring(4, 2, LINK, LINK), engine);
    // Nodes 8 to 11 are the switches. Port 2 of the first one leads on, port 3 of the others.
    EXPECT_EQ(net.Report().cycles,
              (std::vector<std::string>{"node 8:p2 VL0 -> node 9:p3 VL0 -> node 10:p3 VL0 -> node "
                                        "11:p3 VL0 -> node 8:p2 VL0"}));
    for (uint32_t host = 0; host < 8; ++host)
    {
        net.Write(host, (host + 4) % 8, 2'000'000);
    }
    // Each link between switches carries four flows of 2 MB, 0.64 ms.
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    EXPECT_EQ(net.CountCompleted(), 0u);
    EXPECT_GT(net.CountHeld(), 0u);
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
}

// The same traffic with a dateline and two lanes, with up/down routes, and with layers: the check
// foretells no deadlock, and all is delivered.
TEST_F(IbSubnetManagerTest, B6_8_LanesOrTreesKeepTheRingAlive)
{
    const std::vector<std::pair<std::string, uint32_t>> engines{{"IbDimensionOrderRouting", 2},
                                                                {"IbUpDownRouting", 1},
                                                                {"IbLayeredRouting", 2}};
    for (const auto& [name, lanes] : engines)
    {
        SCOPED_TRACE(name);
        {
            Subnet net(lanes);
            net.Build(FabricTopology::Ring(4, 2, LINK, LINK), Engine(name));
            EXPECT_TRUE(net.Report().cycles.empty());
            for (uint32_t host = 0; host < 8; ++host)
            {
                net.Write(host, (host + 4) % 8, 2'000'000);
            }
            Simulator::Stop(MilliSeconds(20));
            Simulator::Run();
            EXPECT_EQ(net.CountCompleted(), 8u);
            EXPECT_EQ(net.CountHeld(), 0u);
            EXPECT_EQ(CountAllDrops(net.fabric), 0u);
        }
        Simulator::Destroy();
    }
}

// A torus of 3 x 4 whose hosts write two hops ahead in the rows of four. Those are the second
// dimension: who crosses their datelines has service level 2, for which only the maps of the ports
// of that dimension say lane 1.
TEST_F(IbSubnetManagerTest, B6_8_EachDimensionOfATorusHasItsOwnDateline)
{
    Subnet net(2);
    net.Build(FabricTopology::Torus({3, 4}, 2, LINK, LINK), Engine("IbDimensionOrderRouting"));
    EXPECT_TRUE(net.Report().cycles.empty());
    EXPECT_EQ(net.fabric.GetNetwork()->GetPathRecords()->GetServiceLevel(12, 0), 2);
    for (uint32_t host = 0; host < 24; ++host)
    {
        net.Write(host, (host + 12) % 24, 2'000'000);
    }
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    EXPECT_EQ(net.CountCompleted(), 24u);
    EXPECT_EQ(net.CountHeld(), 0u);
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
}

// Hosts 0 and 1 of leaf 0 write to host 2 of leaf 1, whose LID goes by one spine. With adaptive
// routing the other spine gets packets too: the switches have the groups.
TEST_F(IbSubnetManagerTest, SwitchesHaveGroupsForAdaptiveRouting)
{
    for (const bool adaptive : {false, true})
    {
        {
            Subnet net(1);
            net.fabric.SetSwitchAttribute("AdaptiveServiceLevels",
                                          UintegerValue(adaptive ? 0xffff : 0));
            net.Build(FabricTopology::LeafSpine({2, 2, 2, 1}, LINK, LINK),
                      Engine("IbUpDownRouting"));
            for (uint32_t i = 0; i < 50; ++i)
            {
                net.Write(i % 2, 2, 4096);
            }
            Simulator::Run();
            EXPECT_EQ(net.CountCompleted(), 50u);
            uint32_t spines = 0;
            for (uint32_t spine = 2; spine < 4; ++spine)
            {
                // Port 1 leads to leaf 1.
                const Ptr<FabricNetDevice> down = net.fabric.GetIbSwitches()[spine]->GetPort(1);
                spines += down->GetPort().GetCounters().txFrames > 0;
            }
            EXPECT_EQ(spines, adaptive ? 2u : 1u);
        }
        Simulator::Destroy();
    }
}

// Min-hop in a ring of 4 has the cycle of its tables; with adaptive routing both ways round are
// open to hosts two hops away, and the check says so.
TEST_F(IbSubnetManagerTest, CheckKnowsOfAdaptiveRouting)
{
    for (const bool adaptive : {false, true})
    {
        Subnet net(1);
        net.fabric.SetSwitchAttribute("AdaptiveServiceLevels",
                                      UintegerValue(adaptive ? 0xffff : 0));
        net.Build(FabricTopology::Ring(4, 1, LINK, LINK), Engine("IbMinHopRouting"));
        EXPECT_EQ(net.Report().cycles.size(), adaptive ? 2u : 1u);
    }
}

// Two hosts of each of two leaves have four LIDs: 4 to 7 and so on; the four of a host lead by the
// four spines.
TEST_F(IbSubnetManagerTest, HostsHaveTheLidsThatTheTablesKnow)
{
    Subnet net(1);
    net.fabric.GetSubnetManager()->SetAttribute("Lmc", UintegerValue(2));
    net.Build(FabricTopology::LeafSpine({2, 4, 2, 1}, LINK, LINK), Engine("IbMinHopRouting"));
    const auto& network = *net.fabric.GetNetwork();
    for (uint32_t endpoint = 0; endpoint < 4; ++endpoint)
    {
        EXPECT_EQ(network.GetLid(endpoint), 4 * (endpoint + 1));
        EXPECT_EQ(network.GetLmc(endpoint), 2);
    }
    const auto& subnet = net.fabric.GetSubnetManager()->GetSubnet();
    EXPECT_EQ(subnet.GetNSwitches(), 6u);
    EXPECT_EQ(subnet.GetSwitchOf(3), 1u);
    EXPECT_EQ(subnet.GetHostName(3), "node 3");
    for (uint32_t from = 0; from < 4; ++from)
    {
        for (uint32_t to = 0; to < 4; ++to)
        {
            if (from != to)
            {
                net.Write(from, to, 100'000);
            }
        }
    }
    Simulator::Run();
    EXPECT_EQ(net.CountCompleted(), 12u);
    EXPECT_EQ(CountAllDrops(net.fabric), 0u);
    EXPECT_EQ(net.CountHeld(), 0u);
    ExpectDrained(net.fabric);
}

// Leaf 0 loses its cable to spine 0 at 10 us. Packets sent into it until 60 us are lost; then all
// go by spine 1. The cable is mended at 2 ms. LIDs stay.
TEST_F(IbSubnetManagerTest, CutCableIsRoutedAround)
{
    Subnet net(1);
    net.fabric.GetSubnetManager()->SetAttribute("SweepDelay", TimeValue(MicroSeconds(50)));
    const auto plan = FabricTopology::LeafSpine({2, 2, 2, 1}, LINK, LINK);
    net.Build(plan, Engine("IbUpDownRouting"));
    const uint16_t lid = net.fabric.GetNetwork()->GetLid(3);
    for (const uint32_t host : {0u, 1u})
    {
        net.Write(host, host + 2, 2'000'000, 5);
    }
    // The links of the four hosts come first.
    const Ptr<FabricChannel> cable = net.topology->GetChannel(4);
    Simulator::Schedule(MicroSeconds(10), &FabricChannel::SetUp, cable, false);
    Simulator::Schedule(MilliSeconds(2), &FabricChannel::SetUp, cable, true);
    Simulator::Run();
    EXPECT_EQ(net.times, (std::vector<Time>{MicroSeconds(60), MicroSeconds(2050)}));
    EXPECT_EQ(net.CountCompleted(), 2u);
    EXPECT_GT(CountDrops(net.fabric, FabricDropReason::LINK_DOWN), 0u);
    EXPECT_EQ(CountDrops(net.fabric, FabricDropReason::NO_ROUTE), 0u);
    EXPECT_EQ(net.fabric.GetNetwork()->GetLid(3), lid);
    EXPECT_EQ(net.Report().unreachablePairs, 0u);
    ExpectDrained(net.fabric);
}

// The cable of host 2 is cut: six pairs are unreachable, and named.
TEST_F(IbSubnetManagerTest, UnreachablePairsAreNamed)
{
    Subnet net(1);
    net.Build(FabricTopology::LeafSpine({2, 1, 2, 1}, LINK, LINK), Engine("IbMinHopRouting"));
    EXPECT_EQ(net.Report().unreachablePairs, 0u);
    net.topology->GetChannel(2)->SetUp(false);
    Simulator::Run();
    ASSERT_EQ(net.sweeps.size(), 1u);
    EXPECT_EQ(net.sweeps[0].unreachablePairs, 6u);
    EXPECT_EQ(net.sweeps[0].unreachable,
              (std::vector<std::string>{"node 2 to node 0",
                                        "node 2 to node 1",
                                        "node 0 to node 2",
                                        "node 1 to node 2",
                                        "node 3 to node 2",
                                        "node 2 to node 3"}));
}

// Dimension order in a ring of 6 with two hosts at each switch, while a cable is cut and mended:
// the rows that are left have other ways, and levels, for the same queue pairs. All is delivered.
TEST_F(IbSubnetManagerTest, B6_9_LevelsFollowTheRoutesWhenACableIsCut)
{
    Subnet net(2);
    net.fabric.GetSubnetManager()->SetAttribute("SweepDelay", TimeValue(MicroSeconds(20)));
    net.Build(FabricTopology::Ring(6, 2, LINK, LINK), Engine("IbDimensionOrderRouting"));
    const auto records = net.fabric.GetNetwork()->GetPathRecords();
    EXPECT_TRUE(records->NeedsServiceLevels());
    EXPECT_EQ(records->GetServiceLevel(2, 4), 0); // s1 to s2
    EXPECT_EQ(records->GetServiceLevel(8, 2), 1); // s4 to s1 by the dateline
    for (uint32_t host = 0; host < 12; ++host)
    {
        net.Write(host, (host + 6) % 12, 500'000, 8);
        net.Write(host, (host + 4) % 12, 500'000, 8);
    }
    // After the links of the hosts come s0 - s1, s1 - s2, ...
    const Ptr<FabricChannel> cable = net.topology->GetChannel(13);
    Simulator::Schedule(MicroSeconds(50), &FabricChannel::SetUp, cable, false);
    Simulator::Run();
    ASSERT_EQ(net.sweeps.size(), 1u);
    EXPECT_TRUE(net.sweeps[0].cycles.empty());
    EXPECT_EQ(net.sweeps[0].unreachablePairs, 0u);
    // s1 to s2 now leads the other way round, across the dateline.
    EXPECT_EQ(net.fabric.GetNetwork()->GetPathRecords()->GetServiceLevel(2, 4), 1);
    EXPECT_EQ(net.CountCompleted(), 24u);
    EXPECT_EQ(net.CountHeld(), 0u);
}

// Two hosts with a cable between them need no switch.
TEST_F(IbSubnetManagerTest, BackToBackNeedsNoSwitch)
{
    Subnet net(1);
    net.Build(FabricTopology::BackToBack(LINK), Engine("IbMinHopRouting"));
    EXPECT_EQ(net.Report().unreachablePairs, 0u);
    net.Write(0, 1, 10'000);
    Simulator::Run();
    EXPECT_EQ(net.CountCompleted(), 1u);
}

// Five switches, all linked to each other, have routes of one hop, which need one lane. Without the
// chords they are a ring, whose routes of two hops form a cycle: layered routing needs a second
// lane, there is none, and up-down routing takes over. It leaves no cycle and reaches everybody.
TEST_F(IbSubnetManagerTest, AnotherEngineTakesOverWhenItsOwnCannot)
{
    FabricTopology plan;
    std::vector<uint32_t> switches;
    for (uint32_t i = 0; i < 5; ++i)
    {
        switches.push_back(plan.AddSwitch());
        plan.AddLink(plan.AddHost(), switches[i], LINK);
    }
    std::vector<uint32_t> chords;
    for (uint32_t i = 0; i < 5; ++i)
    {
        plan.AddLink(switches[i], switches[(i + 1) % 5], LINK);
        chords.push_back(plan.AddLink(switches[i], switches[(i + 2) % 5], LINK));
    }
    Subnet net(1);
    net.Build(plan, Engine("IbLayeredRouting"));
    for (const uint32_t chord : chords)
    {
        Simulator::Schedule(MicroSeconds(1),
                            [&net, chord] { net.topology->GetChannel(chord)->SetUp(false); });
    }
    Simulator::Schedule(MilliSeconds(20), [&net] {
        for (uint32_t from = 0; from < 5; ++from)
        {
            for (uint32_t to = 0; to < 5; ++to)
            {
                if (from != to)
                {
                    net.Write(from, to, 100'000);
                }
            }
        }
    });
    Simulator::Run();
    EXPECT_NE(net.fabric.GetSubnetManager()->TrySweep().find("layered routing needs more than"),
              std::string::npos);
    EXPECT_TRUE(net.Report().cycles.empty());
    EXPECT_EQ(net.Report().unreachablePairs, 0U);
    EXPECT_EQ(net.CountCompleted(), 20U);
    EXPECT_EQ(net.CountHeld(), 0U);
}

using IbSubnetManagerDeathTest = IbSubnetManagerTest;

TEST_F(IbSubnetManagerDeathTest, WhatCannotBeRoutedIsRefused)
{
    EXPECT_DEATH(
        {
            Subnet net(1);
            net.Build(FabricTopology::Ring(4, 1, LINK, LINK), Engine("IbFatTreeRouting"));
            Simulator::Run();
        },
        "The subnet has no routes: fat-tree routing needs a fat-tree");
    EXPECT_DEATH(
        {
            Subnet net(1);
            net.fabric.GetSubnetManager()->SetAttribute("Lmc", UintegerValue(7));
            net.Build(FabricTopology::Star(384, LINK), Engine("IbMinHopRouting"));
        },
        "LIDs for at most 383 host ports, got 384");
}

} // namespace
