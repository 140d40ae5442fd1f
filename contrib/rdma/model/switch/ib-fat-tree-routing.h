/* SPDX-License-Identifier: GPL-2.0-only */
/* Fat-tree routing: the destination alone chooses the way up (d-mod-k). */

#ifndef IB_FAT_TREE_ROUTING_H
#define IB_FAT_TREE_ROUTING_H

#include "ns3/ib-routing-engine.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * For fat-trees and leaf-spine networks: d-mod-k routing (Zahavi, "D-Mod-K routing providing
 * non-blocking traffic for shift permutations on real life fat trees", 2010). Hosts are numbered
 * leaf by leaf and port by port; the switch of tier l (0 at the hosts) sends to host d, when it
 * must go up, by its up port number floor(d / (u_0 ... u_(l-1))) mod u_l, where u_i are the up
 * ports of a switch of tier i. Way down, of several cables it takes the one that hosts below would
 * go up by. So each destination has one switch at the top, all ports of a tier carry the same
 * number of destinations, and shift permutations do not collide. Of a host with several LIDs the
 * next LID counts as the next host.
 *
 * Tiers are counted from the switches with hosts. A cable between switches of one tier makes it no
 * fat-tree: the engine refuses and names the cable. Where cables are broken, the number is taken
 * modulo the ports that still lead to the destination.
 */
class IbFatTreeRouting : public IbRoutingEngine
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    std::string DoCompute(const IbSubnet& subnet,
                          const IbLids& lids,
                          IbRoutes& routes) const override;
};

} // namespace rdma
} // namespace ns3

#endif /* IB_FAT_TREE_ROUTING_H */
