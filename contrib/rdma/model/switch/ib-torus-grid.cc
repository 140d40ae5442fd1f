/* SPDX-License-Identifier: GPL-2.0-only */
/* A subnet seen as a grid: who is next to whom, in which dimension. */

#include "ns3/ib-torus-grid.h"

#include "ns3/ib-subnet.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

namespace
{

/// Most places of a grid: more than a subnet has addresses for.
constexpr uint64_t MOST_PLACES = 1 << 16;

} // namespace

std::string
IbTorusGrid::Build(const IbSubnet& subnet)
{
    const uint32_t switches = subnet.GetNSwitches();
    const uint32_t dimensions = switches == 0 ? 0 : subnet.GetCoordinates(0).size();
    m_sizes.assign(dimensions, 1);
    for (uint32_t at = 0; at < switches; ++at)
    {
        const auto& place = subnet.GetCoordinates(at);
        if (place.empty() || place.size() != dimensions)
        {
            return "dimension-order routing needs switches with coordinates in a torus or mesh, "
                   "but " +
                   subnet.GetName(at) +
                   (place.empty() ? " has none"
                                  : " has " + std::to_string(place.size()) + " and " +
                                        subnet.GetName(0) + " has " + std::to_string(dimensions));
        }
        for (uint32_t i = 0; i < dimensions; ++i)
        {
            m_sizes[i] = std::max(m_sizes[i], place[i] == UINT32_MAX ? place[i] : place[i] + 1);
        }
    }
    uint64_t places = 1;
    m_strides.clear();
    for (const uint32_t size : m_sizes)
    {
        m_strides.push_back(places);
        places *= size;
        if (places > MOST_PLACES)
        {
            return "dimension-order routing has room for " + std::to_string(MOST_PLACES) +
                   " places; the coordinates of the switches span more";
        }
    }
    m_cells.assign(places, IbSubnet::NO_SWITCH);
    m_cellOf.assign(switches, 0);
    for (uint32_t at = 0; at < switches; ++at)
    {
        for (uint32_t i = 0; i < dimensions; ++i)
        {
            m_cellOf[at] += subnet.GetCoordinates(at)[i] * m_strides[i];
        }
        uint32_t& cell = m_cells[m_cellOf[at]];
        if (cell != IbSubnet::NO_SWITCH)
        {
            return "dimension-order routing needs a place for each switch, but " +
                   subnet.GetName(cell) + " and " + subnet.GetName(at) + " have the same";
        }
        cell = at;
    }
    m_closes.assign(dimensions, false);
    m_ports.assign(2 * std::size_t{switches} * dimensions, {});
    for (uint32_t at = 0; at < switches; ++at)
    {
        const std::string why = AddCables(subnet, at);
        if (!why.empty())
        {
            return why;
        }
    }
    CountRuns();
    return "";
}

std::string
IbTorusGrid::AddCables(const IbSubnet& subnet, uint32_t at)
{
    const auto& ports = subnet.GetPorts(at);
    for (uint16_t port = 0; port < ports.size(); ++port)
    {
        if (ports[port].kind != IbSubnet::Far::SWITCH)
        {
            continue;
        }
        const uint32_t peer = ports[port].peer;
        uint32_t differing = 0;
        uint32_t dimension = 0;
        for (uint32_t i = 0; i < m_sizes.size(); ++i)
        {
            if (GetPlace(at, i) != GetPlace(peer, i))
            {
                ++differing;
                dimension = i;
            }
        }
        const uint32_t size = m_sizes[dimension];
        const uint32_t step = (GetPlace(peer, dimension) + size - GetPlace(at, dimension)) % size;
        if (differing != 1 || (step != 1 && step != size - 1))
        {
            return "dimension-order routing needs cables between neighbours of a torus or mesh, "
                   "but the one from " +
                   subnet.GetName(at) + " to " + subnet.GetName(peer) + " joins no neighbours";
        }
        m_ports[GetIndex(at, dimension, step == 1)].push_back(port);
        if (size > 2 && step == 1 && GetPlace(peer, dimension) == 0)
        {
            m_closes[dimension] = true;
        }
    }
    return "";
}

void
IbTorusGrid::CountRuns()
{
    m_runs.assign(m_ports.size(), 0);
    for (uint32_t at = 0; at < m_cellOf.size(); ++at)
    {
        for (uint32_t dimension = 0; dimension < m_sizes.size(); ++dimension)
        {
            const uint32_t size = m_sizes[dimension];
            for (const bool forward : {false, true})
            {
                uint32_t& run = m_runs[GetIndex(at, dimension, forward)];
                for (uint32_t here = at; run < size && !GetPorts(here, dimension, forward).empty();
                     ++run)
                {
                    const uint32_t next =
                        (GetPlace(here, dimension) + (forward ? 1 : size - 1)) % size;
                    here = GetInRow(here, dimension, next);
                }
            }
        }
    }
}

std::size_t
IbTorusGrid::GetIndex(uint32_t at, uint32_t dimension, bool forward) const
{
    return 2 * (std::size_t{at} * m_sizes.size() + dimension) + forward;
}

uint32_t
IbTorusGrid::GetNDimensions() const
{
    return m_sizes.size();
}

bool
IbTorusGrid::Closes(uint32_t dimension) const
{
    return m_closes[dimension];
}

uint32_t
IbTorusGrid::GetPlace(uint32_t at, uint32_t dimension) const
{
    return m_cellOf[at] / m_strides[dimension] % m_sizes[dimension];
}

uint32_t
IbTorusGrid::GetInRow(uint32_t at, uint32_t dimension, uint32_t place) const
{
    const uint32_t base = m_cellOf[at] - GetPlace(at, dimension) * m_strides[dimension];
    return m_cells[base + place * m_strides[dimension]];
}

const std::vector<uint16_t>&
IbTorusGrid::GetPorts(uint32_t at, uint32_t dimension, bool forward) const
{
    return m_ports[GetIndex(at, dimension, forward)];
}

IbTorusGrid::Way
IbTorusGrid::FindWay(uint32_t at, uint32_t dimension, uint32_t place) const
{
    const uint32_t size = m_sizes[dimension];
    const uint32_t here = GetPlace(at, dimension);
    const uint32_t ahead = (place + size - here) % size;
    const uint32_t back = size - ahead;
    const bool canForward = m_runs[GetIndex(at, dimension, true)] >= ahead;
    const bool canBack = m_runs[GetIndex(at, dimension, false)] >= back;
    const bool forward = canForward && (ahead <= back || !canBack);
    return {canForward || canBack, forward, forward ? here + ahead >= size : here < back};
}

} // namespace rdma
} // namespace ns3
