/* SPDX-License-Identifier: GPL-2.0-only */
/* What a routing engine has decided for an InfiniBand subnet. */

#include "ns3/ib-routes.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/ib-lids.h"
#include "ns3/ib-subnet.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

IbRoutes::IbRoutes(const IbSubnet& subnet, const IbLids& lids, uint8_t lanes)
    : m_lanes(lanes)
{
    NS_ABORT_MSG_IF(lanes == 0 || lanes > 15,
                    "InfiniBand has 1 to 15 data virtual lanes, got " << +lanes);
    const std::size_t size = lids.GetTop() + 1u;
    m_tables.resize(subnet.GetNSwitches());
    for (uint32_t at = 0; at < m_tables.size(); ++at)
    {
        m_tables[at].lft.assign(size, NO_PORT);
        m_tables[at].groupOf.assign(size, 0);
        m_tables[at].ports = subnet.GetPorts(at).size();
        AddGroup(at, {});
    }
    m_maps.emplace_back();
    for (uint8_t level = 0; level < m_maps[0].size(); ++level)
    {
        m_maps[0][level] = level % lanes;
    }
    m_mapWith[m_maps[0]] = 0;
}

uint16_t
IbRoutes::AddGroup(uint32_t at, const std::vector<uint16_t>& ports)
{
    Tables& tables = m_tables[at];
    NS_ASSERT_MSG(std::is_sorted(ports.begin(), ports.end()), "the ports of a group are sorted");
    const auto [it, isNew] = tables.groupWith.emplace(ports, tables.groups.size());
    if (isNew)
    {
        tables.groups.push_back(ports);
    }
    return it->second;
}

void
IbRoutes::Set(uint32_t at, uint16_t dlid, uint16_t port, uint16_t group)
{
    Tables& tables = m_tables[at];
    tables.lft.at(dlid) = port;
    tables.groupOf[dlid] = group;
}

void
IbRoutes::MakeStatic()
{
    for (uint32_t at = 0; at < m_tables.size(); ++at)
    {
        Tables& tables = m_tables[at];
        tables.groups.clear();
        tables.groupWith.clear();
        AddGroup(at, {});
        for (uint32_t dlid = 0; dlid < tables.lft.size(); ++dlid)
        {
            const uint16_t port = tables.lft[dlid];
            tables.groupOf[dlid] = port == NO_PORT ? 0 : AddGroup(at, {port});
        }
    }
}

void
IbRoutes::SetServiceLevel(uint32_t source, uint32_t destination, uint8_t level)
{
    NS_ASSERT_MSG(level < 16, "there are 16 service levels, got number " << +level);
    m_levels.resize(m_tables.size() * m_tables.size());
    m_levels[source * m_tables.size() + destination] = level;
}

void
IbRoutes::SetLaneMap(uint32_t at, uint16_t in, uint16_t out, const IbLaneMap& map)
{
    NS_ASSERT_MSG(*std::max_element(map.begin(), map.end()) < m_lanes,
                  "a map has more than the " << +m_lanes << " data lanes that there are");
    const auto [it, isNew] = m_mapWith.emplace(map, m_maps.size());
    if (isNew)
    {
        m_maps.push_back(map);
    }
    Tables& tables = m_tables[at];
    tables.mapOf.resize(tables.ports * tables.ports);
    tables.mapOf.at(in * tables.ports + out) = it->second;
}

void
IbRoutes::SetProblem(const std::string& problem)
{
    m_problem = problem;
}

const std::string&
IbRoutes::GetProblem() const
{
    return m_problem;
}

uint8_t
IbRoutes::GetLanes() const
{
    return m_lanes;
}

const std::vector<uint16_t>&
IbRoutes::GetLft(uint32_t at) const
{
    return m_tables[at].lft;
}

uint16_t
IbRoutes::GetPort(uint32_t at, uint16_t dlid) const
{
    return m_tables[at].lft[dlid];
}

const std::vector<std::vector<uint16_t>>&
IbRoutes::GetGroups(uint32_t at) const
{
    return m_tables[at].groups;
}

const std::vector<uint16_t>&
IbRoutes::GetGroupOfDlid(uint32_t at) const
{
    return m_tables[at].groupOf;
}

bool
IbRoutes::HasServiceLevels() const
{
    return !m_levels.empty();
}

uint8_t
IbRoutes::GetServiceLevel(uint32_t source, uint32_t destination) const
{
    return m_levels.empty() ? 0 : m_levels[source * m_tables.size() + destination];
}

const IbLaneMap&
IbRoutes::GetDefaultLaneMap() const
{
    return m_maps[0];
}

const IbLaneMap&
IbRoutes::GetLaneMap(uint32_t at, uint16_t in, uint16_t out) const
{
    const Tables& tables = m_tables[at];
    return m_maps[tables.mapOf.empty() ? 0 : tables.mapOf[in * tables.ports + out]];
}

} // namespace rdma
} // namespace ns3
