/* SPDX-License-Identifier: GPL-2.0-only */
/* FECN to BECN, IBA volume 1, section A10.3. */

#include "ns3/rdma-fecn-point.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using namespace rdma;

/// \param opcode A BTH opcode. \return A packet of queue pair 17 of endpoint 5.
FabricFrame
MakePacket(uint8_t opcode)
{
    FabricFrame frame{};
    frame.opcode = opcode;
    frame.source = 5;
    frame.sourceQueuePair = 17;
    return frame;
}

TEST(RdmaFecnPoint, TheNextAcknowledgementCarriesBecnOnce)
{
    RdmaFecnPoint point;
    EXPECT_FALSE(point.TakeBecn());
    for (const uint8_t opcode : {RC_SEND_FIRST, RC_RDMA_WRITE_MIDDLE, RC_RDMA_WRITE_ONLY})
    {
        EXPECT_FALSE(point.Marked(MakePacket(opcode)));
        EXPECT_FALSE(point.Marked(MakePacket(opcode)));
        EXPECT_TRUE(point.TakeBecn());
        EXPECT_FALSE(point.TakeBecn());
    }
}

// Nobody acknowledges the packets of unreliable services and read responses, and a read request is
// answered by data. One CNP tells of all that came before it was sent.
TEST(RdmaFecnPoint, WithoutAcknowledgementACnpIsSent)
{
    for (const uint8_t opcode : {RC_RDMA_READ_RESPONSE_MIDDLE,
                                 RC_RDMA_READ_REQUEST,
                                 UC_RDMA_WRITE_MIDDLE,
                                 UC_SEND_ONLY,
                                 UD_SEND_ONLY})
    {
        RdmaFecnPoint point;
        EXPECT_TRUE(point.Marked(MakePacket(opcode))) << +opcode;
        EXPECT_FALSE(point.Marked(MakePacket(opcode)));
        EXPECT_FALSE(point.TakeBecn());
        FabricFrame cnp{};
        point.Address(cnp);
        EXPECT_EQ(cnp.destination, 5u);
        EXPECT_EQ(cnp.queuePair, 17u);
        EXPECT_TRUE(point.Marked(MakePacket(opcode)));
    }
}

} // namespace
} // namespace ns3
