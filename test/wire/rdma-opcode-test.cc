/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-opcode.h"
#include "ns3/rdma-wire-sizes.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3::rdma;

namespace
{

/// Header lengths by hand: BTH 12, and DETH 8, FETH 4, RETH 16, AtomicETH 28, AETH 4,
/// AtomicAckETH 8, ImmDt 4, IETH 4 where IBA section 9.3 and annexes A17, A19 put them.
const std::map<int, uint32_t> HEADER_BYTES = {
    // RC SEND: First, Middle, Last, Last+Imm, Only, Only+Imm
    {0x00, 12},
    {0x01, 12},
    {0x02, 12},
    {0x03, 16},
    {0x04, 12},
    {0x05, 16},
    // RC WRITE: First has a RETH, Only has one, Only+Imm has RETH and ImmDt
    {0x06, 28},
    {0x07, 12},
    {0x08, 12},
    {0x09, 16},
    {0x0A, 28},
    {0x0B, 32},
    // RC READ: request RETH; responses AETH but for Middle
    {0x0C, 28},
    {0x0D, 16},
    {0x0E, 12},
    {0x0F, 16},
    {0x10, 16},
    // Acknowledge AETH; atomic ACK AETH and AtomicAckETH; atomics AtomicETH
    {0x11, 16},
    {0x12, 24},
    {0x13, 40},
    {0x14, 40},
    // SEND with Invalidate: IETH
    {0x16, 16},
    {0x17, 16},
    // FLUSH: FETH and RETH; ATOMIC WRITE: RETH
    {0x1C, 32},
    {0x1D, 28},
    // UC
    {0x20, 12},
    {0x21, 12},
    {0x22, 12},
    {0x23, 16},
    {0x24, 12},
    {0x25, 16},
    {0x26, 28},
    {0x27, 12},
    {0x28, 12},
    {0x29, 16},
    {0x2A, 28},
    {0x2B, 32},
    // UD: DETH, and ImmDt
    {0x64, 20},
    {0x65, 24},
    // CNP of InfiniBand: BTH only; of RoCEv2: 16 reserved bytes
    {0x80, 12},
    {0x81, 28},
    // RD: RDETH 4 everywhere, DETH 8 in requests; RESYNC has both
    {0x40, 24},
    {0x41, 24},
    {0x42, 24},
    {0x43, 28},
    {0x44, 24},
    {0x45, 28},
    {0x46, 40},
    {0x47, 24},
    {0x48, 24},
    {0x49, 28},
    {0x4A, 40},
    {0x4B, 44},
    {0x4C, 40},
    {0x4D, 20},
    {0x4E, 16},
    {0x4F, 20},
    {0x50, 20},
    {0x51, 20},
    {0x52, 28},
    {0x53, 52},
    {0x54, 52},
    {0x55, 24},
    // XRC: XRCETH 4 in requests
    {0xA0, 16},
    {0xA1, 16},
    {0xA2, 16},
    {0xA3, 20},
    {0xA4, 16},
    {0xA5, 20},
    {0xA6, 32},
    {0xA7, 16},
    {0xA8, 16},
    {0xA9, 20},
    {0xAA, 32},
    {0xAB, 36},
    {0xAC, 32},
    {0xAD, 16},
    {0xAE, 12},
    {0xAF, 16},
    {0xB0, 16},
    {0xB1, 16},
    {0xB2, 24},
    {0xB3, 44},
    {0xB4, 44},
    {0xB6, 20},
    {0xB7, 20},
    // The module's own: SEND and WRITE of RC with a RETH in every packet
    {0xC0, 28},
    {0xC1, 28},
    {0xC2, 28},
    {0xC3, 32},
    {0xC4, 28},
    {0xC5, 32},
    {0xC6, 28},
    {0xC7, 28},
    {0xC8, 28},
    {0xC9, 32},
    {0xCA, 28},
    {0xCB, 32},
    {0xD6, 32},
    {0xD7, 32},
};

} // namespace

TEST(RdmaOpcode, HeaderBytesOfEveryOpcode)
{
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        const auto it = HEADER_BYTES.find(opcode);
        const bool known = it != HEADER_BYTES.end();
        EXPECT_EQ(OpcodeIsKnown(opcode), known) << opcode;
        EXPECT_EQ(OpcodeHeaderBytes(opcode), known ? it->second : 0) << opcode;
    }
}

