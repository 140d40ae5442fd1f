/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's part of InfiniBand congestion control, IBA volume 1, annex A10. */

#include "ns3/boolean.h"
#include "ns3/ib-fecn-marker.h"
#include "ns3/rdma-opcode.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint64_t BUFFER = 16'000; // of a lane of port 0; port 1, to a host, has twice as much

/// A marker of a switch with two ports, the second of which leads to a host.
class IbFecnMarkerTest : public testing::Test
{
  protected:
    /// \param threshold Threshold. \param packetSize Packet size. \param markingRate Marking rate.
    void Configure(uint32_t threshold, uint32_t packetSize, uint32_t markingRate)
    {
        m_marker->SetAttribute("Threshold", UintegerValue(threshold));
        m_marker->SetAttribute("PacketSize", UintegerValue(packetSize));
        m_marker->SetAttribute("MarkingRate", UintegerValue(markingRate));
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        m_marker->Configure({{BUFFER, false}, {2 * BUFFER, true}}, random);
    }

    /// \param bytes Length of a packet. \param port Port. \param queue Bytes behind it.
    /// \param credits Whether there are credits. \return Whether a new packet is marked.
    bool Mark(uint32_t bytes, uint32_t port, uint64_t queue, bool credits = true)
    {
        FabricFrame frame{};
        frame.kind = FabricFrameKind::RDMA;
        frame.opcode = RC_RDMA_WRITE_MIDDLE;
        frame.bytes = bytes;
        const bool marked = m_marker->Mark(frame, port, queue, credits);
        EXPECT_EQ(marked, bool(frame.flags & FabricFrame::FECN));
        return marked;
    }

    Ptr<IbFecnMarker> m_marker{CreateObject<IbFecnMarker>()}; //!< under test
};

// (16 - t) / 16 of 16000 and 32000 bytes.
TEST_F(IbFecnMarkerTest, ThresholdIsAShareOfTheBuffer)
{
    for (const auto& [threshold, limit] :
         {std::pair<uint32_t, uint64_t>{1, 15'000}, {8, 8'000}, {15, 1'000}})
    {
        Configure(threshold, 0, 0);
        EXPECT_EQ(m_marker->GetLimit(0), limit);
        EXPECT_EQ(m_marker->GetLimit(1), 2 * limit);
        EXPECT_FALSE(Mark(4138, 0, limit));
        EXPECT_TRUE(Mark(4138, 0, limit + 1));
        EXPECT_FALSE(Mark(4138, 1, 2 * limit));
        EXPECT_TRUE(Mark(4138, 1, 2 * limit + 1));
        EXPECT_EQ(m_marker->GetMarks(0), 1u);
    }
    Configure(0, 0, 0);
    EXPECT_FALSE(Mark(4138, 0, 1ULL << 40)); // off
}

// 8 blocks: 512 bytes.
TEST_F(IbFecnMarkerTest, ShortPacketsAreNotMarked)
{
    Configure(15, 8, 0);
    EXPECT_FALSE(Mark(511, 0, BUFFER));
    EXPECT_TRUE(Mark(512, 0, BUFFER));
}

TEST_F(IbFecnMarkerTest, VictimsMarkIfTheirBitIsSet)
{
    Configure(15, 0, 0);
    EXPECT_TRUE(Mark(4138, 0, BUFFER, true));
    EXPECT_FALSE(Mark(4138, 0, BUFFER, false));
    EXPECT_TRUE(Mark(4138, 1, BUFFER, false)); // a host marks nothing
    m_marker->SetVictimMask(0, true);
    m_marker->SetVictimMask(1, false);
    EXPECT_TRUE(Mark(4138, 0, BUFFER, false));
    EXPECT_FALSE(Mark(4138, 1, BUFFER, false));
    m_marker->SetAttribute("HostVictims", BooleanValue(false));
    Configure(15, 0, 0);
    EXPECT_FALSE(Mark(4138, 1, BUFFER, false));
}

// Rate 10: of 11 packets one is marked in the mean. 110,000 packets: binomial with p = 1/11, mean
// 10,000, sigma = sqrt(110000 x 1/11 x 10/11) = 95.3. The gaps are not all the same: two senders
// that take turns must not be told apart by them. The marks of each half of the packets: mean 5000,
// sigma 67.4.
TEST_F(IbFecnMarkerTest, MarkingRateIsAMean)
{
    Configure(15, 0, 10);
    uint64_t marks[2] = {0, 0};
    for (uint32_t i = 0; i < 110'000; ++i)
    {
        marks[i % 2] += Mark(4138, 0, BUFFER);
    }
    EXPECT_NEAR(static_cast<double>(marks[0] + marks[1]), 10'000, 5 * 95.3);
    EXPECT_NEAR(static_cast<double>(marks[0]), 5'000, 5 * 67.4);
    EXPECT_EQ(m_marker->GetMarks(0), marks[0] + marks[1]);
    EXPECT_EQ(m_marker->GetMarks(1), 0u);
}

TEST_F(IbFecnMarkerTest, NotificationsAndMarkedPacketsStayAsTheyAre)
{
    Configure(15, 0, 0);
    FabricFrame frame{};
    frame.kind = FabricFrameKind::RDMA;
    frame.opcode = IB_CNP;
    frame.bytes = 4138;
    EXPECT_FALSE(m_marker->Mark(frame, 0, BUFFER, true));
    frame.opcode = RC_RDMA_WRITE_MIDDLE;
    EXPECT_TRUE(m_marker->Mark(frame, 0, BUFFER, true));
    EXPECT_FALSE(m_marker->Mark(frame, 0, BUFFER, true)); // once is enough
    EXPECT_EQ(m_marker->GetMarks(0), 1u);
}

} // namespace
} // namespace ns3
