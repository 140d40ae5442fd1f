/* SPDX-License-Identifier: GPL-2.0-only */
/* Which hosts cannot reach each other. */

#include "ns3/fabric-reach.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * \param a A sorted list.
 * \param b Another one.
 * \return True when an element is in both.
 */
bool
Meet(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end() && *i != *j)
    {
        (*i < *j ? i : j)++;
    }
    return i != a.end() && j != b.end();
}

} // namespace

std::vector<std::pair<uint32_t, uint32_t>>
FabricReach::FindSeparated(std::vector<std::vector<uint32_t>> islands, std::size_t limit)
{
    std::set<std::vector<uint32_t>> kinds;
    std::vector<uint32_t> firsts;
    for (uint32_t host = 0; host < islands.size(); ++host)
    {
        auto& touched = islands[host];
        std::sort(touched.begin(), touched.end());
        // Hosts that touch nothing are not of one kind: they do not even reach each other.
        if (touched.empty() || kinds.insert(touched).second)
        {
            firsts.push_back(host);
        }
    }
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (std::size_t i = 0; i < firsts.size(); ++i)
    {
        for (std::size_t j = i + 1; j < firsts.size() && pairs.size() < limit; ++j)
        {
            if (!Meet(islands[firsts[i]], islands[firsts[j]]))
            {
                pairs.emplace_back(firsts[i], firsts[j]);
            }
        }
    }
    return pairs;
}

} // namespace rdma
} // namespace ns3
