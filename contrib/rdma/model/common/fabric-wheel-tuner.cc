/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-wheel-tuner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{
namespace rdma
{

namespace
{

/// Instructions per passed event, weighted for the cache miss that a step often is.
constexpr double STEP_COST = 10;
/// Instructions to put an event beyond the end of the wheel and to fetch it from there.
constexpr double FAR_COST = 100;
/// Instructions that a doubling of the wheel costs in cache misses.
constexpr double DOUBLING_COST = 1;
/// Instructions to move one event to another layout.
constexpr double MOVE_COST = 100;
/// The number of epochs for which a layout is expected to stay good.
constexpr double LIFETIME = 16;

} // namespace

FabricWheelTuner::FabricWheelTuner()
    : m_delays{},
      m_samples(0),
      m_epoch(16),
      m_steps(0),
      m_start(0)
{
}

double
FabricWheelTuner::Predict(const Geometry& candidate, const Geometry& current, const Load& load)
{
    const int width = static_cast<int>(candidate.widthBits);
    double steps =
        load.stepsPerInsert * std::ldexp(1.0, width - static_cast<int>(current.widthBits));
    if (candidate.widthBits > current.widthBits)
    {
        // Events that do not share a bucket now may do so then; on average a new event passes
        // half of those that its bucket will hold.
        steps = std::max(steps, std::ldexp(load.eventsPerTick / 2, width));
    }
    const double beyond = load.shareBeyond[candidate.widthBits + candidate.countBits - 1];
    return STEP_COST * steps + FAR_COST * beyond + DOUBLING_COST * candidate.countBits;
}

FabricWheelTuner::Geometry
FabricWheelTuner::Choose(const Geometry& current, std::size_t pending, uint64_t now)
{
    const bool moving = now > m_start;
    const double inserts = static_cast<double>(std::max(m_samples, 1U)) * SAMPLE_INTERVAL;
    Load load;
    load.stepsPerInsert = static_cast<double>(m_steps) / inserts;
    load.eventsPerTick = moving ? inserts / static_cast<double>(now - m_start) : 0;
    const double total = std::accumulate(m_delays.begin(), m_delays.end(), 0.0);
    double beyond = 0;
    for (std::size_t i = m_delays.size(); i-- > 0;)
    {
        load.shareBeyond[i] = total > 0 ? beyond / total : 0;
        beyond += m_delays[i];
    }

    // The memory of the wheel stays linear in the number of events: four buckets for each.
    uint32_t maxCountBits = MIN_COUNT_BITS;
    while (maxCountBits < MAX_COUNT_BITS && (std::size_t{1} << maxCountBits) < 4 * pending)
    {
        ++maxCountBits;
    }
    // Before time passes nothing is known about density, so buckets only get narrower.
    const uint32_t maxWidthBits = moving ? MAX_WIDTH_BITS : current.widthBits;

    const double currentCost = Predict(current, current, load);
    Geometry best = current;
    double bestCost = currentCost;
    for (uint32_t count = MIN_COUNT_BITS; count <= maxCountBits; ++count)
    {
        for (uint32_t width = 0; width <= maxWidthBits; ++width)
        {
            const Geometry candidate{width, count};
            const double cost = Predict(candidate, current, load);
            if (cost < bestCost)
            {
                best = candidate;
                bestCost = cost;
            }
        }
    }

    const double gain = currentCost - bestCost;
    const double move = MOVE_COST * static_cast<double>(pending) +
                        static_cast<double>(std::size_t{1} << best.countBits);
    const bool pays = gain > 0.1 * currentCost && gain * inserts * LIFETIME > move;

    // A steady load needs few looks; after a change the next look comes soon. Half of the
    // histogram stays, so that a short epoch does not forget the rare long delays.
    m_epoch = pays ? MAX_EPOCH / 8 : std::min(2 * m_epoch, MAX_EPOCH);
    for (auto& count : m_delays)
    {
        count /= 2;
    }
    m_samples = 0;
    m_steps = 0;
    m_start = now;
    return pays ? best : current;
}

} // namespace rdma
} // namespace ns3
