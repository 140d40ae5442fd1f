/* SPDX-License-Identifier: GPL-2.0-only */
/* Delays between a program and the wire, by hand to the picosecond. */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-clock.h"
#include "ns3/nstime.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-host-interface.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cerrno>
#include <map>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr int64_t NS = 1000; // picoseconds

/// What the delays are; all are different, so that none can stand for another.
constexpr int64_t DOORBELL = 100 * NS;
constexpr int64_t READ = 900 * NS;
constexpr int64_t WRITE = 300 * NS;
constexpr int64_t POLL = 50 * NS;
constexpr int64_t TRANSMIT = 200 * NS;
constexpr int64_t RECEIVE = 150 * NS;
constexpr int64_t CABLE = 1000 * NS;

/// Two hosts back to back, whose NICs have delays.
class HostNet : public RdmaTestNet
{
  public:
    /**
     * \param rate Of the link, bit/s.
     * \param change Called with the factory of host interfaces.
     */
    explicit HostNet(uint64_t rate = 100'000'000'000,
                     const std::function<void(ObjectFactory&)>& change = nullptr)
        : RdmaTestNet([&](RdmaTestPlan& plan) {
              FabricLinkSpec link;
              link.bitsPerSecond = rate;
              plan.topology = FabricTopology::BackToBack(link);
              ObjectFactory host("ns3::rdma::RdmaHostInterface");
              host.Set("ReadDelay", TimeValue(PicoSeconds(READ)));
              host.Set("WriteDelay", TimeValue(PicoSeconds(WRITE)));
              host.Set("PollDelay", TimeValue(PicoSeconds(POLL)));
              host.Set("TransmitLatency", TimeValue(PicoSeconds(TRANSMIT)));
              host.Set("ReceiveLatency", TimeValue(PicoSeconds(RECEIVE)));
              if (change)
              {
                  change(host);
              }
              plan.rdma.SetNicAttribute("DoorbellDelay", TimeValue(PicoSeconds(DOORBELL)));
              plan.rdma.SetHostInterface(host);
          })
    {
        RdmaQpInitAttributes init;
        init.maxInlineData = 220;
        init.maxSendWr = 1000;
        Connect(0, 1, {}, init);
        contexts[1]->GetNic()->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
                [this](const RdmaQueuePair*, uint64_t, int64_t ps) { delivered.push_back(ps); }));
        Watch(pairs[0].a, completed);
        Watch(pairs[0].b, received);
    }

    /**
     * Records when completions can be seen.
     * \param side Whose.
     * \param [out] times The times.
     */
    static void Watch(RdmaConnectedPair::Side& side, std::vector<int64_t>& times)
    {
        side.cq->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([&times](Ptr<RdmaCompletionQueue> queue) {
                times.push_back(FabricClock().Now());
                queue->RequestNotify();
            }));
        side.cq->RequestNotify();
    }

    /**
     * Posts from host 0 to host 1 and runs.
     * \param opcode What to do.
     * \param bytes Length.
     * \param inlineData Whether the request has the data.
     */
    void Do(RdmaWrOpcode opcode, uint64_t bytes, bool inlineData = false)
    {
        RdmaSendWr request = MakeSend(pairs[0], opcode, bytes);
        request.inlineData = inlineData;
        EXPECT_EQ(pairs[0].a.queuePair->PostSend(request), 0);
        Run();
    }

    std::vector<int64_t> delivered; //!< when messages were in the memory of host 1
    std::vector<int64_t> completed; //!< when host 0 saw completions
    std::vector<int64_t> received;  //!< when host 1 saw completions
};

/// \param bytes Bytes of wire time. \param gigabits Rate in Gb/s. \return Their time in ps.
constexpr int64_t
Wire(int64_t bytes, int64_t gigabits = 100)
{
    return bytes * 8000 / gigabits;
}

/// \param ps A time in ps. \return When a callback of a program can run then.
int64_t
Seen(int64_t ps)
{
    return FabricClock().ToPs(FabricClock().ToTime(ps));
}

/// Wire time beside the payload: 14 + 20 + 8 + 12 + 4 + 4 + 20 B; RETH 16 B; AETH 4 B.
constexpr int64_t FRAME = 82;

