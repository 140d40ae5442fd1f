/* SPDX-License-Identifier: GPL-2.0-only */
/* Base of the routing engines of an InfiniBand subnet manager. */

#ifndef IB_ROUTING_ENGINE_H
#define IB_ROUTING_ENGINE_H

#include "ns3/ib-lids.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"
#include "ns3/object.h"

#include <string>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Computes the routes of a subnet: a pure function of the subnet, its LIDs and the number of lanes.
 * The same input gives the same routes.
 */
class IbRoutingEngine : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * \param subnet The switches, the cables that work, and the hosts.
     * \param lids The LIDs of the hosts.
     * \param lanes Number of data lanes of all links, 1 to 15.
     * \return The routes, or a problem (IbRoutes::GetProblem). Hosts that an engine finds no path
     *         for have none in the tables.
     */
    IbRoutes Compute(const IbSubnet& subnet, const IbLids& lids, uint8_t lanes) const;

  private:
    /**
     * Decides by which port each switch sends to the LIDs of hosts at other switches.
     * \param subnet The switches, the cables that work, and the hosts.
     * \param lids The LIDs of the hosts.
     * \param routes The routes; the entries of hosts at the switch itself are there already.
     * \return Empty, or a sentence that says why the engine is not for this subnet.
     */
    virtual std::string DoCompute(const IbSubnet& subnet,
                                  const IbLids& lids,
                                  IbRoutes& routes) const = 0;
};

} // namespace rdma
} // namespace ns3

#endif /* IB_ROUTING_ENGINE_H */
