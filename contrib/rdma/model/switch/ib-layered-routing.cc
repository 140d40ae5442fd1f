/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths in layers, each of them free of deadlock. */

#include "ns3/ib-layered-routing.h"

#include "ns3/ib-layer.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(IbLayeredRouting);

namespace
{

/// All paths from the hosts of a switch to those of another.
struct Bundle
{
    uint32_t source;      //!< the one switch
    uint32_t destination; //!< the other
    uint32_t layer;       //!< the layer that they are in
    IbLayer::Path path;   //!< their dependencies
};

/**
 * Follows the forwarding tables.
 * \param subnet The switches.
 * \param lids The LIDs.
 * \param routes The tables.
 * \param firsts For each switch the number of its first channel.
 * \param bundle Source and destination; the dependencies are added.
 */
void
Follow(const IbSubnet& subnet,
       const IbLids& lids,
       const IbRoutes& routes,
       const std::vector<uint32_t>& firsts,
       Bundle& bundle)
{
    for (const uint32_t endpoint : subnet.GetHosts(bundle.destination))
    {
        for (uint32_t i = 0; i < lids.GetPerPort(); ++i)
        {
            const uint16_t dlid = lids.GetBase(endpoint) + i;
            uint32_t at = bundle.source;
            uint16_t port = routes.GetPort(at, dlid);
            while (port != IbRoutes::NO_PORT)
            {
                const uint32_t next = subnet.GetPorts(at)[port].peer;
                if (next == bundle.destination)
                {
                    break;
                }
                const uint16_t nextPort = routes.GetPort(next, dlid);
                bundle.path.emplace_back(firsts[at] + port, firsts[next] + nextPort);
                at = next;
                port = nextPort;
            }
        }
    }
    std::sort(bundle.path.begin(), bundle.path.end());
    bundle.path.erase(std::unique(bundle.path.begin(), bundle.path.end()), bundle.path.end());
}

/**
 * Moves bundles to layers with fewer.
 * \param bundles All of them.
 * \param layers The layers.
 */
void
Balance(std::vector<Bundle>& bundles, std::vector<IbLayer>& layers)
{
    std::vector<std::size_t> counts(layers.size());
    for (const Bundle& bundle : bundles)
    {
        ++counts[bundle.layer];
    }
    const std::size_t share = (bundles.size() + layers.size() - 1) / layers.size();
    for (Bundle& bundle : bundles)
    {
        if (counts[bundle.layer] <= share)
        {
            continue;
        }
        for (uint32_t layer = 0; layer < layers.size(); ++layer)
        {
            if (counts[layer] < share && layers[layer].TryAdd(bundle.path))
            {
                layers[bundle.layer].Remove(bundle.path);
                --counts[bundle.layer];
                ++counts[layer];
                bundle.layer = layer;
                break;
            }
        }
    }
}

} // namespace

TypeId
IbLayeredRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::IbLayeredRouting")
                            .SetParent<IbMinHopRouting>()
                            .SetGroupName("Rdma")
                            .AddConstructor<IbLayeredRouting>();
    return tid;
}

std::string
IbLayeredRouting::DoCompute(const IbSubnet& subnet, const IbLids& lids, IbRoutes& routes) const
{
    IbMinHopRouting::DoCompute(subnet, lids, routes);
    routes.MakeStatic();
    std::vector<uint32_t> firsts;
    uint32_t channels = 0;
    for (uint32_t at = 0; at < subnet.GetNSwitches(); ++at)
    {
        firsts.push_back(channels);
        channels += subnet.GetPorts(at).size();
    }
    const std::vector<uint32_t> leaves = subnet.GetLeaves();
    std::vector<Bundle> bundles;
    std::vector<IbLayer> layers;
    for (const uint32_t source : leaves)
    {
        for (const uint32_t destination : leaves)
        {
            if (source == destination)
            {
                continue;
            }
            bundles.push_back({source, destination, 0, {}});
            Bundle& bundle = bundles.back();
            Follow(subnet, lids, routes, firsts, bundle);
            while (bundle.layer < layers.size() && !layers[bundle.layer].TryAdd(bundle.path))
            {
                ++bundle.layer;
            }
            if (bundle.layer == layers.size())
            {
                layers.emplace_back(channels);
                if (layers.size() > routes.GetLanes() || !layers.back().TryAdd(bundle.path))
                {
                    return "layered routing needs more than the " +
                           std::to_string(routes.GetLanes()) +
                           " data lanes: none has room for the paths from " +
                           subnet.GetName(source) + " to " + subnet.GetName(destination);
                }
            }
        }
    }
    if (layers.size() > 1)
    {
        Balance(bundles, layers);
    }
    for (const Bundle& bundle : bundles)
    {
        if (bundle.layer != 0)
        {
            routes.SetServiceLevel(bundle.source, bundle.destination, bundle.layer);
        }
    }
    return "";
}

} // namespace rdma
} // namespace ns3
