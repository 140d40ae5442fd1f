/* SPDX-License-Identifier: GPL-2.0-only */
/* What a queue pair costs that is connected and does nothing. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

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

} // namespace

// An RC queue pair with DCQCN and go-back-N, ready to send: at most 1 KiB with all that it has on
// the heap. 1,000 of them, with one completion queue: growth of the NIC's tables is part of it. And
// one that has sent or received costs more, which shows that the heap is looked at.
TEST(QueuePairMemory, AnIdleQueuePairTakesAtMostOneKibibyte)
{
    if (!HeapBytes())
    {
        GTEST_SKIP() << "the heap of a sanitizer does not count";
    }
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn"); });
    // Until its first run the simulator keeps a note of each Time there is.
    Simulator::Run();
    constexpr uint32_t COUNT = 1000;
    const Ptr<RdmaContext> context = net.contexts[0];
    RdmaQpInitAttributes init;
    init.domain = context->AllocPd();
    init.sendCq = init.recvCq = context->CreateCq(16);
    RdmaQpAttributes attributes;
    attributes.address.endpoint = net.contexts[1]->GetEndpoint();
    attributes.destinationQp = 2;
    std::vector<Ptr<RdmaQueuePair>> queuePairs;
    queuePairs.reserve(COUNT);
    const uint64_t before = HeapBytes();
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        queuePairs.push_back(context->CreateQp(init));
        ASSERT_EQ(context->Connect(queuePairs.back(), attributes), 0);
    }
    const uint64_t idle = HeapBytes();
    const double each = static_cast<double>(idle - before) / COUNT;
    std::printf("%.0f bytes each\n", each);
    EXPECT_LE(each, 1024.0);
    EXPECT_GE(each, sizeof(RdmaQueuePair));
    for (const auto& queuePair : queuePairs)
    {
        EXPECT_EQ(queuePair->GetRequester().GetOutstanding(), 0u);
    }
    EXPECT_GE(HeapBytes() - idle, COUNT * sizeof(RdmaRequester));
}
