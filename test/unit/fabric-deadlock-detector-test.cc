/* SPDX-License-Identifier: GPL-2.0-only */
/* The deadlock detector, on switches that tell what a test wants. */

#include "ns3/callback.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/fabric-switch-base.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using namespace rdma;

/// A switch that forwards nothing.
class ToldSwitch : public FabricSwitchBase, public FabricHolder
{
  public:
    int64_t AssignStreams(int64_t) override
    {
        return 0;
    }

    FabricFrame* Pull(FabricPort&, int64_t, int64_t& next) override
    {
        next = FABRIC_NEVER;
        return nullptr;
    }

    void Receive(FabricPort& port, FabricFrame* frame, int64_t) override
    {
        port.GetDevice()->Free(frame);
    }

    void LinkChanged(FabricPort&, bool, int64_t) override {}

    uint32_t GetStopped(uint32_t port) const override
    {
        const auto found = stopped.find(port);
        return found == stopped.end() ? 0 : found->second;
    }

    bool IsFull(uint32_t port, uint8_t lane) const override
    {
        const auto found = full.find(port);
        return found != full.end() && found->second >> lane & 1;
    }

    void AppendHolds(std::vector<Hold>& all) const override
    {
        all.insert(all.end(), holds.begin(), holds.end());
    }

    const char* GetLaneWord() const override
    {
        return "VL";
    }

    /// Frames have begun to wait.
    void Tell()
    {
        NotifyStopped();
    }

    std::map<uint32_t, uint32_t> stopped; //!< by egress port, masks of lanes
    std::map<uint32_t, uint32_t> full;    //!< by ingress port, masks of lanes
    std::vector<Hold> holds;              //!< what it holds

  private:
    std::string DoConfigure() override
    {
        return "";
    }
};

/// Three switches in a ring: port 0 to a host, port 1 to the one before, port 2 to the next. Lane 1
/// is used between the first two, lane 0 elsewhere: frames change lanes on their way.
class FabricDeadlockDetectorTest : public testing::Test
{
  protected:
    static constexpr uint32_t SIZE = 3;

    void SetUp() override
    {
        m_nodes.Create(2 * SIZE);
        m_detector->SetAttribute("Interval", TimeValue(MicroSeconds(50)));
        m_detector->SetAttribute("StallTime", TimeValue(MilliSeconds(1)));
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            m_switches.push_back(CreateObject<ToldSwitch>());
            m_nodes.Get(i)->AggregateObject(m_switches[i]);
            m_detector->Watch(m_switches[i]);
            for (uint32_t port = 0; port < 3; ++port)
            {
                m_switches[i]->AddPort(MakeDevice(m_nodes.Get(i)));
            }
            const auto host = MakeDevice(m_nodes.Get(SIZE + i));
            host->MakeEndpoint();
            Cable(m_switches[i]->GetPort(0), host);
        }
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            Cable(m_switches[i]->GetPort(2), m_switches[(i + 1) % SIZE]->GetPort(1));
            const uint8_t in = i == 1;  // lane from the switch before
            const uint8_t out = i == 0; // lane to the next
            m_switches[i]->stopped[2] = 1U << out;
            m_switches[i]->full[1] = 1U << in;
            m_switches[i]->holds.push_back({1, in, 2, out, 5 + i, 100 * (5 + i)});
            m_switches[i]->holds.push_back({0, 0, 2, out, 1, 10});
        }
        for (const char* source : {"Deadlock", "Stuck"})
        {
            m_detector->TraceConnectWithoutContext(
                source,
                Callback<void, const FabricDeadlockReport&>(
                    [this](const FabricDeadlockReport& report) { m_reports.push_back(report); }));
        }
    }

    void TearDown() override
    {
        m_detector->Dispose();
        Simulator::Destroy();
    }

    /// \param node A node. \return A new device on it.
    Ptr<FabricNetDevice> MakeDevice(Ptr<Node> node)
    {
        const auto device = CreateObject<FabricNetDevice>();
        device->SetNetwork(m_network);
        node->AddDevice(device);
        return device;
    }

    /// Connects two devices. \param a One. \param b The other.
    void Cable(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b)
    {
        const auto channel = CreateObject<FabricChannel>();
        channel->SetAttribute("Delay", TimeValue(m_delay));
        a->Attach(channel);
        b->Attach(channel);
    }

    /// Tells the detector that something waits, and runs to the end.
    void Run()
    {
        Simulator::ScheduleNow(&ToldSwitch::Tell, m_switches[0]);
        Simulator::Run();
    }

    Time m_delay{MicroSeconds(1)};                               //!< of cables
    Ptr<FabricNetwork> m_network{CreateObject<FabricNetwork>()}; //!< the network
    NodeContainer m_nodes;                                       //!< switches, then hosts
    std::vector<Ptr<ToldSwitch>> m_switches;                     //!< the ring
    Ptr<FabricDeadlockDetector> m_detector{CreateObject<FabricDeadlockDetector>()}; //!< under test
    std::vector<FabricDeadlockReport> m_reports; //!< what it reported
};

