/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-aeth.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

namespace
{

/// RNR NAK timers by code, in units of 10 us.
constexpr int64_t RNR_TIMERS[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                    16,    24,   32,   48,    64,    96,    128,   192,
                                    256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                    4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

/// Credits by code; code 31 stands for no limit.
constexpr uint32_t ACK_CREDITS[31] = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

constexpr int64_t RNR_UNIT_PS = 10'000'000; //!< 10 us

} // namespace

int64_t
RdmaRnrTimerPs(uint8_t timerCode)
{
    return RNR_TIMERS[timerCode & 31] * RNR_UNIT_PS;
}

uint8_t
RdmaRnrTimerCode(int64_t waitPs)
{
    // Codes 1 to 31 rise; 0 is the longest.
    for (uint8_t code = 1; code < 32; ++code)
    {
        if (RdmaRnrTimerPs(code) >= waitPs)
        {
            return code;
        }
    }
    return 0;
}

std::optional<uint32_t>
RdmaAckCredits(uint8_t creditCode)
{
    if ((creditCode & 31) == AETH_CREDITS_UNLIMITED)
    {
        return std::nullopt;
    }
    return ACK_CREDITS[creditCode & 31];
}

uint8_t
RdmaAckCreditCode(uint32_t credits)
{
    uint8_t code = 30;
    while (ACK_CREDITS[code] > credits)
    {
        --code;
    }
    return code;
}

void
RdmaAeth::Write(ByteWriter& writer) const
{
    writer.WriteU8(syndrome);
    writer.WriteU24(msn);
}

std::optional<RdmaAeth>
RdmaAeth::Read(ByteReader& reader)
{
    if (!reader.Has(AETH_BYTES))
    {
        return std::nullopt;
    }
    RdmaAeth header;
    header.syndrome = reader.ReadU8();
    header.msn = reader.ReadU24();
    return header;
}

} // namespace rdma
} // namespace ns3
