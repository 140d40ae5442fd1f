/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_RATE_SAMPLER_H
#define RDMA_SRD_RATE_SAMPLER_H

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * How fast packets arrive, from the times of their acknowledgements: bytes acknowledged between the
 * start of a packet and its acknowledgement, by the longer of the time in which they were sent and
 * the time in which they were acknowledged (the delivery rate of Cheng, Cardwell et al.,
 * draft-cheng-iccrg-delivery-rate-estimation, section 3.1). Retransmitted packets give no sample.
 */
class RdmaSrdRateSampler
{
  public:
    /// What a packet remembers of the time it was sent.
    struct Mark
    {
        uint64_t delivered{0};  //!< bytes delivered by then
        int64_t deliveredAt{0}; //!< when the last of them was, ps
        int64_t firstSent{0};   //!< when the packets that it counts with began to be sent, ps
        bool limited{false};    //!< whether there was less to send than allowed
    };

    /// What an acknowledgement tells.
    struct Result
    {
        uint64_t sendRate{0};     //!< at which the bytes were sent, bit/s
        uint64_t deliveryRate{0}; //!< at which they were acknowledged, at most that, bit/s
        uint64_t bytes{0};        //!< how many they are
    };

    /**
     * A packet is sent.
     * \param now The time in ps.
     * \param idle Whether nothing else is in flight.
     * \return What it has to remember.
     */
    Mark Sent(int64_t now, bool idle)
    {
        if (idle)
        {
            m_firstSent = m_deliveredAt = now;
        }
        return {m_delivered, m_deliveredAt, m_firstSent, m_limitedUntil > m_delivered};
    }

    /**
     * Bytes are acknowledged.
     * \param now The time in ps.
     * \param bytes How many.
     */
    void Delivered(int64_t now, uint32_t bytes)
    {
        m_delivered += bytes;
        m_deliveredAt = now;
    }

    /**
     * \param mark What the packet remembered, whose bytes are delivered by now.
     * \param sent When it was sent, ps.
     * \return What it tells.
     */
    Result Sample(const Mark& mark, int64_t sent)
    {
        m_firstSent = sent;
        const uint64_t bytes = m_delivered - mark.delivered;
        const int64_t sendTime = sent - mark.firstSent;
        const int64_t ackTime = m_deliveredAt - mark.deliveredAt;
        return {Rate(bytes, sendTime), Rate(bytes, std::max(sendTime, ackTime)), bytes};
    }

    /// \param inFlight Bytes in flight, while there is less to send than allowed.
    void Limited(uint64_t inFlight)
    {
        m_limitedUntil = m_delivered + std::max<uint64_t>(inFlight, 1);
    }

    /// \return Bytes delivered so far.
    uint64_t GetDelivered() const
    {
        return m_delivered;
    }

  private:
    /**
     * \param bytes Bytes.
     * \param time In how many ps.
     * \return bit/s; 0 when the time is.
     */
    static uint64_t Rate(uint64_t bytes, int64_t time)
    {
        return time <= 0 ? 0
                         : static_cast<uint64_t>(static_cast<double>(bytes) * 8e12 /
                                                 static_cast<double>(time));
    }

    uint64_t m_delivered{0};    //!< bytes delivered
    uint64_t m_limitedUntil{0}; //!< packets are limited until so many are
    int64_t m_deliveredAt{0};   //!< when the last of them was, ps
    int64_t m_firstSent{0};     //!< when what is acknowledged next began to be sent, ps
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_RATE_SAMPLER_H */
