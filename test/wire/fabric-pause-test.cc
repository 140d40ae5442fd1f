/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/fabric-mac-control.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

TEST(FabricPause, PfcFrame)
{
    FabricPfcHeader pfc;
    pfc.classEnable = 0x48; // priorities 3 and 6
    pfc.quanta[3] = 0xffff;
    pfc.quanta[6] = 0x0200;
    // 14 header + 2 opcode + 2 vector + 16 times = 34, and 26 bytes of padding: 60, 64 with FCS.
    const Bytes frame = pfc.MakeFrame(Mac48Address("00:00:00:00:00:05"));
    EXPECT_EQ(frame,
              FromHex("0180c2000001 000000000005 8808 0101 0048"
                      "0000 0000 0000 ffff 0000 0000 0200 0000"
                      "00000000000000000000000000000000000000000000000000 00"));
    EXPECT_EQ(frame.size() + ETHERNET_FCS_BYTES, PAUSE_FRAME_BYTES);
}

TEST(FabricPause, PfcIgnoresTheReservedByte)
{
    // The high byte of the class-enable vector is reserved.
    const auto pfc =
        FromBytes<FabricPfcHeader>(FromHex("0101 ff01 0001 0002 0003 0004 0005 0006 0007 0008"));
    ASSERT_TRUE(pfc);
    EXPECT_EQ(pfc->classEnable, 1);
    EXPECT_EQ(pfc->quanta, (std::array<uint16_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(FabricPause, PauseFrame)
{
    FabricPauseHeader pause;
    pause.quanta = 0x1234;
    EXPECT_EQ(pause.MakeFrame(Mac48Address("02:00:00:00:00:07")),
              FromHex("0180c2000001 020000000007 8808 0001 1234" + std::string(84, '0')));
}

TEST(FabricPause, OpcodesDoNotMix)
{
    EXPECT_FALSE(FromBytes<FabricPauseHeader>(ToBytes(FabricPfcHeader())));
    Bytes pause = ToBytes(FabricPauseHeader());
    pause.resize(46);
    EXPECT_FALSE(FromBytes<FabricPfcHeader>(pause));
}
