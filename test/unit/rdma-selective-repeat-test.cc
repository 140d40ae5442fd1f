/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective repeat: window, what is sent again and when, and its two timeouts. */

#include "ns3/nstime.h"
#include "ns3/rdma-selective-repeat.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr uint64_t NOTHING = RdmaLossRecovery::NOTHING;

class RdmaSelectiveRepeatTest : public testing::Test
{
  protected:
    RdmaSelectiveRepeatTest()
    {
        recovery->StartSending(100'000'000'000, 4096, 0);
    }

    /** A NAK for the oldest packet, which tells of another. */
    void Nak(uint64_t ahead)
    {
        recovery->Arrived(ahead);
        RdmaLossEvent event;
        event.unacked = unacked;
        event.ahead = ahead;
        event.highest = highest;
        recovery->Lost(event);
    }

    void Ack(uint64_t number)
    {
        unacked = number;
        recovery->Acked(number, 0);
    }

    /** \return all that is sent again now */
    std::vector<uint64_t> TakeRepeats()
    {
        std::vector<uint64_t> numbers;
        while (recovery->GetRepeat() != NOTHING)
        {
            numbers.push_back(recovery->GetRepeat());
            recovery->Repeated(1, highest);
        }
        return numbers;
    }

    Ptr<RdmaSelectiveRepeat> recovery{CreateObject<RdmaSelectiveRepeat>()};
    uint64_t unacked{0};  //!< oldest packet that is not acknowledged
    uint64_t highest{40}; //!< behind the highest sent
};

using Numbers = std::vector<uint64_t>;

// IRN: 120 KB at 40 Gb/s. 40e9 / 8 x 24 us = 120,000 bytes, 30 packets of 4096 (29.3), 120 of 1000.
TEST(RdmaSelectiveRepeatWindow, IsTheBandwidthDelayProduct)
{
    const auto recovery = CreateObject<RdmaSelectiveRepeat>();
    recovery->StartSending(40'000'000'000, 4096, 0);
    EXPECT_EQ(recovery->GetSendWindow(), 30u);
    recovery->StartSending(40'000'000'000, 1000, 0);
    EXPECT_EQ(recovery->GetSendWindow(), 120u);
    // 800e9 / 8 x 100 ms = 10 GB, 156 million packets of 64: as many as packet numbers allow.
    recovery->SetAttribute("RoundTripTime", TimeValue(MilliSeconds(100)));
    recovery->StartSending(800'000'000'000, 64, 0);
    EXPECT_EQ(recovery->GetSendWindow(), 1u << 23);
    recovery->SetAttribute("RoundTripTime", TimeValue(NanoSeconds(1)));
    recovery->StartReceiving(40'000'000'000, 4096);
    EXPECT_EQ(recovery->GetReceiveWindow(), 1u);
}

// 0 and 2 are lost. 1 tells of 0; 3 tells of 2; 4 tells of nothing new.
TEST_F(RdmaSelectiveRepeatTest, EachHoleIsSentAgainOnceWhenSomethingBehindItHasCome)
{
    Nak(1);
    EXPECT_EQ(TakeRepeats(), Numbers{0});
    Nak(3);
    EXPECT_EQ(TakeRepeats(), Numbers{2});
    Nak(4);
    EXPECT_EQ(TakeRepeats(), Numbers{});
    EXPECT_EQ(recovery->FindMissing(1, 40), 2u);
    EXPECT_EQ(recovery->FindMissing(3, 40), 5u);
    // 0 has come: 1 has, too, and 2 is on its way.
    Ack(2);
    EXPECT_EQ(TakeRepeats(), Numbers{});
}

// The recovery that a NAK starts with 40 packets sent ends when 40 is the oldest. The loss of the
// second copy is not noticed before.
TEST_F(RdmaSelectiveRepeatTest, ARecoveryEndsWithWhatWasSentWhenItBegan)
{
    Nak(1);
    EXPECT_EQ(TakeRepeats(), Numbers{0});
    highest = 60;
    Nak(39);
    EXPECT_EQ(TakeRepeats().size(), 37u); // 2 to 38, 1 and 39 have come
    Nak(45);                              // 40 to 44 are lost as well: sent after the NAK
    EXPECT_EQ(TakeRepeats(), (Numbers{40, 41, 42, 43, 44}));
    // A loss behind the first 40 makes it go on to 60.
    Ack(40);
    Nak(46);
    EXPECT_EQ(TakeRepeats(), Numbers{});
    Ack(60);
    highest = 80;
    Nak(62);
    EXPECT_EQ(TakeRepeats(), (Numbers{60, 61}));
}

TEST_F(RdmaSelectiveRepeatTest, ATimeoutSendsAgainAllThatIsNotKnownToHaveCome)
{
    Nak(1);
    Nak(5);
    TakeRepeats();
    RdmaLossEvent event;
    event.kind = RdmaLossEvent::Kind::TIMEOUT;
    event.highest = 8;
    recovery->Lost(event);
    EXPECT_EQ(TakeRepeats(), (Numbers{0, 2, 3, 4, 6, 7}));
}

// Without a receive a packet that had come is dropped in its turn.
TEST_F(RdmaSelectiveRepeatTest, WhatWasKeptAndDroppedIsSentAgain)
{
    Nak(1);
    Nak(2);
    TakeRepeats();
    Ack(1);
    RdmaLossEvent event;
    event.kind = RdmaLossEvent::Kind::NOT_READY;
    event.unacked = 1;
    event.highest = 3;
    recovery->Lost(event);
    EXPECT_EQ(TakeRepeats(), Numbers{1}); // 2 is still kept
}

// A run is what one READ request can ask for: 2 to 4, for 5 has come.
TEST_F(RdmaSelectiveRepeatTest, RunsEndWhereSomethingHasCome)
{
    recovery->Arrived(5);
    recovery->Arrived(9);
    Nak(9);
    Ack(2);
    ASSERT_EQ(recovery->GetRepeat(), 2u);
    EXPECT_EQ(recovery->GetRepeatRun(40), 3u);
    EXPECT_EQ(recovery->GetRepeatRun(4), 2u);
    recovery->Repeated(3, highest);
    ASSERT_EQ(recovery->GetRepeat(), 6u);
    EXPECT_EQ(recovery->GetRepeatRun(40), 3u); // 6, 7, 8: behind 9 nothing has come
}

// 24 us at 100 Gb/s are 300,000 bytes, 74 packets of 4096 (73.2), 128 bits. The ring of bits is
// used again and again.
TEST_F(RdmaSelectiveRepeatTest, BitsOfTheRingAreUsedAgain)
{
    EXPECT_EQ(recovery->GetSendWindow(), 74u);
    for (uint64_t first = 0; first < 1000; first += 10)
    {
        EXPECT_TRUE(recovery->Arrived(first + 3));
        EXPECT_FALSE(recovery->Arrived(first + 3));
        EXPECT_FALSE(recovery->Arrived(first + 128));
        EXPECT_EQ(recovery->FindMissing(first + 3, first + 128), first + 4);
        Ack(first + 10);
        EXPECT_FALSE(recovery->Arrived(first + 9));
        EXPECT_EQ(recovery->FindMissing(first + 10, first + 138), first + 10);
    }
}

// RTO_low below 3 packets, RTO_high from 3 on; the timeout of the queue pair does not matter.
TEST_F(RdmaSelectiveRepeatTest, TheTimeoutDependsOnWhatIsUnderWay)
{
    EXPECT_EQ(recovery->GetTimeout(1, 1), 100'000'000);
    EXPECT_EQ(recovery->GetTimeout(1, 2), 100'000'000);
    EXPECT_EQ(recovery->GetTimeout(1, 3), 320'000'000);
    recovery->SetAttribute("FewPackets", UintegerValue(10));
    recovery->SetAttribute("RtoLow", TimeValue(MicroSeconds(7)));
    recovery->SetAttribute("RtoHigh", TimeValue(MicroSeconds(9)));
    EXPECT_EQ(recovery->GetTimeout(1, 9), 7'000'000);
    EXPECT_EQ(recovery->GetTimeout(1, 10), 9'000'000);
}

} // namespace
