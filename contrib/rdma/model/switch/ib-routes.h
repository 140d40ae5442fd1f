/* SPDX-License-Identifier: GPL-2.0-only */
/* What a routing engine has decided for an InfiniBand subnet. */

#ifndef IB_ROUTES_H
#define IB_ROUTES_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

class IbLids;
class IbSubnet;

/// \ingroup rdma
/// For each of the 16 service levels the virtual lane that it goes by.
using IbLaneMap = std::array<uint8_t, 16>;

/**
 * \ingroup rdma
 * The tables of all switches of a subnet, and the service levels of its paths.
 *
 * - Linear forwarding tables (LFT): for each switch the output port of each destination LID.
 * - Groups for adaptive routing: for each switch and destination LID all ports that a packet may
 *   leave by without breaking the rule that the engine's paths obey. The port of the LFT is one of
 *   them.
 * - The service level (SL) of each path, by the switches of its two hosts.
 * - The maps from SL to virtual lane (VL). Unless an engine says otherwise, SL s goes by lane s mod
 *   (number of data lanes), at all ports.
 */
class IbRoutes
{
  public:
    /// In a forwarding table: no route.
    static constexpr uint16_t NO_PORT = 0xffff;

    /**
     * Makes empty tables.
     * \param subnet The switches and their ports.
     * \param lids The LIDs in use.
     * \param lanes Number of data lanes, 1 to 15.
     */
    IbRoutes(const IbSubnet& subnet, const IbLids& lids, uint8_t lanes);

    // -- for engines

    /**
     * \param at A switch.
     * \param ports Port numbers in ascending order.
     * \return The number of the group of these ports; the same for the same ports.
     */
    uint16_t AddGroup(uint32_t at, const std::vector<uint16_t>& ports);
    /**
     * Sets an entry of a forwarding table.
     * \param at A switch.
     * \param dlid The destination.
     * \param port The port to leave by.
     * \param group A group of that switch that \p port is in.
     */
    void Set(uint32_t at, uint16_t dlid, uint16_t port, uint16_t group);
    /// Takes the choice from all switches: each group has the port of the forwarding table only.
    void MakeStatic();
    /**
     * \param source The switch of the source.
     * \param destination The switch of the destination.
     * \param level The service level of the paths between their hosts, 0 to 15.
     */
    void SetServiceLevel(uint32_t source, uint32_t destination, uint8_t level);
    /**
     * \param at A switch.
     * \param in Port that packets come by.
     * \param out Port that they leave by.
     * \param map The lanes for them.
     */
    void SetLaneMap(uint32_t at, uint16_t in, uint16_t out, const IbLaneMap& map);
    /// \param problem A sentence that says why the engine has no routes for the subnet.
    void SetProblem(const std::string& problem);

    // -- for those who use them

    /// \return Empty, or why there are no routes; then the tables are of no use.
    const std::string& GetProblem() const;
    /// \return Number of data lanes.
    uint8_t GetLanes() const;
    /**
     * \param at A switch.
     * \return Its forwarding table: a port, or NO_PORT, for each destination LID.
     */
    const std::vector<uint16_t>& GetLft(uint32_t at) const;
    /**
     * \param at A switch.
     * \param dlid A destination.
     * \return The port to leave by, or NO_PORT.
     */
    uint16_t GetPort(uint32_t at, uint16_t dlid) const;
    /**
     * \param at A switch.
     * \return Its groups; number 0 is empty.
     */
    const std::vector<std::vector<uint16_t>>& GetGroups(uint32_t at) const;
    /**
     * \param at A switch.
     * \return For each destination LID the number of its group.
     */
    const std::vector<uint16_t>& GetGroupOfDlid(uint32_t at) const;
    /// \return Whether an engine has set service levels other than 0.
    bool HasServiceLevels() const;
    /**
     * \param source The switch of the source.
     * \param destination The switch of the destination.
     * \return The service level of the paths between their hosts.
     */
    uint8_t GetServiceLevel(uint32_t source, uint32_t destination) const;
    /// \return The lanes at all ports that have no map of their own, and at hosts.
    const IbLaneMap& GetDefaultLaneMap() const;
    /**
     * \param at A switch.
     * \param in Port that packets come by.
     * \param out Port that they leave by.
     * \return The lanes for them.
     */
    const IbLaneMap& GetLaneMap(uint32_t at, uint16_t in, uint16_t out) const;

  private:
    /// The tables of a switch.
    struct Tables
    {
        std::vector<uint16_t> lft;                           //!< port of each destination LID
        std::vector<uint16_t> groupOf;                       //!< group of each destination LID
        std::vector<std::vector<uint16_t>> groups;           //!< ports of each group
        std::map<std::vector<uint16_t>, uint16_t> groupWith; //!< group with given ports
        std::vector<uint16_t> mapOf; //!< map of (in, out); empty when all have the default
        uint32_t ports;              //!< number of ports
    };

    std::vector<Tables> m_tables;  //!< by switch
    std::vector<uint8_t> m_levels; //!< SL by source and destination switch; empty when all are 0
    std::vector<IbLaneMap> m_maps; //!< lane maps; number 0 is the default
    std::map<IbLaneMap, uint16_t> m_mapWith; //!< number of a given lane map
    std::string m_problem;                   //!< why there are no routes
    uint8_t m_lanes;                         //!< number of data lanes
};

} // namespace rdma
} // namespace ns3

#endif /* IB_ROUTES_H */
