/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a live network from a plan. */

#ifndef FABRIC_TOPOLOGY_HELPER_H
#define FABRIC_TOPOLOGY_HELPER_H

#include "ns3/fabric-channel.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RateErrorModel;

/**
 * \ingroup rdma
 * Builds nodes, switches, devices and cables from a FabricTopology, and computes the routes.
 *
 * Nodes are made in the order of their numbers in the plan and cables in the order of the links, so
 * that equal plans give equal node ids, port numbers and endpoint numbers. What the plan does not
 * say (buffers, schedulers, MTU, ...) is as the FabricHelper has it.
 */
class FabricTopologyHelper
{
  public:
    /**
     * Builds the network. A plan that FabricTopology::Validate() complains about ends the program
     * with the first complaint.
     * \param topology The plan.
     * \param fabric Makes the parts; its switches, network and routing are those of the plan then.
     */
    FabricTopologyHelper(const FabricTopology& topology, FabricHelper& fabric);
    ~FabricTopologyHelper();

    /// \return The nodes of the hosts, by rank.
    NodeContainer GetHosts() const;

    /// \return The nodes of the switches, in the order of the plan.
    NodeContainer GetSwitches() const;

    /**
     * \param rank The rank of a host.
     * \return Its devices, in the order of its links.
     */
    NetDeviceContainer GetDevices(uint32_t rank) const;

    /**
     * \param link The number of a link of the plan.
     * \return Its cable.
     */
    Ptr<rdma::FabricChannel> GetChannel(uint32_t link) const;

    /**
     * Gives the errors of links their random streams; the switches have streams of their own
     * (FabricHelper::AssignStreams).
     * \param stream The first.
     * \return How many are used: two for each link with an error rate above 0.
     */
    int64_t AssignStreams(int64_t stream);

  private:
    NodeContainer m_hosts;                            //!< by rank
    NodeContainer m_switches;                         //!< in the order of the plan
    std::vector<NetDeviceContainer> m_devices;        //!< for each host
    std::vector<Ptr<rdma::FabricChannel>> m_channels; //!< for each link
    std::vector<Ptr<RateErrorModel>> m_errors;        //!< both ends of links with errors
};

} // namespace ns3

#endif /* FABRIC_TOPOLOGY_HELPER_H */
