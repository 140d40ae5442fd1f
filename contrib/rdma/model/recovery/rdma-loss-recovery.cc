/* SPDX-License-Identifier: GPL-2.0-only */
/* Base class of the ways in which a queue pair recovers from losses. */

#include "ns3/rdma-loss-recovery.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/rdma-psn.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaLossRecovery");

NS_OBJECT_ENSURE_REGISTERED(RdmaLossRecovery);

TypeId
RdmaLossRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaLossRecovery")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("OutOfOrderNak",
                          "Whether a responder reports packets that come ahead of their turn by a "
                          "NAK. Without it only the timer of the requester finds losses.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaLossRecovery::m_reportGaps),
                          MakeBooleanChecker())
            .AddAttribute("AdaptiveTimer",
                          "Whether the retransmission timer adapts: it starts short, halves when "
                          "nothing is lost for as long as it runs, and doubles when it expires, up "
                          "to the timeout attribute of the queue pair.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaLossRecovery::m_adaptive),
                          MakeBooleanChecker())
            .AddAttribute("AdaptiveStart",
                          "First timeout of the adaptive timer; by default 4.096 us x 2^9.",
                          TimeValue(NanoSeconds(2'097'152)),
                          MakeTimeAccessor(&RdmaLossRecovery::m_adaptiveStart),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AdaptiveMinimum",
                          "Shortest timeout of the adaptive timer; by default 4.096 us x 2^5.",
                          TimeValue(NanoSeconds(131'072)),
                          MakeTimeAccessor(&RdmaLossRecovery::m_adaptiveMinimum),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("Loss",
                            "A requester notices a loss: RdmaLossEvent::Kind, the number of the "
                            "oldest packet that is not acknowledged, and the time in ps.",
                            MakeTraceSourceAccessor(&RdmaLossRecovery::m_lossTrace),
                            "ns3::rdma::RdmaLossRecovery::LossTracedCallback");
    return tid;
}

RdmaLossRecovery::RdmaLossRecovery() = default;

RdmaLossRecovery::~RdmaLossRecovery() = default;

void
RdmaLossRecovery::StartSending(uint64_t lineRate, uint32_t mtu, uint64_t first)
{
    NS_LOG_FUNCTION(this << lineRate << mtu << first);
    m_repeat = NOTHING;
    m_timeout = m_adaptiveStart.GetPicoSeconds();
    m_quietUntil = 0;
    DoStartSending(lineRate, mtu, first);
    NS_ASSERT_MSG(m_sendWindow > 0 && m_sendWindow <= RDMA_PSN_WINDOW,
                  "a requester may have 1 to 2^23 packets under way, not " << m_sendWindow);
}

void
RdmaLossRecovery::StartReceiving(uint64_t lineRate, uint32_t mtu)
{
    NS_LOG_FUNCTION(this << lineRate << mtu);
    DoStartReceiving(lineRate, mtu);
    NS_ASSERT_MSG(m_selective == (m_receiveWindow > 0) && m_receiveWindow <= RDMA_PSN_WINDOW,
                  "a responder keeps packets if recovery is selective");
}

bool
RdmaLossRecovery::Lost(const RdmaLossEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<uint32_t>(event.kind) << event.unacked << event.now);
    if (!m_lossTrace.IsEmpty())
    {
        m_lossTrace(static_cast<uint32_t>(event.kind), event.unacked, event.now);
    }
    if (event.kind == RdmaLossEvent::Kind::TIMEOUT)
    {
        m_timeout = std::min(2 * m_timeout, std::max(m_timeout, event.ackTimeout));
    }
    m_quietUntil = event.now + m_timeout;
    const bool back = DoLost(event);
    NS_ASSERT_MSG(back != m_selective, "selective recovery does not go back");
    return back;
}

void
RdmaLossRecovery::Acked(uint64_t unacked, int64_t now)
{
    if (now >= m_quietUntil)
    {
        if (m_quietUntil)
        {
            m_timeout = std::max(m_timeout / 2, m_adaptiveMinimum.GetPicoSeconds());
        }
        m_quietUntil = now + m_timeout;
    }
    DoAcked(unacked);
}

bool
RdmaLossRecovery::Arrived(uint64_t sequence)
{
    return DoArrived(sequence);
}

uint64_t
RdmaLossRecovery::FindMissing(uint64_t from, uint64_t to) const
{
    while (from < to && DoHasArrived(from))
    {
        ++from;
    }
    return from;
}

uint64_t
RdmaLossRecovery::GetRepeatRun(uint64_t to) const
{
    NS_ASSERT_MSG(m_repeat < to, "nothing before " << to << " is to be sent again");
    uint64_t end = m_repeat + 1;
    while (end < to && DoMustRepeat(end))
    {
        ++end;
    }
    return end - m_repeat;
}

void
RdmaLossRecovery::Repeated(uint64_t count, uint64_t highest)
{
    NS_LOG_LOGIC("again " << count << " from " << m_repeat);
    DoRepeated(count, highest);
}

int64_t
RdmaLossRecovery::GetTimeout(int64_t ackTimeout, uint64_t inFlight) const
{
    return m_adaptive ? std::min(m_timeout, ackTimeout) : DoGetTimeout(ackTimeout, inFlight);
}

void
RdmaLossRecovery::DoStartSending(uint64_t /* lineRate */, uint32_t /* mtu */, uint64_t /* first */)
{
    m_sendWindow = RDMA_PSN_WINDOW;
}

void
RdmaLossRecovery::DoStartReceiving(uint64_t /* lineRate */, uint32_t /* mtu */)
{
}

void
RdmaLossRecovery::DoAcked(uint64_t /* unacked */)
{
}

bool
RdmaLossRecovery::DoArrived(uint64_t /* sequence */)
{
    return false;
}

bool
RdmaLossRecovery::DoHasArrived(uint64_t /* sequence */) const
{
    return false;
}

bool
RdmaLossRecovery::DoMustRepeat(uint64_t /* sequence */) const
{
    return false;
}

void
RdmaLossRecovery::DoRepeated(uint64_t /* count */, uint64_t /* highest */)
{
}

int64_t
RdmaLossRecovery::DoGetTimeout(int64_t ackTimeout, uint64_t /* inFlight */) const
{
    return ackTimeout;
}

} // namespace rdma
} // namespace ns3
