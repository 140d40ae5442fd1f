/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-forwarding-table.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <limits>

namespace ns3
{
namespace rdma
{

FabricForwardingTable::FabricForwardingTable()
{
    Reset(0);
}

void
FabricForwardingTable::Reset(uint32_t endpoints)
{
    m_groups.clear();
    m_ports.clear();
    m_byPorts.clear();
    m_groupOf.assign(endpoints, AddGroup({}));
}

uint16_t
FabricForwardingTable::AddGroup(const std::vector<uint16_t>& ports)
{
    const auto known = m_byPorts.find(ports);
    if (known != m_byPorts.end())
    {
        return known->second;
    }
    NS_ABORT_MSG_IF(m_groups.size() > std::numeric_limits<uint16_t>::max(),
                    "A forwarding table holds at most 65536 different groups of ports");
    const auto group = static_cast<uint16_t>(m_groups.size());
    m_groups.push_back(
        {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(ports.size())});
    m_ports.insert(m_ports.end(), ports.begin(), ports.end());
    m_byPorts.emplace(ports, group);
    return group;
}

void
FabricForwardingTable::Set(uint32_t endpoint, uint16_t group)
{
    NS_ASSERT(group < m_groups.size());
    m_groupOf.at(endpoint) = group;
}

} // namespace rdma
} // namespace ns3
