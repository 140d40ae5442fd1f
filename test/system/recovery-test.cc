/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective repeat on paths that lose frames: what is repaired, and by how much traffic. */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-aeth.h"
#include "ns3/simulator.h"

#include <set>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;

/** \return a network with selective repeat */
std::unique_ptr<RdmaTestNet>
MakeSelective()
{
    return std::make_unique<RdmaTestNet>(
        [](RdmaTestPlan& plan) { plan.rdma.SetLossRecovery("ns3::rdma::RdmaSelectiveRepeat"); });
}

/** \return a filter that loses the first frame of each of some numbers */
RdmaTestNet::Filter
LoseOnce(std::set<uint32_t> numbers, uint32_t traits)
{
    return [=](const FabricFrame& frame) mutable {
        return OpcodeHas(frame.opcode, traits) && numbers.erase(frame.psn) > 0;
    };
}

// 100 packets, of which 10, 11 and 20 are lost: three are sent again and no more.
TEST(SelectiveRepeat, OnlyWhatIsMissingIsSentAgain)
{
    const auto net = MakeSelective();
    auto& pair = net->Connect(0, 1);
    net->Drop(1, LoseOnce({10, 11, 20}, OPCODE_REQUEST));
    const auto& answers = net->RecordTx(1);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 100 * MTU, 1)),
              0);
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(net->Counters(0).retransmittedPackets, 3u);
    EXPECT_EQ(net->Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net->Counters(1).deliveredBytes, 100 * MTU);
    EXPECT_EQ(net->Counters(1).deliveredMessages, 1u);
    EXPECT_EQ(net->Counters(1).duplicateRequest, 0u);
    // The first NAK expects 10 and tells of 12.
    for (const SeenFrame& answer : answers)
    {
        if (RdmaSyndromeKind(answer.syndrome) == RdmaAethKind::NAK)
        {
            EXPECT_EQ(answer.psn, 10u);
            EXPECT_EQ(answer.msn, 12u);
            break;
        }
    }
}

// The same for the responses of a READ: 3 requests for parts of it, and 3 responses more.
TEST(SelectiveRepeat, OnlyTheMissingPartsOfAReadAreReadAgain)
{
    const auto net = MakeSelective();
    auto& pair = net->Connect(0, 1);
    net->Drop(0, LoseOnce({10, 12, 13, 20}, OPCODE_READ_RESPONSE));
    const auto& requests = net->RecordTx(0);
    const auto& responses = net->RecordTx(1);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 100 * MTU, 1)), 0);
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(net->Counters(0).deliveredBytes, 100 * MTU);
    EXPECT_EQ(net->Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(requests.size(), 4u);
    EXPECT_EQ(responses.size(), 104u);
}

// Reads and writes in turn, so that acknowledgements of the one tell of the other's losses. The
// responses of the second READ (packets 12 to 21) are lost but for the last; the WRITE behind it is
// done meanwhile, and is not sent again.
TEST(SelectiveRepeat, AWriteBehindALostReadIsNotSentAgain)
{
    const auto net = MakeSelective();
    auto& pair = net->Connect(0, 1);
    net->Drop(0, LoseOnce({12, 13, 14, 15, 16, 17, 18, 19, 20}, OPCODE_READ_RESPONSE));
    uint64_t id = 0;
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_EQ(
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 10 * MTU, id++)),
            0);
        EXPECT_EQ(
            pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 2 * MTU, id++)),
            0);
    }
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 6));
    EXPECT_EQ(net->Counters(0).deliveredBytes, 30 * MTU);
    EXPECT_EQ(net->Counters(1).deliveredBytes, 6 * MTU);
    EXPECT_EQ(net->Counters(0).retransmittedPackets, 1u); // one request for 9 responses
    EXPECT_EQ(net->Counters(0).impliedNakSeqErr, 1u);
    EXPECT_EQ(net->Counters(0).localAckTimeoutErr, 0u);
}

