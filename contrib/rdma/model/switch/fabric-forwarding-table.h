/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FORWARDING_TABLE_H
#define FABRIC_FORWARDING_TABLE_H

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * From endpoint number to the ports that lie on a path to it. Endpoints with the same ports share a
 * group, so a table of 8,192 hosts takes 16 KiB.
 */
class FabricForwardingTable
{
  public:
    /// Ports of a group.
    struct Ports
    {
        const uint16_t* first; //!< the first port number
        uint32_t count;        //!< how many; 0: unreachable
    };

    FabricForwardingTable();

    /// \param endpoints Number of endpoints; all become unreachable.
    void Reset(uint32_t endpoints);
    /**
     * \param ports Port numbers in ascending order.
     * \return The number of the group with these ports; the same for the same ports.
     */
    uint16_t AddGroup(const std::vector<uint16_t>& ports);
    /**
     * \param endpoint An endpoint number.
     * \param group A group made by AddGroup.
     */
    void Set(uint32_t endpoint, uint16_t group);

    /**
     * \param endpoint An endpoint number.
     * \return The ports towards it.
     */
    Ports Lookup(uint32_t endpoint) const
    {
        if (endpoint >= m_groupOf.size())
        {
            return {nullptr, 0};
        }
        const Group& group = m_groups[m_groupOf[endpoint]];
        return {m_ports.data() + group.first, group.count};
    }

  private:
    /// Where the ports of a group are.
    struct Group
    {
        uint32_t first; //!< index of the first in m_ports
        uint32_t count; //!< how many
    };

    std::vector<uint16_t> m_groupOf;                     //!< group of each endpoint
    std::vector<Group> m_groups;                         //!< groups; number 0 has no ports
    std::vector<uint16_t> m_ports;                       //!< ports of all groups
    std::map<std::vector<uint16_t>, uint16_t> m_byPorts; //!< group with given ports
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_FORWARDING_TABLE_H */
