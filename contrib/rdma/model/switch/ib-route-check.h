/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the routes of an InfiniBand subnet reach every host and cannot deadlock. */

#ifndef IB_ROUTE_CHECK_H
#define IB_ROUTE_CHECK_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

class IbLids;
class IbRoutes;
class IbSubnet;

/**
 * \ingroup rdma
 * What IbRouteCheck has found.
 */
struct IbRouteReport
{
    /// Cycles of dependencies, for example "s0:p2 VL0 -> s1:p2 VL0 -> s0:p2 VL0": a packet that
    /// holds a buffer behind the one port waits for a buffer behind the next. One cycle, a shortest
    /// one, for each set of channels that all wait for each other.
    std::vector<std::string> cycles;
    /// Pairs of hosts without a route, for example "h0 to h5"; the first ones only.
    std::vector<std::string> unreachable;
    uint64_t unreachablePairs{0}; //!< how many pairs (source, destination) have no route
    uint64_t dependencies{0};     //!< how many dependencies between channels there are
};

/**
 * \ingroup rdma
 * The static check of routes, as Dally and Seitz gave it (IEEE Transactions on Computers, 1987):
 * lossless routes cannot deadlock when the graph of dependencies between their channels, here
 * (switch, port, lane), has no cycle. Only routes that a host can use count. Channels to and from
 * hosts are left out, because none of them can be in a cycle.
 *
 * For each destination LID and service level the tables are followed once from all sources, so the
 * work grows with LIDs x switches and not with pairs of hosts.
 */
class IbRouteCheck
{
  public:
    /// What is checked.
    struct Options
    {
        /// Service levels that are routed adaptively, by all ports of the groups and not only by the
        /// table's port; a mask. Where the routes leave the level to the hosts, level 0 stands for
        /// all of them, and is adaptive when any is.
        uint16_t adaptiveLevels{0};
        std::size_t limit{10}; //!< how many unreachable pairs are named
    };

    /**
     * \param subnet The switches, cables and hosts.
     * \param lids The LIDs of the hosts.
     * \param routes Their routes.
     * \param options What is checked.
     * \return What was found.
     */
    static IbRouteReport Check(const IbSubnet& subnet,
                               const IbLids& lids,
                               const IbRoutes& routes,
                               const Options& options);
};

} // namespace rdma
} // namespace ns3

#endif /* IB_ROUTE_CHECK_H */
