/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of rdma-perftest. */

#ifndef RDMA_PERFTEST_OPTIONS_H
#define RDMA_PERFTEST_OPTIONS_H

#include "rdma-perftest-preset.h"

#include "ns3/rdma-perftest-application.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::rdma::perftest
{

/// What the command line says.
struct Options
{
    RdmaPerftestVerb verb{PERFTEST_WRITE}; //!< what messages are
    bool latency{false};                   //!< latency test, else bandwidth
    bool help{false};                      //!< only help is wanted
    std::vector<uint64_t> sizes;           //!< message sizes in bytes
    uint32_t iterations{0};                //!< messages of each queue pair
    uint32_t queuePairs{1};                //!< queue pairs
    uint32_t txDepth{0};                   //!< messages outstanding
    uint32_t rxDepth{512};                 //!< receives posted
    uint32_t postList{1};                  //!< messages posted at a time
    uint32_t inlineSize{0};                //!< bytes that are sent inline
    uint32_t mtu{4096};                    //!< path MTU
    uint8_t serviceLevel{0};               //!< service level or priority
    bool bidirectional{false};             //!< both sides send
    bool reportGbits{false};               //!< Gb/s instead of MiB/s
    Preset preset{};                       //!< fabric and hosts
    uint32_t hops{1};                      //!< switches in the path
    std::string pcap;                      //!< file for a capture at the client; empty: none
};

/// \return What --help prints.
std::string GetHelp();

/**
 * Reads the command line.
 * \param argc As main has it.
 * \param argv As main has it.
 * \return The options, complete and checked.
 * \throw std::invalid_argument with one sentence.
 */
Options ParseOptions(int argc, char* argv[]);

/// \param options Options. \return The name of the test as perftest has it, "write_lat" and so on.
std::string GetTestName(const Options& options);

} // namespace ns3::rdma::perftest

#endif // RDMA_PERFTEST_OPTIONS_H
