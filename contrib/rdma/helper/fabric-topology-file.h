/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads topology files of the HPCC simulator. */

#ifndef FABRIC_TOPOLOGY_FILE_H
#define FABRIC_TOPOLOGY_FILE_H

#include "ns3/fabric-topology.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Reads a network in the text form of the HPCC simulator
 * (https://github.com/alibaba-edu/High-Precision-Congestion-Control):
 *
 * \verbatim
   nodes switches links                 how many of each
   id id ...                            which nodes are switches; no line when there are none
   a b rate delay error-rate            one line per link, e.g. 0 16 100Gbps 1us 0
   \endverbatim
 *
 * Nodes are numbered from 0 and keep their numbers; host i is named hi and switch i si after its
 * number in the file. What stands after the announced links (the form ends with an explanation in
 * words, and people lower the count to use a part of a file) is not read, as in that simulator;
 * lines there that look like links are told in a note. Errors carry file and line
 * (FabricInputLines says what is passed over in silence). FabricTopology::Validate() tells what is
 * wrong with the network as a whole.
 */
class FabricTopologyFile
{
  public:
    /// Most nodes that a file may announce.
    static constexpr uint64_t MAX_NODES = 1'000'000;

    /// Most links that a file may announce.
    static constexpr uint64_t MAX_LINKS = 10'000'000;

    /**
     * \param file The path of the file.
     * \param notes Remarks for the user are appended here when it is not nullptr.
     * \return The network.
     * \throws FabricInputError
     */
    static FabricTopology Read(const std::string& file, std::vector<std::string>* notes = nullptr);
};

} // namespace ns3

#endif /* FABRIC_TOPOLOGY_FILE_H */
