/* SPDX-License-Identifier: GPL-2.0-only */
/* Spreads the LIDs of an InfiniBand subnet over the ports that are equally good. */

#ifndef IB_PORT_BALANCER_H
#define IB_PORT_BALANCER_H

#include <cstdint>
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
 * Of the ports of a switch that an engine allows towards a destination, takes for each LID the one
 * with the fewest LIDs so far, the lowest port among equals. Where hosts have several LIDs
 * (LMC > 0), the neighbour switch that has the fewest of the same host comes first, so that the
 * paths of a host lead through different switches.
 */
class IbPortBalancer
{
  public:
    /**
     * \param subnet The switches.
     * \param lids The LIDs of the hosts.
     */
    IbPortBalancer(const IbSubnet& subnet, const IbLids& lids);

    /**
     * Sets the entries for all LIDs of the hosts at a switch.
     * \param destination The switch.
     * \param candidates For each switch the ports to choose from, in ascending order; they become a
     *        group for adaptive routing. Empty where there is no path.
     * \param routes The tables.
     */
    void Assign(uint32_t destination,
                const std::vector<std::vector<uint16_t>>& candidates,
                IbRoutes& routes);

  private:
    const IbSubnet& m_subnet;                   //!< the switches
    const IbLids& m_lids;                       //!< the LIDs
    std::vector<std::vector<uint32_t>> m_loads; //!< LIDs by switch and port
};

} // namespace rdma
} // namespace ns3

#endif /* IB_PORT_BALANCER_H */
