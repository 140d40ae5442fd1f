/* SPDX-License-Identifier: GPL-2.0-only */
/* The books and thresholds of buffer policies, frame by frame. */

#include "ns3/double.h"
#include "ns3/fabric-buffer-policy.h"
#include "ns3/fabric-dynamic-buffer.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// A policy for two ports with lane 3 lossless, and what it says of full lanes.
class FabricBufferPolicyTest : public testing::Test, public FabricBufferListener
{
  protected:
    void IngressFull(uint32_t port, uint8_t lane, bool full, int64_t now) override
    {
        m_said.push_back(std::to_string(port) + "." + std::to_string(lane) + (full ? "+" : "-") +
                         std::to_string(now));
    }

    /**
     * 20,000 bytes: 2 x 4,000 headroom and 2 x 1,000 reserved leave 10,000 shared.
     * \param factory Makes the policy; size and so on are filled in.
     */
    void Make(ObjectFactory factory)
    {
        factory.Set("Size", UintegerValue(20'000));
        factory.Set("Reserved", UintegerValue(1'000));
        factory.Set("Headroom", UintegerValue(4'000));
        factory.Set("XonOffset", UintegerValue(500));
        m_policy = factory.Create<FabricBufferPolicy>();
        const FabricBufferPort port{100'000'000'000, 1'000, 0, 1 << 3};
        ASSERT_EQ(m_policy->Configure({port, port}, 8, 1'000, this), "");
        ASSERT_EQ(m_policy->GetSharedSize(), 10'000u);
    }

    /// \param port Ingress. \param lane Lane. \param bytes Length. \return A frame.
    static FabricFrame Frame(uint32_t port, uint8_t lane, uint32_t bytes)
    {
        FabricFrame frame{};
        frame.ingress = static_cast<uint16_t>(port);
        frame.priority = lane;
        frame.bytes = bytes;
        return frame;
    }

    /// Admits a frame for egress port 1. \return Whether it was taken.
    bool In(uint32_t port, uint8_t lane, uint32_t bytes)
    {
        const bool taken = m_policy->Admit(Frame(port, lane, bytes), 1, ++m_now, m_reason);
        EXPECT_EQ(m_policy->Audit(), "");
        return taken;
    }

    /// Releases a frame.
    void Out(uint32_t port, uint8_t lane, uint32_t bytes)
    {
        m_policy->Release(Frame(port, lane, bytes), 1, ++m_now);
        EXPECT_EQ(m_policy->Audit(), "");
    }

    Ptr<FabricBufferPolicy> m_policy;                   //!< the policy
    std::vector<std::string> m_said;                    //!< port.lane, + full or - not, time
    FabricDropReason m_reason{FabricDropReason::COUNT}; //!< why the last frame was refused
    int64_t m_now{0};                                   //!< counts calls
};

using Said = std::vector<std::string>;

// alpha 1: 1,000 of the lane's reserve first; then of 10,000 shared it may have as many as are
// left: 5,000.
TEST_F(FabricBufferPolicyTest, DynamicStopsAtAlphaTimesWhatIsFree)
{
    ObjectFactory factory("ns3::rdma::FabricDynamicBuffer");
    factory.Set("Alpha", DoubleValue(1));
    Make(factory);
    EXPECT_EQ(m_policy->GetStopBytes(), 6'000u);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(In(0, 3, 1'000));
    }
    EXPECT_EQ(m_policy->GetIngress(0, 3).shared, 4'000u);
    EXPECT_TRUE(m_said.empty());
    // 5,000 shared, 5,000 free: at the threshold.
    EXPECT_TRUE(In(0, 3, 1'000));
    EXPECT_EQ(m_said, (Said{"0.3+6"}));
    EXPECT_EQ(m_policy->GetIngress(0, 3).headroom, 0u);
    // The next ones go into the headroom, said once; 4 fit.
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(In(0, 3, 1'000));
    }
    EXPECT_FALSE(In(0, 3, 1'000));
    EXPECT_EQ(m_reason, FabricDropReason::HEADROOM_FULL);
    EXPECT_EQ(m_said.size(), 1u);
    EXPECT_EQ(m_policy->GetIngress(0, 3).headroom, 4'000u);
    EXPECT_EQ(m_policy->GetIngress(0, 3).headroomPeak, 4'000u);
    EXPECT_EQ(m_policy->GetUsed(), 10'000u);
    EXPECT_EQ(m_policy->GetPeak(), 10'000u);
    EXPECT_EQ(m_policy->GetEgressBytes(1, 3), 10'000u);
    // What leaves is headroom first; after 4 frames it is empty, 5,000 shared against 5,000 free.
    // One more frees 1,000: 4,000 + 500 <= 6,000, so the sender may go on (calls 12 to 16).
    for (int i = 0; i < 4; ++i)
    {
        Out(0, 3, 1'000);
    }
    EXPECT_EQ(m_policy->GetIngress(0, 3).headroom, 0u);
    EXPECT_EQ(m_said.size(), 1u);
    Out(0, 3, 1'000);
    EXPECT_EQ(m_said, (Said{"0.3+6", "0.3-16"}));
    for (int i = 0; i < 5; ++i)
    {
        Out(0, 3, 1'000);
    }
    EXPECT_EQ(m_policy->GetUsed(), 0u);
    EXPECT_EQ(m_policy->GetSharedUsed(), 0u);
}

// What one lane holds lowers the threshold of the other: with 5,000 shared by lane 0 another may
// have half of 5,000.
TEST_F(FabricBufferPolicyTest, DynamicThresholdFallsWithTheFreeSpace)
{
    ObjectFactory factory("ns3::rdma::FabricDynamicBuffer");
    factory.Set("Alpha", DoubleValue(1));
    Make(factory);
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_TRUE(In(0, 3, 1'000));
    }
    EXPECT_TRUE(In(1, 3, 1'000)); // reserved
    EXPECT_TRUE(In(1, 3, 1'000)); // 1,000 against 4,000
    EXPECT_TRUE(In(1, 3, 1'000)); // 2,000 against 3,000
    EXPECT_EQ(m_said, (Said{"0.3+6"}));
    EXPECT_TRUE(
        In(1, 3, 1'000)); // would be 3,000 against 3,000: taken, and then against 2,000: stop
    EXPECT_EQ(m_said, (Said{"0.3+6", "1.3+10"}));
    EXPECT_EQ(m_policy->GetIngress(1, 3).headroom, 0u);
}

// A lossy queue may hold as much as is free (LossyAlpha 1): 5,000 of 10,000. The lossless lane
// beside it keeps its reserve and headroom whatever the lossy ones hold, and there is no stop for
// them.
TEST_F(FabricBufferPolicyTest, LossyQueuesAreLimitedWhereTheyGoOut)
{
    ObjectFactory factory("ns3::rdma::FabricDynamicBuffer");
    Make(factory);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(In(i % 2, 0, 1'000));
    }
    EXPECT_FALSE(In(0, 0, 1'000));
    EXPECT_EQ(m_reason, FabricDropReason::QUEUE_FULL);
    EXPECT_TRUE(In(0, 1, 1'000)); // a queue of its own
    EXPECT_TRUE(m_said.empty());
    EXPECT_EQ(m_policy->GetEgressBytes(1, 0), 5'000u);
    EXPECT_TRUE(In(0, 3, 1'000));
    EXPECT_EQ(m_policy->GetSharedUsed(), 6'000u);
}

// A frame longer than what is free of the pool: the buffer, not the queue, is full.
TEST_F(FabricBufferPolicyTest, FullBufferIsToldFromAFullQueue)
{
    ObjectFactory factory("ns3::rdma::FabricDynamicBuffer");
    factory.Set("LossyAlpha", DoubleValue(64));
    Make(factory);
    EXPECT_TRUE(In(0, 0, 9'500));
    EXPECT_FALSE(In(0, 1, 600));
    EXPECT_EQ(m_reason, FabricDropReason::BUFFER_FULL);
}

// Fixed: 1,000 bytes of the lane; what comes on top goes into the headroom, never into the pool.
// The sender may go on when 500 bytes below that are held.
TEST_F(FabricBufferPolicyTest, StaticStopsAtWhatIsReserved)
{
    ObjectFactory factory("ns3::rdma::FabricStaticBuffer");
    factory.Set("LossyLimit", UintegerValue(2'000));
    Make(factory);
    EXPECT_EQ(m_policy->GetStopBytes(), 1'000u);
    EXPECT_TRUE(In(0, 3, 400));
    EXPECT_TRUE(In(0, 3, 400));
    EXPECT_TRUE(m_said.empty());
    EXPECT_TRUE(In(0, 3, 400));
    EXPECT_EQ(m_said, (Said{"0.3+3"}));
    EXPECT_EQ(m_policy->GetIngress(0, 3).headroom, 400u);
    EXPECT_EQ(m_policy->GetSharedUsed(), 0u);
    Out(0, 3, 400); // 800 held
    EXPECT_EQ(m_said.size(), 1u);
    Out(0, 3, 400); // 400 held, not more than 1,000 - 500
    EXPECT_EQ(m_said, (Said{"0.3+3", "0.3-5"}));
    EXPECT_TRUE(In(0, 0, 1'200));
    EXPECT_FALSE(In(1, 0, 900));
    EXPECT_EQ(m_reason, FabricDropReason::QUEUE_FULL);
    EXPECT_TRUE(In(1, 0, 800));
}

/// A dynamic buffer that is asked for every frame, also where the answer is known beforehand.
class AlwaysAskedBuffer : public FabricDynamicBuffer
{
    void DoConfigured() override
    {
        SetCalm({});
    }
};

// Frames of any length come and go at random, so that lanes stop and go on, and use their headroom.
// What is known without asking must be what is answered when asked; and it is used: about half of
// the time less than half of the pool is.
TEST_F(FabricBufferPolicyTest, WhatIsNotAskedWouldHaveBeenAnsweredTheSame)
{
    for (const double alpha : {0.125, 1.0, 8.0})
    {
        ObjectFactory factory("ns3::rdma::FabricDynamicBuffer");
        factory.Set("Alpha", DoubleValue(alpha));
        Make(factory);
        const auto asked = CreateObject<AlwaysAskedBuffer>();
        for (const char* name : {"Size", "Reserved", "Headroom", "XonOffset", "Alpha"})
        {
            DoubleValue number;
            UintegerValue integer;
            name == std::string("Alpha") ? m_policy->GetAttribute(name, number)
                                         : m_policy->GetAttribute(name, integer);
            name == std::string("Alpha") ? asked->SetAttribute(name, number)
                                         : asked->SetAttribute(name, integer);
        }
        const FabricBufferPort port{100'000'000'000, 1'000, 0, 1 << 3};
        ASSERT_EQ(asked->Configure({port, port}, 8, 1'000, this), "");
        std::mt19937 random(1);
        std::vector<FabricFrame> held;
        int stops = 0;
        for (int step = 0; step < 20'000; ++step)
        {
            m_said.clear();
            ++m_now;
            if (held.empty() || random() % 100 < (step / 500 % 2 ? 60 : 40))
            {
                const FabricFrame frame = Frame(random() % 2, 3, 1 + random() % 1'000);
                const bool taken = m_policy->Admit(frame, 1, m_now, m_reason);
                const Said said = std::exchange(m_said, {});
                ASSERT_EQ(asked->Admit(frame, 1, m_now, m_reason), taken) << step;
                ASSERT_EQ(m_said, said) << step;
                stops += !said.empty();
                if (taken)
                {
                    held.push_back(frame);
                }
            }
            else
            {
                const std::size_t i = random() % held.size();
                m_policy->Release(held[i], 1, m_now);
                const Said said = std::exchange(m_said, {});
                asked->Release(held[i], 1, m_now);
                ASSERT_EQ(m_said, said) << step;
                held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
            }
            for (const uint32_t i : {0, 1})
            {
                const auto& ours = m_policy->GetIngress(i, 3);
                const auto& theirs = asked->GetIngress(i, 3);
                ASSERT_EQ(ours.bytes, theirs.bytes);
                ASSERT_EQ(ours.shared, theirs.shared);
                ASSERT_EQ(ours.headroom, theirs.headroom);
            }
        }
        EXPECT_GT(stops, 100) << alpha;
    }
}

// Stopped lanes are said again for a port whose link is new, and only those.
TEST_F(FabricBufferPolicyTest, RepeatsTheStopsOfAPort)
{
    Make(ObjectFactory("ns3::rdma::FabricStaticBuffer"));
    EXPECT_TRUE(In(0, 3, 1'000));
    m_said.clear();
    m_policy->Repeat(1, 50);
    EXPECT_TRUE(m_said.empty());
    m_policy->Repeat(0, 51);
    EXPECT_EQ(m_said, (Said{"0.3+51"}));
}

} // namespace
} // namespace ns3
