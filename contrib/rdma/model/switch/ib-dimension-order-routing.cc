/* SPDX-License-Identifier: GPL-2.0-only */
/* Dimension-order routing for rings, tori and meshes, with datelines. */

#include "ns3/ib-dimension-order-routing.h"

#include "ns3/boolean.h"
#include "ns3/ib-port-balancer.h"
#include "ns3/ib-torus-grid.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbDimensionOrderRouting);

namespace
{

/// Bits of a service level.
constexpr uint32_t LEVEL_BITS = 4;

/// What a dimension without dateline has instead of a bit.
constexpr uint32_t NO_BIT = LEVEL_BITS;

/**
 * Gives the packets that cross a dateline their lane.
 * \param subnet The switches.
 * \param grid The same as a grid.
 * \param bits For each dimension its bit of the service level, or NO_BIT.
 * \param routes The maps.
 */
void
SetLanes(const IbSubnet& subnet,
         const IbTorusGrid& grid,
         const std::vector<uint32_t>& bits,
         IbRoutes& routes)
{
    for (uint32_t dimension = 0; dimension < bits.size(); ++dimension)
    {
        if (bits[dimension] == NO_BIT)
        {
            continue;
        }
        IbLaneMap map;
        for (uint32_t level = 0; level < map.size(); ++level)
        {
            map[level] = level >> bits[dimension] & 1;
        }
        for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
        {
            for (const bool forward : {false, true})
            {
                for (const uint16_t out : grid.GetPorts(at, dimension, forward))
                {
                    for (uint16_t in = 0; in < subnet.GetPorts(at).size(); ++in)
                    {
                        routes.SetLaneMap(at, in, out, map);
                    }
                }
            }
        }
    }
}

} // namespace

TypeId
IbDimensionOrderRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbDimensionOrderRouting")
            .SetParent<IbRoutingEngine>()
            .SetGroupName("Rdma")
            .AddConstructor<IbDimensionOrderRouting>()
            .AddAttribute(
                "Dateline",
                "Whether paths that cross the dateline of a row use a second lane. Without "
                "it rows that close can deadlock.",
                BooleanValue(true),
                MakeBooleanAccessor(&IbDimensionOrderRouting::m_dateline),
                MakeBooleanChecker());
    return tid;
}

std::string
IbDimensionOrderRouting::DoCompute(const IbSubnet& subnet,
                                   const IbLids& lids,
                                   IbRoutes& routes) const
{
    IbTorusGrid grid;
    const std::string why = grid.Build(subnet);
    if (!why.empty())
    {
        return why;
    }
    const uint32_t dimensions = grid.GetNDimensions();
    std::vector<uint32_t> bits(dimensions, NO_BIT);
    uint32_t used = 0;
    for (uint32_t i = 0; i < dimensions; ++i)
    {
        if (!m_dateline || !grid.Closes(i))
        {
            continue;
        }
        if (used == LEVEL_BITS)
        {
            return "dimension-order routing has service levels for the datelines of 4 dimensions, "
                   "but more close";
        }
        bits[i] = used++;
    }
    if (used > 0 && routes.GetLanes() < 2)
    {
        return "dimension-order routing with datelines needs 2 data lanes, got 1";
    }
    SetLanes(subnet, grid, bits, routes);

    const uint32_t switches = subnet.GetNSwitches();
    IbPortBalancer balancer(subnet, lids);
    std::vector<std::vector<uint16_t>> candidates(switches);
    std::vector<uint8_t> levels(switches);
    std::vector<uint32_t> firsts(switches);
    for (const uint32_t leaf : subnet.GetLeaves())
    {
        for (uint32_t at = 0; at < switches; ++at)
        {
            candidates[at].clear();
            firsts[at] = 0;
            while (firsts[at] < dimensions &&
                   grid.GetPlace(at, firsts[at]) == grid.GetPlace(leaf, firsts[at]))
            {
                ++firsts[at];
            }
        }
        levels[leaf] = 0;
        // From the last dimension to the first: a path goes on as that of the switch where it
        // turns.
        for (uint32_t dimension = dimensions; dimension-- > 0;)
        {
            const uint32_t place = grid.GetPlace(leaf, dimension);
            for (uint32_t at = 0; at < switches; ++at)
            {
                if (firsts[at] != dimension)
                {
                    continue;
                }
                const IbTorusGrid::Way way = grid.FindWay(at, dimension, place);
                const uint32_t turn = grid.GetInRow(at, dimension, place);
                if (!way.exists || (turn != leaf && candidates[turn].empty()))
                {
                    continue;
                }
                candidates[at] = grid.GetPorts(at, dimension, way.forward);
                levels[at] = levels[turn];
                if (way.wraps && bits[dimension] != NO_BIT)
                {
                    levels[at] |= 1 << bits[dimension];
                }
                if (levels[at] != 0)
                {
                    routes.SetServiceLevel(at, leaf, levels[at]);
                }
            }
        }
        balancer.Assign(leaf, candidates, routes);
    }
    return "";
}

} // namespace rdma
} // namespace ns3
