/* SPDX-License-Identifier: GPL-2.0-only */
/* rdma-perftest: every option does what it says, and wrong ones are refused with a sentence. */

#include "rdma-perftest-program.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace
{

/// \param arguments Arguments. \return The only number in a column of the table.
double
Get(const std::string& arguments, RdmaPerftestColumn column)
{
    return RunPerftest(arguments).Get(column);
}

/// \param text What to look for. \param in Where. \return Whether it is there.
bool
Has(const std::string& text, const std::string& in)
{
    return in.find(text) != std::string::npos;
}

TEST(RdmaPerftestProgram, TablesHaveTheColumnsOfPerftest)
{
    for (const char* verb : {"write", "send", "read"})
    {
        const auto latency = RunPerftest(std::string(verb) + "_lat");
        EXPECT_EQ(latency.status, 0) << latency.errors;
        EXPECT_TRUE(Has(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
                        "t_avg[usec]    t_stdev[usec]   99% percentile[usec]   "
                        "99.9% percentile[usec]\n",
                        latency.output))
            << latency.output;
        ASSERT_EQ(latency.rows.size(), 1u);
        EXPECT_EQ(latency.rows[0].size(), 9u);
        EXPECT_EQ(latency.Get(PERFTEST_BYTES), 2);
        EXPECT_EQ(latency.Get(PERFTEST_ITERATIONS), 1000);

        const auto bandwidth = RunPerftest(std::string(verb) + "_bw -n 50");
        EXPECT_EQ(bandwidth.status, 0) << bandwidth.errors;
        EXPECT_TRUE(Has(" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
                        "MsgRate[Mpps]\n",
                        bandwidth.output))
            << bandwidth.output;
        ASSERT_EQ(bandwidth.rows.size(), 1u);
        EXPECT_EQ(bandwidth.rows[0].size(), 5u);
        EXPECT_EQ(bandwidth.Get(PERFTEST_BYTES), 65536);
        // Bandwidth is message rate times size.
        EXPECT_NEAR(bandwidth.Get(PERFTEST_RATE) * 1e6 * 65536 / (1 << 20),
                    bandwidth.Get(PERFTEST_AVERAGE),
                    0.05);
        EXPECT_GE(bandwidth.Get(PERFTEST_PEAK), bandwidth.Get(PERFTEST_AVERAGE));
    }
    EXPECT_EQ(Get("write_bw -s 1", PERFTEST_ITERATIONS), 5000);
}

TEST(RdmaPerftestProgram, SizesAndIterations)
{
    for (const char* arguments : {"write_lat -n 7 -s 4096", "write_lat --iters=7 --size=4KiB"})
    {
        const auto run = RunPerftest(arguments);
        EXPECT_EQ(run.Get(PERFTEST_BYTES), 4096);
        EXPECT_EQ(run.Get(PERFTEST_ITERATIONS), 7);
    }
    for (const char* all : {"-a", "--all"})
    {
        const auto run = RunPerftest(std::string("write_lat -n 1 ") + all);
        ASSERT_EQ(run.rows.size(), 23u) << run.errors;
        for (std::size_t i = 0; i < 23; ++i)
        {
            EXPECT_EQ(run.rows[i][PERFTEST_BYTES], 1 << (i + 1));
            // Longer messages take longer.
            EXPECT_TRUE(i == 0 ||
                        run.rows[i][PERFTEST_TYPICAL] >= run.rows[i - 1][PERFTEST_TYPICAL]);
        }
    }
}

TEST(RdmaPerftestProgram, QueuePairsAndDepth)
{
    // One message in a round trip; twice as many with two queue pairs, or two outstanding.
    const double one = Get("write_bw -s 64 -n 200 -t 1", PERFTEST_RATE);
    EXPECT_NEAR(Get("write_bw -s 64 -n 200 -t 1 -q 2", PERFTEST_RATE) / one, 2, 0.02);
    EXPECT_NEAR(Get("write_bw -s 64 -n 200 -t 1 --qp=2", PERFTEST_RATE) / one, 2, 0.02);
    EXPECT_NEAR(Get("write_bw -s 64 -n 200 --tx-depth=2", PERFTEST_RATE) / one, 2, 0.02);
    // A list of two waits for both.
    EXPECT_TRUE(Has("Post list       : 2", RunPerftest("write_bw -n 9 -l 2").output));
    EXPECT_TRUE(Has("Post list       : 2", RunPerftest("write_bw -n 9 --post_list=2").output));
    // No receive, no send: the sender comes back after the RNR timer.
    EXPECT_LT(Get("send_bw -s 64 -n 20 -r 1", PERFTEST_RATE),
              0.1 * Get("send_bw -s 64 -n 20 --rx-depth=512", PERFTEST_RATE));
}

TEST(RdmaPerftestProgram, InlineSavesTheFetch)
{
    const double fetched = Get("write_lat -s 2 -I 0", PERFTEST_TYPICAL);
    EXPECT_NEAR(fetched - Get("write_lat -s 2", PERFTEST_TYPICAL), 0.91, 0.011);
    EXPECT_NEAR(fetched - Get("write_lat -s 2 --inline_size=2", PERFTEST_TYPICAL), 0.91, 0.011);
    // 220 bytes are inline unless told otherwise, 221 are not.
    EXPECT_GT(Get("send_lat -s 221", PERFTEST_TYPICAL) - Get("send_lat -s 220", PERFTEST_TYPICAL),
              0.9);
}

TEST(RdmaPerftestProgram, MtuDecidesTheShareOfHeaders)
{
    // InfiniBand, 28 B beside the payload: 200 Gb/s x 1024 / 1052 = 194.68 Gb/s.
    for (const char* mtu : {"-m 1024", "--mtu=1024"})
    {
        EXPECT_NEAR(Get(std::string("write_bw -n 2000 --report_gbits ") + mtu, PERFTEST_AVERAGE),
                    194.68,
                    0.4);
    }
    // RoCEv2, 82 B: 200 Gb/s x 1024 / 1106 = 185.17 Gb/s.
    EXPECT_NEAR(Get("write_bw -n 2000 --report_gbits -m 1024 --fabric roce", PERFTEST_AVERAGE),
                185.17,
                0.4);
}

TEST(RdmaPerftestProgram, BothDirections)
{
    const double one = Get("write_bw -n 500", PERFTEST_AVERAGE);
    EXPECT_NEAR(Get("write_bw -n 500 -b", PERFTEST_AVERAGE) / one, 2, 0.02);
    EXPECT_NEAR(Get("write_bw -n 500 --bidirectional", PERFTEST_AVERAGE) / one, 2, 0.02);
}

TEST(RdmaPerftestProgram, Gigabits)
{
    const auto run = RunPerftest("write_bw -n 500 --report_gbits");
    EXPECT_TRUE(Has("BW average[Gb/sec]", run.output));
    EXPECT_NEAR(run.Get(PERFTEST_AVERAGE) * 1e9,
                Get("write_bw -n 500", PERFTEST_AVERAGE) * 8 * (1 << 20),
                1e7);
}

TEST(RdmaPerftestProgram, ServiceLevel)
{
    EXPECT_TRUE(Has("SL              : 0\n", RunPerftest("write_lat -n 1").output));
    EXPECT_TRUE(Has("SL              : 3\n", RunPerftest("write_lat -n 1 --fabric roce").output));
    for (const char* level : {"-S 7", "--sl=7"})
    {
        for (const char* fabric : {"roce", "infiniband"})
        {
            const auto run =
                RunPerftest(std::string("write_bw -n 20 --fabric ") + fabric + ' ' + level);
            EXPECT_EQ(run.status, 0) << run.errors;
            EXPECT_TRUE(Has("SL              : 7\n", run.output));
        }
    }
}

TEST(RdmaPerftestProgram, FabricAndPreset)
{
    const auto ib = RunPerftest("write_lat");
    EXPECT_TRUE(Has("Link type       : IB", ib.output));
    EXPECT_TRUE(Has("Hosts of preset : hdr", ib.output));
    const auto roce = RunPerftest("write_lat --fabric=roce");
    EXPECT_TRUE(Has("Link type       : Ethernet", roce.output));
    EXPECT_TRUE(Has("Hosts of preset : roce200", roce.output));
    EXPECT_GT(roce.Get(PERFTEST_TYPICAL), ib.Get(PERFTEST_TYPICAL));
    const auto mixed = RunPerftest("write_lat --fabric=roce --preset ndr");
    EXPECT_TRUE(Has("Link type       : Ethernet", mixed.output));
    // The payload's share of the wire: 4096 B of 4124 B, or of 4178 B.
    const std::pair<const char*, double> presets[] = {{"edr", 100 * 4096 / 4124.0},
                                                      {"hdr", 200 * 4096 / 4124.0},
                                                      {"ndr", 400 * 4096 / 4124.0},
                                                      {"xdr", 800 * 4096 / 4124.0},
                                                      {"roce100", 100 * 4096 / 4178.0},
                                                      {"roce200", 200 * 4096 / 4178.0},
                                                      {"roce400", 400 * 4096 / 4178.0},
                                                      {"roce800", 800 * 4096 / 4178.0}};
    for (const auto& [name, gigabits] : presets)
    {
        EXPECT_NEAR(Get(std::string("write_bw -s 1MiB -n 200 --report_gbits --preset ") + name,
                        PERFTEST_AVERAGE),
                    gigabits,
                    0.01 * gigabits)
            << name;
    }
}

TEST(RdmaPerftestProgram, Path)
{
    const double plain = Get("write_lat", PERFTEST_TYPICAL);
    EXPECT_NEAR(Get("write_lat --switch-latency=1.13us", PERFTEST_TYPICAL) - plain, 1, 0.011);
    // Two more switches of 130 ns with a cable of 10 ns each.
    EXPECT_NEAR(Get("write_lat --hops=3", PERFTEST_TYPICAL) - plain, 0.28, 0.011);
    EXPECT_NEAR(plain - Get("write_lat --hops 0", PERFTEST_TYPICAL), 0.14, 0.011);
    EXPECT_NEAR(Get("write_bw -n 500 --report_gbits --rate 100Gb/s", PERFTEST_AVERAGE), 99, 1);
}

// A classic capture file with 24 bytes of header: magic number, link type in bytes 20 to 23. 5
// round trips are 10 messages and 10 acknowledgements.
TEST(RdmaPerftestProgram, Capture)
{
    for (const bool infiniband : {false, true})
    {
        const auto run = RunPerftest(std::string("write_lat -n 5 --pcap=capture.pcap --fabric=") +
                                     (infiniband ? "infiniband" : "roce"));
        EXPECT_EQ(run.status, 0) << run.errors;
        const auto word = [&run](std::size_t at) {
            uint32_t value = 0;
            std::memcpy(&value, run.capture.data() + at, sizeof(value));
            return value;
        };
        ASSERT_GT(run.capture.size(), 24u);
        EXPECT_EQ(word(0), 0xa1b23c4du);             // with nanoseconds
        EXPECT_EQ(word(20), infiniband ? 197u : 1u); // LINKTYPE_ERF, LINKTYPE_ETHERNET
        uint32_t packets = 0;
        for (std::size_t at = 24; at + 16 <= run.capture.size(); at += 16 + word(at + 8))
        {
            ++packets;
        }
        EXPECT_EQ(packets, 20u);
    }
}

TEST(RdmaPerftestProgram, CpuFrequencyIsIgnored)
{
    const std::string plain = RunPerftest("write_lat -n 9").output;
    EXPECT_EQ(RunPerftest("write_lat -n 9 -F").output, plain);
    EXPECT_EQ(RunPerftest("--CPU-freq -n 9 write_lat").output, plain);
}

TEST(RdmaPerftestProgram, HelpNamesEveryOption)
{
    for (const char* help : {"-h", "--help"})
    {
        const auto run = RunPerftest(help);
        EXPECT_EQ(run.status, 0);
        for (const char* name : {"-a, --all",
                                 "-b, --bidirectional",
                                 "-F, --CPU-freq",
                                 "-h, --help",
                                 "-I, --inline_size",
                                 "-l, --post_list",
                                 "-m, --mtu",
                                 "-n, --iters",
                                 "-q, --qp",
                                 "-r, --rx-depth",
                                 "-s, --size",
                                 "-S, --sl",
                                 "-t, --tx-depth",
                                 "--report_gbits",
                                 "--fabric",
                                 "--preset",
                                 "--rate",
                                 "--switch-latency",
                                 "--hops",
                                 "--pcap",
                                 "roce100"})
        {
            EXPECT_TRUE(Has(name, run.output)) << name;
        }
        for (std::size_t begin = 0; begin < run.output.size();)
        {
            const std::size_t end = run.output.find('\n', begin);
            EXPECT_LE(end - begin, 100u);
            begin = end + 1;
        }
    }
}

/// Wrong arguments, and what the sentence names.
struct Wrong
{
    const char* arguments; //!< arguments
    const char* named;     //!< what the sentence has to say
};

const Wrong WRONG[] = {
    {"", "no test"},
    {"-n 5", "no test"},
    {"ping", "write_lat"},
    {"write_lat read_lat", "one test"},
    {"write_lat --speed", "--speed"},
    {"write_lat -z", "-z"},
    {"write_lat -n", "-n"},
    {"write_lat --rate", "--rate"},
    {"write_lat -n 0", "--iters"},
    {"write_lat -n 1e3", "--iters"},
    {"write_lat -n 99999999999999999999", "--iters"},
    {"write_lat -s 0", "--size"},
    {"write_lat -s -1", "--size"},
    {"write_lat -s 2147483649", "2147483648"},
    {"write_lat -s big", "--size"},
    {"write_lat -a -s 2", "--all"},
    {"write_bw -q 0", "--qp"},
    {"write_bw -q 16385", "16384"},
    {"write_bw -t 0", "--tx-depth"},
    {"write_bw -t 32769", "32768"},
    {"write_bw -l 0", "--post_list"},
    {"write_bw -t 4 -l 5", "--tx-depth"},
    {"send_bw -r 0", "--rx-depth"},
    {"write_lat -I 1025", "1024"},
    {"write_lat -I ''", "--inline_size"},
    {"read_lat -I 64", "read"},
    {"write_lat -m 1000", "4096"},
    {"write_lat -m 8192", "--mtu"},
    {"write_lat -S 8", "--sl"},
    {"write_lat -q 2", "bandwidth"},
    {"write_lat -b", "bandwidth"},
    {"write_lat -t 2", "bandwidth"},
    {"write_lat -l 2", "bandwidth"},
    {"write_lat --report_gbits", "bandwidth"},
    {"write_lat --fabric=token-ring", "infiniband"},
    {"write_lat --preset=qdr", "hdr"},
    {"write_lat --rate=100", "--rate"},
    {"write_lat --rate=1Mb/s", "1 Gb/s"},
    {"write_lat --switch-latency=5", "--switch-latency"},
    {"write_lat --hops=65", "64"},
    {"write_lat --hops=-1", "--hops"},
    {"write_lat --pcap=no/such/folder", "--pcap"},
    {"write_lat --pcap=", "--pcap"},
    {"write_lat -a --pcap=x", "--pcap"},
};

TEST(RdmaPerftestProgram, WrongArgumentsAreRefusedWithASentence)
{
    for (const Wrong& wrong : WRONG)
    {
        const auto run = RunPerftest(wrong.arguments);
        EXPECT_EQ(run.status, 1) << wrong.arguments;
        EXPECT_EQ(run.output, "") << wrong.arguments;
        EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
        EXPECT_TRUE(Has("rdma-perftest: ", run.errors)) << wrong.arguments << ": " << run.errors;
        EXPECT_TRUE(Has(wrong.named, run.errors)) << wrong.arguments << ": " << run.errors;
    }
}

} // namespace
