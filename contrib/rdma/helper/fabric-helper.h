/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "ns3/fabric-network.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric-switch.h"
#include "ns3/ib-subnet-manager.h"
#include "ns3/ib-switch.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Builds a fabric from nodes: makes switches of some, connects them with cables, and computes the
 * routes.
 *
 * Call InstallSwitch for the nodes that are switches, then Connect for each cable, then
 * ComputeRoutes. A device on a node without a switch is a host's and becomes reachable.
 */
class FabricHelper
{
  public:
    FabricHelper();

    /**
     * Makes InfiniBand of it instead of Ethernet: switches are ns3::rdma::IbSwitch, links have
     * credits and virtual lanes (ns3::rdma::IbLink). Call it before everything else. Buffer policies,
     * egress schedulers and markers belong to Ethernet switches, and have no effect then.
     * \param encapsulation RdmaEncapsulation::INFINIBAND, or INFINIBAND_GRH for a global route header
     *        in every packet.
     */
    void UseInfiniBand(
        rdma::RdmaEncapsulation encapsulation = rdma::RdmaEncapsulation::INFINIBAND);
    /**
     * \param name Attribute of the flow control, for example "Priorities" of FabricPfc, or
     *        "DataLanes" of IbLink.
     * \param value Its value for devices made from now on.
     */
    void SetLinkAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param name Attribute of FabricNetDevice, for example "DataRate" or "Mtu".
     * \param value Its value for devices made from now on.
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /**
     * \param name Attribute of FabricChannel: "Delay".
     * \param value Its value for cables made from now on.
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);
    /**
     * \param name Attribute of FabricSwitch or IbSwitch, for example "Latency".
     * \param value Its value for switches made from now on.
     */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /**
     * \param factory Makes the flow control of each device: ns3::rdma::FabricPfc (the default) or
     *        ns3::rdma::FabricFlowControl for none.
     */
    void SetFlowControl(const ObjectFactory& factory);
    /// \param factory Makes the buffer policy of each switch; ns3::rdma::FabricDynamicBuffer by
    /// default.
    void SetBufferPolicy(const ObjectFactory& factory);
    /// \param factory Makes the path selector of each switch; ns3::rdma::FabricEcmpSelector by
    /// default.
    void SetPathSelector(const ObjectFactory& factory);
    /// \param factory Makes the scheduler of each port; ns3::rdma::FabricStrictScheduler by
    /// default.
    void SetEgressScheduler(const ObjectFactory& factory);
    /// \param factory Makes the marker of each port; ns3::rdma::FabricRedMarker by default.
    void SetMarker(const ObjectFactory& factory);
    /**
     * \param factory Makes the routing engine of an InfiniBand subnet, for example
     *        ns3::rdma::IbUpDownRouting; ns3::rdma::IbMinHopRouting by default.
     */
    void SetRoutingEngine(const ObjectFactory& factory);
    /// \param factory Makes what tells of congestion in each InfiniBand switch:
    /// ns3::rdma::IbFecnMarker; none by default.
    void SetFecnMarker(const ObjectFactory& factory);

    /**
     * \param node A node that becomes a switch.
     */
    void InstallSwitch(Ptr<Node> node);
    /**
     * \param nodes Nodes that become switches.
     */
    void InstallSwitch(const NodeContainer& nodes);
    /**
     * Connects two nodes with a cable.
     * \param a One node: a switch, or a host, which gets a new device.
     * \param b The other.
     * \return The two devices, that of \p a first.
     */
    NetDeviceContainer Connect(Ptr<Node> a, Ptr<Node> b);
    /**
     * Connects two nodes with a cable of given rate and delay.
     * \param a One node.
     * \param b The other.
     * \param bitsPerSecond Rate of both directions.
     * \param delayPs Propagation delay in picoseconds, greater than 0.
     * \return The two devices, that of \p a first.
     */
    NetDeviceContainer Connect(Ptr<Node> a, Ptr<Node> b, uint64_t bitsPerSecond, int64_t delayPs);
    /// Computes the routes of all switches; call it when everything is connected. On InfiniBand it
    /// is a sweep of the subnet manager; if its routing engine is not for this network, CheckConfig
    /// says so, and the simulation does not start.
    void ComputeRoutes();

    /**
     * \return Empty, or sentences that say which switch cannot do what its ports need.
     */
    std::string CheckConfig() const;
    /**
     * \return Sentences on settings that work but may not do what is wanted: switches that stop a
     *         lossless sender before they mark all its frames, at most one for each.
     *         Call CheckConfig first.
     */
    std::vector<std::string> GetWarnings() const;
    /**
     * Gives the switches their random streams.
     * \param stream The first.
     * \return How many are used.
     */
    int64_t AssignStreams(int64_t stream);

    /// \return What the devices share.
    Ptr<rdma::FabricNetwork> GetNetwork() const;
    /// \return The subnet manager of an InfiniBand fabric.
    Ptr<rdma::IbSubnetManager> GetSubnetManager() const;
    /// \return The routes of an Ethernet fabric.
    Ptr<rdma::FabricRouting> GetRouting() const;
    /// \return All Ethernet switches in the order in which they were installed.
    const std::vector<Ptr<rdma::FabricSwitch>>& GetSwitches() const;
    /// \return All InfiniBand switches in the order in which they were installed.
    const std::vector<Ptr<rdma::IbSwitch>>& GetIbSwitches() const;
    /// \return The devices of hosts, by endpoint number.
    NetDeviceContainer GetEndpoints() const;

    /// Selects the scheduler that suits this module best; call it before Simulator::Run.
    static void UseWheelScheduler();

  private:
    /**
     * \param node A node.
     * \param rate Rate in bit/s, 0: as set by attribute.
     * \return A new device on it.
     */
    Ptr<rdma::FabricNetDevice> MakeDevice(Ptr<Node> node, uint64_t rate);
    /// \param function Called with each switch.
    template <typename F>
    void ForEachSwitch(F function) const;

    ObjectFactory m_deviceFactory;                   //!< makes devices
    ObjectFactory m_channelFactory;                  //!< makes cables
    ObjectFactory m_switchFactory;                   //!< makes switches
    ObjectFactory m_flowControlFactory;              //!< makes flow controls
    ObjectFactory m_bufferFactory;                   //!< makes buffer policies
    ObjectFactory m_selectorFactory;                 //!< makes path selectors
    ObjectFactory m_schedulerFactory;                //!< makes egress schedulers
    ObjectFactory m_markerFactory;                   //!< makes markers
    ObjectFactory m_fecnMarkerFactory;               //!< makes markers of InfiniBand, or none
    Ptr<rdma::FabricNetwork> m_network;              //!< what the devices share
    Ptr<rdma::FabricRouting> m_routing;              //!< routes on Ethernet
    Ptr<rdma::IbSubnetManager> m_subnetManager;      //!< routes on InfiniBand
    std::string m_routesProblem;                     //!< why there are no routes
    std::vector<Ptr<rdma::FabricSwitch>> m_switches; //!< Ethernet switches
    std::vector<Ptr<rdma::IbSwitch>> m_ibSwitches;   //!< InfiniBand switches
    bool m_infiniBand{false};                        //!< which of them are made
};

} // namespace ns3

#endif /* FABRIC_HELPER_H */
