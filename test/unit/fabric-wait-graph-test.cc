/* SPDX-License-Identifier: GPL-2.0-only */
/* Which queues wait for ever. */

#include "ns3/fabric-wait-graph.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

using Cycle = std::vector<uint32_t>;

/**
 * \param queues How many queues.
 * \param waits Which waits for which.
 * \param movable Those that somebody outside may let go on.
 * \return The cycle that is found.
 */
Cycle
FindCycle(uint32_t queues,
          const std::vector<std::pair<uint32_t, uint32_t>>& waits,
          const std::vector<uint32_t>& movable = {})
{
    FabricWaitGraph graph;
    for (uint32_t i = 0; i < queues; ++i)
    {
        EXPECT_EQ(graph.AddQueue(false), i);
    }
    for (const uint32_t i : movable)
    {
        graph.SetMovable(i);
    }
    for (const auto& [queue, other] : waits)
    {
        graph.AddWait(queue, other);
    }
    return graph.FindCycle();
}

TEST(FabricWaitGraph, AnEmptyGraphHasNoCycle)
{
    EXPECT_EQ(FindCycle(0, {}), Cycle());
}

TEST(FabricWaitGraph, AChainEndsSomewhere)
{
    EXPECT_EQ(FindCycle(3, {{0, 1}, {1, 2}}), Cycle());
}

TEST(FabricWaitGraph, ARingOfFourIsFoundInOrder)
{
    EXPECT_EQ(FindCycle(4, {{2, 3}, {3, 0}, {0, 1}, {1, 2}}), (Cycle{0, 1, 2, 3}));
}

TEST(FabricWaitGraph, WhatOnlyWaitsForTheRingIsNotPartOfIt)
{
    // 0 and 1 lead into the ring 2 -> 4 -> 3 -> 2.
    EXPECT_EQ(FindCycle(5, {{0, 1}, {1, 3}, {2, 4}, {4, 3}, {3, 2}}), (Cycle{2, 4, 3}));
}

TEST(FabricWaitGraph, AQueueOfItsOwn)
{
    EXPECT_EQ(FindCycle(1, {{0, 0}}), Cycle{0});
}

// 0 -> 1 -> 2 -> 0 is a cycle, but the room that 1 waits for is also taken by frames of 3, which a
// host stops. When the host lets 3 go on, 1 can send, and so can all others.
TEST(FabricWaitGraph, AWayOutOfTheRingIsNoDeadlock)
{
    const std::vector<std::pair<uint32_t, uint32_t>> waits{{0, 1}, {1, 2}, {2, 0}, {1, 3}};
    EXPECT_EQ(FindCycle(4, waits, {3}), Cycle());
    EXPECT_EQ(FindCycle(4, waits), Cycle()); // 3 waits for nobody
    EXPECT_EQ(FindCycle(4, {{0, 1}, {1, 2}, {2, 0}, {1, 3}, {3, 0}}), (Cycle{0, 1, 2}));
}

TEST(FabricWaitGraph, OneOfTwoRingsMayHaveAWayOut)
{
    EXPECT_EQ(FindCycle(5, {{0, 1}, {1, 0}, {2, 3}, {3, 4}, {4, 2}}, {1}), (Cycle{2, 3, 4}));
}

} // namespace
} // namespace ns3
