/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths that go up first, then down, and never up again. */

#include "ns3/ib-up-down-paths.h"

#include "ns3/ib-subnet.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace rdma
{

IbUpDownPaths::IbUpDownPaths(const IbSubnet& subnet, std::vector<uint32_t> ranks)
    : m_subnet(subnet),
      m_ranks(std::move(ranks)),
      m_topDown(m_ranks.size())
{
    std::iota(m_topDown.begin(), m_topDown.end(), 0);
    std::sort(m_topDown.begin(), m_topDown.end(), [this](uint32_t a, uint32_t b) {
        return IsUp(b, a);
    });
}

bool
IbUpDownPaths::IsUp(uint32_t from, uint32_t to) const
{
    return std::make_pair(m_ranks[to], to) < std::make_pair(m_ranks[from], from);
}

void
IbUpDownPaths::Find(uint32_t destination, std::vector<std::vector<uint16_t>>& candidates) const
{
    constexpr uint32_t NONE = IbSubnet::UNREACHED;
    candidates.resize(m_ranks.size());
    std::vector<uint32_t> hops(m_ranks.size(), NONE);
    std::vector<uint32_t> queue{destination};
    hops[destination] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
    {
        const uint32_t at = queue[next];
        for (const auto& port : m_subnet.GetPorts(at))
        {
            if (port.kind == IbSubnet::Far::SWITCH && hops[port.peer] == NONE &&
                IsUp(at, port.peer))
            {
                hops[port.peer] = hops[at] + 1;
                queue.push_back(port.peer);
            }
        }
    }
    // From the highest to the lowest, because those that must go up go by higher ones. Who has hops
    // when its turn comes goes down.
    for (const uint32_t at : m_topDown)
    {
        candidates[at].clear();
        const bool down = hops[at] != NONE;
        uint32_t best = NONE;
        const auto& ports = m_subnet.GetPorts(at);
        for (uint16_t port = 0; port < ports.size() && at != destination; ++port)
        {
            const uint32_t peer = ports[port].peer;
            if (ports[port].kind != IbSubnet::Far::SWITCH || IsUp(at, peer) == down ||
                hops[peer] == NONE || hops[peer] > best)
            {
                continue;
            }
            if (hops[peer] < best)
            {
                best = hops[peer];
                candidates[at].clear();
            }
            candidates[at].push_back(port);
        }
        if (!down && best != NONE)
        {
            hops[at] = best + 1;
        }
    }
}

} // namespace rdma
} // namespace ns3
