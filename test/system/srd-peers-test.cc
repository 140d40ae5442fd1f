/* SPDX-License-Identifier: GPL-2.0-only */
/* One SRD queue pair and many peers: all are reached, and memory grows with the active ones. */

#include "srd-test-net.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <malloc.h>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// \return Bytes that the heap has given out.
uint64_t
HeapBytes()
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// \return The algorithms of SRD, for many work requests at once.
SrdTestPlan
ManyRequests()
{
    SrdTestPlan plan;
    plan.congestion.SetTypeId("ns3::rdma::RdmaSrdCongestion");
    plan.policy.SetTypeId("ns3::rdma::RdmaSrdPathPolicy");
    plan.init.maxSendWr = 20'000;
    return plan;
}

} // namespace

TEST(SrdPeers, B5_13_MemoryIsLinearInActivePeers)
{
    if (!HeapBytes())
    {
        GTEST_SKIP() << "the heap of a sanitizer does not count";
    }
    // Peers that are not there: the NIC does all it does for a peer, and nobody else does anything.
    std::vector<double> perPeer;
    for (const uint32_t peers : {16U, 128U, 1024U, 10'000U})
    {
        SrdTestNet test(ManyRequests());
        std::vector<RdmaSrdSendWr> requests;
        for (uint32_t i = 0; i < peers; ++i)
        {
            requests.push_back(test.Make(0, 1, RdmaWrOpcode::RDMA_WRITE, 8, i));
            requests.back().address = test.hosts[0].context->CreateSrdAh(2 + i);
        }
        const uint64_t before = HeapBytes();
        for (const auto& request : requests)
        {
            ASSERT_EQ(test.hosts[0].queuePair->PostSend(request), 0);
        }
        // All have had their first packet sent: 10,000 take 0.1 ms at 10 ns each.
        Simulator::Stop(MicroSeconds(400));
        Simulator::Run();
        EXPECT_EQ(test.hosts[0].srd->GetNPeers(), peers);
        EXPECT_EQ(test.Counters(0).dataPackets, peers);
        perPeer.push_back(static_cast<double>(HeapBytes() - before) / peers);
        std::cout << peers << " peers: " << perPeer.back() << " bytes each\n";
    }
    EXPECT_LT(perPeer.back(), 8192.0);
    EXPECT_LT(perPeer.back(), 1.3 * perPeer[1]);
    EXPECT_GT(perPeer.back(), 0.7 * perPeer[1]);
}

TEST(SrdPeers, B5_13_OneQueuePairReachesTenThousandPeers)
{
    const uint32_t peers = 10'000;
    SrdTestNet test(ManyRequests(), [](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::Star(peers + 1, FabricLinkSpec());
    });
    for (uint32_t i = 1; i <= peers; ++i)
    {
        ASSERT_EQ(
            test.hosts[0].queuePair->PostSend(test.Make(0, i, RdmaWrOpcode::RDMA_WRITE, 8, i)),
            0);
    }
    test.Run();
    const auto sent = test.Sent(0);
    ASSERT_EQ(sent.size(), peers);
    for (const RdmaWc& completion : sent)
    {
        EXPECT_EQ(completion.status, RdmaWcStatus::SUCCESS);
    }
    EXPECT_EQ(test.hosts[0].srd->GetNPeers(), peers);
    EXPECT_EQ(test.hosts[1].srd->GetNPeers(), 1u) << "the others know only one";
    EXPECT_EQ(test.hosts[0].context->GetNic()->GetNQueuePairs(), 0u) << "no connection is needed";
}