class RdmaHostInterfaceTest : public FabricSystemTest
{
};

// Post, doorbell, NIC, wire, NIC, memory. The acknowledgement goes through both NICs back.
TEST_F(RdmaHostInterfaceTest, InlineWrite)
{
    HostNet net;
    net.Do(RdmaWrOpcode::RDMA_WRITE, 8, true);
    const int64_t there = DOORBELL + TRANSMIT + Wire(8 + 16 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
    const int64_t back = TRANSMIT + Wire(4 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.completed, (std::vector<int64_t>{Seen(there + back + WRITE + POLL)}));
}

// The payload is read from memory first.
TEST_F(RdmaHostInterfaceTest, PayloadIsFetched)
{
    HostNet net;
    net.Do(RdmaWrOpcode::RDMA_WRITE, 8);
    const int64_t there = DOORBELL + READ + TRANSMIT + Wire(8 + 16 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
}

// Without BlueFlame, the work request is read before its payload.
TEST_F(RdmaHostInterfaceTest, RequestIsFetched)
{
    const auto change = [](ObjectFactory& host) { host.Set("BlueFlame", BooleanValue(false)); };
    const int64_t there = DOORBELL + READ + TRANSMIT + Wire(8 + 16 + FRAME) + CABLE + RECEIVE;
    {
        HostNet net(100'000'000'000, change);
        net.Do(RdmaWrOpcode::RDMA_WRITE, 8, true);
        EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
    }
    {
        HostNet net(100'000'000'000, change);
        net.Do(RdmaWrOpcode::RDMA_WRITE, 8);
        EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + READ + WRITE}));
    }
}

// A single request rides on its doorbell; those of a list are read.
TEST_F(RdmaHostInterfaceTest, RequestsOfAListAreFetched)
{
    for (const uint32_t count : {1U, 2U})
    {
        HostNet net;
        RdmaSendWr request = MakeSend(net.pairs[0], RdmaWrOpcode::RDMA_WRITE, 8);
        request.inlineData = true;
        const RdmaSendWr* bad = nullptr;
        EXPECT_EQ(net.pairs[0].a.queuePair->PostSend(std::vector<RdmaSendWr>(count, request), bad),
                  0);
        net.Run();
        const int64_t there =
            DOORBELL + (count > 1 ? READ : 0) + TRANSMIT + Wire(8 + 16 + FRAME) + CABLE + RECEIVE;
        ASSERT_EQ(net.delivered.size(), count);
        EXPECT_EQ(net.delivered[0], there + WRITE);
    }
}

// A send's completion at the receiver comes behind its data.
TEST_F(RdmaHostInterfaceTest, ReceiveCompletion)
{
    HostNet net;
    EXPECT_EQ(net.pairs[0].b.queuePair->PostRecv(MakeRecv(net.pairs[0].b, 8)), 0);
    net.Do(RdmaWrOpcode::SEND, 8, true);
    const int64_t there = DOORBELL + TRANSMIT + Wire(8 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
    EXPECT_EQ(net.received, (std::vector<int64_t>{Seen(there + WRITE + POLL)}));
}

// The memory of the responder is read, that of the requester written.
TEST_F(RdmaHostInterfaceTest, RemoteRead)
{
    HostNet net;
    net.Do(RdmaWrOpcode::RDMA_READ, 8);
    const int64_t there = DOORBELL + TRANSMIT + Wire(16 + FRAME) + CABLE + RECEIVE;
    const int64_t back = READ + TRANSMIT + Wire(8 + 4 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.completed, (std::vector<int64_t>{Seen(there + back + WRITE + POLL)}));
}

// 4096 B take 128 ns on a bus of 256 Gb/s, and memory needs 512 ns for them at 64 Gb/s.
TEST_F(RdmaHostInterfaceTest, BusAndMemoryTakeTimeByLength)
{
    HostNet net(100'000'000'000, [](ObjectFactory& host) {
        host.Set("BusRate", DataRateValue(DataRate("256Gbps")));
        host.Set("PacketReadRate", DataRateValue(DataRate("64Gbps")));
    });
    net.Do(RdmaWrOpcode::RDMA_WRITE, 4096);
    const int64_t there =
        DOORBELL + (128 + 512) * NS + READ + TRANSMIT + Wire(4096 + 16 + FRAME) + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + 128 * NS + WRITE}));
}