TEST(RdmaOpcode, PlaceInTheMessage)
{
    for (uint8_t opcode : {RC_SEND_FIRST,
                           RC_RDMA_WRITE_FIRST,
                           RC_RDMA_READ_RESPONSE_FIRST,
                           UC_SEND_FIRST,
                           UC_RDMA_WRITE_FIRST})
    {
        EXPECT_TRUE(OpcodeIsFirst(opcode)) << +opcode;
        EXPECT_TRUE(OpcodeStartsMessage(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeEndsMessage(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeIsMiddle(opcode) || OpcodeIsLast(opcode) || OpcodeIsOnly(opcode));
    }
    for (uint8_t opcode : {RC_SEND_MIDDLE,
                           RC_RDMA_WRITE_MIDDLE,
                           RC_RDMA_READ_RESPONSE_MIDDLE,
                           UC_SEND_MIDDLE,
                           UC_RDMA_WRITE_MIDDLE})
    {
        EXPECT_TRUE(OpcodeIsMiddle(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeStartsMessage(opcode) || OpcodeEndsMessage(opcode)) << +opcode;
    }
    for (uint8_t opcode : {RC_SEND_LAST,
                           RC_SEND_LAST_WITH_IMMEDIATE,
                           RC_SEND_LAST_WITH_INVALIDATE,
                           RC_RDMA_WRITE_LAST,
                           RC_RDMA_WRITE_LAST_WITH_IMMEDIATE,
                           RC_RDMA_READ_RESPONSE_LAST,
                           UC_SEND_LAST,
                           UC_SEND_LAST_WITH_IMMEDIATE,
                           UC_RDMA_WRITE_LAST,
                           UC_RDMA_WRITE_LAST_WITH_IMMEDIATE})
    {
        EXPECT_TRUE(OpcodeIsLast(opcode)) << +opcode;
        EXPECT_TRUE(OpcodeEndsMessage(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeStartsMessage(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeIsFirst(opcode) || OpcodeIsMiddle(opcode) || OpcodeIsOnly(opcode));
    }
    for (uint8_t opcode : {RC_SEND_ONLY,
                           RC_SEND_ONLY_WITH_IMMEDIATE,
                           RC_SEND_ONLY_WITH_INVALIDATE,
                           RC_RDMA_WRITE_ONLY,
                           RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
                           RC_RDMA_READ_REQUEST,
                           RC_RDMA_READ_RESPONSE_ONLY,
                           RC_ACKNOWLEDGE,
                           RC_ATOMIC_ACKNOWLEDGE,
                           RC_COMPARE_SWAP,
                           RC_FETCH_ADD,
                           RC_FLUSH,
                           RC_ATOMIC_WRITE,
                           UC_SEND_ONLY,
                           UC_RDMA_WRITE_ONLY,
                           UD_SEND_ONLY,
                           UD_SEND_ONLY_WITH_IMMEDIATE,
                           ROCE_CNP})
    {
        EXPECT_TRUE(OpcodeIsOnly(opcode)) << +opcode;
        EXPECT_TRUE(OpcodeStartsMessage(opcode) && OpcodeEndsMessage(opcode)) << +opcode;
        EXPECT_FALSE(OpcodeIsFirst(opcode) || OpcodeIsMiddle(opcode) || OpcodeIsLast(opcode));
    }
    EXPECT_FALSE(OpcodeIsMiddle(0x1f)) << "an unknown opcode has no place";
}

TEST(RdmaOpcode, OperationByRange)
{
    // The operations of RD and XRC are RC's; the next test compares them.
    const auto likeRc = [](int opcode) {
        return opcode >> 5 == OPCODE_PREFIX_RD >> 5 || opcode >> 5 == OPCODE_PREFIX_XRC >> 5;
    };
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        if (likeRc(opcode))
        {
            continue;
        }
        const bool rc = opcode <= 0x1f;
        const bool placed = opcode >= OPCODE_PLACED && HEADER_BYTES.count(opcode);
        const bool rcOrUc = (opcode <= 0x3f && HEADER_BYTES.count(opcode)) || placed;
        const int operation = opcode & 0x1f;
        const bool ud = opcode == 0x64 || opcode == 0x65;
        const bool invalidate =
            opcode == 0x16 || opcode == 0x17 || opcode == 0xD6 || opcode == 0xD7;
        EXPECT_EQ(OpcodeIsSend(opcode), (rcOrUc && operation <= 0x05) || ud || invalidate);
        EXPECT_EQ(OpcodeIsWrite(opcode), rcOrUc && operation >= 0x06 && operation <= 0x0B);
        EXPECT_EQ(OpcodeIsReadRequest(opcode), opcode == 0x0C);
        EXPECT_EQ(OpcodeIsReadResponse(opcode), opcode >= 0x0D && opcode <= 0x10);
        EXPECT_EQ(OpcodeIsAck(opcode), opcode == 0x11);
        EXPECT_EQ(OpcodeIsAtomicAck(opcode), opcode == 0x12);
        EXPECT_EQ(OpcodeIsAtomic(opcode), opcode == 0x13 || opcode == 0x14);
        EXPECT_EQ(OpcodeIsCnp(opcode), opcode == 0x80 || opcode == 0x81);
        EXPECT_EQ(OpcodeIsResponse(opcode),
                  (opcode >= 0x0D && opcode <= 0x12) || opcode == 0x80 || opcode == 0x81);
        EXPECT_EQ(OpcodeIsRequest(opcode), OpcodeIsKnown(opcode) && !OpcodeIsResponse(opcode));
        EXPECT_EQ(OpcodeHasPayload(opcode),
                  OpcodeIsSend(opcode) || OpcodeIsWrite(opcode) || OpcodeIsReadResponse(opcode) ||
                      opcode == 0x1D);
        EXPECT_EQ(OpcodeHasReth(opcode),
                  (rcOrUc && (operation == 0x06 || operation == 0x0A || operation == 0x0B)) ||
                      opcode == 0x0C || opcode == 0x1C || opcode == 0x1D || placed);
        EXPECT_EQ(OpcodeHasAeth(opcode), rc && opcode >= 0x0D && opcode <= 0x12 && opcode != 0x0E);
        EXPECT_EQ(OpcodeHasImmediate(opcode),
                  (rcOrUc && (operation == 0x03 || operation == 0x05 || operation == 0x09 ||
                              operation == 0x0B)) ||
                      opcode == 0x65);
    }
}

TEST(RdmaOpcode, RdAndXrcDoWhatRcDoes)
{
    constexpr uint32_t headers = OPCODE_HAS_RDETH | OPCODE_HAS_XRCETH | OPCODE_HAS_DETH |
                                 0xffU << OPCODE_HEADER_BYTES_SHIFT;
    for (int operation = 0; operation < 32; ++operation)
    {
        for (int prefix : {0x40, 0xA0})
        {
            const int opcode = prefix | operation;
            if (OpcodeIsKnown(opcode) && opcode != 0x55)
            {
                EXPECT_EQ(RDMA_OPCODE_TRAITS[opcode] & ~headers,
                          RDMA_OPCODE_TRAITS[operation] & ~headers)
                    << opcode;
            }
        }
    }
    EXPECT_TRUE(OpcodeIsRequest(RD_RESYNC) && OpcodeIsOnly(RD_RESYNC));
    EXPECT_FALSE(OpcodeHasPayload(RD_RESYNC));
}

TEST(RdmaWireSizes, PadTo4)
{
    EXPECT_EQ(RdmaPadBytes(0), 0U);
    EXPECT_EQ(RdmaPadBytes(1), 3U);
    EXPECT_EQ(RdmaPadBytes(2), 2U);
    EXPECT_EQ(RdmaPadBytes(3), 1U);
    EXPECT_EQ(RdmaPadBytes(4096), 0U);
    EXPECT_EQ(RdmaPadBytes(4095), 1U);
}

TEST(RdmaWireSizes, FrameBytes)
{
    // Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + P + ICRC 4 + FCS 4 = P + 62; with preamble 8 and gap
    // 12 the wire carries P + 82.
    for (uint32_t payload : {256U, 512U, 1024U, 2048U, 4096U})
    {
        EXPECT_EQ(RoceV2FrameBytes(RC_RDMA_WRITE_MIDDLE, payload) + ETHERNET_WIRE_OVERHEAD_BYTES,
                  payload + 82);
        EXPECT_EQ(RoceV2FrameBytes(RC_SEND_MIDDLE, payload), payload + 62);
        // RETH 16
        EXPECT_EQ(RoceV2FrameBytes(RC_RDMA_WRITE_FIRST, payload), payload + 78);
        // AETH 4
        EXPECT_EQ(RoceV2FrameBytes(RC_RDMA_READ_RESPONSE_ONLY, payload), payload + 66);
        // IPv6 is 20 longer than IPv4
        EXPECT_EQ(RoceV2FrameBytes(RC_SEND_MIDDLE, payload, IPV6_HEADER_BYTES), payload + 82);
    }
    EXPECT_EQ(RoceV2FrameBytes(RC_SEND_ONLY, 1001), 1004U + 62);
    // A SEND of nothing has 62 bytes and is padded to Ethernet's minimum; 1 byte pads to 66 itself.
    EXPECT_EQ(RoceV2FrameBytes(RC_SEND_ONLY, 0), 64U);
    EXPECT_EQ(RoceV2FrameBytes(RC_SEND_ONLY, 1), 66U);
    EXPECT_EQ(RoceV2FrameBytes(RC_ACKNOWLEDGE, 0), 66U);
    EXPECT_EQ(RoceV2FrameBytes(RC_RDMA_READ_REQUEST, 0), 78U);
    EXPECT_EQ(RoceV2FrameBytes(ROCE_CNP, 0), 78U);
    EXPECT_EQ(PAUSE_FRAME_BYTES + ETHERNET_WIRE_OVERHEAD_BYTES, 84U);
}

// Both are usable where the compiler needs a constant.
static_assert(OpcodeHeaderBytes(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE) == 32);
static_assert(RoceV2FrameBytes(RC_RDMA_WRITE_MIDDLE, 4096) == 4158);
