/* SPDX-License-Identifier: GPL-2.0-only */
/* Performance tests between two hosts: times by hand, work done once, depths kept. */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/rdma-bandwidth-test.h"
#include "ns3/rdma-compat.h"
#include "ns3/rdma-latency-test.h"
#include "ns3/rdma-perftest-helper.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace
{

using namespace rdma;

constexpr int64_t NS = 1000;         // picoseconds
constexpr int64_t CABLE = 1'000'000; // ps
constexpr uint64_t FRAME = 82;       // bytes of wire time beside the payload; RETH 16, AETH 4

/// \param bytes Bytes of wire time. \return Their time at 100 Gb/s, in ps.
constexpr int64_t
Wire(uint64_t bytes)
{
    return static_cast<int64_t>(bytes) * 80;
}

/// Two hosts back to back at 100 Gb/s with a performance test between them.
template <typename Test>
struct TestRun
{
    /**
     * Runs it.
     * \param helper The test.
     * \param host Delays of hosts, or nullptr for none.
     */
    explicit TestRun(RdmaPerftestHelper& helper, const ObjectFactory* host = nullptr)
        : net([host](RdmaTestPlan& plan) {
              if (host)
              {
                  plan.rdma.SetNicAttribute("DoorbellDelay", TimeValue(PicoSeconds(100 * NS)));
                  plan.rdma.SetHostInterface(*host);
              }
          })
    {
        apps = helper.Install(net.contexts[0], net.contexts[1]);
        net.Run();
        client = DynamicCast<Test>(apps.Get(0));
        server = DynamicCast<Test>(apps.Get(1));
        EXPECT_TRUE(client->IsFinished());
        EXPECT_TRUE(server->IsFinished());
        EXPECT_EQ(client->GetStatus(), RdmaWcStatus::SUCCESS);
        EXPECT_EQ(server->GetStatus(), RdmaWcStatus::SUCCESS);
    }

    RdmaTestNet net;           //!< hosts
    ApplicationContainer apps; //!< both sides
    Ptr<Test> client;          //!< the side that begins
    Ptr<Test> server;          //!< the other
};

/**
 * \param type The test.
 * \param verb What messages are.
 * \param bytes Their size.
 * \param iterations How many.
 * \return The test.
 */
RdmaPerftestHelper
MakeTest(const char* type, RdmaPerftestVerb verb, uint64_t bytes, uint32_t iterations)
{
    RdmaPerftestHelper helper(type);
    helper.SetAttribute("Verb", RdmaEnumValue<RdmaPerftestVerb>(verb));
    helper.SetAttribute("MessageSize", UintegerValue(bytes));
    helper.SetAttribute("Iterations", UintegerValue(iterations));
    return helper;
}

const char* const LATENCY = "ns3::rdma::RdmaLatencyTest";
const char* const BANDWIDTH = "ns3::rdma::RdmaBandwidthTest";

/// All delays different.
ObjectFactory
Delays()
{
    ObjectFactory host("ns3::rdma::RdmaHostInterface");
    host.Set("ReadDelay", TimeValue(PicoSeconds(900 * NS)));
    host.Set("WriteDelay", TimeValue(PicoSeconds(300 * NS)));
    host.Set("PollDelay", TimeValue(PicoSeconds(50 * NS)));
    host.Set("TransmitLatency", TimeValue(PicoSeconds(200 * NS)));
    host.Set("ReceiveLatency", TimeValue(PicoSeconds(150 * NS)));
    return host;
}

class RdmaPerftestApps : public FabricSystemTest
{
};

// Half of the round trip. Without host delays the acknowledgement of a message is on the wire, 86
// B, when the answer is posted at the same instant, on both sides but for the first message.
TEST_F(RdmaPerftestApps, LatencyWithoutHostDelays)
{
    ExpectPassesAt(Time::PS, [] {
        for (const auto verb : {PERFTEST_WRITE, PERFTEST_SEND})
        {
            auto helper = MakeTest(LATENCY, verb, 8, 4);
            TestRun<RdmaLatencyTest> run(helper);
            const int64_t message = Wire(8 + FRAME + (verb == PERFTEST_WRITE ? 16 : 0)) + CABLE;
            const int64_t ack = Wire(4 + FRAME);
            const int64_t later = (2 * (ack + message)) / 2;
            EXPECT_EQ(run.client->GetSamples(),
                      (std::vector<int64_t>{(2 * message + ack) / 2, later, later, later}));
            EXPECT_EQ(run.net.Counters(0).deliveredMessages, 4u);
            EXPECT_EQ(run.net.Counters(1).deliveredMessages, 4u);
        }
        auto helper = MakeTest(LATENCY, PERFTEST_READ, 8, 2);
        TestRun<RdmaLatencyTest> run(helper);
        const int64_t trip = Wire(16 + FRAME) + CABLE + Wire(8 + 4 + FRAME) + CABLE;
        EXPECT_EQ(run.client->GetSamples(), (std::vector<int64_t>{trip, trip}));
    });
}

// Doorbell 100, NIC 200, wire, NIC 150, memory 300, poll 50 ns; 900 to fetch what is not inline.
TEST_F(RdmaPerftestApps, LatencyWithHostDelays)
{
    ExpectPassesAt(Time::PS, [] {
        const ObjectFactory host = Delays();
        for (const auto verb : {PERFTEST_WRITE, PERFTEST_SEND})
        {
            for (const uint64_t bytes : {220, 221})
            {
                auto helper = MakeTest(LATENCY, verb, bytes, 3);
                helper.SetAttribute("InlineSize", UintegerValue(220));
                TestRun<RdmaLatencyTest> run(helper, &host);
                const uint64_t padded = (bytes + 3) / 4 * 4;
                const int64_t latency = (100 + 200 + 150 + 300 + 50) * NS +
                                        (bytes > 220 ? 900 * NS : 0) + CABLE +
                                        Wire(padded + FRAME + (verb == PERFTEST_WRITE ? 16 : 0));
                EXPECT_EQ(run.client->GetSamples(), std::vector<int64_t>(3, latency))
                    << verb << ' ' << bytes;
            }
        }
        auto helper = MakeTest(LATENCY, PERFTEST_READ, 8, 3);
        helper.SetAttribute("InlineSize", UintegerValue(220));
        TestRun<RdmaLatencyTest> run(helper, &host);
        const int64_t there = (100 + 200 + 150) * NS + Wire(16 + FRAME) + CABLE;
        const int64_t back = (900 + 200 + 150) * NS + Wire(8 + 4 + FRAME) + CABLE;
        EXPECT_EQ(run.client->GetSamples(),
                  std::vector<int64_t>(3, there + back + (300 + 50) * NS));
        EXPECT_EQ(run.client->GetResult().typical, there + back + (300 + 50) * NS);
    });
}

// 50 messages of 16 packets, all posted at once, and the last acknowledgement.
TEST_F(RdmaPerftestApps, WriteBandwidth)
{
    ExpectPassesAt(Time::PS, [] {
        auto helper = MakeTest(BANDWIDTH, PERFTEST_WRITE, 65536, 50);
        TestRun<RdmaBandwidthTest> run(helper);
        const auto result = run.client->GetResult();
        const int64_t time = 50 * Wire(16 * (4096 + FRAME) + 16) + CABLE + Wire(4 + FRAME) + CABLE;
        EXPECT_EQ(result.messages, 50u);
        EXPECT_DOUBLE_EQ(result.averageBitsPerSec, 50 * 65536 * 8 / (time * 1e-12));
        EXPECT_DOUBLE_EQ(result.messagesPerSec, 50 / (time * 1e-12));
        EXPECT_DOUBLE_EQ(result.peakBitsPerSec, result.averageBitsPerSec);
        EXPECT_EQ(run.server->GetResult().messages, 0u);
        EXPECT_EQ(run.net.Counters(1).deliveredBytes, 50u * 65536);
    });
}

// One message outstanding: each takes a round trip. The peak is that of a single message.
TEST_F(RdmaPerftestApps, TxDepthIsKept)
{
    ExpectPassesAt(Time::PS, [] {
        auto helper = MakeTest(BANDWIDTH, PERFTEST_WRITE, 1000, 20);
        helper.SetAttribute("TxDepth", UintegerValue(1));
        TestRun<RdmaBandwidthTest> run(helper);
        const int64_t trip = Wire(1000 + 16 + FRAME) + CABLE + Wire(4 + FRAME) + CABLE;
        const auto result = run.client->GetResult();
        EXPECT_DOUBLE_EQ(result.averageBitsPerSec, 8000 / (trip * 1e-12));
        EXPECT_DOUBLE_EQ(result.peakBitsPerSec, 8000 / (trip * 1e-12));
    });
}

// With lists of 4 and a depth of 4, the next four are posted when all four are done.
TEST_F(RdmaPerftestApps, PostListWaitsForRoom)
{
    ExpectPassesAt(Time::PS, [] {
        auto helper = MakeTest(BANDWIDTH, PERFTEST_WRITE, 1000, 20);
        helper.SetAttribute("TxDepth", UintegerValue(4));
        helper.SetAttribute("PostList", UintegerValue(4));
        TestRun<RdmaBandwidthTest> run(helper);
        const int64_t trip = 4 * Wire(1000 + 16 + FRAME) + CABLE + Wire(4 + FRAME) + CABLE;
        EXPECT_DOUBLE_EQ(run.client->GetResult().averageBitsPerSec, 4 * 8000 / (trip * 1e-12));
    });
}

// Every verb, one and several queue pairs, one and both directions: each message arrives once.
TEST_F(RdmaPerftestApps, EveryCombinationDoesItsWorkOnce)
{
    const ObjectFactory host = Delays();
    for (const auto verb : {PERFTEST_WRITE, PERFTEST_SEND, PERFTEST_READ})
    {
        for (const uint32_t queuePairs : {1, 3})
        {
            for (const bool both : {false, true})
            {
                SCOPED_TRACE(testing::Message() << verb << ' ' << queuePairs << ' ' << both);
                auto helper = MakeTest(BANDWIDTH, verb, 10000, 700);
                helper.SetAttribute("QueuePairs", UintegerValue(queuePairs));
                helper.SetAttribute("Bidirectional", BooleanValue(both));
                TestRun<RdmaBandwidthTest> run(helper, &host);
                const uint64_t all = 700 * queuePairs;
                const uint64_t delivered =
                    run.net.Counters(0).deliveredMessages + run.net.Counters(1).deliveredMessages;
                EXPECT_EQ(delivered, all * (both ? 2 : 1));
                EXPECT_EQ(run.client->GetResult().messages, all);
                EXPECT_EQ(run.server->GetResult().messages, both ? all : 0);
                EXPECT_EQ(run.net.Counters(0).rnrNakRetryErr, 0u);
            }
        }
    }
}

// The status of what fails first ends the test.
TEST_F(RdmaPerftestApps, FailureIsReported)
{
    RdmaTestNet net;
    auto helper = MakeTest(BANDWIDTH, PERFTEST_WRITE, 1000, 20);
    RdmaQpAttributes attributes;
    attributes.retryCount = 0;
    attributes.timeout = 1;
    helper.SetQueuePairAttributes(attributes);
    const auto apps = helper.Install(net.contexts[0], net.contexts[1]);
    net.Drop(1, [](const FabricFrame&) { return true; });
    net.Run();
    const auto client = DynamicCast<RdmaBandwidthTest>(apps.Get(0));
    EXPECT_EQ(client->GetStatus(), RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_FALSE(client->IsFinished());
}

} // namespace
} // namespace ns3
