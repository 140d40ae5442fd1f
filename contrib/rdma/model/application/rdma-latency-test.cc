/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-latency-test.h"

#include "ns3/log.h"

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaLatencyTest");
NS_OBJECT_ENSURE_REGISTERED(RdmaLatencyTest);

TypeId
RdmaLatencyTest::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaLatencyTest")
                            .SetParent<RdmaPerftestApplication>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaLatencyTest>();
    return tid;
}

RdmaLatencyTest::RdmaLatencyTest()
{
    m_watchMemory = true;
}

RdmaLatencyTest::~RdmaLatencyTest() = default;

RdmaLatencyResult
RdmaLatencyTest::GetResult() const
{
    return RdmaLatencyResult::Of(m_samples);
}

void
RdmaLatencyTest::DoStart()
{
    NS_LOG_FUNCTION(this);
    if (m_isClient)
    {
        Send();
    }
    else if (m_verb == PERFTEST_READ)
    {
        Finish(); // a server that is read from has nothing to do
    }
}

void
RdmaLatencyTest::Send()
{
    m_posted = Now();
    ++m_sent;
    PostMessages(0, 1);
}

void
RdmaLatencyTest::RoundTrip()
{
    m_samples.push_back((Now() - m_posted) / (m_verb == PERFTEST_READ ? 1 : 2));
    if (m_sent < m_iterations)
    {
        Send();
    }
    else
    {
        Finish();
    }
}

void
RdmaLatencyTest::DoSent(uint32_t)
{
    if (m_verb == PERFTEST_READ)
    {
        RoundTrip();
    }
}

void
RdmaLatencyTest::DoReceived(uint32_t)
{
    if (m_isClient)
    {
        RoundTrip();
        return;
    }
    Send();
    if (m_sent == m_iterations)
    {
        Finish();
    }
}

} // namespace rdma
} // namespace ns3
