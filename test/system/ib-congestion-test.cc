/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion control of InfiniBand, from the mark in a switch to the sender and back to full rate.
 */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/ib-link.h"
#include "ns3/ib-switch.h"
#include "ns3/rdma-ib-congestion.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// Congestion control of InfiniBand.
class IbCongestion : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t US = 1'000'000; // ps
constexpr int64_t MS = 1'000 * US;

/// How the fabric reacts to congestion.
struct Reaction
{
    uint32_t threshold;   //!< of the markers; 0: no markers
    uint32_t markingRate; //!< of the markers
    bool slowDown;        //!< whether NICs have RdmaIbCongestion
};

/// Two switches. s0 has h0 and h1, s1 has h2 to h5. All links 100 Gb/s, but h1's 50 Gb/s; 500 ns.
class TwoSwitches
{
  public:
    static constexpr uint32_t HOSTS = 6;               //!< h0 to h5
    static constexpr uint32_t AT_FIRST = 2;            //!< of them at s0
    static constexpr uint32_t TARGET = 2;              //!< where the incast goes to
    static constexpr uint32_t FREE = 3;                //!< where the victim flow goes to
    static constexpr uint16_t UP = AT_FIRST;           //!< port of s0 towards s1
    static constexpr uint16_t DOWN = HOSTS - AT_FIRST; //!< port of s1 towards s0

    /// \param reaction Reaction to congestion.
    explicit TwoSwitches(const Reaction& reaction)
        : m_net([&reaction](RdmaTestPlan& plan) { Plan(plan, reaction); })
    {
        const FabricHelper& fabric = m_net.plan->fabric;
        std::vector<uint16_t> tables[2] = {{IbSwitch::NO_PORT}, {IbSwitch::NO_PORT}};
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            const bool first = host < AT_FIRST;
            tables[0].push_back(static_cast<uint16_t>(first ? host : UP));
            tables[1].push_back(static_cast<uint16_t>(first ? DOWN : host - AT_FIRST));
            fabric.GetNetwork()->SetLid(host, static_cast<uint16_t>(host + 1), 0);
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            fabric.GetIbSwitches()[i]->SetLft(tables[i]);
        }
        fabric.GetNetwork()->GetDigest().Enable();
    }

    /**
     * \param from A host.
     * \param to Where it writes to.
     * \param messages How many messages of 1 MB.
     * \return The connection.
     */
    RdmaConnectedPair& Write(uint32_t from, uint32_t to, uint32_t messages)
    {
        RdmaConnectedPair& pair = m_net.Connect(from, to);
        for (uint32_t i = 0; i < messages; ++i)
        {
            EXPECT_EQ(
                pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1'000'000, i)),
                0);
        }
        return pair;
    }

    /// \param host A host. \return Payload bytes that were placed there.
    uint64_t Delivered(uint32_t host) const
    {
        return m_net.Counters(host).deliveredBytes;
    }

    /// \return The network.
    RdmaTestNet& Net()
    {
        return m_net;
    }

    /// \param which 0 or 1. \return The switch.
    Ptr<IbSwitch> Switch(uint32_t which) const
    {
        return m_net.plan->fabric.GetIbSwitches()[which];
    }

  private:
    /// \param plan Is filled in. \param reaction Reaction to congestion.
    static void Plan(RdmaTestPlan& plan, const Reaction& reaction)
    {
        FabricTopology topology;
        std::vector<uint32_t> hosts;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            hosts.push_back(topology.AddHost());
        }
        const uint32_t switches[] = {topology.AddSwitch(), topology.AddSwitch()};
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            const uint64_t rate = i == 1 ? 50 * G : 100 * G;
            topology.AddLink(hosts[i], switches[i >= AT_FIRST], {rate, US / 2, 0});
        }
        topology.AddLink(switches[0], switches[1], {100 * G, US / 2, 0});
        plan.topology = topology;
        plan.fabric.UseInfiniBand();
        if (reaction.threshold)
        {
            ObjectFactory marker("ns3::rdma::IbFecnMarker");
            marker.Set("Threshold", UintegerValue(reaction.threshold));
            marker.Set("MarkingRate", UintegerValue(reaction.markingRate));
            plan.fabric.SetFecnMarker(marker);
        }
        if (reaction.slowDown)
        {
            ObjectFactory congestion("ns3::rdma::RdmaIbCongestion");
            congestion.Set("CctiTimer", UintegerValue(50));
            plan.rdma.SetCongestionControl(congestion);
        }
    }

    RdmaTestNet m_net; //!< the network
};

