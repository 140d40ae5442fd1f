/* SPDX-License-Identifier: GPL-2.0-only */
/* Reliable connections on paths that lose nothing: packets, numbers, order, many queue pairs. */

#include "rdma-test-net.h"

#include "ns3/rdma-psn.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 1024;

/// \return Attributes of queue pairs with an MTU of 1024.
RdmaQpAttributes
SmallMtu()
{
    RdmaQpAttributes attributes;
    attributes.pathMtu = MTU;
    return attributes;
}

/// What one message of a kind takes on the wire.
struct Kind
{
    const char* name;               //!< for messages
    RdmaWrOpcode request;           //!< what is posted
    RdmaWcOpcode completion;        //!< what the sender's completion says
    std::array<uint8_t, 4> opcodes; //!< only, first, middle, last: of the packets with data
    bool consumesReceive;           //!< whether a receive is needed
};

const std::array<Kind, 5> KINDS{{
    {"SEND", RdmaWrOpcode::SEND, RdmaWcOpcode::SEND, {0x04, 0x00, 0x01, 0x02}, true},
    {"SEND_IMM", RdmaWrOpcode::SEND_WITH_IMM, RdmaWcOpcode::SEND, {0x05, 0x00, 0x01, 0x03}, true},
    {"WRITE", RdmaWrOpcode::RDMA_WRITE, RdmaWcOpcode::RDMA_WRITE, {0x0a, 0x06, 0x07, 0x08}, false},
    {"WRITE_IMM",
     RdmaWrOpcode::RDMA_WRITE_WITH_IMM,
     RdmaWcOpcode::RDMA_WRITE,
     {0x0b, 0x06, 0x07, 0x09},
     true},
    {"READ", RdmaWrOpcode::RDMA_READ, RdmaWcOpcode::RDMA_READ, {0x10, 0x0d, 0x0e, 0x0f}, false},
}};

// One packet, one completion; the receive is consumed, and its completion says 0 bytes.
TEST(RcTransport, B4_7_ZeroLengthOperationsTakeOnePacketAndComplete)
{
    for (const Kind& kind : KINDS)
    {
        SCOPED_TRACE(kind.name);
        RdmaTestNet net;
        auto& pair = net.Connect(0, 1);
        const auto& sent = net.RecordTx(0);
        const auto& answered = net.RecordTx(1);
        EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 0, 7)), 0);
        RdmaSendWr request = MakeSend(pair, kind.request, 0, 5);
        request.rkey = request.lkey = 0xbad; // no key is checked for no bytes
        request.immediate = 0xabcd;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
        net.Run();

        const auto done = TakeAll(pair.a);
        EXPECT_EQ(IdsOf(done), InOrder(5, 1));
        ASSERT_EQ(done.size(), 1u);
        EXPECT_EQ(done[0].opcode, kind.completion);
        EXPECT_EQ(done[0].byteLength, 0u);
        ASSERT_EQ(sent.size(), 1u);
        ASSERT_EQ(answered.size(), 1u);
        const bool read = kind.request == RdmaWrOpcode::RDMA_READ;
        EXPECT_EQ(sent[0].opcode, read ? 0x0c : kind.opcodes[0]);
        EXPECT_EQ(answered[0].opcode, read ? 0x10 : 0x11);
        EXPECT_EQ(answered[0].psn, 0u);
        EXPECT_EQ(answered[0].msn, 1u);

        const auto received = TakeAll(pair.b);
        EXPECT_EQ(pair.b.queuePair->GetResponder().GetPostedReceives(),
                  kind.consumesReceive ? 0u : 1u);
        ASSERT_EQ(received.size(), kind.consumesReceive ? 1u : 0u);
        if (kind.consumesReceive)
        {
            const bool immediate = kind.request != RdmaWrOpcode::SEND;
            EXPECT_EQ(received[0].wrId, 7u);
            EXPECT_EQ(received[0].byteLength, 0u);
            EXPECT_EQ(received[0].hasImmediate, immediate);
            EXPECT_EQ(received[0].immediate, immediate ? 0xabcdu : 0u);
            EXPECT_EQ(received[0].opcode,
                      kind.request == RdmaWrOpcode::RDMA_WRITE_WITH_IMM
                          ? RdmaWcOpcode::RECV_RDMA_WITH_IMM
                          : RdmaWcOpcode::RECV);
        }
    }
}

