/* SPDX-License-Identifier: GPL-2.0-only */
/* Exact wire time, and ticks of the simulator. */

#include "ns3/fabric-clock.h"
#include "ns3/fabric-serializer.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint64_t G = 1'000'000'000;

// 84 bytes at 100 Gb/s are 6.72 ns, at 800 Gb/s 0.84 ns.
TEST(FabricSerializer, ByteTimesOfWholePicoseconds)
{
    FabricSerializer serializer;
    serializer.SetRate(100 * G);
    EXPECT_EQ(serializer.Send(1000, 84), 7'720);
    EXPECT_EQ(serializer.GetFree(), 7'720);
    // Ready while the wire is busy: right behind.
    EXPECT_EQ(serializer.Send(2000, 84), 14'440);
    // Ready later than that: after a gap.
    EXPECT_EQ(serializer.Send(20'000, 84), 26'720);
    EXPECT_EQ(FabricSerializer::Duration(800 * G, 84), 840);
}

// 54.55 Gb/s: 64 bytes take 512 / 54.55 = 9385.884 ps. The n-th frame back to back ends at n x 512
// / 54.55, rounded up, although each one of them would be rounded by 0.116 ps.
TEST(FabricSerializer, FractionsAreCarriedFromFrameToFrame)
{
    constexpr uint64_t rate = 54'550'000'000;
    FabricSerializer serializer;
    serializer.SetRate(rate);
    int64_t end = 0;
    for (uint64_t n = 1; n <= 1'000'000; ++n)
    {
        end = serializer.Send(0, 64);
        if (n == 1)
        {
            EXPECT_EQ(end, 9'386);
        }
        if (n == 9)
        {
            EXPECT_EQ(end, 84'473); // 84,472.96
        }
    }
    EXPECT_EQ(end, 9'385'884'510); // 9,385,884,509.6
}

// After a gap a frame starts on a whole picosecond: nothing is left over from before.
TEST(FabricSerializer, AGapForgetsTheFraction)
{
    FabricSerializer serializer;
    serializer.SetRate(54'550'000'000);
    EXPECT_EQ(serializer.Send(0, 64), 9'386);
    EXPECT_EQ(serializer.GetFree(), 9'385);
    EXPECT_EQ(serializer.Send(20'000, 64), 29'386);
}

// The largest frames at the slowest and fastest rates stay within 64 bits.
TEST(FabricSerializer, ExtremesDoNotOverflow)
{
    constexpr uint32_t largest = 1 << 20;
    EXPECT_EQ(FabricSerializer::Duration(1'000'000, largest), 8'388'608'000'000);
    EXPECT_EQ(FabricSerializer::Duration(1'600 * G, largest), 5'242'880);
    FabricSerializer serializer;
    serializer.SetRate(999'999'999'999);
    int64_t end = 0;
    for (int i = 0; i < 1000; ++i)
    {
        end = serializer.Send(0, largest);
    }
    // 1000 x 8,388,608 bits at 999,999,999,999 bit/s: 8,388,608,000 x (1 + 10^-12) ps.
    EXPECT_EQ(end, 8'388'608'001);
}

TEST(FabricClock, DeadlinesAreRoundedUpToATick)
{
    ASSERT_EQ(Time::GetResolution(), Time::NS);
    const FabricClock clock;
    EXPECT_EQ(clock.TickPs(), 1000);
    EXPECT_EQ(clock.ToPs(NanoSeconds(7)), 7'000);
    EXPECT_EQ(clock.ToTick(7'000), 7);
    EXPECT_EQ(clock.ToTick(7'001), 8);
    EXPECT_EQ(clock.ToTick(6'999), 7);
    EXPECT_EQ(clock.ToTime(1), NanoSeconds(1));
}

} // namespace
} // namespace ns3