/// What an incast with a victim came to.
struct Outcome
{
    uint64_t victim;      //!< bytes of the victim flow in the second half
    uint64_t incast;      //!< bytes of the incast in the second half
    int64_t stalled;      //!< time that s0 waited for credits towards s1 in the second half, ps
    uint64_t rootMarks;   //!< packets marked by the port to the target
    uint64_t otherMarks;  //!< packets marked by all other ports
    uint64_t becns;       //!< received by the three senders of the incast
    uint64_t victimBecns; //!< received by the sender of the victim flow
};

/**
 * h0, h4 and h5 write to h2 for 4 ms, h1 writes to h3. The link to h2 is the root. h0 and h1 share
 * the link between the switches.
 */
Outcome
RunIncast(const Reaction& reaction)
{
    TwoSwitches fabric(reaction);
    for (const uint32_t from : {0U, 4U, 5U})
    {
        fabric.Write(from, TwoSwitches::TARGET, 60);
    }
    fabric.Write(1, TwoSwitches::FREE, 60);
    IbLink& link = *fabric.Switch(0)->GetPort(TwoSwitches::UP)->GetPort().GetIbLink();
    Simulator::Stop(PicoSeconds(2 * MS));
    Simulator::Run();
    const uint64_t incast = fabric.Delivered(TwoSwitches::TARGET);
    const uint64_t victim = fabric.Delivered(TwoSwitches::FREE);
    const int64_t stalled = link.GetWaitTime(0, 2 * MS);
    Simulator::Stop(PicoSeconds(2 * MS));
    Simulator::Run();
    Outcome outcome{};
    outcome.incast = fabric.Delivered(TwoSwitches::TARGET) - incast;
    outcome.victim = fabric.Delivered(TwoSwitches::FREE) - victim;
    outcome.stalled = link.GetWaitTime(0, 4 * MS) - stalled;
    for (uint32_t i = 0; reaction.threshold && i < 2; ++i)
    {
        const Ptr<IbSwitch> each = fabric.Switch(i);
        for (uint32_t port = 0; port < each->GetNPorts(); ++port)
        {
            const bool root = i == 1 && port == TwoSwitches::TARGET - TwoSwitches::AT_FIRST;
            (root ? outcome.rootMarks : outcome.otherMarks) +=
                each->GetFecnMarker()->GetMarks(port);
        }
    }
    for (const uint32_t from : {0U, 4U, 5U})
    {
        outcome.becns += fabric.Net().Counters(from).rpCnpHandled;
    }
    outcome.victimBecns = fabric.Net().Counters(1).rpCnpHandled;
    EXPECT_EQ(CountAllDrops(fabric.Net().plan->fabric), 0u);
    return outcome;
}

// Without reaction h2's link is shared by three inputs of s1, so 33 Gb/s come from s0, and the
// buffer there is full of packets for h2. h1's packets wait behind them: of each two packets that
// s1 has room for, one is h0's and one is h1's, so h1 gets 33 Gb/s as well, and the link between
// the switches is idle for a third of the time. When the senders of the incast slow down, h1 has
// all that its link can carry, and h0's third goes beside it.
TEST_F(IbCongestion, AVictimFlowRecovers)
{
    const Outcome without = RunIncast({0, 0, false});
    const Outcome with = RunIncast({8, 10, true});
    constexpr double SECOND_HALF = 2e-3;
    const auto gbps = [](uint64_t bytes) {
        return static_cast<double>(bytes) * 8 / SECOND_HALF / 1e9;
    };
    // 4096 of 4124 bytes of each packet are payload: 99.3 %.
    EXPECT_NEAR(gbps(without.incast), 99.3, 0.5);
    EXPECT_NEAR(gbps(without.victim), 33.1, 1.0);
    EXPECT_EQ(without.becns, 0u);
    EXPECT_GT(without.stalled, MS / 5);
    EXPECT_GT(gbps(with.victim), 1.3 * gbps(without.victim));
    EXPECT_GT(gbps(with.incast), 85);
    EXPECT_LT(with.stalled, without.stalled / 10);
    EXPECT_GT(with.becns, 100u);
    EXPECT_LT(with.victimBecns, with.becns / 4);
}