// ceil(length / MTU) packets: 1, 1, 2, 2, 3; the next message starts with the next number. A read
// of n responses takes n numbers.
TEST(RcTransport, B4_8_MtuBoundaries)
{
    const std::array<uint64_t, 5> sizes{MTU - 1, MTU, MTU + 1, 2 * MTU, 2 * MTU + 1};
    const std::array<uint32_t, 5> firstPsn{0, 1, 2, 4, 6};
    for (const Kind& kind : KINDS)
    {
        SCOPED_TRACE(kind.name);
        const uint8_t only = kind.opcodes[0];
        const uint8_t first = kind.opcodes[1];
        const uint8_t middle = kind.opcodes[2];
        const uint8_t last = kind.opcodes[3];
        RdmaTestNet net;
        auto& pair = net.Connect(0, 1, SmallMtu());
        const bool read = kind.request == RdmaWrOpcode::RDMA_READ;
        const auto& requests = net.RecordTx(0);
        const auto& data = read ? net.RecordTx(1) : requests;
        for (uint64_t i = 0; i < sizes.size(); ++i)
        {
            EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 1 << 20, i)), 0);
            EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, kind.request, sizes[i], i)), 0);
        }
        net.Run();
        EXPECT_EQ(
            OpcodesOf(data),
            (std::vector<uint8_t>{only, only, first, last, first, last, first, middle, last}));
        const std::vector<uint32_t> payloads{MTU - 1, MTU, MTU, 1, MTU, MTU, MTU, MTU, 1};
        ASSERT_EQ(data.size(), payloads.size());
        for (uint32_t i = 0; i < payloads.size(); ++i)
        {
            EXPECT_EQ(data[i].psn, i);
            EXPECT_EQ(data[i].payload, payloads[i]);
        }
        if (read)
        {
            ASSERT_EQ(requests.size(), firstPsn.size());
            for (std::size_t i = 0; i < requests.size(); ++i)
            {
                EXPECT_EQ(requests[i].opcode, 0x0c);
                EXPECT_EQ(requests[i].psn, firstPsn[i]);
            }
        }
        const auto done = TakeAll(pair.a);
        EXPECT_EQ(IdsOf(done), InOrder(0, sizes.size()));
        const auto received = TakeAll(pair.b);
        ASSERT_EQ(received.size(), kind.consumesReceive ? sizes.size() : 0u);
        for (std::size_t i = 0; i < received.size(); ++i)
        {
            EXPECT_EQ(received[i].wrId, i);
            EXPECT_EQ(received[i].byteLength, sizes[i]);
        }
        EXPECT_EQ(net.Counters(read ? 0 : 1).deliveredBytes, 7u * MTU + 1);
    }
}

// The number in an AETH counts messages that the responder has completed, the one that it answers
// included.
TEST(RcTransport, MsnCountsTheMessageThatIsAcknowledged)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1, SmallMtu());
    const auto& answers = net.RecordTx(1);
    for (int i = 0; i < 3; ++i)
    {
        Simulator::Schedule(MicroSeconds(10 * i), [&pair] {
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 3 * MTU));
        });
    }
    net.Run();
    ASSERT_EQ(answers.size(), 3u);
    for (uint32_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(answers[i].msn, i + 1);
        EXPECT_EQ(answers[i].psn, 3 * i + 2);
    }
}

