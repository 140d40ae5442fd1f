/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the routes of an InfiniBand subnet reach every host and cannot deadlock. */

#include "ns3/ib-route-check.h"

#include "ns3/ib-channel-graph.h"
#include "ns3/ib-lids.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"

#include <array>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * Follows the tables to a LID from every switch.
 * \param subnet The switches.
 * \param routes Their tables.
 * \param endpoint The host that has the LID.
 * \param dlid The LID.
 * \return For each switch whether packets arrive; not so where they circle.
 */
std::vector<bool>
FindReach(const IbSubnet& subnet, const IbRoutes& routes, uint32_t endpoint, uint16_t dlid)
{
    enum State : uint8_t
    {
        UNKNOWN,
        ON_THE_WAY,
        ARRIVES,
        LOST
    };

    std::vector<uint8_t> states(subnet.GetNSwitches(), UNKNOWN);
    std::vector<uint32_t> way;
    for (uint32_t source = 0; source < states.size(); ++source)
    {
        way.clear();
        uint32_t at = source;
        while (states[at] == UNKNOWN)
        {
            states[at] = ON_THE_WAY;
            way.push_back(at);
            const uint16_t out = routes.GetPort(at, dlid);
            if (out == IbRoutes::NO_PORT)
            {
                states[at] = LOST;
                break;
            }
            const IbSubnet::Port& port = subnet.GetPorts(at)[out];
            if (port.kind == IbSubnet::Far::HOST)
            {
                states[at] = port.peer == endpoint ? ARRIVES : LOST;
                break;
            }
            at = port.peer;
        }
        const uint8_t end = states[at] == ON_THE_WAY ? +LOST : states[at];
        for (const uint32_t passed : way)
        {
            states[passed] = end;
        }
    }
    std::vector<bool> reach;
    for (const uint8_t state : states)
    {
        reach.push_back(state == ARRIVES);
    }
    return reach;
}

/**
 * Counts and names the hosts that do not reach a host.
 * \param subnet The switches.
 * \param reach For each switch whether packets of its hosts arrive.
 * \param endpoint The host.
 * \param limit How many pairs to name in all.
 * \param report What has been found so far.
 */
void
ReportLost(const IbSubnet& subnet,
           const std::vector<bool>& reach,
           uint32_t endpoint,
           std::size_t limit,
           IbRouteReport& report)
{
    for (uint32_t source = 0; source < subnet.GetNHosts(); ++source)
    {
        const uint32_t at = subnet.GetSwitchOf(source);
        if (source == endpoint || (at != IbSubnet::NO_SWITCH && reach[at]) ||
            subnet.AreConnected(source, endpoint))
        {
            continue;
        }
        ++report.unreachablePairs;
        if (report.unreachable.size() < limit)
        {
            report.unreachable.push_back(subnet.GetHostName(source) + " to " +
                                         subnet.GetHostName(endpoint));
        }
    }
}

} // namespace

IbRouteReport
IbRouteCheck::Check(const IbSubnet& subnet,
                    const IbLids& lids,
                    const IbRoutes& routes,
                    const Options& options)
{
    IbRouteReport report;
    const bool allAdaptive = options.adaptiveLevels != 0 && !routes.HasServiceLevels();
    IbChannelGraph graph(subnet, routes, allAdaptive ? 0xffff : options.adaptiveLevels);
    const std::vector<uint32_t> leaves = subnet.GetLeaves();
    std::array<std::vector<uint32_t>, 16> sources;
    for (uint32_t endpoint = 0; endpoint < subnet.GetNHosts(); ++endpoint)
    {
        const uint32_t destination = subnet.GetSwitchOf(endpoint);
        std::vector<bool> reach(subnet.GetNSwitches(), destination != IbSubnet::NO_SWITCH);
        if (destination != IbSubnet::NO_SWITCH)
        {
            for (auto& list : sources)
            {
                list.clear();
            }
            for (const uint32_t leaf : leaves)
            {
                if (leaf != destination)
                {
                    sources[routes.GetServiceLevel(leaf, destination)].push_back(leaf);
                }
            }
            for (uint32_t path = 0; path < lids.GetPerPort(); ++path)
            {
                const uint16_t dlid = lids.GetBase(endpoint) + path;
                const std::vector<bool> arrives = FindReach(subnet, routes, endpoint, dlid);
                for (uint32_t at = 0; at < reach.size(); ++at)
                {
                    reach[at] = reach[at] && arrives[at];
                }
                for (uint8_t level = 0; level < sources.size(); ++level)
                {
                    graph.AddRoutes(sources[level], dlid, level);
                }
            }
        }
        ReportLost(subnet, reach, endpoint, options.limit, report);
    }
    report.cycles = graph.FindCycles();
    report.dependencies = graph.GetNDependencies();
    return report;
}

} // namespace rdma
} // namespace ns3
