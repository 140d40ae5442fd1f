/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ideal-fct.h"

#include "ns3/abort.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/// The packets of one message, numbered from 1.
class PacketTrain
{
  public:
    PacketTrain(uint64_t bytes, const RdmaPacketSizes& sizes)
        : m_count(std::max<uint64_t>(1, bytes / sizes.mtu + (bytes % sizes.mtu != 0))),
          m_middle(sizes.mtu + sizes.overhead),
          m_firstExtra(sizes.firstExtra)
    {
        const uint64_t rest = bytes - (m_count - 1) * sizes.mtu;
        m_last = (rest + 3) / 4 * 4 + sizes.overhead;
    }

    uint64_t Count() const
    {
        return m_count;
    }

    /// \return The bytes of packets \p from to \p to on the wire, both included.
    uint64_t Bytes(uint64_t from, uint64_t to) const
    {
        const uint64_t packets = to - from + 1;
        const bool hasLast = to == m_count;
        return (packets - hasLast) * m_middle + (hasLast ? m_last : 0) +
               (from == 1 ? m_firstExtra : 0);
    }

  private:
    uint64_t m_count;      //!< number of packets
    uint64_t m_middle;     //!< bytes of a full packet without RETH
    uint64_t m_firstExtra; //!< further bytes of the first
    uint64_t m_last;       //!< bytes of the last, when it is not the first as well
};

/// \return The picoseconds that bytes take at a rate, rounded down, without overflow below 18 Pb/s.
int64_t
WireTime(uint64_t bytes, uint64_t rate)
{
    // Long division of bits by rate, three decimal digits at a time, from seconds to picoseconds.
    uint64_t quotient = bytes * 8 / rate;
    uint64_t rest = bytes * 8 % rate;
    for (int digits = 0; digits < 12; digits += 3)
    {
        rest *= 1000;
        quotient = quotient * 1000 + rest / rate;
        rest %= rate;
    }
    return static_cast<int64_t>(quotient);
}

} // namespace

int64_t
RdmaIdealFct(const std::vector<RdmaPathHop>& path, uint64_t bytes, const RdmaPacketSizes& sizes)
{
    NS_ABORT_MSG_IF(path.empty(), "An ideal flow completion time needs at least one link");
    NS_ABORT_MSG_IF(sizes.mtu == 0, "An ideal flow completion time needs an MTU above 0");
    const PacketTrain train(bytes, sizes);
    const uint64_t count = train.Count();
    std::array<uint64_t, 4> stops{1,
                                  std::min<uint64_t>(2, count),
                                  std::max<uint64_t>(count, 2) - 1,
                                  count};
    std::sort(stops.begin(), stops.end());

    // best[p]: the heaviest walk that leaves the links so far behind at packet stops[p].
    std::array<int64_t, 4> best;
    for (std::size_t p = 0; p < stops.size(); ++p)
    {
        best[p] = WireTime(train.Bytes(1, stops[p]), path.front().rate);
    }
    for (std::size_t link = 1; link < path.size(); ++link)
    {
        const int64_t gap = path[link - 1].delay + path[link - 1].latency;
        std::array<int64_t, 4> next{};
        for (std::size_t q = 0; q < stops.size(); ++q)
        {
            for (std::size_t p = 0; p <= q; ++p)
            {
                const int64_t onLink = WireTime(train.Bytes(stops[p], stops[q]), path[link].rate);
                next[q] = std::max(next[q], best[p] + gap + onLink);
            }
        }
        best = next;
    }
    return best.back() + path.back().delay;
}

} // namespace ns3
