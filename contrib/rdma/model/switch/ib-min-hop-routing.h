/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths with balanced ports. */

#ifndef IB_MIN_HOP_ROUTING_H
#define IB_MIN_HOP_ROUTING_H

#include "ns3/ib-routing-engine.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Every path is a shortest one, and each port gets about as many LIDs as the others that are
 * equally short (IbPortBalancer). The groups for adaptive routing are all ports of shortest paths.
 * One lane is used, so networks with rings can deadlock: ask IbRouteCheck.
 */
class IbMinHopRouting : public IbRoutingEngine
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  protected:
    std::string DoCompute(const IbSubnet& subnet,
                          const IbLids& lids,
                          IbRoutes& routes) const override;
};

} // namespace rdma
} // namespace ns3

#endif /* IB_MIN_HOP_ROUTING_H */