// Numbers wrap after 2^24 - 1 in both directions, in the middle of messages, and in reads.
TEST(RcTransport, PacketNumbersWrap)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
    {
        RdmaTestNet net;
        RdmaQpAttributes attributes = SmallMtu();
        attributes.sqPsn = attributes.rqPsn = RDMA_PSN_MASK - 4;
        attributes.timeout = 8;
        auto& pair = net.Connect(0, 1, attributes);
        const auto& data = net.RecordTx(opcode == RdmaWrOpcode::RDMA_READ ? 1 : 0);
        // The first packet behind the wrap is lost once.
        const uint32_t loser = opcode == RdmaWrOpcode::RDMA_READ ? 0 : 1;
        bool lost = false;
        net.Drop(loser, [&lost](const FabricFrame& frame) {
            const bool lose = !lost && frame.payload && frame.psn == 0;
            lost |= lose;
            return lose;
        });
        for (uint64_t i = 0; i < 100; ++i)
        {
            EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, opcode, 10 * MTU, i)), 0);
            EXPECT_EQ(pair.b.queuePair->PostSend(MakeSend(pair, opcode, 10 * MTU, i, true)), 0);
        }
        net.Run();
        EXPECT_TRUE(lost);
        EXPECT_EQ(data.front().psn, RDMA_PSN_MASK - 4);
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 100));
        EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(0, 100));
        EXPECT_EQ(net.Counters(0).deliveredBytes, 1000u * MTU);
        EXPECT_EQ(net.Counters(1).deliveredBytes, 1000u * MTU);
        EXPECT_EQ(net.Counters(0).localAckTimeoutErr + net.Counters(1).localAckTimeoutErr, 0u);
    }
}

// No more than 2^23 packets may be unacknowledged (IBA volume 1, section 9.7.3): a message of more
// is refused, and one of exactly that many leaves no room for the next until it is done.
TEST(RcTransport, AtMostHalfOfTheNumbersAreOutstanding)
{
    RdmaTestNet net;
    RdmaQpAttributes attributes;
    attributes.pathMtu = 64;
    auto& pair = net.Connect(0, 1, attributes);
    const uint64_t longest = 64ULL << 23;
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, longest + 1)),
              EINVAL);
    const auto& sent = net.RecordTx(0);
    net.Drop(0, [](const FabricFrame&) { return true; });
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, longest)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 1)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 1)), 0);
    Simulator::Stop(MicroSeconds(5));
    Simulator::Run();
    EXPECT_EQ(sent.size(), 1u);
}

