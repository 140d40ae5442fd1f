/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches, cables and hosts of an InfiniBand subnet, as a routing engine sees them. */

#include "ns3/ib-subnet.h"

#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

uint32_t
IbSubnet::AddSwitch(std::string name, std::vector<uint32_t> coordinates)
{
    m_switches.push_back({std::move(name), std::move(coordinates), {}});
    return m_switches.size() - 1;
}

void
IbSubnet::AddCable(std::pair<uint32_t, uint16_t> a, std::pair<uint32_t, uint16_t> b)
{
    MakePort(a) = {b.first, b.second, Far::SWITCH};
    MakePort(b) = {a.first, a.second, Far::SWITCH};
}

uint32_t
IbSubnet::AddHost(std::string name)
{
    m_hosts.push_back({std::move(name)});
    return m_hosts.size() - 1;
}

void
IbSubnet::Attach(uint32_t endpoint, std::pair<uint32_t, uint16_t> at)
{
    MakePort(at) = {endpoint, 0, Far::HOST};
    m_hosts.at(endpoint).at = at.first;
    m_hosts.at(endpoint).port = at.second;
}

void
IbSubnet::ConnectHosts(uint32_t a, uint32_t b)
{
    m_hosts.at(a).direct = b;
    m_hosts.at(b).direct = a;
}

IbSubnet::Port&
IbSubnet::MakePort(std::pair<uint32_t, uint16_t> at)
{
    auto& ports = m_switches.at(at.first).ports;
    if (ports.size() <= at.second)
    {
        ports.resize(at.second + 1u);
    }
    NS_ASSERT_MSG(ports[at.second].kind == Far::NOTHING,
                  "port " << at.second << " of " << GetName(at.first) << " has a cable already");
    return ports[at.second];
}

uint32_t
IbSubnet::GetNSwitches() const
{
    return m_switches.size();
}

uint32_t
IbSubnet::GetNHosts() const
{
    return m_hosts.size();
}

const std::string&
IbSubnet::GetName(uint32_t at) const
{
    return m_switches.at(at).name;
}

const std::string&
IbSubnet::GetHostName(uint32_t endpoint) const
{
    return m_hosts.at(endpoint).name;
}

const std::vector<uint32_t>&
IbSubnet::GetCoordinates(uint32_t at) const
{
    return m_switches.at(at).coordinates;
}

const std::vector<IbSubnet::Port>&
IbSubnet::GetPorts(uint32_t at) const
{
    return m_switches[at].ports;
}

std::vector<uint32_t>
IbSubnet::GetHosts(uint32_t at) const
{
    std::vector<uint32_t> hosts;
    for (const Port& port : m_switches.at(at).ports)
    {
        if (port.kind == Far::HOST)
        {
            hosts.push_back(port.peer);
        }
    }
    return hosts;
}

std::vector<uint32_t>
IbSubnet::GetLeaves() const
{
    std::vector<uint32_t> leaves;
    for (uint32_t at = 0; at < m_switches.size(); ++at)
    {
        if (!GetHosts(at).empty())
        {
            leaves.push_back(at);
        }
    }
    return leaves;
}

uint32_t
IbSubnet::GetSwitchOf(uint32_t endpoint) const
{
    return m_hosts.at(endpoint).at;
}

uint16_t
IbSubnet::GetPortOf(uint32_t endpoint) const
{
    return m_hosts.at(endpoint).port;
}

bool
IbSubnet::AreConnected(uint32_t a, uint32_t b) const
{
    return m_hosts.at(a).direct == b;
}

std::vector<uint32_t>
IbSubnet::GetDistances(const std::vector<uint32_t>& roots) const
{
    std::vector<uint32_t> distances(m_switches.size(), UNREACHED);
    std::vector<uint32_t> queue(roots);
    for (const uint32_t root : roots)
    {
        distances[root] = 0;
    }
    for (std::size_t next = 0; next < queue.size(); ++next)
    {
        const uint32_t at = queue[next];
        for (const Port& port : m_switches[at].ports)
        {
            if (port.kind == Far::SWITCH && distances[port.peer] == UNREACHED)
            {
                distances[port.peer] = distances[at] + 1;
                queue.push_back(port.peer);
            }
        }
    }
    return distances;
}

} // namespace rdma
} // namespace ns3
