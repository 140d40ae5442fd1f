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

// Marks every 10 us; the first makes a CNP at once, then one per 50 us.
TEST(RdmaNotificationPoint, AtOnceAndThenOnePerInterval)
{
    RdmaNotificationPoint point;
    std::vector<int64_t> sent;
    for (int64_t t = 0; t <= 200 * US; t += 10 * US)
    {
        const int64_t when = point.Marked(t, 50 * US, 0);
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
    EXPECT_EQ(point.Marked(7 * US, 50 * US, 0), 7 * US);
    EXPECT_EQ(point.Marked(56 * US, 50 * US, 0), FABRIC_NEVER);
    EXPECT_EQ(point.Marked(57 * US, 50 * US, 0), 57 * US);
    EXPECT_EQ(point.Marked(500 * US, 50 * US, 0), 500 * US);
}

// Making one takes 55 us, longer than the interval of 20 us: three are under way, and none is
// forgotten.
TEST(RdmaNotificationPoint, ADelayLongerThanTheInterval)
{
    RdmaNotificationPoint point;
    EXPECT_EQ(point.Marked(0, 20 * US, 55 * US), 55 * US);
    EXPECT_EQ(point.Marked(20 * US, 20 * US, 55 * US), 75 * US);
    EXPECT_EQ(point.Marked(40 * US, 20 * US, 55 * US), 95 * US);
    EXPECT_EQ(point.Sent(), 75 * US);
    EXPECT_EQ(point.Marked(60 * US, 20 * US, 55 * US), 115 * US);
    EXPECT_EQ(point.Sent(), 95 * US);
    EXPECT_EQ(point.Sent(), 115 * US);
    EXPECT_EQ(point.Sent(), FABRIC_NEVER);
}

} // namespace
} // namespace rdma
} // namespace ns3