// The READ request itself comes ahead of its turn: it is answered when the WRITE before it is
// there.
TEST(SelectiveRepeat, AReadAheadOfItsTurnIsAnsweredInItsTurn)
{
    const auto net = MakeSelective();
    auto& pair = net->Connect(0, 1);
    net->Drop(1, LoseOnce({0}, OPCODE_REQUEST));
    const auto& sent = net->RecordTx(1);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU, 0)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_READ, 2 * MTU, 1)), 0);
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 2));
    EXPECT_EQ(net->Counters(0).deliveredBytes, 2 * MTU);
    const std::vector<uint8_t> expected{RC_ACKNOWLEDGE, // the NAK
                                        RC_RDMA_READ_RESPONSE_FIRST,
                                        RC_RDMA_READ_RESPONSE_LAST,
                                        RC_ACKNOWLEDGE};
    EXPECT_EQ(OpcodesOf(sent), expected);
    EXPECT_EQ(net->Counters(0).retransmittedPackets, 1u);
}

// A SEND without a receive, behind a gap: RNR NAK when its turn comes, not before, and nothing is
// said of what is behind it.
TEST(SelectiveRepeat, AReceiveMayBeMissingWhenTheTurnComes)
{
    const auto net = MakeSelective();
    RdmaQpAttributes attributes;
    attributes.minRnrTimer = 1; // 10 us
    auto& pair = net->Connect(0, 1, attributes);
    net->Drop(1, LoseOnce({0}, OPCODE_REQUEST));
    EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, 5)), 0);
    for (uint64_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, MTU, i)), 0);
    }
    Simulator::Schedule(MicroSeconds(60), [&pair] {
        for (uint64_t i = 6; i < 9; ++i)
        {
            pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, i));
        }
    });
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, 4));
    EXPECT_EQ(IdsOf(TakeAll(pair.b)), InOrder(5, 4));
    EXPECT_GE(net->Counters(0).rnrNakRetryErr, 3u);
    EXPECT_EQ(net->Counters(0).localAckTimeoutErr, 0u);
    EXPECT_EQ(net->Counters(1).deliveredMessages, 4u);
}

// What is kept is given back when the queue pair fails or is destroyed (net->Run checks).
TEST(SelectiveRepeat, KeptPacketsAreForgottenWithTheQueuePair)
{
    for (const bool destroy : {false, true})
    {
        const auto net = MakeSelective();
        auto& pair = net->Connect(0, 1);
        net->Drop(1, [](const FabricFrame& f) { return f.psn == 0; });
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 10 * MTU, 1)),
                  0);
        Simulator::Schedule(MicroSeconds(50), [&] {
            if (destroy)
            {
                pair.b.context->DestroyQp(pair.b.queuePair);
                pair.b.queuePair = nullptr;
            }
            else
            {
                RdmaQpAttributes error;
                error.state = RdmaQpState::ERR;
                EXPECT_EQ(pair.b.context->ModifyQp(pair.b.queuePair, error, QP_STATE), 0);
            }
        });
        net->Run();
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1, RdmaWcStatus::RETRY_EXC_ERR));
    }
}

// Both patiences are the same: 8 x 1.049 ms at timeout code 8, with either recovery.
TEST(SelectiveRepeat, GivesUpAfterAsLongAsGoBackN)
{
    const auto net = MakeSelective();
    RdmaQpAttributes attributes;
    attributes.timeout = 8;
    auto& pair = net->Connect(0, 1, attributes);
    net->Drop(1, [](const FabricFrame&) { return true; });
    int64_t failed = 0;
    pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
        [&failed](Ptr<RdmaCompletionQueue>) { failed = Simulator::Now().GetPicoSeconds(); }));
    pair.a.cq->RequestNotify();
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 10 * MTU, 1)), 0);
    net->Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1, RdmaWcStatus::RETRY_EXC_ERR));
    // 8.39 ms are over with the 27th timeout of 0.32 ms; to each the time is added in which the
    // first packet that asks for an answer is sent.
    EXPECT_GE(failed, 27 * 320'000'000LL);
    EXPECT_LT(failed, 27 * (320'000'000LL + 10'000'000));
}

