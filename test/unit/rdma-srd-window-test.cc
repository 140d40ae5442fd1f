/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of packet sequence numbers, against a std::set. */

#include "ns3/rdma-srd-window.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3::rdma;

TEST(RdmaSrdWindow, AgreesWithASetOverTheWrapOfTheWireNumber)
{
    std::mt19937 random(1);
    RdmaSrdWindow window;
    std::set<uint64_t> model;
    uint64_t base = RdmaSrdWindow::FIRST;
    const auto contains = [&](uint64_t sequence) {
        return sequence < base || model.count(sequence) > 0;
    };
    ASSERT_EQ(window.GetBefore(base + 10), (uint64_t{1} << 54) - 1) << "before there are any bits";
    for (int step = 0; step < 20000; ++step)
    {
        // Mostly near the base, sometimes far ahead: 1,000 numbers need a ring that grows.
        const uint64_t sequence = base + random() % (step % 50 ? 90 : 1000);
        ASSERT_EQ(window.Contains(sequence), contains(sequence)) << sequence - base;
        if (!contains(sequence))
        {
            window.Insert(sequence);
            model.insert(sequence);
            while (model.erase(base))
            {
                ++base;
            }
        }
        ASSERT_EQ(window.GetBase(), base);
        const uint64_t probe = base + random() % 200;
        uint64_t before = 0;
        for (uint64_t i = 0; i < 64; ++i)
        {
            before |= uint64_t{contains(probe - 64 + i)} << i;
        }
        ASSERT_EQ(window.GetBefore(probe), before) << probe - base;
        ASSERT_EQ(window.Widen(static_cast<uint32_t>(sequence)), sequence);
    }
    EXPECT_GT(base, uint64_t{1} << 32) << "the number on the wire has wrapped round";
}
