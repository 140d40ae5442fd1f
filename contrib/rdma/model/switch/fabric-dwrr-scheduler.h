/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DWRR_SCHEDULER_H
#define FABRIC_DWRR_SCHEDULER_H

#include "ns3/fabric-egress-scheduler.h"

#include <array>
#include <string>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Deficit weighted round robin (Shreedhar and Varghese, SIGCOMM 1995): lanes share the port in
 * proportion to their weights, counted in bytes. Lanes of the strict mask go before all others.
 */
class FabricDwrrScheduler : public FabricEgressScheduler
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricDwrrScheduler();

  private:
    uint32_t DoSelect(uint32_t eligible, const FabricFrameQueue* lanes) override;

    /// \param weights Numbers with a space between, one per lane.
    void SetWeights(const std::string& weights);
    /// \return The weights.
    std::string GetWeights() const;

    std::array<uint32_t, FABRIC_PRIORITIES> m_weights; //!< weight of each lane
    std::array<int64_t, FABRIC_PRIORITIES> m_deficit;  //!< bytes that a lane may still send
    uint32_t m_quantum;                                //!< bytes that a weight of 1 gives per round
    uint32_t m_strict;                                 //!< lanes that go before all others
    uint32_t m_turn{0};                                //!< the lane whose turn it is
    bool m_granted{false};                             //!< whether it got its quantum for this turn
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DWRR_SCHEDULER_H */
