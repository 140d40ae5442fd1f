/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that go up first, then down, and never up again. */

#ifndef IB_UP_DOWN_PATHS_H
#define IB_UP_DOWN_PATHS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace rdma
{

class IbSubnet;

/**
 * \ingroup rdma
 * Gives each cable a direction by the ranks of its ends, the lower rank being up (and the lower
 * number of two switches of a rank), and finds paths that never go up after they have gone down.
 * Such paths have no cycle of dependencies (Schroeder et al., Autonet, 1991).
 *
 * A switch that can reach the destination by going down only does so, by the fewest hops; another
 * goes up, by the fewest hops among the upward ways. That keeps the rule although a forwarding
 * table does not know where a packet came from: who has gone down is always at a switch of the
 * first kind.
 */
class IbUpDownPaths
{
  public:
    /**
     * \param subnet The switches.
     * \param ranks The rank of each.
     */
    IbUpDownPaths(const IbSubnet& subnet, std::vector<uint32_t> ranks);

    /**
     * \param destination A switch.
     * \param candidates Set to the ports of each switch on a path to it; empty where there is none.
     */
    void Find(uint32_t destination, std::vector<std::vector<uint16_t>>& candidates) const;
    /**
     * \param from A switch.
     * \param to A neighbour of it.
     * \return Whether the way to the neighbour leads up.
     */
    bool IsUp(uint32_t from, uint32_t to) const;

  private:
    const IbSubnet& m_subnet;        //!< the switches
    std::vector<uint32_t> m_ranks;   //!< rank of each
    std::vector<uint32_t> m_topDown; //!< the switches from the highest to the lowest
};

} // namespace rdma
} // namespace ns3

#endif /* IB_UP_DOWN_PATHS_H */
