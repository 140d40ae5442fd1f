/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-perftest-application.h"

#include "ns3/abort.h"
#include "ns3/fabric-clock.h"
#include "ns3/log.h"
#include "ns3/rdma-compat.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaPerftestApplication");
NS_OBJECT_ENSURE_REGISTERED(RdmaPerftestApplication);

TypeId
RdmaPerftestApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaPerftestApplication")
            .SetParent<Application>()
            .SetGroupName("Rdma")
            .AddAttribute("Verb",
                          "What messages are: write, send or read.",
                          RdmaEnumValue<RdmaPerftestVerb>(PERFTEST_WRITE),
                          MakeRdmaEnumAccessor<RdmaPerftestVerb>(&RdmaPerftestApplication::m_verb),
                          MakeEnumChecker(PERFTEST_WRITE,
                                          "write",
                                          PERFTEST_SEND,
                                          "send",
                                          PERFTEST_READ,
                                          "read"))
            .AddAttribute("MessageSize",
                          "Bytes of a message.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_size),
                          MakeUintegerChecker<uint64_t>(1, 1ULL << 31))
            .AddAttribute("Iterations",
                          "Messages of each queue pair.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_iterations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("QueuePairs",
                          "Queue pairs between the two sides.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("TxDepth",
                          "Messages that a queue pair has outstanding at most.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_txDepth),
                          MakeUintegerChecker<uint32_t>(1, 32768))
            .AddAttribute("RxDepth",
                          "Receives that are posted ahead for messages that are sends.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_rxDepth),
                          MakeUintegerChecker<uint32_t>(1, 32768))
            .AddAttribute("InlineSize",
                          "Writes and sends of up to so many bytes are posted inline.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPerftestApplication::m_inlineSize),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RdmaPerftestApplication::RdmaPerftestApplication() = default;
RdmaPerftestApplication::~RdmaPerftestApplication() = default;

void
RdmaPerftestApplication::Setup(Ptr<RdmaContext> context, const RdmaQpAttributes& attributes)
{
    m_context = context;
    m_attributes = attributes;
}

void
RdmaPerftestApplication::MakeQueuePairs()
{
    NS_ABORT_MSG_IF(!m_context, "A performance test is set up before it is connected");
    NS_ABORT_MSG_IF(!m_links.empty(), "A performance test is connected once");
    m_domain = m_context->AllocPd();
    const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
    m_memory = m_context->RegMr(m_domain, 0, m_size, rights).value();
    m_sendQueue = m_context->CreateCq(m_txDepth * m_queuePairs);
    m_recvQueue = m_context->CreateCq(m_rxDepth * m_queuePairs);
    for (const auto& queue : {m_sendQueue, m_recvQueue})
    {
        queue->SetNotify(MakeCallback(&RdmaPerftestApplication::Poll, this));
        queue->RequestNotify();
    }
    for (uint32_t i = 0; i < m_queuePairs; ++i)
    {
        RdmaQpInitAttributes init;
        init.domain = m_domain;
        init.sendCq = m_sendQueue;
        init.recvCq = m_recvQueue;
        init.maxSendWr = m_txDepth;
        init.maxRecvWr = m_rxDepth;
        init.maxInlineData = m_inlineSize;
        m_links.push_back({m_context->CreateQp(init), 0});
    }
}

void
RdmaPerftestApplication::ConnectTo(const RdmaPerftestApplication& peer)
{
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        RdmaQpAttributes attributes = m_attributes;
        attributes.accessFlags = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
        attributes.address.endpoint = peer.m_context->GetEndpoint();
        attributes.destinationQp = peer.m_links[i].queuePair->GetNumber();
        NS_ABORT_MSG_IF(m_context->Connect(m_links[i].queuePair, attributes),
                        "The queue pairs of a performance test cannot be connected: an attribute "
                        "is out of its range");
        m_links[i].remoteKey = peer.m_memory.rkey;
    }
}

void
RdmaPerftestApplication::Connect(Ptr<RdmaPerftestApplication> client,
                                 Ptr<RdmaPerftestApplication> server)
{
    NS_ABORT_MSG_IF(client->m_size != server->m_size || client->m_verb != server->m_verb ||
                        client->m_queuePairs != server->m_queuePairs ||
                        client->m_iterations != server->m_iterations,
                    "Both sides of a performance test have the same verb, message size, queue "
                    "pairs and iterations");
    client->m_isClient = true;
    client->MakeQueuePairs();
    server->MakeQueuePairs();
    client->ConnectTo(*server);
    server->ConnectTo(*client);
}

