/* SPDX-License-Identifier: GPL-2.0-only */
/* Base class of the congestion control algorithms of a queue pair. */

#include "ns3/rdma-congestion-ops.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaCongestionOps");

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaCongestionOps")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddTraceSource("Rate",
                            "The rate changes: old and new rate in bit/s, and "
                            "the time of the change in ps.",
                            MakeTraceSourceAccessor(&RdmaCongestionOps::m_rateTrace),
                            "ns3::rdma::RdmaCongestionOps::RateTracedCallback");
    return tid;
}

RdmaCongestionOps::RdmaCongestionOps() = default;

RdmaCongestionOps::~RdmaCongestionOps() = default;

void
RdmaCongestionOps::Start(uint64_t lineRate, int64_t now)
{
    NS_LOG_FUNCTION(this << lineRate << now);
    NS_ABORT_MSG_IF(lineRate == 0, "The line rate of congestion control must be above 0 bit/s");
    m_lineRate = lineRate;
    m_window = 0;
    m_nextDeadline = NO_DEADLINE;
    SetRate(lineRate, now);
    DoStart(now);
    NS_ABORT_MSG_IF(m_minRate == 0 || m_minRate > lineRate,
                    "The minimum rate of congestion control must be between 1 bit/s and the line "
                    "rate of "
                        << lineRate << " bit/s, got " << m_minRate);
}

void
RdmaCongestionOps::Ack(const CcAckEvent& event)
{
    Advance(event.now);
    DoAck(event);
}

void
RdmaCongestionOps::Cnp(int64_t now)
{
    NS_LOG_FUNCTION(this << now);
    Advance(now);
    DoCnp(now);
}

void
RdmaCongestionOps::Loss(const CcLossEvent& event)
{
    NS_LOG_FUNCTION(this << event.now << event.timeout);
    Advance(event.now);
    DoLoss(event);
}

void
RdmaCongestionOps::SetRate(uint64_t rate, int64_t now)
{
    NS_ASSERT_MSG(m_lineRate > 0, "The rate changes before Start()");
    const uint64_t oldRate = m_rate;
    m_rate = std::min(std::max(rate, m_minRate), m_lineRate);
    if (m_rate == oldRate)
    {
        return;
    }
    NS_LOG_LOGIC("rate " << oldRate << " -> " << m_rate << " bit/s at " << now << " ps");
    if (!m_rateTrace.IsEmpty())
    {
        m_rateTrace(oldRate, m_rate, now);
    }
}

void
RdmaCongestionOps::RunTimers(int64_t now)
{
    DoAdvance(now);
    NS_ASSERT_MSG(m_nextDeadline > now, "A congestion control timer is still due at " << now);
}

void
RdmaCongestionOps::DoJoin(RdmaCongestionPool& /* pool */, uint8_t /* serviceLevel */)
{
}

void
RdmaCongestionOps::DoStart(int64_t /* now */)
{
}

void
RdmaCongestionOps::DoAdvance(int64_t /* now */)
{
}

void
RdmaCongestionOps::DoSent(int64_t /* now */, uint32_t /* wireBytes */)
{
}

void
RdmaCongestionOps::DoAck(const CcAckEvent& /* event */)
{
}

void
RdmaCongestionOps::DoCnp(int64_t /* now */)
{
}

void
RdmaCongestionOps::DoLoss(const CcLossEvent& /* event */)
{
}

} // namespace rdma
} // namespace ns3
