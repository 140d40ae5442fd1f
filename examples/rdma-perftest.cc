/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latency and bandwidth between two simulated hosts, in the manner of the perftest programs. See
 * --help.
 */

#include "rdma-perftest-options.h"
#include "rdma-perftest-run.h"

#include "ns3/fabric-units.h"
#include "ns3/nstime.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::rdma;
using namespace ns3::rdma::perftest;

namespace
{

const std::string RULE(95, '-');

/// Prints what is tested.
void
PrintHead(const Options& options)
{
    static const char* const names[] = {"RDMA write", "Send", "RDMA read"};
    const Preset& preset = options.preset;
    std::printf("%s\n", RULE.c_str());
    std::printf("%28s%s %s test\n",
                "",
                names[options.verb],
                options.latency         ? "latency"
                : options.bidirectional ? "bidirectional bandwidth"
                                        : "bandwidth");
    const auto pair = [](const char* left,
                         const std::string& value,
                         const char* right,
                         const std::string& other) {
        std::printf(" %-16s: %-16s %-16s: %s\n", left, value.c_str(), right, other.c_str());
    };
    pair("Link type", preset.infiniband ? "IB" : "Ethernet", "Connection type", "RC");
    pair("Number of qps",
         std::to_string(options.queuePairs),
         "Mtu",
         std::to_string(options.mtu) + "[B]");
    pair("TX depth",
         options.latency ? "1" : std::to_string(options.txDepth),
         "Post list",
         std::to_string(options.postList));
    pair("Max inline data",
         std::to_string(options.inlineSize) + "[B]",
         "SL",
         std::to_string(options.serviceLevel));
    pair("Hosts of preset", preset.name, "Link rate", FabricUnits::FormatRate(preset.rate));
    pair("Switches",
         std::to_string(options.hops),
         "Switch latency",
         FabricUnits::FormatTime(preset.switchLatencyPs));
    std::printf("%s\n", RULE.c_str());
    if (options.latency)
    {
        std::printf(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
                    "t_avg[usec]    t_stdev[usec]   99%% percentile[usec]   "
                    "99.9%% percentile[usec]\n");
    }
    else
    {
        const char* const unit = options.reportGbits ? "Gb/sec" : "MiB/sec";
        std::printf(" #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]\n",
                    unit,
                    unit);
    }
    std::fflush(stdout);
}

/// Prints a row of the table.
void
PrintRow(const Options& options, uint64_t bytes, const Outcome& outcome)
{
    const auto size = static_cast<unsigned long long>(bytes);
    if (options.latency)
    {
        const RdmaLatencyResult& result = outcome.latency;
        const auto us = [](double ps) { return ps * 1e-6; };
        std::printf(" %-7llu %-11u %11.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f\n",
                    size,
                    options.iterations,
                    us(result.minimum),
                    us(result.maximum),
                    us(result.typical),
                    us(result.average),
                    us(result.deviation),
                    us(result.percentile99),
                    us(result.percentile999));
    }
    else
    {
        const RdmaBandwidthResult& result = outcome.bandwidth;
        const double unit = options.reportGbits ? 1e9 : 8 * 1024 * 1024;
        std::printf(" %-10llu %-11u %18.2f %20.2f %17.6f\n",
                    size,
                    options.iterations,
                    result.peakBitsPerSec / unit,
                    result.averageBitsPerSec / unit,
                    result.messagesPerSec * 1e-6);
    }
    std::fflush(stdout);
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        const Options options = ParseOptions(argc, argv);
        if (options.help)
        {
            std::cout << GetHelp();
            return 0;
        }
        Time::SetResolution(Time::PS);
        PrintHead(options);
        for (const uint64_t bytes : options.sizes)
        {
            const Outcome outcome = RunTest(options, bytes);
            if (!outcome.failure.empty())
            {
                std::cerr << "rdma-perftest: " << bytes << " B: " << outcome.failure << '\n';
                return 2;
            }
            PrintRow(options, bytes, outcome);
        }
        std::printf("%s\n", RULE.c_str());
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
