/* SPDX-License-Identifier: GPL-2.0-only */
/* Dependencies between channels that never close a cycle. */

#include "ns3/ib-layer.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace rdma
{

IbLayer::IbLayer(uint32_t channels)
    : m_next(channels),
      m_previous(channels),
      m_places(channels),
      m_seen(channels)
{
    std::iota(m_places.begin(), m_places.end(), 0);
}

bool
IbLayer::TryAdd(const Path& path)
{
    for (std::size_t i = 0; i < path.size(); ++i)
    {
        if (!Add(path[i].first, path[i].second))
        {
            while (i-- > 0)
            {
                Drop(path[i].first, path[i].second);
            }
            return false;
        }
    }
    return true;
}

void
IbLayer::Remove(const Path& path)
{
    for (const auto& [from, to] : path)
    {
        Drop(from, to);
    }
}

bool
IbLayer::Add(uint32_t from, uint32_t to)
{
    for (End& end : m_next[from])
    {
        if (end.channel == to)
        {
            ++end.count;
            return true;
        }
    }
    if (m_places[from] >= m_places[to] && !Reorder(from, to))
    {
        return false;
    }
    m_next[from].push_back({to, 1});
    m_previous[to].push_back({from, 0});
    return true;
}

void
IbLayer::Drop(uint32_t from, uint32_t to)
{
    const auto find = [](std::vector<End>& ends, uint32_t channel) {
        return std::find_if(ends.begin(), ends.end(), [&](const End& end) {
            return end.channel == channel;
        });
    };
    const auto it = find(m_next[from], to);
    if (--it->count == 0)
    {
        m_next[from].erase(it);
        m_previous[to].erase(find(m_previous[to], from));
    }
}

bool
IbLayer::Reorder(uint32_t from, uint32_t to)
{
    const uint32_t low = m_places[to];
    const uint32_t high = m_places[from];
    const auto search = [&](uint32_t root, const std::vector<std::vector<End>>& ends) {
        std::vector<uint32_t> found{root};
        m_seen[root] = true;
        for (std::size_t i = 0; i < found.size(); ++i)
        {
            for (const End& end : ends[found[i]])
            {
                const uint32_t place = m_places[end.channel];
                if (!m_seen[end.channel] && place >= low && place <= high)
                {
                    m_seen[end.channel] = true;
                    found.push_back(end.channel);
                }
            }
        }
        for (const uint32_t channel : found)
        {
            m_seen[channel] = false;
        }
        return found;
    };
    std::vector<uint32_t> after = search(to, m_next);
    if (std::find(after.begin(), after.end(), from) != after.end())
    {
        return false;
    }
    std::vector<uint32_t> moved = search(from, m_previous);
    const auto earlier = [this](uint32_t a, uint32_t b) { return m_places[a] < m_places[b]; };
    std::sort(moved.begin(), moved.end(), earlier);
    std::sort(after.begin(), after.end(), earlier);
    // Those before the dependency take the lowest of the places that all of them had.
    moved.insert(moved.end(), after.begin(), after.end());
    std::vector<uint32_t> places;
    for (const uint32_t channel : moved)
    {
        places.push_back(m_places[channel]);
    }
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < moved.size(); ++i)
    {
        m_places[moved[i]] = places[i];
    }
    return true;
}

} // namespace rdma
} // namespace ns3
