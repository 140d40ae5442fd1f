/* SPDX-License-Identifier: GPL-2.0-only */
/* One transfer from a host to another. */

#ifndef RDMA_FLOW_H
#define RDMA_FLOW_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A transfer as files and generators of traffic describe it. Hosts are named by their rank
 * (FabricTopology::GetHosts()).
 */
struct RdmaFlow
{
    uint32_t id{0};              //!< number for result files, unique within one list
    uint32_t source{0};          //!< rank of the sending host
    uint32_t destination{0};     //!< rank of the receiving host
    uint64_t bytes{1};           //!< payload bytes, at least 1
    int64_t startPs{0};          //!< when the transfer is posted, in picoseconds
    uint8_t priority{3};         //!< priority of its frames, 0 to 7
    uint16_t destinationPort{0}; //!< port that a file gives, 0 for none
};

} // namespace ns3

#endif /* RDMA_FLOW_H */
