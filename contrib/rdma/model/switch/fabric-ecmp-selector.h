/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ECMP_SELECTOR_H
#define FABRIC_ECMP_SELECTOR_H

#include "ns3/fabric-path-selector.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Equal-cost multipath (RFC 2992): the hash of the 5-tuple, mixed with the switch's own seed,
 * decides, so a flow keeps its path and the switches of a path do not all decide alike.
 */
class FabricEcmpSelector : public FabricPathSelector
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    uint32_t DoSelect(const FabricFrame& frame, FabricForwardingTable::Ports ports) override;
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_ECMP_SELECTOR_H */