// Markers alone, while nobody slows down: the queue of s0 towards s1 is long as well, but it waits
// for credits. It is a victim and marks, at most, a few packets before that began.
TEST_F(IbCongestion, TheRootMarksAndTheVictimDoesNot)
{
    const Outcome outcome = RunIncast({8, 10, false});
    EXPECT_GT(outcome.rootMarks, 500u);
    EXPECT_LT(outcome.otherMarks, outcome.rootMarks / 20);
    EXPECT_LT(outcome.victimBecns, 10u);
}

// One flow on an idle path never waits for anything: everything is at the same picosecond whether
// switches and NICs are ready for congestion or not.
TEST_F(IbCongestion, AnIdlePathIsTheSameWithAndWithout)
{
    uint64_t digests[2];
    for (const bool on : {false, true})
    {
        TwoSwitches fabric(on ? Reaction{15, 0, true} : Reaction{0, 0, false});
        RdmaConnectedPair& pair = fabric.Write(0, TwoSwitches::TARGET, 4);
        fabric.Net().Run();
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 4));
        digests[on] = fabric.Net().plan->fabric.GetNetwork()->GetDigest().Get();
    }
    EXPECT_EQ(digests[0], digests[1]);
}

// Everything that waits is marked. Two hosts write to one, each message 61 packets and 16 packets
// between acknowledgements: BECN is only in acknowledgements, there are as many of them as the
// sender counts, and there are no CNPs. At the end everything was delivered once.
TEST_F(IbCongestion, BecnComesWithTheNextAcknowledgement)
{
    TwoSwitches fabric({15, 0, true});
    const auto& seen = fabric.Net().RecordTx(TwoSwitches::TARGET);
    RdmaConnectedPair& a = fabric.Write(4, TwoSwitches::TARGET, 2);
    RdmaConnectedPair& b = fabric.Write(5, TwoSwitches::TARGET, 2);
    std::vector<uint16_t> indexes;
    a.a.queuePair->GetCongestion().TraceConnectWithoutContext(
        "Ccti",
        Callback<void, uint16_t, uint16_t, int64_t>([&](uint16_t before, uint16_t after, int64_t) {
            if (after > before)
            {
                EXPECT_EQ(after, before + 1);
                indexes.push_back(after);
            }
        }));
    fabric.Net().Run();
    for (RdmaConnectedPair* pair : {&a, &b})
    {
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
    }
    std::map<uint32_t, uint64_t> becns;
    for (const SeenFrame& frame : seen)
    {
        EXPECT_EQ(frame.opcode, RC_ACKNOWLEDGE);
        becns[frame.queuePair] += frame.flags & FabricFrame::BECN ? 1 : 0;
    }
    const uint32_t number = a.a.queuePair->GetNumber();
    EXPECT_GT(becns[number], 0u);
    EXPECT_EQ(indexes.size(), fabric.Net().Counters(4).rpCnpHandled);
    EXPECT_EQ(fabric.Net().Counters(TwoSwitches::TARGET).npCnpSent, 0u);
    EXPECT_GT(fabric.Net().Counters(TwoSwitches::TARGET).npEcnMarked,
              fabric.Net().Counters(4).rpCnpHandled);
}

// Two hosts send the answers to reads to one: it acknowledges nothing, and so sends CNPs, in the
// lane of the data. They slow the responders down.
TEST_F(IbCongestion, ReadResponsesAreToldOfByCnps)
{
    TwoSwitches fabric({15, 0, true});
    const auto& seen = fabric.Net().RecordTx(TwoSwitches::TARGET);
    for (const uint32_t from : {4U, 5U})
    {
        RdmaConnectedPair& pair = fabric.Net().Connect(TwoSwitches::TARGET, from);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 1'000'000)),
                  0);
    }
    fabric.Net().Run();
    uint64_t cnps = 0;
    for (const SeenFrame& frame : seen)
    {
        if (OpcodeIsCnp(frame.opcode))
        {
            ++cnps;
            EXPECT_EQ(frame.opcode, IB_CNP);
            EXPECT_TRUE(frame.flags & FabricFrame::BECN);
        }
    }
    EXPECT_GT(cnps, 0u);
    EXPECT_EQ(fabric.Net().Counters(TwoSwitches::TARGET).npCnpSent, cnps);
    EXPECT_EQ(fabric.Net().Counters(4).rpCnpHandled + fabric.Net().Counters(5).rpCnpHandled, cnps);
    for (auto& pair : fabric.Net().pairs)
    {
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
        EXPECT_GT(DynamicCast<RdmaIbCongestion>(
                      Ptr<RdmaCongestionOps>(&pair.b.queuePair->GetCongestion()))
                      ->GetCcti(),
                  0);
    }
}

