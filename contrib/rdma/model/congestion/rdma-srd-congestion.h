/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_CONGESTION_H
#define RDMA_SRD_CONGESTION_H

#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"

#include <array>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Congestion control of an SRD peer: a rate, and a limit of what is in flight.
 *
 * What is public of SRD's is its aim (a fair share with as little in flight as possible) and its
 * signals: a dynamic rate limit and in-flight limit for each connection, similar to BBR; congestion
 * is a round-trip time that is up on the majority of paths, or a delivery rate below the rate of
 * sending. How rate and limit follow from that is ours:
 *
 * - Time goes in rounds: a round ends with the first acknowledgement of a packet that was sent in
 *   it. Each round decides once.
 * - At the start the rate is the line rate, and what is in flight doubles every round, from
 *   InitialWindow on, until there is congestion or the delivery rate no longer grows.
 * - From then on a round with congestion sets the rate to DecreaseFactor of what arrived in it, so
 *   that the queue drains; each round without raises it by IncreaseShare of the line rate, and by
 *   twice as much after each FastRounds such rounds in a row.
 * - In flight are InFlightGain x rate x least round-trip time at most.
 */
class RdmaSrdCongestion : public RdmaCongestionOps
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaSrdCongestion();
    ~RdmaSrdCongestion() override;

    /// \return The highest delivery rate of the last rounds, bit/s; 0: not known.
    uint64_t GetBandwidth() const;
    /// \return The least round-trip time of the last time, ps; 0: not known.
    int64_t GetLeastRtt() const;

  private:
    void DoStart(int64_t now) override;
    void DoAck(const CcAckEvent& event) override;
    void DoLoss(const CcLossEvent& event) override;

    /// \param event The acknowledgement that ends the round.
    void EndRound(const CcAckEvent& event);
    /// \param event The acknowledgement that ends the round. \return Whether there was congestion.
    bool IsCongested(const CcAckEvent& event) const;
    /// Sets the window to what the rate needs.
    void FitWindow();

    static constexpr uint32_t ROUNDS = 8;         //!< that the bandwidth is the maximum of
    static constexpr uint32_t FULL_ROUNDS = 3;    //!< without growth: the path is full
    static constexpr uint32_t MAX_DOUBLINGS = 5;  //!< of the increase
    static constexpr uint32_t LEAST_LOSSES = 8;   //!< in a round that losses count in
    static constexpr double GROWTH = 1.25;        //!< per round that counts as growth
    static constexpr double LEAST_EXCESS = 0.125; //!< least share of the full decrease

    std::array<uint64_t, ROUNDS> m_bandwidths{}; //!< delivery rates of the last rounds
    uint64_t m_initialWindow;                    //!< bytes in flight at first
    Time m_congestionDelay;                      //!< rise of the round-trip time that is congestion
    Time m_silence;                              //!< without acknowledgements that halves the rate
    Time m_leastWindow;                          //!< how long the least round-trip time counts
    double m_majority;                           //!< share of paths that must be congested
    double m_deliveryShare;                      //!< of the send rate that must arrive
    double m_lossShare;                          //!< of packets whose loss is congestion
    double m_decrease;                           //!< factor of the rate in congestion
    double m_increase;                           //!< step of the rate without, of the line rate
    double m_gain;                               //!< in flight, of rate x round-trip time
    double m_leastShare;                         //!< lowest rate, of the line rate
    uint32_t m_fastRounds;                       //!< rounds until the step doubles
    int64_t m_leastRtt{0};                       //!< least round-trip time, ps
    int64_t m_leastAt{0};                        //!< when it was measured, ps
    int64_t m_smoothedRtt{0};                    //!< smoothed round-trip time, ps
    int64_t m_lastAck{0};                        //!< time of the last acknowledgement, ps
    uint64_t m_roundEnd{0};                      //!< delivered bytes that the round ends behind
    uint64_t m_roundRate{0};                     //!< highest delivery rate of the round, bit/s
    uint32_t m_roundAcks{0};                     //!< acknowledgements of the round
    uint32_t m_roundLosses{0};                   //!< losses
    uint32_t m_roundSamples{0};                  //!< delivery rates
    uint32_t m_roundSlow{0};                     //!< those clearly below the send rate
    uint32_t m_rounds{0};                        //!< rounds so far
    uint32_t m_calmRounds{0};                    //!< rounds without congestion in a row
    uint32_t m_fullRounds{0};                    //!< rounds without growth in a row
    uint64_t m_fullRate{0}; //!< delivery rate that growth is measured against, bit/s
    bool m_starting{true};  //!< whether it is still the start
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_CONGESTION_H */
