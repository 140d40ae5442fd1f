/* SPDX-License-Identifier: GPL-2.0-only */
/* Adaptive routing: the shortest queue. */

#ifndef FABRIC_LEAST_QUEUED_SELECTOR_H
#define FABRIC_LEAST_QUEUED_SELECTOR_H

#include "ns3/fabric-path-selector.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Adaptive routing: each frame takes the port with the fewest bytes waiting; equal ones take turns.
 * Frames of a flow may overtake each other.
 */
class FabricLeastQueuedSelector : public FabricPathSelector
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    uint32_t DoSelect(const FabricFrame& frame, FabricForwardingTable::Ports ports) override;

    uint32_t m_turn{0}; //!< where the search begins
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_LEAST_QUEUED_SELECTOR_H */
