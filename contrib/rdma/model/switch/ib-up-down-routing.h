/* SPDX-License-Identifier: GPL-2.0-only */
/* Up/down routing: deadlock-free on any network, with one lane. */

#ifndef IB_UP_DOWN_ROUTING_H
#define IB_UP_DOWN_ROUTING_H

#include "ns3/ib-routing-engine.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Paths that never go up after they have gone down (IbUpDownPaths), with balanced ports
 * (IbPortBalancer). They have no cycle of dependencies on any network, but need not be shortest.
 *
 * Ranks are the hops from the roots. Without given roots: in a network whose cables all lead from
 * one tier to the next, counted from the switches with hosts, as in leaf-spine networks and
 * fat-trees, the ranks are the tiers from the top. Elsewhere, and where that leaves a host
 * unreachable, each connected part has one root: the switch from which the furthest one is nearest,
 * the lowest number among equals.
 */
class IbUpDownRouting : public IbRoutingEngine
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    std::string DoCompute(const IbSubnet& subnet,
                          const IbLids& lids,
                          IbRoutes& routes) const override;
    /**
     * Fills the tables.
     * \param subnet The switches.
     * \param lids The LIDs.
     * \param ranks The rank of each switch.
     * \param routes The tables.
     * \return Whether every host that has a path at all has one up and down.
     */
    static bool Fill(const IbSubnet& subnet,
                     const IbLids& lids,
                     const std::vector<uint32_t>& ranks,
                     IbRoutes& routes);
    /**
     * \param subnet The switches.
     * \return The hops of each switch from the root of its part.
     */
    static std::vector<uint32_t> RankByOneRoot(const IbSubnet& subnet);

    std::string m_roots; //!< names of the roots
};

} // namespace rdma
} // namespace ns3

#endif /* IB_UP_DOWN_ROUTING_H */
