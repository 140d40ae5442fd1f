/* SPDX-License-Identifier: GPL-2.0-only */
/* When marks become CNPs. */

#include "ns3/rdma-notification-point.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace rdma
{
namespace
{

constexpr int64_t US = 1'000'000;

// Marks that are not held, every 10 us; the first makes a CNP at once, then one per 50 us.
TEST(RdmaNotificationPoint, AtOnceAndThenOnePerInterval)
{
    RdmaNotificationPoint point;
    std::vector<int64_t> sent;
    for (int64_t t = 0; t <= 200 * US; t += 10 * US)
    {
        const int64_t when = point.Marked(t, 50 * US, 0, false);
        if (when != FABRIC_NEVER)
        {
            sent.push_back(when / US);
            EXPECT_EQ(point.Sent(), FABRIC_NEVER);
        }
    }
    EXPECT_EQ(sent, (std::vector<int64_t>{0, 50, 100, 150, 200}));
}

TEST(RdmaNotificationPoint, AMarkAfterALongPauseIsAnsweredAtOnce)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(7 * US, 50 * US, 0, false), 7 * US);
    EXPECT_EQ(point.Marked(56 * US, 50 * US, 0, false), FABRIC_NEVER);
    EXPECT_EQ(point.Marked(57 * US, 50 * US, 0, false), 57 * US);
    EXPECT_EQ(point.Marked(500 * US, 50 * US, 0, false), 500 * US);
}

// Making one takes 55 us, longer than the interval of 20 us: three are under way, and none is
// forgotten.
TEST(RdmaNotificationPoint, ADelayLongerThanTheInterval)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(0, 20 * US, 55 * US, false), 55 * US);
    EXPECT_EQ(point.Marked(20 * US, 20 * US, 55 * US, false), 75 * US);
    EXPECT_EQ(point.Marked(40 * US, 20 * US, 55 * US, false), 95 * US);
    EXPECT_EQ(point.Sent(), 75 * US);
    EXPECT_EQ(point.Marked(60 * US, 20 * US, 55 * US, false), 115 * US);
    EXPECT_EQ(point.Sent(), 95 * US);
    EXPECT_EQ(point.Sent(), 115 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
}

// As published. A CNP at 7 us opens an interval to 57 us; the mark at 20 us makes one at its end,
// which opens the next, to 107 us, and the one at 30 us no other. The mark at 106 us makes one at
// 107 us, and nothing comes before 157 us. So the mark at 200 us is answered at once.
TEST(RdmaNotificationPoint, HeldMarksMakeACnpAtTheEndOfTheInterval)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(7 * US, 50 * US, 0, true), 7 * US);
    EXPECT_EQ(point.Marked(20 * US, 50 * US, 0, true), 57 * US);
    EXPECT_EQ(point.Marked(30 * US, 50 * US, 0, true), FABRIC_NEVER);
    // The first is late, because the port was busy: the second follows in its own time.
    EXPECT_EQ(point.Sent(), 57 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
    EXPECT_EQ(point.Marked(106 * US, 50 * US, 0, true), 107 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
    EXPECT_EQ(point.Marked(200 * US, 50 * US, 0, true), 200 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
}

// A held CNP takes its time to be made, too: 10 us after the end of the interval.
TEST(RdmaNotificationPoint, AHeldMarkAndADelay)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(0, 50 * US, 10 * US, true), 10 * US);
    EXPECT_EQ(point.Marked(49 * US, 50 * US, 10 * US, true), 60 * US);
    EXPECT_EQ(point.Marked(50 * US, 50 * US, 10 * US, true), 110 * US);
    EXPECT_EQ(point.Sent(), 60 * US);
    EXPECT_EQ(point.Sent(), 110 * US);
}

// No interval: every mark makes a CNP at once.
TEST(RdmaNotificationPoint, WithoutAnIntervalEveryMarkIsAnswered)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(3 * US, 0, 0, true), 3 * US);
    EXPECT_EQ(point.Marked(3 * US, 0, 0, true), 3 * US);
    EXPECT_EQ(point.Sent(), 3 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
}

} // namespace
} // namespace rdma
} // namespace ns3