// The first look is 50 us after the first frame was stopped, the second another 50 us later, and
// then it is over.
TEST_F(FabricDeadlockDetectorTest, ReportsTheCycleAtTheSecondLookAndOnce)
{
    m_detector->SetName(m_nodes.Get(1), "middle");
    Run();
    EXPECT_EQ(Simulator::Now(), MicroSeconds(100));
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_TRUE(m_detector->IsDeadlocked());
    EXPECT_EQ(m_reports[0].ps, 100'000'000);
    const std::string a = "node " + std::to_string(m_nodes.Get(0)->GetId());
    const std::string c = "node " + std::to_string(m_nodes.Get(2)->GetId());
    EXPECT_EQ(m_reports[0].text,
              "deadlock at 0.100000 ms, a cycle of 3: " + a +
                  " port 2 VL 1 holds 6 frames (510 B) for middle port 1, which is full of frames "
                  "for middle port 2 VL 0 holds 7 frames (610 B) for " +
                  c + " port 1, which is full of frames for " + c +
                  " port 2 VL 0 holds 8 frames (710 B) for " + a +
                  " port 1, which is full of frames for " + a + " port 2 VL 1");
    // Whatever is told later, it stays silent.
    Simulator::ScheduleNow(&ToldSwitch::Tell, m_switches[1]);
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), MicroSeconds(100));
}

TEST_F(FabricDeadlockDetectorTest, SleepsUntilItIsTold)
{
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), Time(0));
    EXPECT_EQ(m_detector->GetReport().text, "");
}

// One frame at the second switch, among those that fill it, leaves for a port that is not stopped.
TEST_F(FabricDeadlockDetectorTest, AFrameThatCanLeaveIsAWayOut)
{
    m_switches[1]->holds.push_back({1, 1, 0, 0, 1, 100});
    Run();
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_FALSE(m_reports[0].deadlock);
}

// The same frame in another lane, or from another port, takes no room of the lane in question.
TEST_F(FabricDeadlockDetectorTest, FramesOfOtherLanesAndPortsAreNoWayOut)
{
    m_switches[1]->holds.push_back({1, 0, 0, 0, 1, 100});
    m_switches[1]->holds.push_back({0, 1, 0, 0, 1, 100});
    Run();
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_TRUE(m_reports[0].deadlock);
}

// The third switch has room for the second again: the resume or the credits are under way.
TEST_F(FabricDeadlockDetectorTest, RoomThatTheSenderDoesNotKnowOfYetIsAWayOut)
{
    m_switches[2]->full[1] = 0;
    Run();
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_FALSE(m_reports[0].deadlock);
}

// A cycle that is gone at the next look was none.
TEST_F(FabricDeadlockDetectorTest, LooksTwice)
{
    Simulator::Schedule(MicroSeconds(60), [this] { m_switches[2]->stopped[2] = 0; });
    Simulator::Schedule(MicroSeconds(120), [this] {
        for (const auto& each : m_switches)
        {
            each->stopped.clear();
        }
    });
    Run();
    EXPECT_TRUE(m_reports.empty());
    EXPECT_EQ(Simulator::Now(), MicroSeconds(150)); // the look that finds nothing is the last
}

// The host of the second switch stops frames of the ring: no cycle. After 1 ms without movement it
// is named, once, and the detector looks no more.
TEST_F(FabricDeadlockDetectorTest, AHostThatStopsFramesIsNamed)
{
    m_switches[1]->holds.push_back({1, 1, 0, 2, 3, 300});
    m_switches[1]->stopped[0] = 1U << 2;
    m_detector->SetName(m_nodes.Get(1), "middle");
    m_detector->SetName(m_nodes.Get(SIZE + 1), "h3");
    Run();
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_EQ(m_reports[0].text,
              "stuck at 1.000000 ms, no cycle: nothing has moved for 1.000000 ms; middle port 0 "
              "VL 2 holds 3 frames (300 B), stopped by h3");
    EXPECT_EQ(Simulator::Now(), MilliSeconds(1));
    Run();
    EXPECT_EQ(m_reports.size(), 1u);
    EXPECT_EQ(Simulator::Now(), MilliSeconds(2));
}

/// The same with cables that are longer than the interval.
class FabricDeadlockDetectorLongTest : public FabricDeadlockDetectorTest
{
  protected:
    FabricDeadlockDetectorLongTest()
    {
        m_delay = MicroSeconds(300);
    }
};

// A pause or a credit needs 300 us: looks are 600 us apart.
TEST_F(FabricDeadlockDetectorLongTest, WaitsForWhatIsUnderWay)
{
    Run();
    ASSERT_EQ(m_reports.size(), 1u);
    EXPECT_EQ(m_reports[0].ps, 1'200'000'000);
}

} // namespace
} // namespace ns3
