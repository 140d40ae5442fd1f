/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys "topology" and "events" of an experiment file. */

#ifndef RDMA_EXPERIMENT_TOPOLOGY_H
#define RDMA_EXPERIMENT_TOPOLOGY_H

#include "rdma-experiment-reader.h"
#include "rdma-experiment.h"

#include "ns3/fabric-topology.h"

#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Reads the network, including a topology file that it names.
 *
 * \param topology the map under the key "topology"
 * \param notes remarks for the user are appended here
 * \return a network that passes FabricTopology::Validate()
 * \throws FabricInputError for the experiment file or the topology file
 */
FabricTopology ReadTopology(ExperimentReader& topology, std::vector<std::string>& notes);

/**
 * Reads a host, given by its rank or its name.
 *
 * \param reader the map that has the key
 * \param key the key
 * \param topology the hosts
 * \param rank set to the host's rank when the key is there
 */
void ReadHost(ExperimentReader& reader,
              const std::string& key,
              const FabricTopology& topology,
              uint32_t& rank);

/**
 * Reads a list of hosts, each given by its rank, its name, or a range of ranks such as 0-7.
 *
 * \param reader the map that has the key
 * \param key the key
 * \param topology the hosts
 * \param ranks set to the ranks in the order of the list when the key is there, each at most once
 */
void ReadHosts(ExperimentReader& reader,
               const std::string& key,
               const FabricTopology& topology,
               std::vector<uint32_t>& ranks);

/**
 * Reads a list of names of nodes.
 *
 * \param reader the map that has the key
 * \param key the key
 * \param topology the nodes
 * \param nodes set to the numbers of the nodes when the key is there
 */
void ReadNodes(ExperimentReader& reader,
               const std::string& key,
               const FabricTopology& topology,
               std::vector<uint32_t>& nodes);

/**
 * Reads one change of a link.
 *
 * \param event the map that describes it
 * \param topology the links
 * \return the change
 */
LinkEventSpec ReadLinkEvent(ExperimentReader& event, const FabricTopology& topology);

/**
 * \param experimentFile the experiment file
 * \param file a file that it names
 * \return the path of that file: relative ones start from the folder of the experiment file
 */
std::string ResolvePath(const std::string& experimentFile, const std::string& file);

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_TOPOLOGY_H
