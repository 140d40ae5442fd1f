/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of a NIC: each is made to count here, or in the tests of what it counts. */

#include "rdma-test-net.h"

#include "ns3/boolean.h"

#include <utility>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;

// out_of_buffer, rnr_nak_retry_err, req_cqe_error, req_cqe_flush_error: a SEND without a receive
// and without retries, and another behind it.
TEST(Counters, AMissingReceive)
{
    RdmaTestNet net;
    RdmaQpAttributes attributes;
    attributes.rnrRetry = 0;
    auto& pair = net.Connect(0, 1, attributes);
    for (uint64_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, MTU, i)), 0);
    }
    net.Run();
    EXPECT_EQ(net.Counters(1).outOfBuffer, 1u);
    EXPECT_EQ(net.Counters(0).rnrNakRetryErr, 1u);
    EXPECT_EQ(net.Counters(0).reqCqeError, 1u);
    EXPECT_EQ(net.Counters(0).reqCqeFlushError, 1u);
    EXPECT_EQ(net.Counters(0).outOfBuffer, 0u);
    EXPECT_EQ(net.Counters(1).reqCqeError + net.Counters(1).reqCqeFlushError, 0u);
}

// rx_write_requests, rx_read_requests, rx_atomic_requests count messages, not packets, and not what
// is repeated: a response of the first READ is lost.
TEST(Counters, RequestsByKind)
{
    RdmaTestNet net;
    RdmaQpAttributes attributes;
    attributes.accessFlags = ACCESS_REMOTE_ATOMIC;
    auto& pair = net.Connect(0, 1, attributes);
    bool lost = false;
    net.Drop(0, [&lost](const FabricFrame& f) {
        return OpcodeIsReadResponse(f.opcode) && !std::exchange(lost, true);
    });
    const uint32_t rights =
        ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;
    const auto memory =
        pair.b.context->RegMr(pair.b.queuePair->GetInit().domain, 0, 1 << 20, rights).value();
    const auto post = [&](RdmaWrOpcode opcode, uint64_t bytes) {
        RdmaSendWr request = MakeSend(pair, opcode, bytes);
        request.rkey = memory.rkey;
        EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    };
    post(RdmaWrOpcode::RDMA_WRITE, 3 * MTU);
    post(RdmaWrOpcode::RDMA_WRITE, 1);
    for (int i = 0; i < 3; ++i)
    {
        post(RdmaWrOpcode::RDMA_READ, 2 * MTU);
    }
    post(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 8);
    net.Run();
    EXPECT_EQ(TakeAll(pair.a).size(), 6u);
    EXPECT_EQ(net.Counters(1).rxWriteRequests, 2u);
    EXPECT_EQ(net.Counters(1).rxReadRequests, 3u);
    EXPECT_EQ(net.Counters(1).rxAtomicRequests, 1u);
    EXPECT_EQ(net.Counters(0).impliedNakSeqErr, 1u);
    EXPECT_GE(net.Counters(1).duplicateRequest, 1u);
    EXPECT_EQ(net.Counters(0).rxWriteRequests + net.Counters(0).rxReadRequests, 0u);
}

// resp_remote_access_errors, req_remote_access_errors, resp_cqe_flush_error: a key that is none.
TEST(Counters, AnAccessThatIsNotAllowed)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, i)), 0);
    }
    RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU);
    request.rkey = 0xdead00;
    EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).respRemoteAccessErrors, 1u);
    EXPECT_EQ(net.Counters(0).reqRemoteAccessErrors, 1u);
    EXPECT_EQ(net.Counters(0).reqCqeError, 1u);
    EXPECT_EQ(net.Counters(1).respCqeFlushError, 3u);
    EXPECT_EQ(net.Counters(1).respCqeError, 0u);
    EXPECT_EQ(net.Counters(0).reqRemoteInvalidRequest, 0u);
}

// resp_local_length_error, resp_cqe_error, req_remote_invalid_request: a SEND that does not fit.
TEST(Counters, AMessageThatIsTooLong)
{
    RdmaTestNet net;
    auto& pair = net.Connect(0, 1);
    EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU - 1, 1)), 0);
    EXPECT_EQ(pair.b.queuePair->PostRecv(MakeRecv(pair.b, MTU, 2)), 0);
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::SEND, MTU)), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).respLocalLengthError, 1u);
    EXPECT_EQ(net.Counters(1).respCqeError, 1u);
    EXPECT_EQ(net.Counters(1).respCqeFlushError, 1u);
    EXPECT_EQ(net.Counters(0).reqRemoteInvalidRequest, 1u);
    EXPECT_EQ(net.Counters(0).reqCqeError, 1u);
}

// roce_adp_retrans_to counts with the adaptive timer only, local_ack_timeout_err always; the first
// copy of one packet is lost.
TEST(Counters, TimersThatExpire)
{
    for (const bool adaptive : {false, true})
    {
        RdmaTestNet net([adaptive](RdmaTestPlan& plan) {
            ObjectFactory factory("ns3::rdma::RdmaGoBackN");
            factory.Set("AdaptiveTimer", BooleanValue(adaptive));
            plan.rdma.SetLossRecovery(factory);
        });
        auto& pair = net.Connect(0, 1);
        bool lost = false;
        net.Drop(1, [&lost](const FabricFrame&) { return !std::exchange(lost, true); });
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, MTU)), 0);
        net.Run();
        EXPECT_EQ(net.Counters(0).localAckTimeoutErr, 1u);
        EXPECT_EQ(net.Counters(0).roceAdpRetransTo, adaptive ? 1u : 0u);
    }
}

// out_of_sequence, packet_seq_err, np_cnp_sent, rp_cnp_handled: packet 0 of 2 is lost.
TEST(Counters, AGap)
{
    RdmaTestNet net([](RdmaTestPlan& plan) {
        plan.rdma.SetNicAttribute("CnpOnReordering", BooleanValue(true));
    });
    auto& pair = net.Connect(0, 1);
    bool lost = false;
    net.Drop(1, [&lost](const FabricFrame& f) {
        return OpcodeIsRequest(f.opcode) && !std::exchange(lost, true);
    });
    EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 2 * MTU)), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).outOfSequence, 1u);
    EXPECT_EQ(net.Counters(0).packetSeqErr, 1u);
    EXPECT_EQ(net.Counters(1).npCnpSent, 1u);
    EXPECT_EQ(net.Counters(0).rpCnpHandled, 1u);
    EXPECT_EQ(net.Counters(0).retransmittedPackets, 2u);
}

} // namespace
} // namespace ns3
