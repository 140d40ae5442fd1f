/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-aeth.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

TEST(RdmaAeth, Bytes)
{
    RdmaAeth aeth;
    aeth.syndrome = RdmaNakSyndrome(RdmaNakCode::PSN_SEQUENCE_ERROR);
    aeth.msn = 0x010203;
    EXPECT_EQ(ToBytes(aeth), FromHex("60 010203"));
}

TEST(RdmaAeth, Syndromes)
{
    EXPECT_EQ(RdmaAckSyndrome(), 0x1f);
    EXPECT_EQ(RdmaAckSyndrome(0), 0x00);
    EXPECT_EQ(RdmaAckSyndrome(12), 0x0c);
    EXPECT_EQ(RdmaRnrNakSyndrome(0), 0x20);
    EXPECT_EQ(RdmaRnrNakSyndrome(25), 0x39);
    EXPECT_EQ(RdmaNakSyndrome(RdmaNakCode::PSN_SEQUENCE_ERROR), 0x60);
    EXPECT_EQ(RdmaNakSyndrome(RdmaNakCode::INVALID_REQUEST), 0x61);
    EXPECT_EQ(RdmaNakSyndrome(RdmaNakCode::REMOTE_ACCESS_ERROR), 0x62);
    EXPECT_EQ(RdmaNakSyndrome(RdmaNakCode::REMOTE_OPERATIONAL_ERROR), 0x63);
    EXPECT_EQ(RdmaNakSyndrome(RdmaNakCode::INVALID_RD_REQUEST), 0x64);

    EXPECT_EQ(RdmaSyndromeKind(0x1f), RdmaAethKind::ACK);
    EXPECT_EQ(RdmaSyndromeKind(0x39), RdmaAethKind::RNR_NAK);
    EXPECT_EQ(RdmaSyndromeKind(0x40), RdmaAethKind::RESERVED);
    EXPECT_EQ(RdmaSyndromeKind(0x64), RdmaAethKind::NAK);
    EXPECT_EQ(RdmaSyndromeDetail(0x1f), 31);
    EXPECT_EQ(RdmaSyndromeDetail(0x39), 25);
    EXPECT_EQ(RdmaSyndromeDetail(0x62), 2);
}

TEST(RdmaAeth, RnrTimers)
{
    // Milliseconds by code, IBA section 9.7.5.2.8.
    const double table[32] = {655.36, 0.01,  0.02,  0.03,   0.04,   0.06,   0.08,   0.12,
                              0.16,   0.24,  0.32,  0.48,   0.64,   0.96,   1.28,   1.92,
                              2.56,   3.84,  5.12,  7.68,   10.24,  15.36,  20.48,  30.72,
                              40.96,  61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
    for (uint8_t code = 0; code < 32; ++code)
    {
        EXPECT_EQ(RdmaRnrTimerPs(code), std::llround(table[code] * 1e9)) << +code;
        EXPECT_EQ(RdmaRnrTimerCode(RdmaRnrTimerPs(code)), code);
    }
    // Code 25 is 61.44 ms, not the 61.41 ms that one implementation has.
    EXPECT_EQ(RdmaRnrTimerPs(25), 61'440'000'000);

    EXPECT_EQ(RdmaRnrTimerCode(0), 1) << "the shortest wait";
    EXPECT_EQ(RdmaRnrTimerCode(10'000'001), 2) << "never shorter than asked";
    EXPECT_EQ(RdmaRnrTimerCode(491'520'000'001), 0);
    EXPECT_EQ(RdmaRnrTimerCode(1'000'000'000'000), 0) << "one second: the longest there is";
}

TEST(RdmaAeth, Credits)
{
    // Receive work requests by code, IBA section 9.7.7.2.4.
    const uint32_t table[31] = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
    for (uint8_t code = 0; code < 31; ++code)
    {
        EXPECT_EQ(RdmaAckCredits(code), table[code]) << +code;
        EXPECT_EQ(RdmaAckCreditCode(table[code]), code);
        EXPECT_EQ(RdmaAckCreditCode(table[code] + 1), code < 4 ? code + 1 : code)
            << "never more than there are";
    }
    EXPECT_FALSE(RdmaAckCredits(AETH_CREDITS_UNLIMITED));
    EXPECT_EQ(RdmaAckCreditCode(0xffffffff), 30);
}
