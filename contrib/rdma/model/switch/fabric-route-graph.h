/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches of a network and their cables, and all shortest paths through them. */

#ifndef FABRIC_ROUTE_GRAPH_H
#define FABRIC_ROUTE_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

class FabricForwardingTable;

/**
 * \ingroup rdma
 * Switches, the cables between them, and the hosts at their ports: numbers only. Finds all shortest
 * paths, counted in hops, by breadth-first search (Boost.Graph) from each switch that has hosts.
 *
 * Hosts do not forward, so they are no part of the search. For s switches, c cables and l switches
 * with hosts the time is of order l x (s + c).
 */
class FabricRouteGraph
{
  public:
    /// \param switches How many switches there are.
    explicit FabricRouteGraph(uint32_t switches);

    /**
     * Adds one end of a cable between two switches; two switches may have several.
     * \param at The switch at this end.
     * \param port Its port; the ports of a switch are added in ascending order.
     * \param peer The switch at the other end.
     * \param peerPort Its port.
     */
    void AddCable(uint32_t at, uint16_t port, uint32_t peer, uint16_t peerPort);

    /**
     * Adds a host.
     * \param at The switch that it is plugged into.
     * \param port The port of the switch.
     * \param endpoint The number of the host.
     */
    void AddHost(uint32_t at, uint16_t port, uint32_t endpoint);

    /**
     * Fills the tables: at each switch the ports on a shortest path to each host, none for hosts
     * that cannot be reached.
     * \param tables The table of each switch.
     * \param endpoints How many numbers of hosts there are.
     */
    void Fill(const std::vector<FabricForwardingTable*>& tables, uint32_t endpoints) const;

    /**
     * \return For each switch the ports to send broadcasts by, in ascending order: those of its
     *         hosts, and the cables of a tree that spans the switches, so that nothing circles.
     */
    std::vector<std::vector<uint16_t>> GetFloodPorts() const;

    /// \return For each switch the lowest switch that it has a path to, the name of its island.
    std::vector<uint32_t> GetIslands() const;

  private:
    /// A port of a switch with another switch at its other end.
    struct CablePort
    {
        uint32_t peer;     //!< the other switch
        uint16_t number;   //!< number of the port
        uint16_t peerPort; //!< number of the port of the other switch
    };

    /// A port of a switch with a host at its other end.
    struct HostPort
    {
        uint32_t endpoint; //!< number of the host
        uint16_t number;   //!< number of the port
    };

    std::vector<std::vector<CablePort>> m_cables; //!< for each switch its ports towards switches
    std::vector<std::vector<HostPort>> m_hosts;   //!< for each switch its ports towards hosts
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_ROUTE_GRAPH_H */
