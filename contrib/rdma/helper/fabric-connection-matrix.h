/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads connection matrices of the htsim simulator. */

#ifndef FABRIC_CONNECTION_MATRIX_H
#define FABRIC_CONNECTION_MATRIX_H

#include "ns3/rdma-flow.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Reads transfers in the text form of the htsim simulator (https://github.com/Broadcom/csg-htsim):
 *
 * \verbatim
   Nodes 16
   Connections 2
   7->5 id 1 start 0 size 2000000
   15->1 start 5us size 2MB
   \endverbatim
 *
 * Hosts are named by their rank. start and size are needed, in any order; a start without unit is
 * in picoseconds, a size without unit in bytes. Flows get the id of the file, or the number of
 * their line among the connections (from 1) where there is none; ids must differ. They are returned
 * in the order of their start, of the file when equal.
 *
 * Refused with a sentence, because this module has nothing that would do the same: triggers
 * (transfers that start when others are done), addon, failures, and prio, whose numbers are no
 * Ethernet priorities.
 */
class FabricConnectionMatrix
{
  public:
    /// Most connections that a file may announce.
    static constexpr uint64_t MAX_CONNECTIONS = 100'000'000;

    /**
     * \param file The path of the file.
     * \param hosts How many hosts the network has; a file may use fewer.
     * \return The flows.
     * \throws FabricInputError
     */
    static std::vector<RdmaFlow> Read(const std::string& file, uint32_t hosts);
};

} // namespace ns3

#endif /* FABRIC_CONNECTION_MATRIX_H */
