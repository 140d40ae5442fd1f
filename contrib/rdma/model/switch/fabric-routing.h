/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "ns3/fabric-route-graph.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace ns3
{
namespace rdma
{

class FabricChannel;
class FabricNetDevice;
class FabricNetwork;
class FabricSwitch;

/**
 * \ingroup rdma
 * Computes the forwarding tables of all switches of a network: every shortest path to every host,
 * parallel links included, whatever the topology. Broadcasts get a tree.
 *
 * The graph is found by walking the devices of the network and their cables; links that are down
 * are left out. Distances are hop counts, by breadth-first search (Boost.Graph) from each switch
 * that has hosts (FabricRouteGraph). When a cable is cut or mended the tables are computed anew
 * after ConvergenceDelay, from the cables that work then; all at once, as a central controller does
 * it, so there is no moment at which some switches have new tables and others old ones.
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
     *         empty when all can. Hosts that can reach the same others stand for one another, so
     *         one pair may tell of many.
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
    /// \return The switches, hosts, and the cables that work.
    FabricRouteGraph Explore() const;
    /**
     * \param device A device.
     * \return The device at the other end of its cable; nullptr when there is none or it is cut.
     */
    static Ptr<FabricNetDevice> GetPeer(const Ptr<FabricNetDevice>& device);
    /**
     * \param device A device.
     * \return The place of its switch in m_switches, as Compute() found it; none of a host's.
     */
    uint32_t GetSwitchOf(const Ptr<FabricNetDevice>& device) const;
    /**
     * Has the tables computed anew in a while.
     * \param channel The cable that was cut or mended.
     * \param up Whether it works now.
     */
    void LinkChanged(Ptr<const FabricChannel> channel, bool up);
    /// Computes all tables because a cable has changed.
    void Update();

    Ptr<FabricNetwork> m_network;              //!< the network
    std::vector<Ptr<FabricSwitch>> m_switches; //!< its switches
    std::vector<uint32_t> m_switchOf; //!< for each device of the network the place of its switch
    std::unordered_set<const FabricChannel*> m_watched; //!< cables that are listened to
    Time m_due{-1};                   //!< when the next computation is due, negative for never
    Time m_convergence;               //!< from a change of a link to new tables
    TracedCallback<> m_computedTrace; //!< tables are new
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_ROUTING_H */
