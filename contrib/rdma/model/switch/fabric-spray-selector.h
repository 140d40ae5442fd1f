/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SPRAY_SELECTOR_H
#define FABRIC_SPRAY_SELECTOR_H

#include "ns3/fabric-path-selector.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Per-packet load balancing: the switch goes round its equally good ports, frame by frame. Frames
 * of a flow may overtake each other.
 */
class FabricSpraySelector : public FabricPathSelector
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    uint32_t DoSelect(const FabricFrame& frame, FabricForwardingTable::Ports ports) override;

    uint32_t m_turn{0}; //!< frames placed so far
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_SPRAY_SELECTOR_H */
