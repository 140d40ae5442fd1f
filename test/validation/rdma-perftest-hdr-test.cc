/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latency and bandwidth of HDR InfiniBand as a public log of the perftest programs has them:
 * adapters of 200 Gb/s and a switch. The delays of the preset are fitted to the rows of 2 B, 256 B,
 * 1 KiB and 4 KiB; the other rows and the bandwidth follow.
 */

#include "rdma-perftest-program.h"

#include <gtest/gtest.h>
#include <string>

namespace
{

/// A row of the log.
struct Measured
{
    uint64_t bytes; //!< size of the message
    double typical; //!< t_typical in us
};

const Measured MEASURED[] = {
    {2, 1.88},
    {64, 1.91},
    {128, 1.96},
    {256, 2.87}, // the inline limit is 220 bytes
    {1024, 3.05},
    {4096, 3.85},
    {16384, 4.4},
    {65536, 6.76},
    {262144, 14.9},
    {1048576, 46.9},
    {8388608, 345.6},
};

TEST(RdmaPerftestHdr, WriteLatency)
{
    for (const Measured& row : MEASURED)
    {
        const double typical =
            RunPerftest("write_lat --preset=hdr -n 3 -s " + std::to_string(row.bytes))
                .Get(PERFTEST_TYPICAL);
        EXPECT_NEAR(typical, row.typical, 0.1 * row.typical) << row.bytes << " B";
    }
}

TEST(RdmaPerftestHdr, WriteBandwidth)
{
    // 23,318 MiB/s are 195.6 Gb/s.
    EXPECT_NEAR(RunPerftest("write_bw --preset=hdr -n 1000").Get(PERFTEST_AVERAGE),
                23318,
                0.1 * 23318);
    EXPECT_NEAR(RunPerftest("write_bw --preset=hdr -n 1000 --report_gbits").Get(PERFTEST_AVERAGE),
                195.6,
                0.1 * 195.6);
}

} // namespace
