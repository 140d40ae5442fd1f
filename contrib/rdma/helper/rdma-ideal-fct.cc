/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ideal-fct.h"

#include "ns3/abort.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// The packets of equal messages sent one after the other, numbered from 1.
class PacketTrain
{
  public:
    PacketTrain(uint64_t bytes, const RdmaPacketSizes& sizes, uint64_t messages)
        : m_packets(std::max<uint64_t>(1, bytes / sizes.mtu + (bytes % sizes.mtu != 0))),
          m_messages(messages),
          m_full(sizes.mtu + sizes.overhead),
          m_first(sizes.firstExtra)
    {
        const uint64_t rest = bytes - (m_packets - 1) * sizes.mtu;
        const uint64_t padded = (rest + sizes.padding - 1) / sizes.padding * sizes.padding;
        m_message = (m_packets - 1) * m_full + m_first + padded + sizes.overhead;
    }

    /// \return The bytes of packets \p from to \p to on the wire, both included.
    uint64_t Bytes(uint64_t from, uint64_t to) const
    {
        return Prefix(to) - Prefix(from - 1);
    }

    /// \return The packets behind which the heaviest walk may change its link, in order.
    std::vector<uint64_t> Stops() const
    {
        std::set<uint64_t> stops;
        for (const uint64_t message : {uint64_t{0}, m_messages - 1})
        {
            for (const uint64_t packet :
                 {uint64_t{1}, std::max<uint64_t>(m_packets, 2) - 1, m_packets})
            {
                stops.insert(message * m_packets + packet);
            }
        }
        return {stops.begin(), stops.end()};
    }

  private:
    /// \return The bytes of the first \p count packets on the wire.
    uint64_t Prefix(uint64_t count) const
    {
        const uint64_t rest = count % m_packets;
        return count / m_packets * m_message + (rest > 0 ? rest * m_full + m_first : 0);
    }

    uint64_t m_packets;  //!< packets of a message
    uint64_t m_messages; //!< number of messages
    uint64_t m_full;     //!< bytes of a full packet without RETH
    uint64_t m_first;    //!< further bytes of the first packet of a message
    uint64_t m_message;  //!< bytes of a message
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

/**
 * \param path The links.
 * \param head Bytes that a switch waits for.
 * \param bytes Bytes of all packets.
 * \return The time until the last bit has come to the end of the path.
 */
int64_t
CutThroughFct(const std::vector<RdmaPathHop>& path, uint32_t head, uint64_t bytes)
{
    std::size_t slowest = 0;
    for (std::size_t link = 0; link < path.size(); ++link)
    {
        slowest = path[link].rate <= path[slowest].rate ? link : slowest;
    }
    int64_t time = WireTime(bytes, path[slowest].rate);
    for (std::size_t link = 0; link < path.size(); ++link)
    {
        time += path[link].delay + path[link].latency;
        time += link < slowest ? WireTime(head, path[link].rate) : 0;
    }
    return time;
}

} // namespace

int64_t
RdmaIdealFct(const std::vector<RdmaPathHop>& path,
             uint64_t bytes,
             const RdmaPacketSizes& sizes,
             uint64_t messages)
{
    NS_ABORT_MSG_IF(path.empty(), "An ideal flow completion time needs at least one link");
    NS_ABORT_MSG_IF(sizes.mtu == 0, "An ideal flow completion time needs an MTU above 0");
    NS_ABORT_MSG_IF(messages == 0, "An ideal flow completion time needs at least one message");
    const PacketTrain train(bytes, sizes, messages);
    if (sizes.cutThrough)
    {
        return CutThroughFct(path, sizes.cutThrough, train.Bytes(1, train.Stops().back()));
    }
    const std::vector<uint64_t> stops = train.Stops();

    // best[p]: the heaviest walk that leaves the links so far behind packet stops[p].
    std::vector<int64_t> best;
    for (const uint64_t stop : stops)
    {
        best.push_back(WireTime(train.Bytes(1, stop), path.front().rate));
    }
    for (std::size_t link = 1; link < path.size(); ++link)
    {
        const int64_t gap = path[link - 1].delay + path[link - 1].latency;
        std::vector<int64_t> next(stops.size(), 0);
        for (std::size_t q = 0; q < stops.size(); ++q)
        {
            for (std::size_t p = 0; p <= q; ++p)
            {
                const int64_t onLink = WireTime(train.Bytes(stops[p], stops[q]), path[link].rate);
                next[q] = std::max(next[q], best[p] + gap + onLink);
            }
        }
        best = std::move(next);
    }
    return best.back() + path.back().delay;
}

} // namespace ns3
