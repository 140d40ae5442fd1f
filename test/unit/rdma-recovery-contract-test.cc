/* SPDX-License-Identifier: GPL-2.0-only */
/* What every loss recovery must keep, over all registered ones. */

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-loss-recovery.h"
#include "ns3/rdma-psn.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr uint64_t RATE = 100'000'000'000; // bit/s
constexpr uint32_t MTU = 4096;
constexpr uint64_t FIRST = 0xfffff0;  // the numbers cross 2^24
constexpr int64_t T = 67'108'864'000; // 4.096 us x 2^14

/** \return all recoveries that a user can name */
std::vector<std::string>
FindRecoveries()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(RdmaLossRecovery::GetTypeId()) && tid.HasConstructor())
        {
            names.push_back(tid.GetName());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class RdmaRecoveryContract : public testing::TestWithParam<std::string>
{
  protected:
    void SetUp() override
    {
        recovery = ObjectFactory(GetParam()).Create<RdmaLossRecovery>();
        recovery->StartSending(RATE, MTU, FIRST);
        recovery->StartReceiving(RATE, MTU);
    }

    /** A loss, when 32 packets have been sent and none is acknowledged. */
    bool Lose(RdmaLossEvent::Kind kind, uint64_t ahead = FIRST + 3)
    {
        RdmaLossEvent event;
        event.kind = kind;
        event.unacked = FIRST;
        event.ahead = ahead;
        event.highest = FIRST + 32;
        event.ackTimeout = T;
        return recovery->Lost(event);
    }

    Ptr<RdmaLossRecovery> recovery;
};

TEST_P(RdmaRecoveryContract, WindowsAreInRange)
{
    EXPECT_GE(recovery->GetSendWindow(), 1u);
    EXPECT_LE(recovery->GetSendWindow(), RDMA_PSN_WINDOW);
    EXPECT_EQ(recovery->GetReceiveWindow() > 0, recovery->IsSelective());
    // A responder keeps whatever a requester with the same attributes sends.
    if (recovery->IsSelective())
    {
        EXPECT_GE(recovery->GetReceiveWindow(), recovery->GetSendWindow());
    }
}

TEST_P(RdmaRecoveryContract, NothingIsRepeatedBeforeALoss)
{
    EXPECT_EQ(recovery->GetRepeat(), RdmaLossRecovery::NOTHING);
    EXPECT_EQ(recovery->FindMissing(FIRST, FIRST + 32), FIRST);
}

TEST_P(RdmaRecoveryContract, EveryLossIsAnsweredInOneOfTheTwoWays)
{
    for (const auto kind : {RdmaLossEvent::Kind::NAK,
                            RdmaLossEvent::Kind::RESPONSE_GAP,
                            RdmaLossEvent::Kind::TIMEOUT,
                            RdmaLossEvent::Kind::NOT_READY})
    {
        SCOPED_TRACE(static_cast<int>(kind));
        SetUp();
        EXPECT_EQ(Lose(kind), !recovery->IsSelective());
        EXPECT_EQ(recovery->GetRepeat(),
                  recovery->IsSelective() ? FIRST : RdmaLossRecovery::NOTHING);
    }
}

TEST_P(RdmaRecoveryContract, AfterATimeoutAllIsRepeatedOnceAndInOrder)
{
    if (!recovery->IsSelective())
    {
        return; // the transport goes back
    }
    Lose(RdmaLossEvent::Kind::TIMEOUT);
    for (uint64_t i = FIRST; i < FIRST + 32; ++i)
    {
        ASSERT_EQ(recovery->GetRepeat(), i);
        recovery->Repeated(1, FIRST + 32);
    }
    EXPECT_EQ(recovery->GetRepeat(), RdmaLossRecovery::NOTHING);
}

TEST_P(RdmaRecoveryContract, WhatIsAcknowledgedIsNotRepeated)
{
    Lose(RdmaLossEvent::Kind::TIMEOUT);
    recovery->Acked(FIRST + 32, 1);
    EXPECT_EQ(recovery->GetRepeat(), RdmaLossRecovery::NOTHING);
}

TEST_P(RdmaRecoveryContract, StartingAgainForgetsEverything)
{
    Lose(RdmaLossEvent::Kind::TIMEOUT);
    recovery->Arrived(FIRST + 5);
    recovery->StartSending(RATE, MTU, 7);
    EXPECT_EQ(recovery->GetRepeat(), RdmaLossRecovery::NOTHING);
    EXPECT_EQ(recovery->FindMissing(7, 100), 7u);
}

// The adaptive timer: 2.1 ms at first, doubled by each timeout up to T; halved when nothing is lost
// for as long as it runs, down to 0.13 ms.
TEST_P(RdmaRecoveryContract, TheAdaptiveTimerGrowsAndShrinks)
{
    recovery->SetAttribute("AdaptiveTimer", BooleanValue(true));
    recovery->StartSending(RATE, MTU, FIRST);
    EXPECT_TRUE(recovery->HasOwnTimer());
    EXPECT_TRUE(recovery->WantsAcks());
    constexpr int64_t START = 2'097'152'000;
    EXPECT_EQ(recovery->GetTimeout(T, 10), START);
    for (int64_t expected = 2 * START; expected < T; expected *= 2)
    {
        Lose(RdmaLossEvent::Kind::TIMEOUT);
        EXPECT_EQ(recovery->GetTimeout(T, 10), expected);
    }
    for (int i = 0; i < 3; ++i)
    {
        Lose(RdmaLossEvent::Kind::TIMEOUT);
        EXPECT_EQ(recovery->GetTimeout(T, 10), T);
    }
    int64_t now = T - 1; // the last loss was at 0
    recovery->Acked(FIRST, now);
    EXPECT_EQ(recovery->GetTimeout(T, 10), T);
    for (int64_t expected = T / 2; expected >= 131'072'000; expected /= 2)
    {
        now += 2 * expected;
        recovery->Acked(FIRST, now);
        EXPECT_EQ(recovery->GetTimeout(T, 10), expected);
    }
    recovery->Acked(FIRST, now + T);
    EXPECT_EQ(recovery->GetTimeout(T, 10), 131'072'000);
    // Never longer than the user asked for.
    EXPECT_EQ(recovery->GetTimeout(8'192'000, 10), 8'192'000);
}

INSTANTIATE_TEST_SUITE_P(All,
                         RdmaRecoveryContract,
                         testing::ValuesIn(FindRecoveries()),
                         [](const auto& info) {
                             return info.param.substr(info.param.rfind(':') + 1);
                         });

} // namespace
