/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-bandwidth-test.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaBandwidthTest");
NS_OBJECT_ENSURE_REGISTERED(RdmaBandwidthTest);

TypeId
RdmaBandwidthTest::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaBandwidthTest")
                            .SetParent<RdmaPerftestApplication>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaBandwidthTest>()
                            .AddAttribute("PostList",
                                          "Messages that are posted at a time; TxDepth at most.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&RdmaBandwidthTest::m_postList),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Bidirectional",
                                          "Whether both sides send.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&RdmaBandwidthTest::m_bidirectional),
                                          MakeBooleanChecker());
    return tid;
}

RdmaBandwidthTest::RdmaBandwidthTest() = default;
RdmaBandwidthTest::~RdmaBandwidthTest() = default;

RdmaBandwidthResult
RdmaBandwidthTest::GetResult() const
{
    return RdmaBandwidthResult::Of(
        m_size,
        std::vector<int64_t>(m_posted.begin(), m_posted.begin() + m_completed.size()),
        m_completed);
}

void
RdmaBandwidthTest::DoStart()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_postList > m_txDepth,
                    "A bandwidth test posts at most TxDepth = "
                        << m_txDepth << " messages at a time, not " << m_postList);
    m_progress.resize(GetNLinks());
    if (IsSender())
    {
        for (uint32_t link = 0; link < GetNLinks(); ++link)
        {
            Fill(link);
        }
    }
    CheckFinished();
}

void
RdmaBandwidthTest::Fill(uint32_t link)
{
    Progress& progress = m_progress[link];
    while (progress.posted < m_iterations)
    {
        const uint32_t count = std::min(m_postList, m_iterations - progress.posted);
        if (progress.posted - progress.completed + count > m_txDepth)
        {
            return;
        }
        m_posted.insert(m_posted.end(), count, Now());
        PostMessages(link, count);
        progress.posted += count;
    }
}

void
RdmaBandwidthTest::DoSent(uint32_t link)
{
    m_completed.push_back(Now());
    ++m_progress[link].completed;
    Fill(link);
    CheckFinished();
}

void
RdmaBandwidthTest::DoReceived(uint32_t)
{
    ++m_received;
    CheckFinished();
}

void
RdmaBandwidthTest::CheckFinished()
{
    const uint64_t all = uint64_t{m_iterations} * GetNLinks();
    const bool receives = m_verb == PERFTEST_SEND && (!m_isClient || m_bidirectional);
    if ((!IsSender() || m_completed.size() == all) && (!receives || m_received == all))
    {
        Finish();
    }
}

} // namespace rdma
} // namespace ns3
