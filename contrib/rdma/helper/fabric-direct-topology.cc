/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of networks whose switches have hosts everywhere: rings, tori, dragonflies; and rails. */

#include "ns3/abort.h"
#include "ns3/fabric-topology.h"

#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Most switches of a torus or a dragonfly: more than an InfiniBand subnet has addresses.
constexpr uint64_t MOST_SWITCHES = 65'535;

/// Most dimensions of a torus.
constexpr std::size_t MOST_DIMENSIONS = 8;

} // namespace

FabricTopology
FabricTopology::Ring(uint32_t switches,
                     uint32_t hostsPerSwitch,
                     const FabricLinkSpec& host,
                     const FabricLinkSpec& fabric)
{
    NS_ABORT_MSG_IF(switches < 3, "A ring needs at least 3 switches, got " << switches);
    return Torus({switches}, hostsPerSwitch, host, fabric);
}

FabricTopology
FabricTopology::Torus(const std::vector<uint32_t>& dimensions,
                      uint32_t hostsPerSwitch,
                      const FabricLinkSpec& host,
                      const FabricLinkSpec& fabric)
{
    NS_ABORT_MSG_IF(dimensions.empty() || dimensions.size() > MOST_DIMENSIONS,
                    "A torus has 1 to " << MOST_DIMENSIONS << " dimensions, got "
                                        << dimensions.size());
    NS_ABORT_MSG_IF(hostsPerSwitch == 0, "A torus needs at least 1 host at each switch, got 0");
    uint64_t switches = 1;
    for (const uint32_t size : dimensions)
    {
        NS_ABORT_MSG_IF(size < 2, "A dimension of a torus needs at least 2 switches, got " << size);
        switches *= size;
        NS_ABORT_MSG_IF(switches > MOST_SWITCHES,
                        "A torus has at most " << MOST_SWITCHES << " switches, got more");
    }
    FabricTopology topology;
    for (uint64_t i = 0; i < switches * hostsPerSwitch; ++i)
    {
        topology.AddHost();
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        std::vector<uint32_t> coordinates;
        std::string name;
        uint32_t rest = i;
        for (const uint32_t size : dimensions)
        {
            coordinates.push_back(rest % size);
            name += (name.empty() ? "s" : "-") + std::to_string(rest % size);
            rest /= size;
        }
        topology.SetCoordinates(topology.AddSwitch(name), std::move(coordinates));
    }
    for (const uint32_t node : topology.m_hosts)
    {
        topology.AddLink(node, topology.m_switches[node / hostsPerSwitch], host);
    }
    uint32_t stride = 1;
    for (std::size_t dimension = 0; dimension < dimensions.size(); ++dimension)
    {
        const uint32_t size = dimensions[dimension];
        for (uint32_t i = 0; i < switches; ++i)
        {
            const uint32_t place = i / stride % size;
            const uint32_t next = place + 1 < size ? i + stride : i - place * stride;
            // In a row of two, the way on and the way round are the same link.
            if (size > 2 || place == 0)
            {
                topology.AddLink(topology.m_switches[i], topology.m_switches[next], fabric);
            }
        }
        stride *= size;
    }
    return topology;
}

FabricTopology
FabricTopology::Dragonfly(const DragonflySize& size,
                          const FabricLinkSpec& host,
                          const FabricLinkSpec& local,
                          const FabricLinkSpec& global)
{
    NS_ABORT_MSG_IF(size.routers == 0 || size.hosts == 0 || size.globals == 0,
                    "A dragonfly needs at least 1 switch in a group, 1 host and 1 global link at a "
                    "switch, got "
                        << size.routers << ", " << size.hosts << " and " << size.globals);
    const uint64_t links = uint64_t{size.routers} * size.globals;
    NS_ABORT_MSG_IF(links >= MOST_SWITCHES || (links + 1) * size.routers > MOST_SWITCHES,
                    "A dragonfly has at most " << MOST_SWITCHES << " switches, got groups of "
                                               << size.routers << " with " << size.globals
                                               << " global links each");
    const auto groups = static_cast<uint32_t>(links + 1);
    const uint32_t switches = groups * size.routers;
    FabricTopology topology;
    for (uint64_t i = 0; i < uint64_t{switches} * size.hosts; ++i)
    {
        topology.AddHost();
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        const uint32_t group = i / size.routers;
        const uint32_t place = i % size.routers;
        topology.SetCoordinates(
            topology.AddSwitch("r" + std::to_string(group) + "-" + std::to_string(place)),
            {group, place});
    }
    for (const uint32_t node : topology.m_hosts)
    {
        topology.AddLink(node, topology.m_switches[node / size.hosts], host);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        for (uint32_t j = i + 1; j % size.routers != 0; ++j)
        {
            topology.AddLink(topology.m_switches[i], topology.m_switches[j], local);
        }
    }
    for (uint32_t low = 0; low < groups; ++low)
    {
        for (uint32_t high = low + 1; high < groups; ++high)
        {
            // Link high - 1 of the lower group is link low of the higher one.
            const uint32_t a = low * size.routers + (high - 1) / size.globals;
            const uint32_t b = high * size.routers + low / size.globals;
            topology.AddLink(topology.m_switches[a], topology.m_switches[b], global);
        }
    }
    return topology;
}

FabricTopology
FabricTopology::RailOptimized(const RailSize& size,
                              const FabricLinkSpec& host,
                              const FabricLinkSpec& fabric)
{
    NS_ABORT_MSG_IF(size.units == 0 || size.servers == 0 || size.rails == 0,
                    "A rail-optimized network needs at least 1 unit, 1 server in a unit and 1 "
                    "rail, got "
                        << size.units << ", " << size.servers << " and " << size.rails);
    NS_ABORT_MSG_IF(size.spines == 0 && size.units * size.rails > 1,
                    "A rail-optimized network of " << size.units * size.rails
                                                   << " leaves needs at least 1 spine, got 0");
    FabricTopology topology;
    for (uint32_t i = 0; i < size.units * size.servers; ++i)
    {
        topology.AddHost();
    }
    for (uint32_t i = 0; i < size.units * size.rails; ++i)
    {
        topology.AddSwitch("leaf" + std::to_string(i / size.rails) + "-" +
                               std::to_string(i % size.rails),
                           1);
    }
    for (uint32_t i = 0; i < size.spines; ++i)
    {
        topology.AddSwitch("spine" + std::to_string(i), 2);
    }
    const uint32_t leaves = size.units * size.rails;
    for (const uint32_t node : topology.m_hosts)
    {
        for (uint32_t rail = 0; rail < size.rails; ++rail)
        {
            const uint32_t leaf = node / size.servers * size.rails + rail;
            topology.AddLink(node, topology.m_switches[leaf], host);
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < size.spines; ++spine)
        {
            topology.AddLink(topology.m_switches[leaf],
                             topology.m_switches[leaves + spine],
                             fabric);
        }
    }
    return topology;
}

} // namespace ns3
