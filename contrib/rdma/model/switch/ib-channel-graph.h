/* SPDX-License-Identifier: GPL-2.0-only */
/* Which channels of an InfiniBand subnet wait for which. */

#ifndef IB_CHANNEL_GRAPH_H
#define IB_CHANNEL_GRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

class IbRoutes;
class IbSubnet;

/**
 * \ingroup rdma
 * The channel dependency graph of routes. A channel is a lane of a port of a switch that leads to
 * another switch.
 */
class IbChannelGraph
{
  public:
    /**
     * Makes a graph without dependencies.
     * \param subnet The switches.
     * \param routes Their tables.
     * \param adaptiveLevels Service levels whose packets may leave by all ports of a group, a mask.
     */
    IbChannelGraph(const IbSubnet& subnet, const IbRoutes& routes, uint16_t adaptiveLevels);

    /**
     * Adds the dependencies of all routes from some switches to a LID.
     * \param sources Switches with hosts that send.
     * \param dlid The destination.
     * \param level The service level of these routes.
     */
    void AddRoutes(const std::vector<uint32_t>& sources, uint16_t dlid, uint8_t level);

    /// \return How many dependencies there are.
    uint64_t GetNDependencies() const;

    /**
     * \return For each set of channels that wait for each other a shortest cycle through the first
     *         of them, by names; empty when there is no cycle.
     */
    std::vector<std::string> FindCycles() const;

  private:
    /// A way into a switch or out of it.
    struct Channel
    {
        uint32_t at;   //!< the switch that it leaves
        uint16_t port; //!< the port
        uint8_t lane;  //!< the lane
    };

    /**
     * \param at A switch.
     * \param dlid A destination.
     * \param level A service level.
     * \return The ports that packets may leave by.
     */
    const std::vector<uint16_t>& GetPorts(uint32_t at, uint16_t dlid, uint8_t level);
    /**
     * \param channel A channel.
     * \return Its number.
     */
    uint32_t GetNumber(const Channel& channel) const;
    /**
     * \param number The number of a channel.
     * \return The channel.
     */
    Channel GetChannel(uint32_t number) const;
    /**
     * \param root A channel that is in a cycle.
     * \param components The set of each channel.
     * \return A shortest cycle through it, by names.
     */
    std::string NameCycle(uint32_t root, const std::vector<uint32_t>& components) const;

    const IbSubnet& m_subnet;                  //!< the switches
    const IbRoutes& m_routes;                  //!< their tables
    uint16_t m_adaptiveLevels;                 //!< service levels that use groups, a mask
    std::vector<uint32_t> m_firsts;            //!< number of the first port of each switch
    std::vector<std::vector<uint32_t>> m_next; //!< what each channel waits for
    std::vector<uint32_t> m_visits;            //!< walk that visited each channel last
    uint32_t m_walk{0};                        //!< number of the walk
    std::vector<uint32_t> m_queue;             //!< channels of a walk
    std::vector<uint16_t> m_single;            //!< the port of a table
};

} // namespace rdma
} // namespace ns3

#endif /* IB_CHANNEL_GRAPH_H */