// A bus that is faster than the wire does not slow a stream: the delays are paid once.
TEST_F(RdmaHostInterfaceTest, FastBusKeepsTheWireBusy)
{
    HostNet net(200'000'000'000, [](ObjectFactory& host) {
        host.Set("BusRate", DataRateValue(DataRate("256Gbps")));
        host.Set("PacketReadRate", DataRateValue(DataRate("64Gbps")));
    });
    net.Do(RdmaWrOpcode::RDMA_WRITE, 256 * 4096);
    const int64_t first = DOORBELL + (128 + 512) * NS + READ + TRANSMIT;
    const int64_t wire = Wire(16, 200) + 256 * Wire(4096 + FRAME, 200);
    const int64_t there = first + wire + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + 128 * NS + WRITE}));
}

// On a bus of 100 Gb/s a packet takes 327.68 ns, on the wire 167.12 ns: the bus is the limit, and
// all queue pairs share it.
TEST_F(RdmaHostInterfaceTest, SlowBusIsTheLimitOfTheNic)
{
    for (const uint32_t queuePairs : {1U, 2U})
    {
        HostNet net(200'000'000'000, [](ObjectFactory& host) {
            host.Set("BusRate", DataRateValue(DataRate("100Gbps")));
        });
        if (queuePairs == 2)
        {
            auto& second = net.Connect(0, 1);
            EXPECT_EQ(second.a.queuePair->PostSend(
                          MakeSend(second, RdmaWrOpcode::RDMA_WRITE, 256 * 4096)),
                      0);
        }
        net.Do(RdmaWrOpcode::RDMA_WRITE, 256 * 4096);
        const int64_t packet = 327'680;
        const int64_t there = DOORBELL + 256 * queuePairs * packet + READ + TRANSMIT +
                              Wire(4096 + FRAME, 200) + CABLE + RECEIVE;
        ASSERT_EQ(net.delivered.size(), queuePairs);
        // The bus of the receiver is full from the first packet on, which has 16 B more on the
        // wire.
        EXPECT_EQ(net.delivered.back(), there + Wire(16, 200) + packet + WRITE);
    }
}

// With room for one packet, the next is asked for when the wire is free: the whole round trip for
// each.
TEST_F(RdmaHostInterfaceTest, FetchWindow)
{
    HostNet net(200'000'000'000,
                [](ObjectFactory& host) { host.Set("FetchWindow", UintegerValue(4096)); });
    net.Do(RdmaWrOpcode::RDMA_WRITE, 16 * 4096);
    const int64_t there = DOORBELL + 16 * (READ + TRANSMIT + Wire(4096 + FRAME, 200)) +
                          Wire(16, 200) + CABLE + RECEIVE;
    EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
}

