/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lane of a port sends next. */

#include "ns3/fabric-egress-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// A scheduler and the queues of a port.
class FabricEgressSchedulerTest : public testing::Test
{
  protected:
    /// \param lane A lane. \param bytes Length of the frame to queue there.
    void Push(uint32_t lane, uint32_t bytes)
    {
        m_frames.push_back(std::make_unique<FabricFrame>());
        m_frames.back()->bytes = bytes;
        m_lanes[lane].Push(m_frames.back().get());
    }

    /**
     * \param count How many frames to send.
     * \param blocked Lanes that may not.
     * \return Their lanes.
     */
    std::vector<uint32_t> Send(uint32_t count, uint32_t blocked = 0)
    {
        std::vector<uint32_t> order;
        while (order.size() < count)
        {
            uint32_t eligible = 0;
            for (uint32_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
            {
                eligible |= static_cast<uint32_t>(!m_lanes[lane].IsEmpty()) << lane;
            }
            eligible &= ~blocked;
            if (!eligible)
            {
                break;
            }
            order.push_back(m_scheduler->Select(eligible, m_lanes.data()));
            m_lanes[order.back()].Pop();
        }
        return order;
    }

    Ptr<FabricEgressScheduler> m_scheduler;                  //!< the scheduler
    std::array<FabricFrameQueue, FABRIC_PRIORITIES> m_lanes; //!< queues
    std::vector<std::unique_ptr<FabricFrame>> m_frames;      //!< frames
};

using Order = std::vector<uint32_t>;

TEST_F(FabricEgressSchedulerTest, StrictSendsTheHighestThatMay)
{
    m_scheduler = ObjectFactory("ns3::rdma::FabricStrictScheduler").Create<FabricEgressScheduler>();
    for (const uint32_t lane : {1, 7, 3, 7})
    {
        Push(lane, 100);
    }
    EXPECT_EQ(Send(1, 1 << 7), (Order{3}));
    EXPECT_EQ(Send(9), (Order{7, 7, 1}));
}

// Quantum 1000, weights 1 (lane 0) and 2 (lane 1), frames of 600: lane 0 has 1000 and sends one
// (400 left), lane 1 has 2000 and sends three (200 left); lane 0 has 1400 and sends two (200 left),
// lane 1 2200, three (400); lane 0 1200, two (0); lane 1 2400, four (0).
TEST_F(FabricEgressSchedulerTest, DwrrFollowsItsDeficits)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    factory.Set("Weights", StringValue("1 2 1 1 1 1 1 1"));
    factory.Set("Quantum", UintegerValue(1000));
    m_scheduler = factory.Create<FabricEgressScheduler>();
    for (int i = 0; i < 20; ++i)
    {
        Push(0, 600);
        Push(1, 600);
    }
    EXPECT_EQ(Send(15), (Order{0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1}));
}

// A frame longer than the quantum waits until enough rounds have gone by: 4000 bytes at 1000 a
// round.
TEST_F(FabricEgressSchedulerTest, DwrrSavesUpForALongFrame)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    factory.Set("Quantum", UintegerValue(1000));
    m_scheduler = factory.Create<FabricEgressScheduler>();
    Push(0, 4000);
    for (int i = 0; i < 10; ++i)
    {
        Push(1, 1000);
    }
    EXPECT_EQ(Send(5), (Order{1, 1, 1, 0, 1}));
}

// An idle lane saves nothing up: lane 0 comes back after many rounds of lane 1 and gets one round's
// worth, not many. A lane that is blocked with frames keeps what it had left.
TEST_F(FabricEgressSchedulerTest, DwrrIdleLanesSaveNothing)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    factory.Set("Quantum", UintegerValue(1000));
    m_scheduler = factory.Create<FabricEgressScheduler>();
    for (int i = 0; i < 30; ++i)
    {
        Push(1, 500);
    }
    Send(20);
    for (int i = 0; i < 10; ++i)
    {
        Push(0, 500);
    }
    const Order order = Send(8);
    EXPECT_EQ(std::count(order.begin(), order.end(), 0u), 4);
}

// Nor does it keep what its last turn left: lane 0 sends one frame of 500 of its 1000, is idle for
// a round, and comes back with 1000 a round, two frames, not 1500.
TEST_F(FabricEgressSchedulerTest, DwrrIdleLanesForgetWhatWasLeft)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    factory.Set("Quantum", UintegerValue(1000));
    m_scheduler = factory.Create<FabricEgressScheduler>();
    Push(0, 500);
    for (int i = 0; i < 10; ++i)
    {
        Push(1, 1000);
    }
    EXPECT_EQ(Send(3), (Order{0, 1, 1}));
    for (int i = 0; i < 10; ++i)
    {
        Push(0, 500);
    }
    EXPECT_EQ(Send(6), (Order{0, 0, 1, 0, 0, 1}));
}

// Strict lanes first, the highest of them before all; the others share what is left, round from
// lane 0.
TEST_F(FabricEgressSchedulerTest, DwrrStrictLanesGoFirst)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    factory.Set("StrictLanes", UintegerValue(1 << 6 | 1 << 4));
    m_scheduler = factory.Create<FabricEgressScheduler>();
    for (const uint32_t lane : {0, 4, 6, 7, 4, 6})
    {
        Push(lane, 1600);
    }
    EXPECT_EQ(Send(9), (Order{6, 6, 4, 4, 0, 7}));
}

TEST_F(FabricEgressSchedulerTest, DwrrRefusesBadWeights)
{
    ObjectFactory factory("ns3::rdma::FabricDwrrScheduler");
    for (const char* weights : {"1 2 3", "0 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1001", "one"})
    {
        factory.Set("Weights", StringValue(weights));
        EXPECT_DEATH(factory.Create<FabricEgressScheduler>(), "8 numbers from 1 to 1000");
    }
}

} // namespace
} // namespace ns3
