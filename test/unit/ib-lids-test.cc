/* SPDX-License-Identifier: GPL-2.0-only */
/* LIDs of host ports. */

#include "ns3/ib-lids.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{
namespace
{

TEST(IbLids, BaseLidsAreAlignedAndNeverZero)
{
    const IbLids one(3, 0);
    EXPECT_EQ(one.GetBase(0), 1);
    EXPECT_EQ(one.GetBase(2), 3);
    EXPECT_EQ(one.GetTop(), 3);
    const IbLids eight(3, 3);
    EXPECT_EQ(eight.GetPerPort(), 8u);
    EXPECT_EQ(eight.GetBase(0), 8);
    EXPECT_EQ(eight.GetBase(2), 24);
    EXPECT_EQ(eight.GetTop(), 31);
    EXPECT_EQ(eight.FindEndpoint(7), 3u); // none
    EXPECT_EQ(eight.FindEndpoint(8), 0u);
    EXPECT_EQ(eight.FindEndpoint(15), 0u);
    EXPECT_EQ(eight.FindEndpoint(31), 2u);
    EXPECT_EQ(eight.FindEndpoint(32), 3u); // none
    EXPECT_EQ(IbLids(0, 5).GetTop(), 0);
}

// Unicast LIDs are 1 to 0xBFFF = 49,151. With LMC m the base LIDs are 2^m to 0xC000 - 2^m.
TEST(IbLids, AsManyAsUnicastLidsAllow)
{
    EXPECT_EQ(IbLids::Check(49'151, 0), "");
    EXPECT_EQ(IbLids(49'151, 0).GetTop(), 0xBFFF);
    EXPECT_EQ(IbLids::Check(49'152, 0),
              "an InfiniBand subnet with LMC 0 has LIDs for at most 49151 host ports, got 49152");
    EXPECT_EQ(IbLids::Check(383, 7), "");
    EXPECT_EQ(IbLids(383, 7).GetBase(382), 0xBF80);
    EXPECT_EQ(IbLids(383, 7).GetTop(), 0xBFFF);
    EXPECT_EQ(IbLids::Check(384, 7),
              "an InfiniBand subnet with LMC 7 has LIDs for at most 383 host ports, got 384");
    EXPECT_EQ(IbLids::Check(1, 8), "the LMC of an InfiniBand port is 0 to 7, got 8");
}

TEST(IbLidsDeathTest, TooManyHostsAreRefused)
{
    EXPECT_DEATH(IbLids(384, 7), "at most 383 host ports, got 384");
}

} // namespace
} // namespace rdma
} // namespace ns3
