/* SPDX-License-Identifier: GPL-2.0-only */
/** @file The reliable connection in short, for users of test.py: the exact time of a write, and the
 * repair of a loss. */
#include "ns3/fabric-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::rdma;

namespace
{

/// Two hosts at 100 Gb/s, 1 us apart, without a switch; one write from the first to the second.
class RdmaWriteTestCase : public TestCase
{
  public:
    /**
     * \param name What is checked.
     * \param lost Number of the packet that is lost once; negative for none.
     * \param deliveredPs When the message is to be placed whole, ps.
     * \param resent How many packets are to be sent again.
     */
    RdmaWriteTestCase(const std::string& name, int32_t lost, int64_t deliveredPs, uint64_t resent)
        : TestCase(name),
          m_lost(lost),
          m_deliveredPs(deliveredPs),
          m_resent(resent)
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes(2);
        FabricHelper fabric;
        fabric.Connect(nodes.Get(0), nodes.Get(1), 100'000'000'000, 1'000'000);
        RdmaHelper rdma;
        const auto contexts = rdma.Install(fabric.GetEndpoints());
        RdmaQpAttributes attributes;
        attributes.timeout = 8;
        const auto pair = RdmaHelper::Connect(contexts[0],
                                              contexts[1],
                                              attributes,
                                              RdmaQpInitAttributes(),
                                              1 << 20);
        const Ptr<RdmaNic> receiver = contexts[1]->GetNic();
        bool left = m_lost >= 0;
        receiver->GetDevice()->SetDropFilter(
            Callback<bool, const FabricFrame&>([&](const FabricFrame& frame) {
                const bool lose = left && frame.psn == static_cast<uint32_t>(m_lost);
                left &= !lose;
                return lose;
            }));
        int64_t delivered = 0;
        receiver->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
                [&](const RdmaQueuePair*, uint64_t, int64_t ps) { delivered = ps; }));
        RdmaSendWr request;
        request.wrId = 7;
        request.length = BYTES;
        request.lkey = pair.a.memory.lkey;
        request.rkey = pair.b.memory.rkey;
        NS_TEST_EXPECT_MSG_EQ(pair.a.queuePair->PostSend(request), 0, "the write is not taken");
        Simulator::Run();
        const auto done = pair.a.cq->Poll(10);
        NS_TEST_ASSERT_MSG_EQ(done.size(), 1U, "a write completes once");
        NS_TEST_EXPECT_MSG_EQ(done[0].wrId, 7U, "the completion is of another request");
        NS_TEST_EXPECT_MSG_EQ(RdmaWcStatusName(done[0].status), std::string("success"), "status");
        NS_TEST_EXPECT_MSG_EQ(delivered, m_deliveredPs, "time of delivery");
        NS_TEST_EXPECT_MSG_EQ(receiver->GetCounters().deliveredBytes, BYTES, "bytes placed");
        NS_TEST_EXPECT_MSG_EQ(contexts[0]->GetNic()->GetCounters().retransmittedPackets,
                              m_resent,
                              "packets sent again");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetNetwork()->GetPool().GetLive(), 0U, "frames are left");
        Simulator::Destroy();
    }

    static constexpr uint64_t BYTES = 3 * 4096; //!< length of the write

    int32_t m_lost;        //!< packet lost once
    int64_t m_deliveredPs; //!< expected time of delivery
    uint64_t m_resent;     //!< expected packets sent again
};

/// The suite of the reliable connection.
class RdmaTransportTestSuite : public TestSuite
{
  public:
    RdmaTransportTestSuite()
        : TestSuite("rdma-transport", Type::UNIT)
    {
        // 3 packets of 4096 + 82 bytes of wire, the first with 16 more: 12550 bytes are 1004 ns at
        // 100 Gb/s; 1 us on the way.
        AddTestCase(
            new RdmaWriteTestCase("a write ends when its last bit has come", -1, 2'004'000, 0));
        // The last packet begins at 8372 bytes, 669.76 ns, and with it the timer of 4.096 us x 2^8;
        // then all three are sent again.
        AddTestCase(new RdmaWriteTestCase("a lost last packet waits for the ACK timeout",
                                          2,
                                          669'760 + 1'048'576'000 + 2'004'000,
                                          3));
        // The third packet comes at 2004 ns and is ahead of its turn; the NAK (66 + 20
        // bytes, 6.88 ns) takes 1 us, and the last two packets 8356 bytes, 668.48 ns, and 1 us.
        AddTestCase(new RdmaWriteTestCase("a gap is reported and repaired at once",
                                          1,
                                          2'004'000 + 6'880 + 1'000'000 + 668'480 + 1'000'000,
                                          2));
    }
};

/// Registers the suite.
const RdmaTransportTestSuite g_rdmaTransportTestSuite;

} // namespace
