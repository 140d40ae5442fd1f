/* SPDX-License-Identifier: GPL-2.0-only */
/* The connection manager: requests, refusals, losses, and answers that come too late. */

#include "rdma-test-net.h"

#include "ns3/double.h"
#include "ns3/rdma-connection-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint16_t SERVICE = 7;

/// A NIC with a connection manager, and what became of its queue pairs.
class CmHost
{
  public:
    /**
     * \param context Verbs.
     * \param channel Way to others.
     * \param timeout Until a message is repeated.
     * \param retries How often.
     */
    CmHost(Ptr<RdmaContext> context, Ptr<RdmaCmChannel> channel, Time timeout, uint32_t retries)
        : verbs(context)
    {
        init.domain = context->AllocPd();
        init.sendCq = init.recvCq = context->CreateCq(10'000);
        memory = context->RegMr(init.domain, 0, 1000, ACCESS_LOCAL_WRITE).value();
        manager->SetAttribute("Timeout", TimeValue(timeout));
        manager->SetAttribute("Retries", UintegerValue(retries));
        manager->Attach(context, channel);
    }

    ~CmHost()
    {
        manager->Dispose();
    }

    /// Takes everybody who asks.
    void Listen()
    {
        manager->Listen(SERVICE,
                        RdmaQpAttributes(),
                        RdmaConnectionManager::Accept(
                            [this](const RdmaCmMessage&) { return verbs->CreateQp(init); }),
                        RdmaConnectionManager::Done([this](Ptr<RdmaQueuePair> qp, RdmaCmResult r) {
                            ++results[r];
                            if (r != RdmaCmResult::ESTABLISHED)
                            {
                                verbs->DestroyQp(qp);
                            }
                        }));
    }

    /**
     * Connects to the host with endpoint 0, again and again until it works.
     * \param service What it asks for.
     * \param tries How often at most.
     */
    void Connect(uint16_t service = SERVICE, uint32_t tries = 1)
    {
        RdmaQpAttributes attributes;
        attributes.address.endpoint = 0;
        attributes.sqPsn = 1000;
        manager->Connect(verbs->CreateQp(init),
                         attributes,
                         service,
                         RdmaConnectionManager::Done(
                             [this, service, tries](Ptr<RdmaQueuePair> qp, RdmaCmResult r) {
                                 ++results[r];
                                 if (r == RdmaCmResult::ESTABLISHED)
                                 {
                                     connected.push_back(qp);
                                     return;
                                 }
                                 EXPECT_EQ(qp->GetState(), RdmaQpState::ERR);
                                 verbs->DestroyQp(qp);
                                 if (tries > 1)
                                 {
                                     Connect(service, tries - 1);
                                 }
                             }));
    }

    Ptr<RdmaContext> verbs;                                                    //!< verbs
    Ptr<RdmaConnectionManager> manager{CreateObject<RdmaConnectionManager>()}; //!< manager
    RdmaQpInitAttributes init;                                                 //!< of queue pairs
    RdmaMemoryRegion memory;                                                   //!< some memory
    std::map<RdmaCmResult, uint32_t> results;                                  //!< how often
    std::vector<Ptr<RdmaQueuePair>> connected;                                 //!< queue pairs
};

/**
 * A message goes over each connection, and arrives at the queue pair that it was connected with.
 * \param client Who asked.
 * \param server Who was asked.
 */
void
ExpectConnected(CmHost& client, CmHost& server)
{
    for (const auto& own : client.connected)
    {
        const auto peer = server.verbs->GetNic()->GetQueuePair(own->GetAttributes().destinationQp);
        ASSERT_TRUE(peer);
        EXPECT_EQ(peer->GetState(), RdmaQpState::RTS);
        EXPECT_EQ(peer->GetAttributes().destinationQp, own->GetNumber());
        EXPECT_EQ(peer->GetAttributes().rqPsn, 1000u);
        RdmaRecvWr receive;
        receive.wrId = own->GetNumber();
        receive.length = 100;
        receive.lkey = server.memory.lkey;
        EXPECT_EQ(peer->PostRecv(receive), 0);
        RdmaSendWr send;
        send.wrId = own->GetNumber();
        send.opcode = RdmaWrOpcode::SEND;
        send.length = 100;
        send.lkey = client.memory.lkey;
        EXPECT_EQ(own->PostSend(send), 0);
        Simulator::Run();
        EXPECT_EQ(IdsOf(client.init.sendCq->Poll(10)), InOrder(own->GetNumber(), 1));
        EXPECT_EQ(IdsOf(server.init.recvCq->Poll(10)), InOrder(own->GetNumber(), 1));
    }
}

// Three messages of 50 us: the asking side is connected after 100 us, the other after 150.
TEST(RdmaConnectionManager, RequestReplyReady)
{
    RdmaTestNet net;
    const auto channel = CreateObject<RdmaCmChannel>();
    CmHost server(net.contexts[0], channel, MilliSeconds(1), 3);
    CmHost client(net.contexts[1], channel, MilliSeconds(1), 3);
    server.Listen();
    client.Connect();
    Simulator::Stop(MicroSeconds(99));
    Simulator::Run();
    EXPECT_EQ(client.manager->GetPending(), 1u);
    Simulator::Stop(MicroSeconds(2));
    Simulator::Run();
    EXPECT_EQ(client.results[RdmaCmResult::ESTABLISHED], 1u);
    Simulator::Stop(MicroSeconds(48));
    Simulator::Run();
    EXPECT_EQ(server.results[RdmaCmResult::ESTABLISHED], 0u);
    Simulator::Stop(MicroSeconds(2));
    Simulator::Run();
    EXPECT_EQ(server.results[RdmaCmResult::ESTABLISHED], 1u);
    ExpectConnected(client, server);
}

// Nobody listens, or who listens does not want.
TEST(RdmaConnectionManager, Reject)
{
    RdmaTestNet net;
    const auto channel = CreateObject<RdmaCmChannel>();
    CmHost server(net.contexts[0], channel, MilliSeconds(1), 3);
    CmHost client(net.contexts[1], channel, MilliSeconds(1), 3);
    client.Connect();
    server.manager->Listen(
        8,
        RdmaQpAttributes(),
        RdmaConnectionManager::Accept([](const RdmaCmMessage&) { return Ptr<RdmaQueuePair>(); }),
        RdmaConnectionManager::Done());
    client.Connect(8);
    Simulator::Run();
    EXPECT_EQ(client.results[RdmaCmResult::REJECTED], 2u);
    EXPECT_EQ(client.manager->GetPending() + server.manager->GetPending(), 0u);
}

// Nobody is there: asked 4 times, 1 ms apart, then over. The work posted is not lost silently.
TEST(RdmaConnectionManager, TimeOut)
{
    RdmaTestNet net;
    const auto channel = CreateObject<RdmaCmChannel>();
    CmHost client(net.contexts[1], channel, MilliSeconds(1), 3);
    client.Connect();
    Simulator::Run();
    EXPECT_EQ(client.results[RdmaCmResult::TIMED_OUT], 1u);
    EXPECT_EQ(Simulator::Now(), MilliSeconds(4));
}

// 20 hosts connect 40 queue pairs each with one; a tenth of the messages is lost, the others take
// 50 to 250 us, and who has no answer after 2 x 120 us makes its queue pair anew. In the end each
// is connected with a queue pair that is connected with it, and nothing is left half open.
TEST(RdmaConnectionManager, B4_19_LateAnswersAreIgnored)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.topology = FabricTopology::Star(21, FabricLinkSpec()); });
    const auto channel = CreateObject<RdmaCmChannel>();
    channel->SetAttribute("Jitter", TimeValue(MicroSeconds(200)));
    channel->SetAttribute("LossRate", DoubleValue(0.1));
    channel->AssignStreams(100);
    CmHost server(net.contexts[0], channel, MicroSeconds(300), 9);
    server.Listen();
    std::deque<CmHost> clients;
    for (uint32_t host = 1; host <= 20; ++host)
    {
        clients.emplace_back(net.contexts[host], channel, MicroSeconds(120), 1);
        for (int i = 0; i < 40; ++i)
        {
            clients.back().Connect(SERVICE, 100);
        }
    }
    Simulator::Run();
    uint32_t timedOut = 0;
    uint64_t stale = 0;
    for (CmHost& client : clients)
    {
        ASSERT_EQ(client.connected.size(), 40u);
        EXPECT_EQ(client.manager->GetPending(), 0u);
        timedOut += client.results[RdmaCmResult::TIMED_OUT];
        stale += client.manager->GetStale();
        ExpectConnected(client, server);
    }
    EXPECT_GT(timedOut, 100u);
    EXPECT_GT(stale, 100u);
    EXPECT_EQ(server.manager->GetPending(), 0u);
    EXPECT_EQ(server.results[RdmaCmResult::ESTABLISHED], 800u);
    EXPECT_EQ(server.verbs->GetNic()->GetNQueuePairs(), 800u);
}

} // namespace
} // namespace ns3
