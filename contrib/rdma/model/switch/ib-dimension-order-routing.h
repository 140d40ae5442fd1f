/* SPDX-License-Identifier: GPL-2.0-only */
/* Dimension-order routing for rings, tori and meshes, with datelines. */

#ifndef IB_DIMENSION_ORDER_ROUTING_H
#define IB_DIMENSION_ORDER_ROUTING_H

#include "ns3/ib-routing-engine.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * For switches with coordinates in a torus or mesh: a packet goes to its place in the first
 * dimension, then in the second, and so on; in a row the shorter way round, upwards when both are
 * equally long, and the other way when a cable of the row is broken. Several cables between two
 * switches are balanced.
 *
 * The order of the dimensions leaves only the rows as cycles. Each row that closes has a dateline,
 * the cable between its last and its first switch. A path that crosses it uses lane 1 in that row,
 * any other path lane 0; bit i of the service level tells of the i-th dimension that closes. No
 * cycle is left: on lane 0 nothing crosses the dateline, and on lane 1 everything does, but no path
 * is longer than half the row, so that two links opposite the dateline are never used one after the
 * other. (In a broken row there is no cycle anyway.) At most 4 dimensions that close fit into the
 * 16 service levels.
 */
class IbDimensionOrderRouting : public IbRoutingEngine
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    std::string DoCompute(const IbSubnet& subnet,
                          const IbLids& lids,
                          IbRoutes& routes) const override;

    bool m_dateline; //!< whether paths across a dateline use a second lane
};

} // namespace rdma
} // namespace ns3

#endif /* IB_DIMENSION_ORDER_ROUTING_H */
