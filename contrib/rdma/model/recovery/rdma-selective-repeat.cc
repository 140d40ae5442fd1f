/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective repeat with a window of one bandwidth-delay product, as in IRN. */

#include "ns3/rdma-selective-repeat.h"

#include "ns3/abort.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSelectiveRepeat);

TypeId
RdmaSelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaSelectiveRepeat")
            .SetParent<RdmaLossRecovery>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSelectiveRepeat>()
            .AddAttribute("RoundTripTime",
                          "Round-trip time of the longest path. As much as the port sends in that "
                          "time may be unacknowledged, and is kept track of by the receiver. The "
                          "default makes the 120 KB at 40 Gb/s of IRN (SIGCOMM 2018).",
                          TimeValue(MicroSeconds(24)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_roundTrip),
                          MakeTimeChecker(NanoSeconds(1), MilliSeconds(100)))
            .AddAttribute("RtoLow",
                          "Retransmission timeout when fewer than FewPackets are under way; 100 us "
                          "in IRN.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_shortTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoHigh",
                          "Retransmission timeout otherwise; 320 us in IRN.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RdmaSelectiveRepeat::m_longTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("FewPackets",
                          "With fewer packets under way RtoLow applies; 3 in IRN.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaSelectiveRepeat::m_fewPackets),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

RdmaSelectiveRepeat::RdmaSelectiveRepeat()
{
    m_selective = true;
    m_ownTimer = true;
    m_opcodePrefix = OPCODE_PLACED;
}

RdmaSelectiveRepeat::~RdmaSelectiveRepeat() = default;

uint64_t
RdmaSelectiveRepeat::PacketsInFlight(uint64_t lineRate, uint32_t mtu) const
{
    // Nanoseconds, and at most 100 ms, so that 64 bits hold the product of any rate.
    const uint64_t bytes = lineRate / 8 * m_roundTrip.GetNanoSeconds() / 1'000'000'000;
    return std::min(std::max<uint64_t>((bytes + mtu - 1) / mtu, 1), RDMA_PSN_WINDOW);
}

void
RdmaSelectiveRepeat::DoStartSending(uint64_t lineRate, uint32_t mtu, uint64_t first)
{
    m_sendWindow = PacketsInFlight(lineRate, mtu);
    uint64_t bits = 64;
    while (bits < m_sendWindow)
    {
        bits *= 2;
    }
    m_mask = bits - 1;
    m_arrived.assign(bits / 64, 0);
    m_unacked = m_arrivedEnd = m_next = m_horizon = m_recoveryEnd = first;
}

void
RdmaSelectiveRepeat::DoStartReceiving(uint64_t lineRate, uint32_t mtu)
{
    m_receiveWindow = PacketsInFlight(lineRate, mtu);
}

bool
RdmaSelectiveRepeat::DoLost(const RdmaLossEvent& event)
{
    const bool all =
        event.kind == RdmaLossEvent::Kind::TIMEOUT || event.kind == RdmaLossEvent::Kind::NOT_READY;
    if (all || m_unacked >= m_recoveryEnd)
    {
        m_recoveryEnd = event.highest;
        m_next = m_unacked;
    }
    if (event.kind == RdmaLossEvent::Kind::NOT_READY)
    {
        // The responder had kept it, and dropped it when its turn came.
        const uint64_t bit = m_unacked & m_mask;
        m_arrived[bit / 64] &= ~(1ULL << (bit % 64));
    }
    if (all)
    {
        m_horizon = event.highest;
    }
    else
    {
        m_horizon = std::max({m_horizon, event.ahead, m_unacked + 1});
    }
    FindRepeat();
    return false;
}

void
RdmaSelectiveRepeat::DoAcked(uint64_t unacked)
{
    for (const uint64_t end = std::min(unacked, m_arrivedEnd); m_unacked < end; ++m_unacked)
    {
        const uint64_t bit = m_unacked & m_mask;
        m_arrived[bit / 64] &= ~(1ULL << (bit % 64));
    }
    m_unacked = unacked;
    if (m_repeat != NOTHING && m_repeat < unacked)
    {
        m_next = unacked;
        FindRepeat();
    }
}

bool
RdmaSelectiveRepeat::DoArrived(uint64_t sequence)
{
    if (sequence < m_unacked || sequence - m_unacked > m_mask || DoHasArrived(sequence))
    {
        return false;
    }
    const uint64_t bit = sequence & m_mask;
    m_arrived[bit / 64] |= 1ULL << (bit % 64);
    m_arrivedEnd = std::max(m_arrivedEnd, sequence + 1);
    if (sequence == m_repeat)
    {
        FindRepeat();
    }
    return true;
}

bool
RdmaSelectiveRepeat::DoHasArrived(uint64_t sequence) const
{
    if (sequence >= m_arrivedEnd)
    {
        return false;
    }
    const uint64_t bit = sequence & m_mask;
    return m_arrived[bit / 64] >> (bit % 64) & 1;
}

bool
RdmaSelectiveRepeat::DoMustRepeat(uint64_t sequence) const
{
    return sequence < m_horizon && !DoHasArrived(sequence);
}

void
RdmaSelectiveRepeat::DoRepeated(uint64_t count, uint64_t highest)
{
    m_next = m_repeat + count;
    if (m_repeat >= m_recoveryEnd)
    {
        m_recoveryEnd = highest; // a loss since the recovery began: it is a new one
    }
    FindRepeat();
}

void
RdmaSelectiveRepeat::FindRepeat()
{
    m_next = FindMissing(std::max(m_next, m_unacked), m_horizon);
    m_repeat = m_next < m_horizon ? m_next : NOTHING;
}

int64_t
RdmaSelectiveRepeat::DoGetTimeout(int64_t /* ackTimeout */, uint64_t inFlight) const
{
    return (inFlight < m_fewPackets ? m_shortTimeout : m_longTimeout).GetPicoSeconds();
}

} // namespace rdma
} // namespace ns3
