/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-congestion.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSrdCongestion);

TypeId
RdmaSrdCongestion::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaSrdCongestion")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSrdCongestion>()
            .AddAttribute("InitialWindow",
                          "Payload bytes in flight to a peer that nothing is known of: a few long "
                          "packets, so that an incast of many senders starts softly.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&RdmaSrdCongestion::m_initialWindow),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("InFlightGain",
                          "In flight are at most so many times rate x least round-trip time. At a "
                          "load near 1, queues of random arrivals make round-trip times twice and "
                          "three times the least one, which must not cost rate.",
                          DoubleValue(4.0),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_gain),
                          MakeDoubleChecker<double>(1.0))
            .AddAttribute("CongestionDelay",
                          "With a single path: a smoothed round-trip time above the least one by "
                          "more than this is congestion. The path policy decides for many paths.",
                          TimeValue(MicroSeconds(60)),
                          MakeTimeAccessor(&RdmaSrdCongestion::m_congestionDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MajorityShare",
                          "Congestion: the round-trip time is up on more than this share of the "
                          "paths. Fewer are left to the path policy.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_majority),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("DeliveryShare",
                          "Congestion: less than this share of the send rate arrives, in most "
                          "samples of a round, while the round-trip time is up. Well below 1, "
                          "since packets that overtake each other arrive less evenly.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_deliveryShare),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("LossShare",
                          "Congestion: more than this share of the packets of a round is lost. "
                          "High, since a dead path and a bad cable are no congestion.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_lossShare),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("DecreaseFactor",
                          "The rate after a round with congestion, as a share of what arrived.",
                          DoubleValue(0.85),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_decrease),
                          MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute("IncreaseShare",
                          "Step of the rate after a round without congestion, as a share of the "
                          "line rate. The same for all, so that shares become equal.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_increase),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("FastRounds",
                          "Rounds without congestion after which the step doubles, up to 32 times: "
                          "capacity that comes free is used soon.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaSrdCongestion::m_fastRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("LeastRateShare",
                          "Lowest rate, as a share of the line rate: about one packet per "
                          "millisecond at 100 Gb/s.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSrdCongestion::m_leastShare),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("SilenceTime",
                          "The rate halves when packets time out and nothing was acknowledged for "
                          "so long: some timeouts, since a few lost packets are no congestion.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RdmaSrdCongestion::m_silence),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("LeastRttWindow",
                          "How long the least round-trip time counts.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaSrdCongestion::m_leastWindow),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

RdmaSrdCongestion::RdmaSrdCongestion()
{
    m_signals = ACK | LOSS | RTT | DELIVERY;
}

RdmaSrdCongestion::~RdmaSrdCongestion() = default;

uint64_t
RdmaSrdCongestion::GetBandwidth() const
{
    return *std::max_element(m_bandwidths.begin(), m_bandwidths.end());
}

int64_t
RdmaSrdCongestion::GetLeastRtt() const
{
    return m_leastRtt;
}

void
RdmaSrdCongestion::DoStart(int64_t now)
{
    m_bandwidths.fill(0);
    m_leastRtt = m_smoothedRtt = 0;
    m_leastAt = m_lastAck = now;
    m_roundEnd = m_roundRate = m_fullRate = 0;
    m_roundAcks = m_roundLosses = m_roundSamples = m_roundSlow = 0;
    m_rounds = m_calmRounds = m_fullRounds = 0;
    m_starting = true;
    m_minRate = std::max<uint64_t>(
        1,
        static_cast<uint64_t>(m_leastShare * static_cast<double>(GetLineRate())));
    m_window = m_initialWindow;
}

void
RdmaSrdCongestion::FitWindow()
{
    if (m_leastRtt)
    {
        const double bytes =
            m_gain * static_cast<double>(GetRate()) * static_cast<double>(m_leastRtt) / 8e12;
        m_window = std::max<uint64_t>(1, static_cast<uint64_t>(bytes));
    }
}

void
RdmaSrdCongestion::DoAck(const CcAckEvent& event)
{
    m_lastAck = event.now;
    ++m_roundAcks;
    if (event.rttPs >= 0)
    {
        if (!m_leastRtt || event.rttPs <= m_leastRtt ||
            event.now - m_leastAt > m_leastWindow.GetPicoSeconds())
        {
            m_leastRtt = std::max<int64_t>(event.rttPs, 1);
            m_leastAt = event.now;
        }
        m_smoothedRtt += m_smoothedRtt ? (event.rttPs - m_smoothedRtt) / 8 : event.rttPs;
    }
    if (event.deliveryRate)
    {
        m_roundRate = std::max(m_roundRate, event.deliveryRate);
        ++m_roundSamples;
        m_roundSlow += static_cast<double>(event.deliveryRate) <
                       m_deliveryShare * static_cast<double>(event.sendRate);
    }
    if (m_starting)
    {
        m_window += event.ackedBytes;
    }
    if (event.rttPs >= 0 && event.priorDelivered >= m_roundEnd)
    {
        EndRound(event);
        m_roundEnd = event.delivered;
        m_roundRate = 0;
        m_roundAcks = m_roundLosses = m_roundSamples = m_roundSlow = 0;
    }
}

bool
RdmaSrdCongestion::IsCongested(const CcAckEvent& event) const
{
    const int64_t allowed = m_congestionDelay.GetPicoSeconds();
    const int64_t queue = m_smoothedRtt - m_leastRtt;
    const bool slow = event.pathsMeasured ? event.pathsCongested > m_majority * event.pathsMeasured
                                          : queue > allowed;
    const bool lossy = m_roundLosses >= LEAST_LOSSES &&
                       m_roundLosses > m_lossShare * (m_roundLosses + m_roundAcks);
    // Packets that overtake each other stretch the time in which they arrive as well; a queue that
    // grows is what makes the difference.
    const bool starved =
        m_roundSamples >= ROUNDS && 2 * m_roundSlow > m_roundSamples && 2 * queue > allowed;
    return slow || lossy || starved;
}

void
RdmaSrdCongestion::EndRound(const CcAckEvent& event)
{
    // What arrives while there is little to send says nothing, unless it is more than known.
    if (m_roundRate && (!event.limited || m_roundRate > GetBandwidth()))
    {
        m_bandwidths[m_rounds++ % ROUNDS] = m_roundRate;
    }
    const bool congested = IsCongested(event);
    if (m_starting)
    {
        if (!event.limited &&
            static_cast<double>(m_roundRate) > GROWTH * static_cast<double>(m_fullRate))
        {
            m_fullRate = m_roundRate;
            m_fullRounds = 0;
        }
        else if (!event.limited)
        {
            ++m_fullRounds;
        }
        if (congested || m_fullRounds >= FULL_ROUNDS)
        {
            m_starting = false;
        }
        else
        {
            return;
        }
    }
    if (congested)
    {
        m_calmRounds = 0;
        const uint64_t arrived = m_roundRate ? std::min(m_roundRate, GetRate()) : GetRate();
        // The longer the queue, the harder the cut: a full one at twice the delay that is allowed.
        const auto allowed = static_cast<double>(m_congestionDelay.GetPicoSeconds());
        const auto queue = static_cast<double>(m_smoothedRtt - m_leastRtt);
        const double excess = queue < 2 * allowed ? std::max(queue / allowed - 1, LEAST_EXCESS) : 1;
        SetRate(
            static_cast<uint64_t>((1 - (1 - m_decrease) * excess) * static_cast<double>(arrived)),
            event.now);
    }
    else
    {
        const uint32_t doublings = std::min(m_calmRounds++ / m_fastRounds, MAX_DOUBLINGS);
        const double step = m_increase * static_cast<double>(GetLineRate()) * (1U << doublings);
        SetRate(GetRate() + static_cast<uint64_t>(step), event.now);
    }
    FitWindow();
}

void
RdmaSrdCongestion::DoLoss(const CcLossEvent& event)
{
    ++m_roundLosses;
    // Nothing comes back at all: what is known of the way there is out of date.
    if (event.timeout && event.now - m_lastAck > m_silence.GetPicoSeconds())
    {
        m_lastAck = event.now;
        m_starting = false;
        m_calmRounds = 0;
        SetRate(GetRate() / 2, event.now);
        FitWindow();
    }
}

} // namespace rdma
} // namespace ns3
