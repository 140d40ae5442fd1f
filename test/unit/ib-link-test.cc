/* SPDX-License-Identifier: GPL-2.0-only */
/* Credits and virtual lane arbitration of InfiniBand, by the numbers of the standard. */

#include "ns3/ib-link.h"
#include "ns3/ib-vl-arbiter.h"
#include "ns3/ib-voq.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

// IBA volume 1, section 7.9.4.4: a packet of n blocks may be sent if (FCCL - (FCTBS + n)) mod 4096
// is at most 2048.
TEST(IbCredits, CountersWrapAt4096)
{
    // FCTBS 4090, FCCL 20, n 8: 20 - 4098 = 18 mod 4096.
    EXPECT_TRUE(IbLink::HasCredit(20, 4090, 8));
    EXPECT_TRUE(IbLink::HasCredit(20, 4090, 26)); // 4116 mod 4096 = 20: exactly the last one
    EXPECT_FALSE(IbLink::HasCredit(20, 4090, 27));
}

TEST(IbCredits, APacketNeedsRoomForAllOfIt)
{
    // FCTBS 10, FCCL 17: 8 blocks would be one too many (17 - 18 = 4095 mod 4096), 7 fit.
    EXPECT_FALSE(IbLink::HasCredit(17, 10, 8));
    EXPECT_TRUE(IbLink::HasCredit(17, 10, 7));
    EXPECT_TRUE(IbLink::HasCredit(2048, 0, 0));
    EXPECT_FALSE(IbLink::HasCredit(2049, 0, 0)); // nobody advertises more than 2048 blocks
}

TEST(IbCredits, BlocksOf64Bytes)
{
    EXPECT_EQ(IbLink::Blocks(1), 1U);
    EXPECT_EQ(IbLink::Blocks(64), 1U);
    EXPECT_EQ(IbLink::Blocks(65), 2U);
    EXPECT_EQ(IbLink::Blocks(282), 5U);   // SEND of 256 bytes: 4.4 blocks
    EXPECT_EQ(IbLink::Blocks(4138), 65U); // WRITE Only of 4096 bytes
}

/// \return how many packets of each lane are sent, of so many, when all lanes always have one
std::array<uint32_t, 4>
Arbitrate(IbVlArbiter& arbiter, uint32_t lanes, uint32_t packets, uint32_t bytes)
{
    std::array<uint32_t, 4> sent{};
    for (uint32_t i = 0; i < packets; ++i)
    {
        ++sent[arbiter.Select((1U << lanes) - 1)];
        arbiter.Charge(bytes);
    }
    return sent;
}

TEST(IbVlArbitration, WeightsDivideTheLink)
{
    IbVlArbiter arbiter;
    ASSERT_EQ(arbiter.Configure("", "0:64,1:128,2:192", 0, 3), "");
    // 4138 bytes against weights of 4096, 8192 and 12288: 1, 2 and 3 packets in each round, the
    // last of which overdraws.
    EXPECT_EQ(Arbitrate(arbiter, 3, 600, 4138), (std::array<uint32_t, 4>{100, 200, 300, 0}));
}

TEST(IbVlArbitration, B7_1_NoLaneStarves)
{
    // Two lanes that are always full: turn by turn, the higher one as often as the lower one.
    IbVlArbiter arbiter;
    ASSERT_EQ(arbiter.Configure("", "0:4,1:4", 0, 2), "");
    uint32_t last = arbiter.Select(3);
    arbiter.Charge(4138);
    for (int i = 0; i < 100; ++i)
    {
        const uint32_t lane = arbiter.Select(3);
        EXPECT_NE(lane, last);
        arbiter.Charge(4138);
        last = lane;
    }
}

TEST(IbVlArbitration, ALaneThatCannotSendLosesItsTurn)
{
    IbVlArbiter arbiter;
    ASSERT_EQ(arbiter.Configure("", "0:255,1:1", 0, 2), "");
    EXPECT_EQ(arbiter.Select(2), 1U); // lane 0 is empty
    arbiter.Charge(64);
    EXPECT_EQ(arbiter.Select(3), 0U);
    arbiter.Charge(64);
    EXPECT_EQ(arbiter.Select(3), 0U); // and has 254 x 64 bytes left
    arbiter.Charge(64);
    EXPECT_EQ(arbiter.Select(2), 1U);
}

TEST(IbVlArbitration, HighGoesFirstUpToItsLimit)
{
    // Limit 1 x 4096 bytes: four packets of 1024 bytes of lane 0, then one of lane 1.
    IbVlArbiter limited;
    ASSERT_EQ(limited.Configure("0:255", "1:255", 1, 2), "");
    EXPECT_EQ(Arbitrate(limited, 2, 500, 1024), (std::array<uint32_t, 4>{400, 100, 0, 0}));
    // Limit 0: one packet each.
    IbVlArbiter one;
    ASSERT_EQ(one.Configure("0:255", "1:255", 0, 2), "");
    EXPECT_EQ(Arbitrate(one, 2, 500, 1024), (std::array<uint32_t, 4>{250, 250, 0, 0}));
    // Limit 255: the low table waits for ever.
    IbVlArbiter unlimited;
    ASSERT_EQ(unlimited.Configure("0:255", "1:255", 255, 2), "");
    EXPECT_EQ(Arbitrate(unlimited, 2, 500, 1024), (std::array<uint32_t, 4>{500, 0, 0, 0}));
}

TEST(IbVlArbitration, TablesAreChecked)
{
    IbVlArbiter arbiter;
    EXPECT_NE(arbiter.Configure("0:4", "", 0, 2).find("lane 1 would never send"),
              std::string::npos);
    EXPECT_NE(arbiter.Configure("0:4", "1:0", 0, 2).find("lane 1"), std::string::npos);
    for (const char* bad : {"15:4", "0:256", "0", "0-4", "a:b", "0:4x", "-1:4", "0:4,,1:4"})
    {
        EXPECT_NE(arbiter.Configure("0:4", bad, 0, 1).find("an entry of a virtual lane"),
                  std::string::npos)
            << bad;
    }
    std::string many;
    for (int i = 0; i < 65; ++i)
    {
        many += "0:1,";
    }
    EXPECT_NE(arbiter.Configure(many, "", 0, 1).find("at most 64 entries"), std::string::npos);
    EXPECT_EQ(arbiter.Configure("0:4,1:4,14:4", "", 0, 1), ""); // lanes that are not in use
}

TEST(IbVoq, InputsTakeTurns)
{
    for (uint32_t inputs : {3U, 64U, 65U, 200U})
    {
        IbVoq voq(inputs);
        std::vector<FabricFrame> frames(3 * 3);
        const uint32_t last = inputs - 1;
        for (uint32_t i = 0; i < frames.size(); ++i)
        {
            const uint32_t from[] = {0, 1, last};
            frames[i].ingress = static_cast<uint16_t>(from[i / 3]);
            frames[i].bytes = 100;
            voq.Push(&frames[i]);
        }
        EXPECT_EQ(voq.GetBytes(), 900U);
        std::vector<uint16_t> order;
        while (!voq.IsEmpty())
        {
            const FabricFrame* frame = voq.Peek();
            EXPECT_EQ(voq.Pop(), frame);
            order.push_back(frame->ingress);
        }
        const auto l = static_cast<uint16_t>(last);
        EXPECT_EQ(order, (std::vector<uint16_t>{1, l, 0, 1, l, 0, 1, l, 0})) << inputs;
        EXPECT_EQ(voq.GetBytes(), 0U);
    }
}

} // namespace
} // namespace ns3