// Reads are answered at the rate of the wire, too, in one request and in many.
TEST_F(RdmaHostInterfaceTest, ReadsAreFetchedAhead)
{
    {
        HostNet net(200'000'000'000);
        net.Do(RdmaWrOpcode::RDMA_READ, 256 * 4096);
        const int64_t there = DOORBELL + TRANSMIT + Wire(16 + FRAME, 200) + CABLE + RECEIVE;
        // First and last response have an AETH of 4 B.
        const int64_t back =
            READ + TRANSMIT + 2 * Wire(4, 200) + 256 * Wire(4096 + FRAME, 200) + CABLE + RECEIVE;
        EXPECT_EQ(net.completed, (std::vector<int64_t>{Seen(there + back + WRITE + POLL)}));
    }
    {
        HostNet net(200'000'000'000);
        for (uint32_t i = 0; i < 15; ++i)
        {
            EXPECT_EQ(net.pairs[0].a.queuePair->PostSend(
                          MakeSend(net.pairs[0], RdmaWrOpcode::RDMA_READ, 4096)),
                      0);
        }
        net.Do(RdmaWrOpcode::RDMA_READ, 4096);
        const int64_t there = DOORBELL + TRANSMIT + Wire(16 + FRAME, 200) + CABLE + RECEIVE;
        const int64_t back = READ + TRANSMIT + 16 * Wire(4096 + 4 + FRAME, 200) + CABLE + RECEIVE;
        ASSERT_EQ(net.completed.size(), 16u);
        EXPECT_EQ(net.completed.back(), Seen(there + back + WRITE + POLL));
    }
}

// The first response is lost. The second tells, the read is asked for again, and the responder,
// which is sending the rest, reads memory again from the start.
TEST_F(RdmaHostInterfaceTest, RepeatedReadIsFetchedAgain)
{
    HostNet net;
    uint32_t seen = 0;
    net.Drop(0, [&seen](const FabricFrame&) { return seen++ == 0; });
    const auto& answered = net.RecordTx(1);
    net.Do(RdmaWrOpcode::RDMA_READ, 64 * 4096);
    const int64_t packet = Wire(4096 + FRAME);
    const int64_t aeth = Wire(4); // of the first and of the last response
    const int64_t request = TRANSMIT + Wire(16 + FRAME) + CABLE + RECEIVE;
    const int64_t start = DOORBELL + request + READ + TRANSMIT;
    const int64_t gap = start + aeth + 2 * packet + CABLE + RECEIVE;
    const int64_t again = gap + request;
    // The wire is free behind the response that is being sent then.
    const int64_t sent = (again - start - aeth + packet - 1) / packet;
    const int64_t restart = start + aeth + sent * packet + READ + TRANSMIT;
    std::vector<int64_t> firsts;
    for (const SeenFrame& frame : answered)
    {
        if (frame.psn == 0)
        {
            firsts.push_back(frame.ps);
        }
    }
    EXPECT_EQ(firsts, (std::vector<int64_t>{start, restart}));
    const int64_t back = restart + 2 * aeth + 64 * packet + CABLE + RECEIVE;
    EXPECT_EQ(net.completed, (std::vector<int64_t>{Seen(back + WRITE + POLL)}));
}

// Each request once and in order, whatever is lost and fetched again; inline and not, all kinds.
TEST_F(RdmaHostInterfaceTest, MixedWorkWithLossCompletesOnceInOrder)
{
    HostNet net(100'000'000'000, [](ObjectFactory& host) {
        host.Set("BusRate", DataRateValue(DataRate("120Gbps")));
        host.Set("FetchWindow", UintegerValue(20000));
    });
    uint64_t seen = 0;
    for (const uint32_t host : {0, 1})
    {
        net.Drop(host, [&seen](const FabricFrame&) { return ++seen % 37 == 0; });
    }
    auto& pair = net.pairs[0];
    const std::array<RdmaWrOpcode, 3> kinds{RdmaWrOpcode::RDMA_WRITE,
                                            RdmaWrOpcode::RDMA_READ,
                                            RdmaWrOpcode::SEND};
    const uint64_t count = 120;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < count; ++i)
    {
        EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 100000, i)), 0);
        RdmaSendWr request = MakeSend(pair, kinds[i % 3], (i * 7919) % 20000, i);
        request.inlineData = request.opcode != RdmaWrOpcode::RDMA_READ && request.length <= 220;
        bytes += request.length;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    }
    net.Run();
    EXPECT_GT(seen, 370u);
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, count));
    EXPECT_EQ(TakeAll(pair.b).size(), count / 3);
    EXPECT_EQ(net.Counters(0).deliveredBytes + net.Counters(1).deliveredBytes, bytes);
}

// A completion that finds no room fails the queue pair when it is written.
TEST_F(RdmaHostInterfaceTest, OverrunFailsTheQueuePair)
{
    HostNet net;
    RdmaQpInitAttributes init;
    auto& context = *net.contexts[0];
    init.domain = context.AllocPd();
    init.sendCq = init.recvCq = context.CreateCq(1);
    const auto queuePair = context.CreateQp(init);
    RdmaQpAttributes attributes;
    attributes.address.endpoint = 1;
    attributes.destinationQp = net.pairs[0].b.queuePair->GetNumber();
    EXPECT_EQ(context.Connect(queuePair, attributes), 0);
    RdmaSendWr request;
    EXPECT_EQ(queuePair->PostSend(request), 0);
    EXPECT_EQ(queuePair->PostSend(request), 0);
    net.Run();
    EXPECT_TRUE(init.sendCq->IsOverrun());
    EXPECT_EQ(queuePair->GetState(), RdmaQpState::ERR);
}

