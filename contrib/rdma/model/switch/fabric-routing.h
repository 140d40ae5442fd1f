/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

class FabricChannel;
class FabricNetwork;
class FabricSwitch;

/**
 * \ingroup rdma
 * Computes the forwarding tables of all switches of a network: every shortest path to every host,
 * parallel links included, whatever the topology.
 *
 * The graph is found by walking the devices of the network and their cables; links that are down
 * are left out. Distances are hop counts, by breadth-first search (Boost.Graph) from each switch
 * that has hosts. When a cable is cut or mended the tables are computed anew after ConvergenceDelay.
 */
class FabricRouting : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricRouting();
    ~FabricRouting() override;

    /// \param network The network whose switches get tables.
    void SetNetwork(Ptr<FabricNetwork> network);
    /// \param fabricSwitch A switch of the network.
    void AddSwitch(Ptr<FabricSwitch> fabricSwitch);

    /// Computes all tables now, and listens to the state of all cables from now on.
    void Compute();

    /**
     * \return Pairs of hosts that cannot reach each other, named by node, at most \p limit of them;
     *         empty when all can.
     * \param limit How many to name.
     */
    std::vector<std::string> GetUnreachable(uint32_t limit) const;

    /**
     * One shortest path, for closed forms: the first port of each group.
     * \param source An endpoint number.
     * \param destination Another.
     * \return The cables from the one to the other; empty when there is no path.
     */
    std::vector<Ptr<FabricChannel>> GetPath(uint32_t source, uint32_t destination) const;

  protected:
    void DoDispose() override;

  private:
    // the implementer fills this in

    Ptr<FabricNetwork> m_network;             //!< the network
    std::vector<Ptr<FabricSwitch>> m_switches; //!< its switches
    Time m_convergence;                        //!< from a change of a link to new tables
    TracedCallback<> m_computedTrace;          //!< tables are new
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_ROUTING_H */
