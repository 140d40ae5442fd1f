/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion control of InfiniBand: the channel adapter's reaction to BECN. */

#include "ns3/rdma-ib-congestion.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaIbCongestion");

NS_OBJECT_ENSURE_REGISTERED(RdmaIbCongestion);

namespace
{

constexpr int64_t TIMER_UNIT = 1'024'000; // ps, of CCTI_Timer

} // namespace

TypeId
RdmaIbCongestion::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaIbCongestion")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaIbCongestion>()
            .AddAttribute("CongestionControlTable",
                          "How much slower to send for each index: linear, llnl, or all entries as "
                          "shift:multiplier with blanks between, shift 0 to 3, multiplier 0 to "
                          "16383.",
                          RdmaIbCctValue(RdmaIbCct::Linear()),
                          MakeRdmaIbCctAccessor(&RdmaIbCongestion::m_table),
                          MakeRdmaIbCctChecker())
            .AddAttribute("CctiLimit",
                          "CCTI_Limit: the highest index; never beyond the last entry of the "
                          "table.",
                          UintegerValue(127),
                          MakeUintegerAccessor(&RdmaIbCongestion::m_limit),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("CctiIncrease",
                          "CCTI_Increase: what a BECN adds to the index.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaIbCongestion::m_increase),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("CctiMin",
                          "CCTI_Min: the lowest index, at most the highest; more than 0 caps the "
                          "rate for good.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaIbCongestion::m_minimum),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("CctiTimer",
                          "CCTI_Timer: time until the index falls by one, in units of 1.024 us.",
                          UintegerValue(150),
                          MakeUintegerAccessor(&RdmaIbCongestion::m_timer),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("TriggerThreshold",
                          "Trigger_Threshold: the trace source Trigger fires when the index "
                          "reaches it from below; 0: never.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaIbCongestion::m_trigger),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PerServiceLevel",
                          "Port_Control bit 0: whether all queue pairs of a NIC that use the same "
                          "service level share one index; false: each has its own.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaIbCongestion::m_perServiceLevel),
                          MakeBooleanChecker())
            .AddTraceSource("Ccti",
                            "The index into the congestion control table changes.",
                            MakeTraceSourceAccessor(&RdmaIbCongestion::m_cctiTrace),
                            "ns3::rdma::RdmaIbCongestion::CctiTracedCallback")
            .AddTraceSource("Trigger",
                            "The index reaches the trigger threshold.",
                            MakeTraceSourceAccessor(&RdmaIbCongestion::m_triggerTrace),
                            "ns3::rdma::RdmaIbCongestion::TriggerTracedCallback");
    return tid;
}

RdmaIbCongestion::RdmaIbCongestion()
{
    m_signals = CNP;
}

RdmaIbCongestion::~RdmaIbCongestion()
{
    Leave();
}

uint16_t
RdmaIbCongestion::GetCcti() const
{
    NS_ASSERT_MSG(m_ccti, "there is no CCTI before the start");
    return m_ccti->Get();
}

void
RdmaIbCongestion::Leave()
{
    if (m_ccti)
    {
        m_ccti->Remove(this);
        m_ccti = nullptr;
    }
}

void
RdmaIbCongestion::DoJoin(RdmaCongestionPool& pool, uint8_t serviceLevel)
{
    Leave();
    m_shared = m_perServiceLevel;
    if (m_shared)
    {
        m_ccti = pool.Get<RdmaIbCcti>(GetTypeId(), serviceLevel);
        m_ccti->Add(this);
    }
}

void
RdmaIbCongestion::DoStart(int64_t now)
{
    if (!m_shared)
    {
        Leave();
        m_ccti = Create<RdmaIbCcti>();
        m_ccti->Add(this);
    }
    const auto limit = static_cast<uint16_t>(std::min<uint32_t>(m_limit, m_table.GetSize() - 1));
    NS_ABORT_MSG_IF(m_minimum > limit,
                    "CctiMin must be at most the highest index of " << limit << ", got "
                                                                    << +m_minimum);
    const bool same = m_ccti->Start({limit, m_increase, m_minimum, m_timer * TIMER_UNIT}, now);
    NS_ABORT_MSG_IF(!same,
                    "Queue pairs of a NIC that share a CCTI need the same CctiLimit, CctiIncrease, "
                    "CctiMin and CctiTimer");
    m_ccti->Advance(now);
    Apply(now);
}

void
RdmaIbCongestion::DoAdvance(int64_t now)
{
    m_ccti->Advance(now);
}

void
RdmaIbCongestion::DoCnp(int64_t now)
{
    m_ccti->Becn(now);
}

void
RdmaIbCongestion::Apply(int64_t now)
{
    SetRate(m_table.GetRate(m_ccti->Get(), GetLineRate()), now);
    m_nextDeadline = m_ccti->GetDeadline();
}

void
RdmaIbCongestion::CctiChanged(uint16_t before, int64_t now)
{
    if (!GetLineRate())
    {
        return; // joined, but not started yet
    }
    Apply(now);
    const uint16_t after = m_ccti->Get();
    m_cctiTrace(before, after, now);
    if (before < m_trigger && after >= m_trigger)
    {
        m_triggerTrace(after, now);
    }
}

} // namespace rdma
} // namespace ns3