// Two NICs of one host each have a queue pair with the same number, and so has the peer.
TEST(RcTransport, B4_13_QueuePairNumbersAreUniquePerDeviceOnly)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        FabricTopology topology;
        const uint32_t dual = topology.AddHost();
        const uint32_t other = topology.AddHost();
        const uint32_t s0 = topology.AddSwitch();
        for (const uint32_t host : {dual, dual, other})
        {
            topology.AddLink(host, s0, FabricLinkSpec());
        }
        plan.topology = topology;
    });
    ASSERT_EQ(net.contexts.size(), 3u);
    auto& first = net.Connect(0, 2);
    auto& second = net.Connect(1, 2);
    EXPECT_EQ(first.a.queuePair->GetNumber(), second.a.queuePair->GetNumber());
    EXPECT_EQ(first.a.context->GetNic()->GetDevice()->GetNode(),
              second.a.context->GetNic()->GetDevice()->GetNode());
    EXPECT_EQ(first.a.queuePair->PostSend(MakeSend(first, RdmaWrOpcode::RDMA_WRITE, 10'000, 1)), 0);
    EXPECT_EQ(second.a.queuePair->PostSend(MakeSend(second, RdmaWrOpcode::RDMA_WRITE, 20'000, 2)),
              0);
    EXPECT_EQ(
        second.b.queuePair->PostSend(MakeSend(second, RdmaWrOpcode::RDMA_WRITE, 5'000, 3, true)),
        0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(first.a)), InOrder(1, 1));
    EXPECT_EQ(IdsOf(TakeAll(second.a)), InOrder(2, 1));
    EXPECT_EQ(IdsOf(TakeAll(second.b)), InOrder(3, 1));
    EXPECT_EQ(first.b.queuePair->GetResponder().GetReceivedBytes(), 10'000u);
    EXPECT_EQ(second.b.queuePair->GetResponder().GetReceivedBytes(), 20'000u);
    EXPECT_EQ(net.Counters(0).deliveredBytes, 0u);
    EXPECT_EQ(net.Counters(1).deliveredBytes, 5'000u);
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
}

TEST(RcTransport, B4_15_SeveralMessagesOnSeveralQueuePairsBothWays)
{
    RdmaTestNet net;
    RdmaQpAttributes attributes;
    attributes.address.sourcePort = 50'000; // the same for all
    for (int i = 0; i < 3; ++i)
    {
        net.Connect(0, 1, attributes);
    }
    for (int round = 0; round < 2; ++round)
    {
        for (auto& pair : net.pairs)
        {
            for (uint64_t i = 0; i < 4; ++i)
            {
                EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 100'000, 10 + i)), 0);
                EXPECT_EQ(pair.a.queuePair->PostRecv(MakeRecv(pair.a, 100'000, 10 + i)), 0);
                const uint64_t bytes = 20'000 * (i + 1);
                EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, bytes, i)),
                          0);
                EXPECT_EQ(pair.b.queuePair->PostSend(
                              MakeSend(pair, RdmaWrOpcode::SEND, bytes + 1, i, true)),
                          0);
            }
        }
        net.Run();
        for (auto& pair : net.pairs)
        {
            for (const auto* side : {&pair.a, &pair.b})
            {
                std::vector<RdmaWc> sends;
                std::vector<RdmaWc> receives;
                for (const RdmaWc& completion : TakeAll(*side))
                {
                    EXPECT_EQ(completion.queuePair, side->queuePair->GetNumber());
                    (completion.opcode == RdmaWcOpcode::RECV ? receives : sends)
                        .push_back(completion);
                }
                EXPECT_EQ(IdsOf(sends), InOrder(0, 4));
                EXPECT_EQ(IdsOf(receives), InOrder(10, 4));
                for (uint64_t i = 0; i < receives.size(); ++i)
                {
                    EXPECT_EQ(receives[i].byteLength, 20'000 * (i + 1) + (side == &pair.a));
                }
            }
        }
    }
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
    EXPECT_EQ(net.Counters(0).retransmittedPackets + net.Counters(1).retransmittedPackets, 0u);
}

TEST(RcTransport, B4_16_ManyFlowsFromOneHost)
{
    for (const uint32_t flows : {100U, 127U, 128U, 129U, 1000U})
    {
        RdmaTestNet net(
            [](RdmaTestPlan& plan) { plan.topology = FabricTopology::Star(3, FabricLinkSpec()); });
        for (uint32_t i = 0; i < flows; ++i)
        {
            auto& pair = net.Connect(0, 1 + i % 2);
            EXPECT_EQ(
                pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 9'000, i)),
                0);
        }
        net.Run();
        for (uint32_t i = 0; i < flows; ++i)
        {
            EXPECT_EQ(IdsOf(TakeAll(net.pairs[i].a)), InOrder(i, 1));
            EXPECT_EQ(net.pairs[i].b.queuePair->GetResponder().GetReceivedBytes(), 9'000u);
        }
        EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
        EXPECT_EQ(net.Counters(0).retransmittedPackets, 0u);
    }
}

// A window of 4 packets and one acknowledgement per 20: the sender asks for one before it has to
// stop. 10 MB at 4 x 4096 B per round trip of at least 2 us would need 1.2 ms; a stall costs 67 ms.
TEST(RcTransport, B2_12_WindowSmallerThanTheAckInterval)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::Star(3, FabricLinkSpec());
        plan.rdma.SetNicAttribute("AckInterval", UintegerValue(20));
    });
    RdmaQpInitAttributes init;
    init.window = 4 * 4096;
    for (const uint32_t host : {0U, 1U})
    {
        auto& pair = net.Connect(host, 2, {}, init);
        EXPECT_EQ(
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 10'000'000, 1)),
            0);
    }
    int64_t last = 0;
    net.contexts[2]->GetNic()->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
            [&last](const RdmaQueuePair*, uint64_t, int64_t ps) { last = ps; }));
    net.Run();
    for (auto& pair : net.pairs)
    {
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    }
    EXPECT_EQ(net.Counters(2).deliveredBytes, 20'000'000u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr + net.Counters(1).localAckTimeoutErr, 0u);
    EXPECT_LT(last, 10'000'000'000); // 10 ms
    EXPECT_EQ(CountAllDrops(net.plan->fabric), 0u);
}

// The window is never exceeded, and without one the interval counts: 100 packets of one message
// make an acknowledgement at each 20th.
TEST(RcTransport, AcknowledgementsAreAskedForAtTheIntervalAndAtTheEnd)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.rdma.SetNicAttribute("AckInterval", UintegerValue(20)); });
    auto& pair = net.Connect(0, 1);
    const auto& sent = net.RecordTx(0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 90 * 4096)), 0);
    net.Run();
    ASSERT_EQ(sent.size(), 90u);
    for (uint32_t i = 0; i < 90; ++i)
    {
        const bool asked = sent[i].flags & FabricFrame::ACK_REQUEST;
        EXPECT_EQ(asked, i % 20 == 19 || i == 89) << i;
    }
    EXPECT_EQ(net.Counters(1).ackPackets, 5u);
}

