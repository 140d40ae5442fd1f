/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hosts cannot reach each other. */

#ifndef FABRIC_REACH_H
#define FABRIC_REACH_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Finds hosts without a path between them. An island is a set of switches with links between them,
 * or a link from host to host. Hosts do not forward: two hosts have a path when they touch a common
 * island.
 */
class FabricReach
{
  public:
    /**
     * \param islands For each host the islands that it touches, in any order.
     * \param limit How many pairs to find.
     * \return Pairs of hosts without a path, the smaller number first. Hosts that touch the same
     *         islands reach the same others: the first one stands for all of them.
     */
    static std::vector<std::pair<uint32_t, uint32_t>> FindSeparated(
        std::vector<std::vector<uint32_t>> islands,
        std::size_t limit);
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_REACH_H */
