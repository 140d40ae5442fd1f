/* SPDX-License-Identifier: GPL-2.0-only */
/* Subnets made from plans, and routes followed hop by hop, for the tests of routing engines. */

#ifndef IB_TEST_SUBNET_H
#define IB_TEST_SUBNET_H

#include "ns3/fabric-topology.h"
#include "ns3/ib-lids.h"
#include "ns3/ib-route-check.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-routing-engine.h"
#include "ns3/ib-subnet.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \param plan Hosts with one link each, and switches.
 * \param broken Numbers of links that do not work.
 * \return The subnet, with the port numbers of the plan.
 */
IbSubnet MakeSubnet(const FabricTopology& plan, const std::set<uint32_t>& broken = {});

/**
 * \param name The name of an engine, for example IbMinHopRouting.
 * \return The engine.
 */
Ptr<IbRoutingEngine> MakeEngine(const std::string& name);

/// A channel that a route uses.
struct IbHop
{
    uint32_t at;   //!< switch that it leaves
    uint16_t port; //!< port
    uint8_t lane;  //!< lane

    bool operator==(const IbHop& other) const
    {
        return at == other.at && port == other.port && lane == other.lane;
    }
};

/**
 * Follows the tables from host to host.
 * \param subnet The subnet.
 * \param lids The LIDs.
 * \param routes The tables.
 * \param source The host that sends.
 * \param dlid The destination.
 * \param hops Set to the channels between switches.
 * \return Whether the destination is reached.
 */
bool FollowRoute(const IbSubnet& subnet,
                 const IbLids& lids,
                 const IbRoutes& routes,
                 uint32_t source,
                 uint16_t dlid,
                 std::vector<IbHop>& hops);

/**
 * Expects all hosts to reach all others by paths as short as breadth-first search finds them.
 * \param subnet The subnet.
 * \param lids The LIDs.
 * \param routes The tables.
 */
void ExpectShortestRoutes(const IbSubnet& subnet, const IbLids& lids, const IbRoutes& routes);

} // namespace rdma
} // namespace ns3

#endif /* IB_TEST_SUBNET_H */