// Window 128. Packet 0 is lost until 200 more could have been sent; NAKs are off, so that only the
// timer repairs it. The sender stops at 128.
TEST(SelectiveRepeat, B3_8_TheSenderStaysInTheWindowOfTheReceiver)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        ObjectFactory factory("ns3::rdma::RdmaSelectiveRepeat");
        // 100e9 / 8 x 41.9 us / 4096 = 127.9 packets
        factory.Set("RoundTripTime", TimeValue(NanoSeconds(41'900)));
        factory.Set("OutOfOrderNak", BooleanValue(false));
        plan.rdma.SetLossRecovery(factory);
    });
    auto& pair = net.Connect(0, 1);
    net.Drop(1, LoseOnce({0}, OPCODE_REQUEST));
    const auto& sent = net.RecordTx(0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 500 * MTU, 1)),
              0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    ASSERT_GT(sent.size(), 128u);
    EXPECT_EQ(sent[127].psn, 127u);
    EXPECT_EQ(sent[128].psn, 0u);
    EXPECT_GE(sent[128].ps - sent[127].ps, 277'000'000); // 320 us after the first AckReq, 16th
    EXPECT_EQ(net.Counters(0).packetSeqErr, 0u);
    EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
    EXPECT_EQ(net.Counters(1).deliveredBytes, 500 * MTU);
}

// The receiver keeps track of fewer packets than the sender sends: what is beyond is dropped and
// answered with the expected number, and all is well in the end.
TEST(SelectiveRepeat, B3_8_BeyondTheWindowTheReceiverTellsWhatItExpects)
{
    RdmaTestNet net;
    const auto make = [](Time roundTrip) {
        ObjectFactory factory("ns3::rdma::RdmaSelectiveRepeat");
        factory.Set("RoundTripTime", TimeValue(roundTrip));
        return factory;
    };
    net.contexts[0]->GetNic()->SetLossRecovery(make(NanoSeconds(41'900)));
    net.contexts[1]->GetNic()->SetLossRecovery(make(NanoSeconds(2'600))); // 8 packets
    auto& pair = net.Connect(0, 1);
    uint32_t lost = 0;
    net.Drop(1, [&lost](const FabricFrame& f) { return f.psn == 0 && ++lost <= 2; });
    const auto& answers = net.RecordTx(1);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 500 * MTU, 1)),
              0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(net.Counters(1).deliveredBytes, 500 * MTU);
    EXPECT_EQ(net.Counters(1).deliveredMessages, 1u);
    bool told = false;
    for (const SeenFrame& answer : answers)
    {
        told |= RdmaSyndromeKind(answer.syndrome) == RdmaAethKind::NAK && answer.psn == 0 &&
                answer.msn == 0;
    }
    EXPECT_TRUE(told);
}

// Every packet of a SEND or WRITE has 16 bytes more, but for those that have a RETH anyway: frames
// of 4158 and 4174 bytes, 4174 for a first packet of a WRITE in both cases.
TEST(SelectiveRepeat, PacketsCarryTheirPlace)
{
    for (const bool selective : {false, true})
    {
        RdmaTestNet net([selective](RdmaTestPlan& plan) {
            plan.rdma.SetLossRecovery(selective ? "ns3::rdma::RdmaSelectiveRepeat"
                                                : "ns3::rdma::RdmaGoBackN");
        });
        auto& pair = net.Connect(0, 1);
        std::vector<uint32_t> lengths;
        net.Device(0)->TraceConnectWithoutContext(
            "FrameTx",
            Callback<void, const FabricFrame*, int64_t>(
                [&lengths](const FabricFrame* f, int64_t) { lengths.push_back(f->bytes); }));
        EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, 2 * MTU)), 0);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 2 * MTU)), 0);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, 2 * MTU)), 0);
        net.Run();
        const uint32_t more = selective ? 16 : 0;
        const std::vector<uint32_t> expected{4174, 4158 + more, 4158 + more, 4158 + more};
        EXPECT_EQ(lengths, expected);
    }
}

} // namespace
} // namespace ns3