void
RdmaPerftestApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Silence();
    m_links.clear();
    m_sendQueue = nullptr;
    m_recvQueue = nullptr;
    m_domain = nullptr;
    m_memory = RdmaMemoryRegion();
    m_context = nullptr;
    Application::DoDispose();
}

void
RdmaPerftestApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_links.empty(), "A performance test is connected before it starts");
    m_running = true;
    if (m_watchMemory && m_verb == PERFTEST_WRITE)
    {
        m_context->GetNic()->TraceConnectWithoutContext(
            "MessageDelivered",
            MakeCallback(&RdmaPerftestApplication::MemoryChanged, this));
    }
    if (m_verb == PERFTEST_SEND)
    {
        for (uint32_t link = 0; link < GetNLinks(); ++link)
        {
            for (uint32_t i = 0; i < m_rxDepth; ++i)
            {
                PostReceive(link);
            }
        }
    }
    DoStart();
}

void
RdmaPerftestApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_running = false;
}

void
RdmaPerftestApplication::Silence()
{
    m_running = false;
    for (const auto& queue : {m_sendQueue, m_recvQueue})
    {
        if (queue)
        {
            queue->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>());
        }
    }
    if (m_watchMemory && m_context)
    {
        m_context->GetNic()->TraceDisconnectWithoutContext(
            "MessageDelivered",
            MakeCallback(&RdmaPerftestApplication::MemoryChanged, this));
    }
}

int64_t
RdmaPerftestApplication::Now()
{
    return FabricClock().Now();
}

void
RdmaPerftestApplication::PostMessages(uint32_t link, uint32_t count)
{
    RdmaSendWr request;
    request.wrId = link;
    request.opcode = m_verb == PERFTEST_WRITE  ? RdmaWrOpcode::RDMA_WRITE
                     : m_verb == PERFTEST_SEND ? RdmaWrOpcode::SEND
                                               : RdmaWrOpcode::RDMA_READ;
    request.length = m_size;
    request.lkey = m_memory.lkey;
    request.rkey = m_links[link].remoteKey;
    request.inlineData = m_verb != PERFTEST_READ && m_size <= m_inlineSize;
    const RdmaSendWr* bad = nullptr;
    [[maybe_unused]] const int error =
        m_links[link].queuePair->PostSend(std::vector<RdmaSendWr>(count, request), bad);
    NS_ASSERT_MSG(!error, "a message that fits was refused: error " << error);
}

void
RdmaPerftestApplication::PostReceive(uint32_t link)
{
    RdmaRecvWr receive;
    receive.wrId = link;
    receive.lkey = m_memory.lkey;
    receive.length = m_size;
    [[maybe_unused]] const int error = m_links[link].queuePair->PostRecv(receive);
    NS_ASSERT_MSG(!error, "a receive that fits was refused: error " << error);
}

uint32_t
RdmaPerftestApplication::FindLink(uint32_t number) const
{
    const auto found = std::find_if(m_links.begin(), m_links.end(), [number](const Link& link) {
        return link.queuePair->GetNumber() == number;
    });
    return static_cast<uint32_t>(found - m_links.begin());
}

void
RdmaPerftestApplication::Poll(Ptr<RdmaCompletionQueue> queue)
{
    for (auto completions = queue->Poll(16); !completions.empty(); completions = queue->Poll(16))
    {
        for (const RdmaWc& completion : completions)
        {
            if (completion.status != RdmaWcStatus::SUCCESS && m_status == RdmaWcStatus::SUCCESS)
            {
                m_status = completion.status;
                m_running = false;
            }
            if (!m_running)
            {
                continue;
            }
            const auto link = static_cast<uint32_t>(completion.wrId);
            if (queue == m_sendQueue)
            {
                DoSent(link);
            }
            else
            {
                PostReceive(link);
                DoReceived(link);
            }
        }
    }
    queue->RequestNotify();
}

void
RdmaPerftestApplication::MemoryChanged(const RdmaQueuePair* queuePair, uint64_t, int64_t ps)
{
    const uint32_t link = FindLink(queuePair->GetNumber());
    if (link == GetNLinks())
    {
        return; // of another program
    }
    const auto host = m_context->GetNic()->GetHostInterface();
    const int64_t when = ps + (host ? host->GetPollDelay() : 0);
    Simulator::Schedule(std::max(FabricClock().ToTime(when) - Simulator::Now(), Time(0)),
                        &RdmaPerftestApplication::Found,
                        this,
                        link);
}

void
RdmaPerftestApplication::Found(uint32_t link)
{
    if (m_running)
    {
        DoReceived(link);
    }
}

} // namespace rdma
} // namespace ns3
