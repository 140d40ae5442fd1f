/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths in layers, each of them free of deadlock. */

#ifndef IB_LAYERED_ROUTING_H
#define IB_LAYERED_ROUTING_H

#include "ns3/ib-min-hop-routing.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The shortest paths of IbMinHopRouting, on any network, packed into layers: every layer has a
 * service level and a lane of its own, and the dependencies of its paths have no cycle (as in LASH,
 * Skeie, Lysne and Theiss, 2002). All paths from the hosts of a switch to those of another are
 * in one layer, the first one that has room for them. Afterwards paths move from full layers to
 * emptier ones where they fit, so that the lanes carry about the same number of switch pairs.
 *
 * The engine refuses when the lanes are not enough. It leaves no choice to adaptive routing,
 * because another port could break the layer.
 */
class IbLayeredRouting : public IbMinHopRouting
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

#endif /* IB_LAYERED_ROUTING_H */
