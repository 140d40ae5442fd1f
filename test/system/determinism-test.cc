/* SPDX-License-Identifier: GPL-2.0-only */
/* The same experiment gives the same events to the picosecond: with every scheduler, with switches
 * that run ahead, and when it is run a second time in one process. */

#include "system/fabric-test-checks.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/pointer.h"
#include "ns3/rdma-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// What a run is made with.
struct Setup
{
    std::string scheduler{"ns3::rdma::FabricWheelScheduler"}; //!< TypeId of the event scheduler
    bool runAhead{false};                                     //!< whether switches run ahead
    uint32_t seed{1};                                         //!< RNG run number
};

/// What came of it.
struct Outcome
{
    uint64_t digest; //!< of deliveries, drops, marks and pauses
    uint64_t marks;  //!< frames marked
    uint64_t pauses; //!< pauses sent
    uint64_t drops;  //!< frames lost on the wire
    uint64_t resent; //!< packets sent again
    int64_t end;     //!< time of the last completion, ps
};

/**
 * A 4:1 incast beside a permutation on a fat-tree of 16 hosts, with buffers so small that pauses
 * are sent, marks drawn at random, DCQCN, and a link that loses one frame in fifty.
 */
Outcome
RunOnce(const Setup& setup)
{
    RngSeedManager::SetRun(setup.seed);
    Simulator::SetScheduler(ObjectFactory(setup.scheduler));
    FabricHelper fabric;
    fabric.SetSwitchAttribute("RunAhead", BooleanValue(setup.runAhead));
    ObjectFactory buffer("ns3::rdma::FabricDynamicBuffer");
    buffer.Set("Size", UintegerValue(600'000));
    buffer.Set("PeerResponse", TimeValue(Time(0)));
    fabric.SetBufferPolicy(buffer);
    ObjectFactory marker("ns3::rdma::FabricRedMarker");
    marker.Set("Kmin", UintegerValue(5'000));
    marker.Set("Kmax", UintegerValue(50'000));
    fabric.SetMarker(marker);
    FabricLinkSpec link;
    FabricTopology plan = FabricTopology::FatTree(4, link, link);
    FabricTopologyHelper network(plan, fabric);
    fabric.AssignStreams(100);
    fabric.GetNetwork()->GetDigest().Enable();
    Ptr<RateErrorModel> errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(2e-2);
    errors->AssignStreams(7);
    network.GetDevices(0).Get(0)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    RdmaHelper rdma;
    rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
    const auto nics = rdma.Install(fabric.GetEndpoints());
    int64_t end = 0;
    std::vector<RdmaConnectedPair> pairs;
    for (uint32_t i = 0; i < 16; ++i)
    {
        const uint32_t to = i % 4 == 1 ? 0 : (i + 5) % 16;
        if (to == i)
        {
            continue;
        }
        pairs.push_back(RdmaHelper::Connect(nics[i], nics[to]));
        const RdmaConnectedPair& pair = pairs.back();
        pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
            [&end](Ptr<RdmaCompletionQueue>) { end = Simulator::Now().GetPicoSeconds(); }));
        pair.a.cq->RequestNotify();
        RdmaSendWr request;
        request.length = 300'000;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    }
    Simulator::Run();
    Outcome outcome{};
    outcome.digest = fabric.GetNetwork()->GetDigest().Get();
    outcome.marks = CountMarks(fabric);
    outcome.pauses = CountXoff(fabric);
    outcome.drops = CountAllDrops(fabric);
    outcome.end = end;
    for (const auto& pair : pairs)
    {
        const auto completions = pair.a.cq->Poll(2);
        EXPECT_EQ(completions.size(), 1U);
        EXPECT_EQ(completions.at(0).status, RdmaWcStatus::SUCCESS);
        outcome.resent += pair.a.queuePair->GetRequester().GetRetransmitted();
    }
    ExpectDrained(fabric);
    Simulator::Destroy();
    return outcome;
}

void
ExpectSame(const Outcome& a, const Outcome& b)
{
    EXPECT_EQ(a.digest, b.digest);
    EXPECT_EQ(a.marks, b.marks);
    EXPECT_EQ(a.pauses, b.pauses);
    EXPECT_EQ(a.drops, b.drops);
    EXPECT_EQ(a.resent, b.resent);
    EXPECT_EQ(a.end, b.end);
}

} // namespace

class Determinism : public FabricSystemTest
{
};

TEST_F(Determinism, TheExperimentHasWhatIsToBeCompared)
{
    const Outcome outcome = RunOnce({});
    EXPECT_GT(outcome.marks, 0U);
    EXPECT_GT(outcome.pauses, 0U);
    EXPECT_GT(outcome.drops, 0U);
    EXPECT_GT(outcome.resent, 0U);
    EXPECT_NE(outcome.digest, 0U);
    // Another run number draws other marks and losses.
    EXPECT_NE(RunOnce({"ns3::MapScheduler", false, 2}).digest, outcome.digest);
}

TEST_F(Determinism, B9_6_TheSecondRunOfAProcessIsLikeTheFirst)
{
    const Outcome first = RunOnce({});
    RunOnce({"ns3::MapScheduler", true, 3});
    ExpectSame(first, RunOnce({}));
}

TEST_F(Determinism, B9_6_EverySchedulerGivesTheSame)
{
    const Outcome reference = RunOnce({});
    for (const char* scheduler : {"ns3::MapScheduler",
                                  "ns3::ListScheduler",
                                  "ns3::HeapScheduler",
                                  "ns3::CalendarScheduler",
                                  "ns3::PriorityQueueScheduler"})
    {
        SCOPED_TRACE(scheduler);
        ExpectSame(reference, RunOnce({scheduler, false, 1}));
    }
}

TEST_F(Determinism, SwitchesThatRunAheadGiveTheSame)
{
    ExpectSame(RunOnce({}), RunOnce({"ns3::rdma::FabricWheelScheduler", true, 1}));
    ExpectSame(RunOnce({}), RunOnce({"ns3::MapScheduler", true, 1}));
}
