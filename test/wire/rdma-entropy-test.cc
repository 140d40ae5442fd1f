/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-entropy.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3::rdma;

TEST(RdmaEntropy, SourcePortOfFlowLabel)
{
    EXPECT_EQ(RdmaUdpSourcePort(0x00000), 49152);
    EXPECT_EQ(RdmaUdpSourcePort(0x00001), 0xc001);
    // Bit 14 folds onto bit 0.
    EXPECT_EQ(RdmaUdpSourcePort(0x04000), 0xc001);
    // 0x3fff ^ 0x3f = 0x3fc0
    EXPECT_EQ(RdmaUdpSourcePort(0xfffff), 0xffc0);
}

TEST(RdmaEntropy, FlowLabelOfQueuePairs)
{
    // 0x11 * 0x11 = 0x121
    EXPECT_EQ(RdmaFlowLabel(0x11, 0x11), 0x121U);
    EXPECT_EQ(RdmaUdpSourcePort(RdmaFlowLabel(0x11, 0x11)), 0xc121);
    // 0x800000 * 0x800000 = 2^46. >> 20 sets bit 26 as well; >> 40 of both adds bit 6; the low 20
    // bits are 0x40.
    EXPECT_EQ(RdmaFlowLabel(0x800000, 0x800000), 0x40U);
    // 0xffffff * 0xffffff = 0xfffffe000001. ^ (>> 20 = 0xfffffe0) = 0xfffff1ffffe1;
    // ^ (>> 40 = 0xff) = ...1ffff1e: the low 20 bits are 0xfff1e.
    EXPECT_EQ(RdmaFlowLabel(0xffffff, 0xffffff), 0xfff1eU);
}

TEST(RdmaEntropy, SameBothWaysAndInRange)
{
    std::set<uint16_t> ports;
    for (uint32_t local = 1; local < 200; ++local)
    {
        for (uint32_t remote = 1; remote < 200; remote += 7)
        {
            const uint32_t label = RdmaFlowLabel(local, remote);
            EXPECT_EQ(label, RdmaFlowLabel(remote, local));
            EXPECT_LE(label, 0xfffffU);
            ports.insert(RdmaUdpSourcePort(label));
            EXPECT_GE(RdmaUdpSourcePort(label), ROCE_V2_MIN_SOURCE_PORT);
        }
    }
    EXPECT_GT(ports.size(), 1000U) << "queue pairs spread over many ports";
}