// Two flows of one host to one host with different size, MTU, class and congestion control; each
// keeps its own.
TEST(RcTransport, B8_16_ParametersBelongToTheFlow)
{
    RdmaTestNet net;
    RdmaQpAttributes large;
    large.address.priority = 3;
    RdmaQpAttributes small;
    small.address.priority = 4;
    small.pathMtu = 1024;
    const Ptr<RdmaNic> nic = net.contexts[0]->GetNic();
    nic->SetCongestionControl(ObjectFactory("ns3::rdma::RdmaDcqcn"));
    auto& one = net.Connect(0, 1, large);
    nic->SetCongestionControl(ObjectFactory("ns3::rdma::RdmaNoCongestion"));
    auto& two = net.Connect(0, 1, small);
    // The first flow is told of congestion and slows down to one half, the second one is not.
    one.a.queuePair->GetCongestion().Cnp(0);
    two.a.queuePair->GetCongestion().Cnp(0);
    EXPECT_EQ(one.a.queuePair->GetCongestion().GetRate(), 50'000'000'000u);
    EXPECT_EQ(two.a.queuePair->GetCongestion().GetRate(), 100'000'000'000u);
    const auto& sent = net.RecordTx(0);
    EXPECT_EQ(one.a.queuePair->PostSend(MakeSend(one, RdmaWrOpcode::RDMA_WRITE, 40'960, 1)), 0);
    EXPECT_EQ(two.a.queuePair->PostSend(MakeSend(two, RdmaWrOpcode::RDMA_WRITE, 10'240, 2)), 0);
    const auto& answers = net.RecordTx(1);
    Simulator::Schedule(MicroSeconds(100), [&] {
        EXPECT_EQ(one.a.queuePair->PostSend(MakeSend(one, RdmaWrOpcode::RDMA_READ, 100, 2)), 0);
        EXPECT_EQ(two.a.queuePair->PostSend(MakeSend(two, RdmaWrOpcode::RDMA_READ, 100, 3)), 0);
    });
    net.Run();
    for (const SeenFrame& frame : answers)
    {
        EXPECT_EQ(frame.priority, frame.queuePair == two.a.queuePair->GetNumber() ? 4 : 3);
    }
    uint32_t counts[2] = {0, 0};
    for (const SeenFrame& frame : sent)
    {
        const bool second = frame.queuePair == two.b.queuePair->GetNumber();
        EXPECT_EQ(frame.priority, second ? 4 : 3);
        if (OpcodeIsReadRequest(frame.opcode))
        {
            continue;
        }
        EXPECT_EQ(frame.payload, second ? 1024u : 4096u);
        ++counts[second];
    }
    EXPECT_EQ(counts[0], 10u);
    EXPECT_EQ(counts[1], 10u);
    EXPECT_EQ(IdsOf(TakeAll(one.a)), InOrder(1, 2));
    EXPECT_EQ(IdsOf(TakeAll(two.a)), InOrder(2, 2));
    EXPECT_EQ(one.b.queuePair->GetResponder().GetReceivedBytes(), 40'960u);
    EXPECT_EQ(two.b.queuePair->GetResponder().GetReceivedBytes(), 10'240u);
}

// A congestion control given for a pair would be told of the marks of both directions.
TEST(RcTransport, TwoQueuePairsDoNotShareACongestionControl)
{
    RdmaTestNet net;
    RdmaQpInitAttributes init;
    init.congestion = ObjectFactory("ns3::rdma::RdmaDcqcn").Create<RdmaCongestionOps>();
    EXPECT_DEATH(net.Connect(0, 1, {}, init), "share one congestion");
    auto& pair = net.Connect(0, 1);
    EXPECT_NE(&pair.a.queuePair->GetCongestion(), &pair.b.queuePair->GetCongestion());
}

} // namespace
} // namespace ns3
