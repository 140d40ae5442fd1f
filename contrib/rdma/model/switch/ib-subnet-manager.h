/* SPDX-License-Identifier: GPL-2.0-only */
/* The subnet manager: addresses, routes and lanes of an InfiniBand subnet. */

#ifndef IB_SUBNET_MANAGER_H
#define IB_SUBNET_MANAGER_H

#include "ns3/ib-lids.h"
#include "ns3/ib-route-check.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
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
class IbSwitch;

/**
 * \ingroup rdma
 * Sweeps a subnet: finds switches, hosts and the cables that work, gives the hosts LIDs, has a
 * routing engine compute the routes, loads the tables of all switches, and checks the routes for
 * possible deadlocks and for hosts that are not reached.
 *
 * When a cable is cut or mended it sweeps again after SweepDelay. All switches get their tables at
 * one moment; packets sent into the cut cable until then are lost. LIDs stay as they are. When the
 * engine is not for what is left of the subnet (a tree that is none any more), up-down routing does it,
 * which is for every subnet. The
 * packets of subnet management are not simulated.
 */
class IbSubnetManager : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    IbSubnetManager();
    ~IbSubnetManager() override;

    /// \param network The network of the subnet.
    void SetNetwork(Ptr<FabricNetwork> network);
    /// \param ibSwitch A switch of the network.
    void AddSwitch(Ptr<IbSwitch> ibSwitch);
    /// \param factory Makes the routing engine; ns3::rdma::IbMinHopRouting unless set.
    void SetRoutingEngine(const ObjectFactory& factory);

    /**
     * Sweeps now, and listens to the state of all cables from now on.
     * \return Empty, or why the engine is not for this subnet; then nothing has changed.
     */
    std::string TrySweep();
    /// The same, but aborts with a sentence when the engine is not for this subnet.
    void Sweep();

    /// Aborts with a sentence unless there are routes.
    void ExpectSwept() const;

    /// \return What the check of the last sweep has found.
    const IbRouteReport& GetReport() const;
    /// \return The subnet that the last sweep has found.
    const IbSubnet& GetSubnet() const;
    /// \return The routes of the last sweep; nullptr before the first.
    std::shared_ptr<const IbRoutes> GetRoutes() const;

    /**
     * Signature of the trace source Swept.
     * \param report What the check has found.
     */
    typedef void (*SweptTracedCallback)(const IbRouteReport& report);

  protected:
    void DoDispose() override;

  private:
    /// Listens to all cables from now on. \return The switches, hosts and cables that work.
    IbSubnet Explore();
    /// \return The number of data lanes that all ports have.
    uint8_t GetLanes() const;
    /// \return The service levels that some switch routes adaptively, a mask.
    uint16_t GetAdaptiveLevels() const;
    /**
     * Gives a switch its tables.
     * \param at Its number.
     */
    void Load(uint32_t at);
    /**
     * Listens to a cable.
     * \param device A device.
     * \return The device at the other end of its cable; nullptr when there is none or it is cut.
     */
    Ptr<FabricNetDevice> Watch(const Ptr<FabricNetDevice>& device);
    /**
     * Has the subnet swept in a while.
     * \param channel The cable that was cut or mended.
     * \param up Whether it works now.
     */
    void LinkChanged(Ptr<const FabricChannel> channel, bool up);
    /// Sweeps because a cable has changed.
    void Update();
    /**
     * \param factory Makes the routing engine.
     * \return See TrySweep.
     */
    std::string SweepWith(const ObjectFactory& factory);

    Ptr<FabricNetwork> m_network;                       //!< the network
    std::vector<Ptr<IbSwitch>> m_switches;              //!< its switches
    std::unordered_set<const FabricChannel*> m_watched; //!< cables that are listened to
    ObjectFactory m_engineFactory;                      //!< makes the routing engine
    IbSubnet m_subnet;                                  //!< what was found
    std::shared_ptr<const IbRoutes> m_routes;           //!< the routes
    std::string m_problem;                              //!< why the last engine found no routes
    IbRouteReport m_report;                             //!< what the check has found
    Time m_due{-1};    //!< when the next sweep is due, negative for never
    Time m_sweepDelay; //!< from a change of a cable to new tables
    uint8_t m_lmc;     //!< LID mask control
    TracedCallback<const IbRouteReport&> m_sweptTrace; //!< tables are new
};

} // namespace rdma
} // namespace ns3

#endif /* IB_SUBNET_MANAGER_H */
