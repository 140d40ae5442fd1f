/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet numbers of 64 bits and of 24 on the wire. */

#include "ns3/rdma-psn.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{
namespace
{

TEST(RdmaPsn, TheWireHasTheLower24Bits)
{
    EXPECT_EQ(RdmaToPsn(0), 0u);
    EXPECT_EQ(RdmaToPsn(0xffffff), 0xffffffu);
    EXPECT_EQ(RdmaToPsn(0x1000000), 0u);
    EXPECT_EQ(RdmaToPsn(0x123456789abcULL), 0x789abcu);
}

TEST(RdmaPsn, TheNearestNumberIsTaken)
{
    EXPECT_EQ(RdmaFromPsn(5, 3), 5);
    EXPECT_EQ(RdmaFromPsn(3, 5), 3);
    EXPECT_EQ(RdmaFromPsn(0, 0xffffff), 0x1000000);
    EXPECT_EQ(RdmaFromPsn(0xffffff, 0x1000000), 0xffffff);
    EXPECT_EQ(RdmaFromPsn(0xffffff, 0), -1); // before the first packet
}

// 2^23 - 1 ahead and 2^23 behind are told apart, from anywhere.
TEST(RdmaPsn, HalfOfTheNumbersAreAheadAndHalfBehind)
{
    for (const uint64_t reference :
         {0ULL, 1ULL, 0x7fffffULL, 0x800000ULL, 0xfffffeULL, 0x5000000ULL})
    {
        const auto at = static_cast<int64_t>(reference);
        for (const int64_t distance : {-0x800000LL, -1LL, 0LL, 1LL, 0x7fffffLL})
        {
            const auto psn = static_cast<uint32_t>(at + distance) & RDMA_PSN_MASK;
            EXPECT_EQ(RdmaFromPsn(psn, reference), at + distance) << reference;
        }
    }
}

} // namespace
} // namespace rdma
} // namespace ns3