// Connections and datagrams without acknowledgements: the target sends nothing but CNPs, and they
// reach the queue pairs that the packets came from.
TEST_F(IbCongestion, UnreliableServicesAreToldOfByCnps)
{
    constexpr uint64_t COUNT = 100;
    for (const RdmaQpType type : {RdmaQpType::UC, RdmaQpType::UD})
    {
        TwoSwitches fabric({15, 0, true});
        const auto& seen = fabric.Net().RecordTx(TwoSwitches::TARGET);
        RdmaQpInitAttributes init;
        init.type = type;
        RdmaQpAttributes attributes;
        attributes.queueKey = 0x1234;
        for (const uint32_t from : {4U, 5U})
        {
            RdmaConnectedPair& pair =
                fabric.Net().Connect(from, TwoSwitches::TARGET, attributes, init);
            const auto handle = pair.a.context->CreateAh(pair.a.queuePair->GetInit().domain,
                                                         {pair.b.context->GetEndpoint(), 3, 0});
            for (uint64_t i = 0; i < COUNT; ++i)
            {
                EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 4096 + 40, i)), 0);
                RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::SEND, 4096, i);
                request.addressHandle = handle;
                request.remoteQueuePair = pair.b.queuePair->GetNumber();
                request.remoteQueueKey = 0x1234;
                EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
            }
        }
        fabric.Net().Run();
        std::map<uint32_t, uint64_t> cnps;
        for (const SeenFrame& frame : seen)
        {
            EXPECT_EQ(frame.opcode, IB_CNP);
            ++cnps[frame.queuePair];
        }
        for (auto& pair : fabric.Net().pairs)
        {
            EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, COUNT));
            EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(0, COUNT));
            EXPECT_GT(pair.a.context->GetNic()->GetCounters().rpCnpHandled, 0u);
            EXPECT_LT(pair.a.queuePair->GetCongestion().GetRate(), 100 * G);
        }
        EXPECT_EQ(fabric.Net().Counters(TwoSwitches::TARGET).npCnpSent, seen.size());
    }
}

// Two queue pairs of h4 with the same service level: congestion of the one slows the other, too.
TEST_F(IbCongestion, AServiceLevelIsSlowedAsAWhole)
{
    for (const bool shared : {false, true})
    {
        TwoSwitches fabric({15, 0, true});
        ObjectFactory congestion("ns3::rdma::RdmaIbCongestion");
        congestion.Set("PerServiceLevel", BooleanValue(shared));
        fabric.Net().contexts[4]->GetNic()->SetCongestionControl(congestion);
        RdmaConnectedPair& hot = fabric.Net().Connect(4, TwoSwitches::TARGET);
        RdmaConnectedPair& cold = fabric.Net().Connect(4, TwoSwitches::FREE);
        hot.a.queuePair->PostSend(MakeSend(hot, RdmaWrOpcode::RDMA_WRITE, 1'000'000));
        fabric.Write(5, TwoSwitches::TARGET, 1);
        Simulator::Stop(PicoSeconds(80 * US));
        Simulator::Run();
        EXPECT_LT(hot.a.queuePair->GetCongestion().GetRate(), 100 * G);
        EXPECT_EQ(cold.a.queuePair->GetCongestion().GetRate() < 100 * G, shared);
        if (shared)
        {
            EXPECT_EQ(cold.a.queuePair->GetCongestion().GetRate(),
                      hot.a.queuePair->GetCongestion().GetRate());
        }
    }
}

} // namespace
} // namespace ns3
