/* SPDX-License-Identifier: GPL-2.0-only */
/* The reaction point of DCQCN, shared by its parameter families. */

#include "ns3/rdma-dcqcn-base.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaDcqcn");

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcnBase);

TypeId
RdmaDcqcnBase::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaDcqcnBase").SetParent<RdmaCongestionOps>().SetGroupName("Rdma");
    return tid;
}

TypeId
RdmaDcqcnBase::AddParameters(TypeId tid, const Defaults& defaults)
{
    return tid
        .AddAttribute("Gain",
                      "Weight g of a new sample in the congestion estimate alpha, above 0 up to 1.",
                      DoubleValue(defaults.gain),
                      MakeDoubleAccessor(&RdmaDcqcnBase::SetGain, &RdmaDcqcnBase::GetGain),
                      MakeDoubleChecker<double>(1e-6, 1.0))
        .AddAttribute(
            "InitialAlpha",
            "Congestion estimate before the first CNP, 0 to 1.",
            DoubleValue(defaults.initialAlpha),
            MakeDoubleAccessor(&RdmaDcqcnBase::SetInitialAlpha, &RdmaDcqcnBase::GetInitialAlpha),
            MakeDoubleChecker<double>(0.0, 1.0))
        .AddAttribute("AlphaPeriod",
                      "Period K of the congestion estimate, at least 1 ns: alpha decays once per "
                      "period without a CNP.",
                      TimeValue(defaults.alphaPeriod),
                      MakeTimeAccessor(&RdmaDcqcnBase::m_alphaPeriod),
                      MakeTimeChecker(NanoSeconds(1), Hours(1)))
        .AddAttribute("RatePeriod",
                      "Period T of the rate increase by timer, at least 1 ns.",
                      TimeValue(defaults.ratePeriod),
                      MakeTimeAccessor(&RdmaDcqcnBase::m_ratePeriod),
                      MakeTimeChecker(NanoSeconds(1), Hours(1)))
        .AddAttribute("ByteCounter",
                      "Bytes B on the wire between rate increases by byte count; 0 turns them off.",
                      UintegerValue(defaults.byteCounter),
                      MakeUintegerAccessor(&RdmaDcqcnBase::m_byteCounter),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("RecoveryThreshold",
                      "Stage F at which fast recovery ends, at least 1.",
                      UintegerValue(defaults.threshold),
                      MakeUintegerAccessor(&RdmaDcqcnBase::m_threshold),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("AdditiveIncrease",
                      "Step R_AI of the target rate in additive increase.",
                      DataRateValue(defaults.additiveRate),
                      MakeDataRateAccessor(&RdmaDcqcnBase::m_additiveRate),
                      MakeDataRateChecker())
        .AddAttribute("HyperIncrease",
                      "Step R_HAI of the target rate in hyper increase.",
                      DataRateValue(defaults.hyperRate),
                      MakeDataRateAccessor(&RdmaDcqcnBase::m_hyperRate),
                      MakeDataRateChecker())
        .AddAttribute("MinRate",
                      "Lowest rate, at least 1 bit/s and at most the line rate.",
                      DataRateValue(defaults.minRate),
                      MakeDataRateAccessor(&RdmaDcqcnBase::m_minRateLimit),
                      MakeDataRateChecker())
        .AddAttribute(
            "CutInterval",
            "Time between rate cuts at least. A CNP that comes earlier cuts at its end. 0 "
            "cuts at each CNP.",
            TimeValue(defaults.cutInterval),
            MakeTimeAccessor(&RdmaDcqcnBase::m_cutInterval),
            MakeTimeChecker(Seconds(0), Hours(1)))
        .AddAttribute("MinDecreaseFactor",
                      "Share of the rate that one cut leaves at least, 0 to 1.",
                      DoubleValue(defaults.minDecreaseFactor),
                      MakeDoubleAccessor(&RdmaDcqcnBase::SetMinDecreaseFactor,
                                         &RdmaDcqcnBase::GetMinDecreaseFactor),
                      MakeDoubleChecker<double>(0.0, 1.0))
        .AddAttribute("FirstCnpRate",
                      "Rate and target to set on the first CNP of a queue pair instead of the cut; "
                      "0 bit/s turns this off.",
                      DataRateValue(defaults.firstCnpRate),
                      MakeDataRateAccessor(&RdmaDcqcnBase::m_firstCnpRate),
                      MakeDataRateChecker())
        .AddAttribute("ClampTarget",
                      "Every cut first lowers the target rate to the rate. If false, only a cut "
                      "after an increase by byte count does.",
                      BooleanValue(defaults.clampTarget),
                      MakeBooleanAccessor(&RdmaDcqcnBase::m_clampTarget),
                      MakeBooleanChecker())
        .AddAttribute("ClampTargetAfterTimer",
                      "A cut after an increase by timer also lowers the target rate to the rate.",
                      BooleanValue(defaults.clampTargetAfterTimer),
                      MakeBooleanAccessor(&RdmaDcqcnBase::m_clampTargetAfterTimer),
                      MakeBooleanChecker());
}

RdmaDcqcnBase::RdmaDcqcnBase()
{
    m_signals = SENT | CNP;
}

RdmaDcqcnBase::~RdmaDcqcnBase() = default;

uint64_t
RdmaDcqcnBase::GetTargetRate() const
{
    return m_target;
}

double
RdmaDcqcnBase::GetAlpha(int64_t now) const
{
    return std::ldexp(static_cast<double>(AlphaAfter(EndedPeriods(now))), -32);
}

uint32_t
RdmaDcqcnBase::GetTimerStage() const
{
    return m_timerStage;
}

uint32_t
RdmaDcqcnBase::GetByteStage() const
{
    return m_byteStage;
}

void
RdmaDcqcnBase::DoStart(int64_t now)
{
    NS_ABORT_MSG_IF(m_alphaPeriod.GetPicoSeconds() <= 0 || m_ratePeriod.GetPicoSeconds() <= 0,
                    "AlphaPeriod and RatePeriod must be above 0 at the time resolution in use, got "
                        << m_alphaPeriod << " and " << m_ratePeriod);
    m_minRate = m_minRateLimit.GetBitRate();
    m_target = GetRate();
    m_alpha = m_initialAlpha;
    m_alphaTime = now;
    m_cnpInPeriod = false;
    m_cnpSeen = false;
    m_cutPending = false;
    m_timerStage = 0;
    m_byteStage = 0;
    m_bytes = 0;
    m_nextTimer = NO_DEADLINE;
    m_nextCut = now;
}

void
RdmaDcqcnBase::DoAdvance(int64_t now)
{
    while (m_nextDeadline <= now)
    {
        const int64_t due = m_nextDeadline;
        if (m_cutPending && due == m_nextCut)
        {
            Cut(due);
        }
        else
        {
            m_nextTimer = due + m_ratePeriod.GetPicoSeconds();
            ++m_timerStage;
            Increase(due);
        }
        UpdateDeadline();
    }
}

void
RdmaDcqcnBase::DoSent(int64_t now, uint32_t wireBytes)
{
    if (m_byteCounter == 0 || m_nextTimer == NO_DEADLINE)
    {
        return;
    }
    m_bytes += wireBytes;
    while (m_bytes >= m_byteCounter)
    {
        m_bytes -= m_byteCounter;
        ++m_byteStage;
        Increase(now);
    }
    UpdateDeadline();
}

void
RdmaDcqcnBase::DoCnp(int64_t now)
{
    const bool first = !m_cnpSeen;
    if (first)
    {
        // Alpha is idle before the first CNP, whenever that comes.
        m_cnpSeen = true;
        m_alphaTime = now;
    }
    if (first && m_firstCnpRate.GetBitRate() > 0)
    {
        SetRate(m_firstCnpRate.GetBitRate(), now);
        m_target = GetRate();
        RestartRecovery(now);
    }
    else if (now < m_nextCut)
    {
        m_cutPending = true;
    }
    else
    {
        Cut(now);
    }
    UpdateAlpha(now);
    EstimateCnp(now);
    UpdateDeadline();
}

int64_t
RdmaDcqcnBase::EndedPeriods(int64_t now) const
{
    return m_cnpSeen ? (now - m_alphaTime) / m_alphaPeriod.GetPicoSeconds() : 0;
}

RdmaDcqcnBase::Fraction
RdmaDcqcnBase::AlphaAfter(int64_t periods) const
{
    Fraction alpha = m_alpha;
    if (periods > 0 && m_cnpInPeriod)
    {
        alpha = Reinforce(alpha);
        --periods;
    }
    for (; periods > 0; --periods)
    {
        const Fraction next = Decay(alpha);
        if (next == alpha)
        {
            break; // too small for one more step to show, however long the silence
        }
        alpha = next;
    }
    return alpha;
}

void
RdmaDcqcnBase::UpdateAlpha(int64_t now)
{
    const int64_t periods = EndedPeriods(now);
    if (periods > 0)
    {
        m_alpha = AlphaAfter(periods);
        m_alphaTime += periods * m_alphaPeriod.GetPicoSeconds();
        m_cnpInPeriod = false;
    }
}

void
RdmaDcqcnBase::Cut(int64_t now)
{
    UpdateAlpha(now);
    const uint64_t rate = GetRate();
    if (m_clampTarget || m_byteStage > 0 || (m_clampTargetAfterTimer && m_timerStage > 0))
    {
        m_target = rate;
    }
    const uint64_t wanted = rate - Multiply(rate, m_alpha) / 2;
    const uint64_t least = Multiply(rate, m_minDecreaseFactor);
    SetRate(std::max(wanted, least), now);
    RestartRecovery(now);
}

void
RdmaDcqcnBase::RestartRecovery(int64_t now)
{
    m_cutPending = false;
    m_nextCut = now + m_cutInterval.GetPicoSeconds();
    m_timerStage = 0;
    m_byteStage = 0;
    m_bytes = 0;
    m_nextTimer = GetRate() < GetLineRate() ? now + m_ratePeriod.GetPicoSeconds() : NO_DEADLINE;
}

void
RdmaDcqcnBase::Increase(int64_t now)
{
    const uint32_t byteStage = m_byteCounter > 0 ? m_byteStage : m_timerStage;
    const uint32_t most = std::max(m_timerStage, byteStage);
    const uint32_t least = std::min(m_timerStage, byteStage);
    if (least > m_threshold)
    {
        m_target += (least - m_threshold + 1) * m_hyperRate.GetBitRate();
    }
    else if (most >= m_threshold)
    {
        m_target += m_additiveRate.GetBitRate();
    }
    m_target = std::min(m_target, GetLineRate());
    // Rounding up lets the rate reach its target.
    SetRate((m_target + GetRate() + 1) / 2, now);
    if (GetRate() == GetLineRate())
    {
        m_nextTimer = NO_DEADLINE;
    }
}

void
RdmaDcqcnBase::UpdateDeadline()
{
    m_nextDeadline = m_cutPending ? std::min(m_nextCut, m_nextTimer) : m_nextTimer;
}

void
RdmaDcqcnBase::SetGain(double gain)
{
    m_gain = static_cast<Fraction>(std::llround(std::ldexp(gain, 32)));
}

double
RdmaDcqcnBase::GetGain() const
{
    return std::ldexp(static_cast<double>(m_gain), -32);
}

void
RdmaDcqcnBase::SetInitialAlpha(double alpha)
{
    m_initialAlpha = static_cast<Fraction>(std::llround(std::ldexp(alpha, 32)));
}

double
RdmaDcqcnBase::GetInitialAlpha() const
{
    return std::ldexp(static_cast<double>(m_initialAlpha), -32);
}

void
RdmaDcqcnBase::SetMinDecreaseFactor(double factor)
{
    m_minDecreaseFactor = static_cast<Fraction>(std::llround(std::ldexp(factor, 32)));
}

double
RdmaDcqcnBase::GetMinDecreaseFactor() const
{
    return std::ldexp(static_cast<double>(m_minDecreaseFactor), -32);
}

} // namespace rdma
} // namespace ns3
