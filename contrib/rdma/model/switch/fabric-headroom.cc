/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-headroom.h"

namespace ns3
{
namespace rdma
{

uint32_t
FabricHeadroom::StandardResponseQuanta(uint64_t bitsPerSecond)
{
    struct Row
    {
        uint64_t bitsPerSecond;
        uint32_t quanta;
    };

    constexpr Row rows[] = {{1'000'000'000, 2},
                            {10'000'000'000, 67},
                            {25'000'000'000, 80},
                            {40'000'000'000, 118},
                            {50'000'000'000, 147},
                            {100'000'000'000, 394},
                            {200'000'000'000, 453}};
    for (const Row& row : rows)
    {
        if (bitsPerSecond <= row.bitsPerSecond)
        {
            return row.quanta;
        }
    }
    return 905; // 400 Gb/s and above
}

uint64_t
FabricHeadroom::BytesIn(int64_t ps, uint64_t bitsPerSecond)
{
    // Split at a second, so that neither product leaves 64 bits.
    constexpr uint64_t second = 1'000'000'000'000;
    const uint64_t whole = static_cast<uint64_t>(ps) / second;
    const uint64_t bytesPerSecond = (bitsPerSecond + 7) / 8;
    const uint64_t rest = static_cast<uint64_t>(ps) % second;
    // rest < 2^40; what does not divide is rounded up per microsecond and per picosecond.
    const uint64_t us = rest / 1'000'000;
    const uint64_t ps2 = rest % 1'000'000;
    return whole * bytesPerSecond +
           (us * bytesPerSecond + (ps2 * bytesPerSecond + 999'999) / 1'000'000 + 999'999) /
               1'000'000;
}

} // namespace rdma
} // namespace ns3