// Work that is posted to a queue pair in the error state is flushed, and that is seen later, too.
TEST_F(RdmaHostInterfaceTest, FlushedWorkIsSeenLater)
{
    HostNet net;
    RdmaQpAttributes attributes;
    attributes.state = RdmaQpState::ERR;
    auto& side = net.pairs[0].a;
    EXPECT_EQ(net.contexts[0]->ModifyQp(side.queuePair, attributes, QP_STATE), 0);
    EXPECT_EQ(side.queuePair->PostSend(MakeSend(net.pairs[0], RdmaWrOpcode::SEND, 8, 3)), 0);
    EXPECT_EQ(side.cq->GetDepth(), 0u);
    net.Run();
    EXPECT_EQ(net.completed, (std::vector<int64_t>{Seen(WRITE + POLL)}));
    EXPECT_EQ(IdsOf(TakeAll(side)), InOrder(3, 1, RdmaWcStatus::WR_FLUSH_ERR));
}

// IBV_SEND_INLINE: no memory beyond max_inline_data and for reads; the key does not count.
TEST_F(RdmaHostInterfaceTest, B4_4_InlineLimit)
{
    HostNet net;
    auto& pair = net.pairs[0];
    RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 221);
    request.inlineData = true;
    EXPECT_EQ(pair.a.queuePair->PostSend(request), ENOMEM);
    request.length = 220;
    request.opcode = RdmaWrOpcode::RDMA_READ;
    EXPECT_EQ(pair.a.queuePair->PostSend(request), EINVAL);
    request.opcode = RdmaWrOpcode::RDMA_WRITE;
    request.lkey = 0xbad;
    EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 1));
}

// A host interface whose delays are all zero changes nothing on the wire.
TEST_F(RdmaHostInterfaceTest, ZeroDelaysChangeNothing)
{
    std::map<bool, uint64_t> digests;
    for (const bool with : {false, true})
    {
        RdmaTestNet net([with](RdmaTestPlan& plan) {
            if (with)
            {
                plan.rdma.SetHostInterface(ObjectFactory("ns3::rdma::RdmaHostInterface"));
            }
        });
        net.plan->fabric.GetNetwork()->GetDigest().Enable();
        auto& pair = net.Connect(0, 1);
        for (uint64_t i = 0; i < 60; ++i)
        {
            const auto opcode = i % 2 ? RdmaWrOpcode::RDMA_READ : RdmaWrOpcode::RDMA_WRITE;
            EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, opcode, i * 997, i)), 0);
            EXPECT_EQ(pair.b.queuePair->PostSend(MakeSend(pair, opcode, i * 499, i, true)), 0);
        }
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 60));
        digests[with] = net.plan->fabric.GetNetwork()->GetDigest().Get();
    }
    EXPECT_EQ(digests[false], digests[true]);
}

// Programs see completions at their picosecond, or at the next tick when a tick is longer.
TEST_F(RdmaHostInterfaceTest, ExactAtAnyResolution)
{
    for (const Time::Unit resolution : {Time::PS, Time::NS})
    {
        ExpectPassesAt(resolution, [] {
            HostNet net;
            net.Do(RdmaWrOpcode::RDMA_WRITE, 8, true);
            const int64_t there = DOORBELL + TRANSMIT + Wire(8 + 16 + FRAME) + CABLE + RECEIVE;
            EXPECT_EQ(net.delivered, (std::vector<int64_t>{there + WRITE}));
            const int64_t back = TRANSMIT + Wire(4 + FRAME) + CABLE + RECEIVE;
            const int64_t exact = there + back + WRITE + POLL;
            EXPECT_EQ(
                net.completed,
                (std::vector<int64_t>{Time::GetResolution() == Time::PS ? exact : 3'166'000}));
        });
    }
}

} // namespace
} // namespace ns3
