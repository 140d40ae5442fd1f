/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks: how many, at which queue, and what they lead to; and how classes share a port. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"

#include "ns3/double.h"
#include "ns3/fabric-red-marker.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>

namespace ns3
{
namespace
{

using namespace rdma;

/// Marking with congestion experienced.
class Ecn : public FabricSystemTest
{
};

/// Which class sends next.
class EgressScheduling : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
const FabricLinkSpec LINK{100 * G, 1'000'000, 0};

/// \param kmin Bytes. \param kmax Bytes. \param pmax Probability. \return Makes markers for any
/// rate.
ObjectFactory
Red(uint64_t kmin, uint64_t kmax, double pmax)
{
    ObjectFactory factory("ns3::rdma::FabricRedMarker");
    factory.Set("Kmin", UintegerValue(kmin));
    factory.Set("Kmax", UintegerValue(kmax));
    factory.Set("Pmax", DoubleValue(pmax));
    factory.Set("ReferenceRate", DataRateValue(DataRate(0)));
    return factory;
}

/**
 * Stops the port towards the receiver, queues 101 frames of 1024 bytes there, and lets them go.
 * \param marker Makes the markers.
 * \param stream Random stream.
 * \param ecn ECN field of the frames.
 * \return Which of the frames came marked, in order.
 */
std::vector<bool>
ReleaseQueue(const ObjectFactory& marker, int64_t stream, FabricEcn ecn = ECN_ECT0)
{
    std::vector<bool> marked;
    FabricHelper fabric;
    fabric.SetMarker(marker);
    FabricTopologyHelper built(FabricTopology::Star(2, LINK), fabric);
    fabric.AssignStreams(stream);
    FabricTestHost a(built.GetDevices(0).Get(0));
    FabricTestHost b(built.GetDevices(1).Get(0));
    FabricTestHost::Stream frames;
    frames.destination = 1;
    frames.count = 101;
    frames.ecn = ecn;
    frames.start = 5'000'000;
    a.Send(frames);
    b.SendPfc(8, 65535);
    Simulator::Schedule(MicroSeconds(100), &FabricTestHost::SendPfc, &b, 8, 0);
    Simulator::Run();
    for (const auto& arrival : b.GetArrivals())
    {
        marked.push_back(arrival.ecn == ECN_CE);
    }
    EXPECT_EQ(marked.size(), 101u);
    EXPECT_EQ(CountMarks(fabric),
              static_cast<uint64_t>(std::count(marked.begin(), marked.end(), true)));
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectDrained(fabric);
    Simulator::Destroy();
    return marked;
}

// Kmin 50,000, Kmax 51,000, Pmax 100 %. When frame i (from 0) leaves, 100 - i of 1024 bytes stay
// behind: at least 50 (51,200 bytes, above Kmax) up to i = 50: marked; 49 (50,176) at i = 51:
// marked with probability 176 / 1000; 48 (49,152, below Kmin) and less after that: not marked. So
// 51 are, and the first ones out. In 200 runs frame 51 is marked 35.2 times; sigma is sqrt(200 x
// 0.176 x 0.824) = 5.39, and 5 sigma 27.
TEST_F(Ecn, B2_1_MarksFollowTheLineBetweenKminAndKmax)
{
    int between = 0;
    for (int64_t run = 0; run < 200; ++run)
    {
        const std::vector<bool> marked = ReleaseQueue(Red(50'000, 51'000, 1.0), run);
        for (std::size_t i = 0; i < marked.size(); ++i)
        {
            if (i != 51)
            {
                ASSERT_EQ(marked[i], i <= 50) << "frame " << i;
            }
        }
        between += marked[51];
    }
    EXPECT_NEAR(between, 35.2, 27);
}

// Kmin = Kmax = 20 frames: the jump is exactly there. 20 frames stay behind frame 80: not above
// Kmax; 21 behind 79.
TEST_F(Ecn, B2_1_JumpIsExactlyAtTheThreshold)
{
    const std::vector<bool> marked = ReleaseQueue(Red(20 * 1024, 20 * 1024, 1.0), 1);
    EXPECT_TRUE(marked[79]);
    EXPECT_FALSE(marked[80]);
    EXPECT_EQ(std::count(marked.begin(), marked.end(), true), 80);
}

// Pmax 20 %, Kmin 0, Kmax 102,400: with q bytes behind it a frame is marked with 0.2 q / 102,400.
// The sum over 1 to 100 frames behind is 0.2 x 5050 / 100 = 10.1 a run, 1010 in 100 runs; sigma^2
// is the sum of p (1 - p), at most 100 x (10.1 - 1.3534) = 874.7, so 5 sigma is 148.
TEST_F(Ecn, B2_1_ProbabilityGrowsWithTheQueue)
{
    int64_t marks = 0;
    for (int64_t run = 0; run < 100; ++run)
    {
        const std::vector<bool> marked = ReleaseQueue(Red(0, 102'400, 0.2), 1000 + run);
        marks += std::count(marked.begin(), marked.end(), true);
    }
    EXPECT_NEAR(static_cast<double>(marks), 1010, 148);
}

// At Kmax itself the probability is Pmax, 0.2: 2000 of 10,000, 5 sigma 200. A byte more and every
// frame is marked.
TEST_F(Ecn, B2_1_CertaintyBeginsAboveKmax)
{
    const auto marker = Red(50'000, 100'000, 0.2).Create<FabricRedMarker>();
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    marker->Configure(100 * G, random);
    int at = 0;
    int above = 0;
    int below = 0;
    for (int i = 0; i < 10'000; ++i)
    {
        below += marker->MustMark(50'000);
        at += marker->MustMark(100'000);
        above += marker->MustMark(100'001);
    }
    EXPECT_EQ(below, 0);
    EXPECT_NEAR(at, 2000, 200);
    EXPECT_EQ(above, 10'000);
}

// A transport that does not understand ECN is never marked.
TEST_F(Ecn, B2_3_NothingIsMarkedWithoutEct)
{
    const std::vector<bool> marked = ReleaseQueue(Red(0, 0, 1.0), 1, ECN_NOT_ECT);
    EXPECT_EQ(std::count(marked.begin(), marked.end(), true), 0);
}

// Pmax 0, and a Kmin that the queue never reaches: accepted, and nothing is marked.
TEST_F(Ecn, B2_5_NoMarkingCanBeExpressed)
{
    for (const ObjectFactory& marker : {Red(50'000, 51'000, 0), Red(1ULL << 40, 1ULL << 40, 1)})
    {
        const std::vector<bool> marked = ReleaseQueue(marker, 1);
        EXPECT_EQ(std::count(marked.begin(), marked.end(), true), 0);
    }
}

// The defaults are those of the HPCC evaluation: 100 and 400 KB at 25 Gb/s; four times as much at
// 100 Gb/s, sixteen times at 400 Gb/s.
TEST_F(Ecn, B2_4_ThresholdsScaleWithTheRate)
{
    for (const uint64_t scale : {1, 4, 16})
    {
        const auto marker = CreateObject<FabricRedMarker>();
        marker->Configure(25 * G * scale, CreateObject<UniformRandomVariable>());
        EXPECT_EQ(marker->GetKmin(), 100'000 * scale);
        EXPECT_EQ(marker->GetKmax(), 400'000 * scale);
    }
    ObjectFactory fixed = Red(100'000, 400'000, 0.2);
    const auto marker = fixed.Create<FabricRedMarker>();
    marker->Configure(400 * G, CreateObject<UniformRandomVariable>());
    EXPECT_EQ(marker->GetKmin(), 100'000u);
    EXPECT_EQ(marker->GetKmax(), 400'000u);
}

// 2 ports at 100 Gb/s, buffer 1 MB: 2 x 69,104 headroom and 2 x 4096 reserved leave 853,600 shared.
// A lane that is alone is stopped at 4096 + 853,600 / 9 = 98,940 bytes, with Kmax 98,941 before all
// is marked.
TEST_F(Ecn, B2_4_KmaxAboveThePfcThresholdIsWarnedOf)
{
    for (const bool above : {false, true})
    {
        FabricHelper fabric;
        fabric.SetMarker(Red(50'000, above ? 98'941 : 98'940, 0.2));
        ObjectFactory buffer("ns3::rdma::FabricDynamicBuffer");
        buffer.Set("Size", UintegerValue(1'000'000));
        fabric.SetBufferPolicy(buffer);
        FabricTopologyHelper built(FabricTopology::Star(2, LINK), fabric);
        EXPECT_EQ(fabric.CheckConfig(), "");
        const auto warnings = fabric.GetWarnings();
        ASSERT_EQ(warnings.size(), above ? 1u : 0u);
        if (above)
        {
            EXPECT_EQ(
                warnings[0],
                "switch on node 2: port 0 marks every frame when more than 98941 B are queued, "
                "but a lossless sender is stopped at 98940 B already: PFC acts before ECN");
        }
        Simulator::Destroy();
    }
}

/// What 2:1 came to.
struct Incast
{
    int64_t firstMark{FABRIC_NEVER}; //!< when the first frame was marked, ps
    int64_t firstCnp{FABRIC_NEVER};  //!< when the first CNP was seen to have been sent, ps
    int64_t firstCut{FABRIC_NEVER};  //!< when a sender was first seen below line rate, ps
    uint64_t rateAfterFirstCut{0};   //!< its rate then, bit/s
    uint64_t marks{0};               //!< frames marked
    uint64_t cnps{0};                //!< CNPs acted on
    uint64_t peak{0};                //!< most bytes in the buffer
    int64_t end{0};                  //!< when the last message was placed, ps
};

/**
 * Hosts write to the last one at the same time.
 * \param congestion TypeId of the congestion control.
 * \param senders How many.
 * \return What came of it.
 */
Incast
RunIncast(const std::string& congestion, uint32_t senders)
{
    Incast result;
    FabricHelper fabric;
    FabricTopologyHelper built(FabricTopology::Star(senders + 1, LINK), fabric);
    fabric.AssignStreams(1);
    RdmaHelper rdma;
    rdma.SetCongestionControl(congestion);
    const auto nics = rdma.Install(fabric.GetEndpoints());
    const auto target = nics[senders]->GetNic();
    target->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
            [&result](const RdmaQueuePair*, uint64_t, int64_t ps) { result.end = ps; }));
    fabric.GetSwitches()[0]->TraceConnectWithoutContext(
        "Mark",
        Callback<void, const FabricFrame*, uint32_t, uint64_t, int64_t>(
            [&result](const FabricFrame*, uint32_t, uint64_t, int64_t ps) {
                result.firstMark = std::min(result.firstMark, ps);
            }));
    std::vector<RdmaConnectedPair> pairs;
    for (uint32_t host = 0; host < senders; ++host)
    {
        pairs.push_back(RdmaHelper::Connect(nics[host], nics[senders]));
        RdmaSendWr request;
        request.length = 4'000'000;
        request.lkey = pairs.back().a.memory.lkey;
        request.rkey = pairs.back().b.memory.rkey;
        EXPECT_EQ(pairs.back().a.queuePair->PostSend(request), 0);
    }
    for (int i = 1; i < 5000; ++i)
    {
        Simulator::Schedule(NanoSeconds(100 * i), [&]() {
            const int64_t now = Simulator::Now().GetPicoSeconds();
            if (target->GetCounters().npCnpSent)
            {
                result.firstCnp = std::min(result.firstCnp, now);
            }
            for (const auto& pair : pairs)
            {
                const uint64_t rate = pair.a.queuePair->GetCongestion().GetRate();
                if (rate < 100 * G && now < result.firstCut)
                {
                    result.firstCut = now;
                    result.rateAfterFirstCut = rate;
                }
            }
        });
    }
    AuditEvery(fabric, MicroSeconds(10), MicroSeconds(500));
    Simulator::Run();
    for (uint32_t host = 0; host < senders; ++host)
    {
        result.cnps += nics[host]->GetNic()->GetCounters().rpCnpHandled;
        EXPECT_EQ(pairs[host].a.cq->Poll(10).size(), 1u);
    }
    EXPECT_EQ(target->GetCounters().deliveredBytes, 4'000'000u * senders);
    result.marks = CountMarks(fabric);
    result.peak = fabric.GetSwitches()[0]->GetBufferPolicy()->GetPeak();
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
    Simulator::Destroy();
    return result;
}

// 2:1 with all defaults and DCQCN: first a mark, then a CNP, then a cut rate.
TEST_F(Ecn, B2_3_IncastLeadsToMarksThenCnpsThenCuts)
{
    const Incast incast = RunIncast("ns3::rdma::RdmaDcqcn", 2);
    EXPECT_GT(incast.marks, 0u);
    EXPECT_GT(incast.cnps, 0u);
    ASSERT_NE(incast.firstCut, FABRIC_NEVER);
    EXPECT_LT(incast.firstMark, incast.firstCnp);
    EXPECT_LT(incast.firstCnp, incast.firstCut);
}

// alpha starts at 1: the first CNP halves the rate.
TEST_F(Ecn, B2_8_FirstCnpHalvesTheRate)
{
    EXPECT_EQ(RunIncast("ns3::rdma::RdmaDcqcn", 2).rateAfterFirstCut, 50 * G);
}

// On an idle path both are the same to the picosecond; under congestion they are not.
TEST_F(Ecn, B2_6_CongestionControlHasAnEffectUnderCongestionOnly)
{
    const Incast idleWith = RunIncast("ns3::rdma::RdmaDcqcn", 1);
    const Incast idleWithout = RunIncast("ns3::rdma::RdmaNoCongestion", 1);
    EXPECT_EQ(idleWith.end, idleWithout.end);
    EXPECT_EQ(idleWith.peak, idleWithout.peak);
    EXPECT_EQ(idleWith.marks, 0u);
    const Incast with = RunIncast("ns3::rdma::RdmaDcqcn", 2);
    const Incast without = RunIncast("ns3::rdma::RdmaNoCongestion", 2);
    EXPECT_NE(with.end, without.end);
    EXPECT_LT(with.peak, without.peak);
    EXPECT_LT(with.marks, without.marks);
    EXPECT_EQ(without.firstCut, FABRIC_NEVER);
}

/**
 * Three hosts send a class each at line rate to a fourth: 1, 2 and 5, frames of 1500, 900 and 300
 * bytes.
 * \param scheduler Makes the schedulers.
 * \return Bytes of each class that left the switch
 * from 20 us to 120 us, while all three have frames.
 */
std::vector<uint64_t>
ShareOf(const ObjectFactory& scheduler)
{
    const uint8_t priorities[] = {1, 2, 5};
    const uint32_t bytes[] = {1500, 900, 300};
    FabricHelper fabric;
    ObjectFactory pfc("ns3::rdma::FabricPfc");
    pfc.Set("Priorities", UintegerValue(255));
    fabric.SetFlowControl(pfc);
    fabric.SetEgressScheduler(scheduler);
    FabricTopologyHelper built(FabricTopology::Star(4, LINK), fabric);
    std::vector<std::unique_ptr<FabricTestHost>> hosts;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        hosts.push_back(std::make_unique<FabricTestHost>(built.GetDevices(rank).Get(0)));
    }
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        FabricTestHost::Stream stream;
        stream.destination = 3;
        stream.priority = priorities[rank];
        stream.bytes = bytes[rank];
        stream.count = 1'700'000 / bytes[rank];
        hosts[rank]->Send(stream);
    }
    AuditEvery(fabric, MicroSeconds(10), MicroSeconds(150));
    Simulator::Run();
    std::vector<uint64_t> shares(3, 0);
    for (const auto& arrival : hosts[3]->GetArrivals())
    {
        if (arrival.ps >= 20'000'000 && arrival.ps < 120'000'000)
        {
            shares[std::find(priorities, priorities + 3, arrival.priority) - priorities] +=
                arrival.bytes;
        }
    }
    EXPECT_EQ(CountAllDrops(fabric), 0u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
    Simulator::Destroy();
    return shares;
}

// Weights 1 : 2 : 5 in classes 1, 2 and 5. Shares are counted in bytes whatever the length of the
// frames; they are exact up to one round, 8 x 1600 bytes, and the longest frame.
TEST_F(EgressScheduling, DwrrSharesBytesByWeight)
{
    ObjectFactory dwrr("ns3::rdma::FabricDwrrScheduler");
    dwrr.Set("Weights", StringValue("1 1 2 1 1 5 1 1"));
    const auto shares = ShareOf(dwrr);
    const auto all = static_cast<double>(shares[0] + shares[1] + shares[2]);
    EXPECT_GT(all, 1'150'000);
    EXPECT_NEAR(static_cast<double>(shares[0]), all * 1 / 8, 1600 + 1500);
    EXPECT_NEAR(static_cast<double>(shares[1]), all * 2 / 8, 2 * 1600 + 1500);
    EXPECT_NEAR(static_cast<double>(shares[2]), all * 5 / 8, 5 * 1600 + 1500);
}

TEST_F(EgressScheduling, DwrrWithEqualWeightsSharesEqually)
{
    const auto shares = ShareOf(ObjectFactory("ns3::rdma::FabricDwrrScheduler"));
    const auto all = static_cast<double>(shares[0] + shares[1] + shares[2]);
    for (const uint64_t share : shares)
    {
        EXPECT_NEAR(static_cast<double>(share), all / 3, 1600 + 1500);
    }
}

// Class 5 is strict, and comes in at line rate: the others get nothing.
TEST_F(EgressScheduling, StrictLanesOfDwrrGoFirst)
{
    ObjectFactory dwrr("ns3::rdma::FabricDwrrScheduler");
    dwrr.Set("StrictLanes", UintegerValue(1 << 5));
    const auto shares = ShareOf(dwrr);
    EXPECT_EQ(shares[0], 0u);
    EXPECT_EQ(shares[1], 0u);
    EXPECT_GT(shares[2], 1'150'000u);
}

TEST_F(EgressScheduling, StrictPriorityServesTheHighestClass)
{
    const auto shares = ShareOf(ObjectFactory("ns3::rdma::FabricStrictScheduler"));
    EXPECT_EQ(shares[0], 0u);
    EXPECT_EQ(shares[1], 0u);
    EXPECT_GT(shares[2], 1'150'000u);
}

} // namespace
} // namespace ns3
