/* SPDX-License-Identifier: GPL-2.0-only */
/* The live fabric of a run. */

#ifndef RDMA_RUN_NETWORK_H
#define RDMA_RUN_NETWORK_H

#include "rdma-experiment.h"
#include "rdma-results.h"

#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-ideal-fct.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Builds switches, links and routes of an experiment, and reads their counters.
 */
class RunNetwork
{
  public:
    /**
     * Builds everything but the NICs, and schedules the changes of links.
     * \param experiment what to build; must outlive this object
     */
    explicit RunNetwork(const Experiment& experiment);

    /**
     * \return empty, or a sentence that says what the switches cannot do
     */
    std::string CheckConfig() const;

    /**
     * \return sentences about settings that are allowed but rarely meant; only after CheckConfig()
     */
    std::vector<std::string> GetWarnings() const;

    /** \return what the devices share */
    Ptr<FabricNetwork> GetNetwork() const;

    /** \return the nodes of the hosts, by rank */
    NodeContainer GetHosts() const;

    /** \return the switches, in the order of the topology */
    const std::vector<Ptr<FabricSwitch>>& GetSwitches() const;

    /**
     * \param node a node of the fabric
     * \return its name in results
     */
    const std::string& GetName(Ptr<const Node> node) const;

    /**
     * \param source endpoint number of a NIC
     * \param destination endpoint number of another
     * \return the links of a shortest path between them
     */
    std::vector<RdmaPathHop> GetPath(uint32_t source, uint32_t destination) const;

    /**
     * Has all switches watched, and tells the detector the names of nodes.
     * \param detector what looks for deadlocks
     */
    void WatchDeadlocks(Ptr<FabricDeadlockDetector> detector) const;

    /** \return the most bytes that the buffer of any switch ever held */
    uint64_t GetPeakBufferBytes() const;

    /**
     * \param now the simulated time in picoseconds
     * \return the counters of all ports, by node and port
     */
    std::vector<PortResult> GetPorts(int64_t now) const;

  private:
    /** Hands the experiment's settings to the helper. */
    void Configure();

    /** Hands on what is for Ethernet only. \param spec how switches work */
    void ConfigureEthernet(const SwitchSpec& spec);

    /** Hands on what is for InfiniBand only. \param spec how links and switches work */
    void ConfigureInfiniBand(const InfiniBandSpec& spec);

    /**
     * Follows the forwarding tables of InfiniBand.
     * \param source endpoint number of a NIC
     * \param destination endpoint number of another
     * \return the cables from the one to the other; empty when there is no path
     */
    std::vector<Ptr<FabricChannel>> FollowLid(uint32_t source, uint32_t destination) const;

    /** Schedules what happens to links. */
    void ScheduleLinkEvents();

    const Experiment& m_experiment;                //!< what was asked for
    FabricHelper m_fabric;                         //!< makes the parts
    std::unique_ptr<FabricTopologyHelper> m_built; //!< the parts
    uint32_t m_firstNode{0};                       //!< ns-3 node id of the topology's node 0
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_NETWORK_H
