/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts like AWS instances: adapters and rates as published, and both used in full. */

#include "rdma-test-net.h"

#include "ns3/rdma-efa-helper.h"
#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::rdma;

TEST(SrdEfa, GenerationsHaveTheRatesThatArePublished)
{
    // Gb/s per host: c5n 100, p4d 400, p5 3200, p5en 3200.
    const std::vector<uint64_t> expected{100, 400, 3200, 3200};
    const auto generations = RdmaEfaHelper::GetGenerations();
    ASSERT_EQ(generations.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(generations[i].adapters * generations[i].bitsPerSecond / 1'000'000'000,
                  expected[i])
            << generations[i].name;
    }
}

TEST(SrdEfa, AllAdaptersOfAHostSendAtOnce)
{
    const RdmaEfaHelper efa("p4d");
    RdmaTestNet net([&](RdmaTestPlan& parts) {
        RdmaEfaHelper::Configure(parts.fabric, parts.rdma);
        parts.topology = efa.MakeStar(2, 1'000'000);
    });
    ASSERT_EQ(net.contexts.size(), 8u);
    const auto host = [&](uint32_t rank, uint32_t adapter) {
        const auto device = DynamicCast<FabricNetDevice>(net.built->GetDevices(rank).Get(adapter));
        return net.contexts.at(device->GetEndpoint());
    };
    std::vector<Ptr<RdmaSrdQueuePair>> receivers;
    std::vector<Ptr<RdmaCompletionQueue>> queues;
    const auto make = [&](const Ptr<RdmaContext>& context, RdmaMemoryRegion& memory) {
        RdmaSrdQpInitAttributes init;
        init.domain = context->AllocPd();
        init.sendCq = init.recvCq = context->CreateCq(16);
        memory = context->RegMr(init.domain, 0, 1 << 30, ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE)
                     .value();
        queues.push_back(init.sendCq);
        return context->CreateSrdQp(init);
    };
    double last = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        RdmaMemoryRegion there;
        RdmaMemoryRegion here;
        receivers.push_back(make(host(1, i), there));
        const auto sender = make(host(0, i), here);
        queues.back()->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
            [&last](Ptr<RdmaCompletionQueue>) { last = Simulator::Now().GetSeconds(); }));
        queues.back()->RequestNotify();
        RdmaSrdSendWr write;
        write.length = 10'000'000;
        write.lkey = here.lkey;
        write.rkey = there.rkey;
        write.address = host(0, i)->CreateSrdAh(host(1, i)->GetEndpoint());
        write.remoteQueuePair = receivers.back()->GetNumber();
        ASSERT_EQ(sender->PostSend(write), 0);
    }
    net.Run();
    // 4 x 10 MB at 400 Gb/s with full packets: 10e6 / 8928 = 1,121 packets of 9,042 bytes on each
    // adapter, 811 us; and a round trip.
    EXPECT_NEAR(last * 1e6, 811, 10);
}

TEST(SrdEfaDeathTest, AnUnknownGenerationIsRefused)
{
    EXPECT_DEATH(RdmaEfaHelper("p9"), "no EFA generation 'p9'; allowed: eni-100g, p4d, p5, p5en");
}
