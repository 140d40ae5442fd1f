/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of rdma-perftest. */

#include "rdma-perftest-options.h"

#include "ns3/fabric-input-error.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <fstream>
#include <getopt.h>
#include <stdexcept>

namespace ns3::rdma::perftest
{

namespace
{

/// Options without a short name.
enum LongOnly
{
    FABRIC = 256,
    PRESET,
    RATE,
    SWITCH_LATENCY,
    HOPS,
    PCAP,
    REPORT_GBITS,
};

const option LONG_OPTIONS[] = {
    {"all", no_argument, nullptr, 'a'},
    {"bidirectional", no_argument, nullptr, 'b'},
    {"CPU-freq", no_argument, nullptr, 'F'},
    {"help", no_argument, nullptr, 'h'},
    {"inline_size", required_argument, nullptr, 'I'},
    {"iters", required_argument, nullptr, 'n'},
    {"mtu", required_argument, nullptr, 'm'},
    {"post_list", required_argument, nullptr, 'l'},
    {"qp", required_argument, nullptr, 'q'},
    {"rx-depth", required_argument, nullptr, 'r'},
    {"size", required_argument, nullptr, 's'},
    {"sl", required_argument, nullptr, 'S'},
    {"tx-depth", required_argument, nullptr, 't'},
    {"fabric", required_argument, nullptr, FABRIC},
    {"preset", required_argument, nullptr, PRESET},
    {"rate", required_argument, nullptr, RATE},
    {"switch-latency", required_argument, nullptr, SWITCH_LATENCY},
    {"hops", required_argument, nullptr, HOPS},
    {"pcap", required_argument, nullptr, PCAP},
    {"report_gbits", no_argument, nullptr, REPORT_GBITS},
    {nullptr, 0, nullptr, 0},
};

const char* const VERBS[] = {"write", "send", "read"}; // by RdmaPerftestVerb

/// Default message sizes, iterations and depths of perftest.
constexpr uint64_t LATENCY_SIZE = 2;
constexpr uint64_t BANDWIDTH_SIZE = 65536;
constexpr uint32_t LATENCY_ITERATIONS = 1000;
constexpr uint32_t BANDWIDTH_ITERATIONS = 5000;
constexpr uint32_t BANDWIDTH_TX_DEPTH = 128;
constexpr uint32_t LATENCY_INLINE_SIZE = 220;
constexpr uint64_t LARGEST_OF_ALL = 1ULL << 23;

/// Throws one sentence about an option.
[[noreturn]] void
Refuse(const std::string& what)
{
    throw std::invalid_argument("rdma-perftest: " + what);
}

/// Reads a number.
uint64_t
ParseNumber(const std::string& name, const std::string& text, uint64_t least, uint64_t most)
{
    const std::string range =
        "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    const bool digits = !text.empty() && text.size() < 19 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t value = digits ? std::stoull(text) : 0;
    if (!digits || value < least || value > most)
    {
        Refuse(name + " is " + FabricInputError::Quote(text) + "; allowed: " + range);
    }
    return value;
}

/// Runs a parser of FabricUnits and says which option is wrong.
template <typename Parser>
auto
ParseQuantity(const std::string& name, Parser parser)
{
    try
    {
        return parser();
    }
    catch (const std::invalid_argument& error)
    {
        Refuse(name + ": " + error.what());
    }
}

/// Reads the first argument.
void
ParseTest(const std::string& name, Options& options)
{
    for (int verb = 0; verb < 3; ++verb)
    {
        for (const bool latency : {false, true})
        {
            options.verb = static_cast<RdmaPerftestVerb>(verb);
            options.latency = latency;
            if (GetTestName(options) == name)
            {
                return;
            }
        }
    }
    Refuse("the test is " + FabricInputError::Quote(name) +
           "; allowed: write_bw, write_lat, send_bw, send_lat, read_bw, read_lat");
}

/// What was given, beyond the options.
struct Given
{
    bool all{false};           //!< --all
    bool txDepth{false};       //!< --tx-depth
    bool inlineSize{false};    //!< --inline_size
    bool serviceLevel{false};  //!< --sl
    bool pcap{false};          //!< --pcap
    std::string preset;        //!< --preset
    std::string fabric;        //!< --fabric
    std::string rate;          //!< --rate
    std::string switchLatency; //!< --switch-latency
};

/// Takes one option with its value.
void
TakeOption(int which, const std::string& value, Options& options, Given& given)
{
    const auto number = [&](const char* name, uint64_t least, uint64_t most) {
        return static_cast<uint32_t>(ParseNumber(name, value, least, most));
    };
    switch (which)
    {
    case 'a':
        given.all = true;
        break;
    case 'b':
        options.bidirectional = true;
        break;
    case 'F':
        break; // about the clock of the processor, which there is none of here
    case 'h':
        options.help = true;
        break;
    case 'I':
        given.inlineSize = true;
        options.inlineSize = number("--inline_size", 0, 1024);
        break;
    case 'l':
        options.postList = number("--post_list", 1, 32768);
        break;
    case 'm':
        options.mtu = number("--mtu", 256, 4096);
        if (options.mtu & (options.mtu - 1))
        {
            Refuse("--mtu is " + value + "; allowed: 256, 512, 1024, 2048, 4096");
        }
        break;
    case 'n':
        options.iterations = number("--iters", 1, 100'000'000);
        break;
    case 'q':
        options.queuePairs = number("--qp", 1, 16384);
        break;
    case 'r':
        options.rxDepth = number("--rx-depth", 1, 32768);
        break;
    case 's':
        options.sizes = {ParseQuantity("--size", [&] { return FabricUnits::ParseSize(value); })};
        if (options.sizes[0] < 1 || options.sizes[0] > 1ULL << 31)
        {
            Refuse("--size is " + FabricInputError::Quote(value) +
                   "; allowed: 1 to 2147483648 bytes");
        }
        break;
    case 'S':
        given.serviceLevel = true;
        options.serviceLevel = static_cast<uint8_t>(number("--sl", 0, 7));
        break;
    case 't':
        given.txDepth = true;
        options.txDepth = number("--tx-depth", 1, 32768);
        break;
    case FABRIC:
        given.fabric = value;
        break;
    case PRESET:
        given.preset = value;
        break;
    case RATE:
        given.rate = value;
        break;
    case SWITCH_LATENCY:
        given.switchLatency = value;
        break;
    case HOPS:
        options.hops = number("--hops", 0, 64);
        break;
    case PCAP:
        given.pcap = true;
        options.pcap = value;
        break;
    case REPORT_GBITS:
        options.reportGbits = true;
        break;
    }
}

/// Chooses fabric and hosts.
void
CompletePreset(const Given& given, Options& options)
{
    if (!given.fabric.empty() && given.fabric != "roce" && given.fabric != "infiniband")
    {
        Refuse("--fabric is " + FabricInputError::Quote(given.fabric) +
               "; allowed: roce, infiniband");
    }
    const std::string name = !given.preset.empty()    ? given.preset
                             : given.fabric == "roce" ? "roce200"
                                                      : "hdr";
    const Preset* preset = FindPreset(name);
    if (!preset)
    {
        Refuse("--preset is " + FabricInputError::Quote(name) + "; allowed: " + GetPresetNames());
    }
    options.preset = *preset;
    if (!given.fabric.empty())
    {
        options.preset.infiniband = given.fabric == "infiniband";
    }
    if (!given.rate.empty())
    {
        options.preset.rate =
            ParseQuantity("--rate", [&] { return FabricUnits::ParseRate(given.rate); });
        if (options.preset.rate < 1'000'000'000)
        {
            Refuse("--rate is " + FabricInputError::Quote(given.rate) +
                   "; allowed: 1 Gb/s to 100 Tb/s");
        }
    }
    if (!given.switchLatency.empty())
    {
        options.preset.switchLatencyPs = ParseQuantity("--switch-latency", [&] {
            return FabricUnits::ParseTime(given.switchLatency);
        });
    }
}

/// Refuses what does not go together.
void
CheckTogether(const Given& given, const Options& options)
{
    if (given.all && !options.sizes.empty())
    {
        Refuse("--all and --size exclude each other");
    }
    if (given.all && given.pcap)
    {
        Refuse("--pcap is for one size, not for --all");
    }
    if (options.latency && (options.queuePairs != 1 || options.bidirectional || given.txDepth ||
                            options.postList != 1 || options.reportGbits))
    {
        Refuse("--qp, --bidirectional, --tx-depth, --post_list and --report_gbits are for "
               "bandwidth tests; " +
               GetTestName(options) + " is none");
    }
    if (options.verb == PERFTEST_READ && options.inlineSize)
    {
        Refuse("--inline_size is for writes and sends; a read has no data to send");
    }
    if (options.postList > options.txDepth)
    {
        Refuse("--post_list is " + std::to_string(options.postList) +
               ", more than --tx-depth, which is " + std::to_string(options.txDepth));
    }
    if (given.pcap && (options.pcap.empty() || !std::ofstream(options.pcap, std::ios::binary)))
    {
        Refuse("--pcap: the file " + FabricInputError::Quote(options.pcap) + " cannot be written");
    }
}

} // namespace

std::string
GetTestName(const Options& options)
{
    return std::string(VERBS[options.verb]) + (options.latency ? "_lat" : "_bw");
}

std::string
GetHelp()
{
    return "rdma-perftest TEST [options]: latency or bandwidth between two simulated hosts\n"
           "TEST: write_bw, write_lat, send_bw, send_lat, read_bw, read_lat\n"
           "\n"
           "Options that perftest has, too:\n"
           "  -a, --all               all sizes from 2 B to 8 MiB, powers of two\n"
           "  -b, --bidirectional     both hosts send; the bandwidth is that of both directions\n"
           "  -F, --CPU-freq          accepted, no effect\n"
           "  -h, --help              this text\n"
           "  -I, --inline_size=N     bytes that are sent inline (latency: 220, else 0; up to "
           "1024)\n"
           "  -l, --post_list=N       messages posted at a time (1)\n"
           "  -m, --mtu=N             path MTU: 256, 512, 1024, 2048, 4096 (4096)\n"
           "  -n, --iters=N           messages of each queue pair (latency: 1000, else 5000)\n"
           "  -q, --qp=N              queue pairs, up to 16384 (1)\n"
           "  -r, --rx-depth=N        receives posted ahead, for sends (512)\n"
           "  -s, --size=N            bytes of a message (latency: 2, else 65536)\n"
           "  -S, --sl=N              service level, or priority on RoCE, 0 to 7 (0; RoCE: 3)\n"
           "  -t, --tx-depth=N        messages outstanding on a queue pair (128)\n"
           "      --report_gbits      bandwidth in Gb/s instead of MiB/s\n"
           "\n"
           "Options of the simulation:\n"
           "      --fabric=NAME       infiniband or roce (that of the preset)\n"
           "      --preset=NAME       fabric and hosts: " +
           GetPresetNames() +
           "\n"
           "                          (hdr; with --fabric=roce: roce200)\n"
           "      --rate=RATE         of the links, such as 100Gb/s\n"
           "      --switch-latency=T  of each switch, such as 130ns\n"
           "      --hops=N            switches between the hosts, 0 to 64 (1)\n"
           "      --pcap=FILE         capture at the first host, for Wireshark\n"
           "\n"
           "Exit codes: 0 done, 1 wrong options, 2 the test failed.\n";
}

Options
ParseOptions(int argc, char* argv[])
{
    Options options;
    Given given;
    opterr = 0;
    for (int which;
         (which = getopt_long(argc, argv, ":abFhI:l:m:n:q:r:s:S:t:", LONG_OPTIONS, nullptr)) != -1;)
    {
        if (which == '?' || which == ':')
        {
            const std::string name = argv[optind - 1];
            Refuse((which == ':' ? "a value is missing after " : "there is no option ") +
                   FabricInputError::Quote(name) + "; see --help");
        }
        TakeOption(which, optarg ? optarg : "", options, given);
    }
    if (options.help)
    {
        return options;
    }
    if (optind != argc - 1)
    {
        Refuse(optind == argc ? "no test given; see --help"
                              : "one test is given at a time, not " +
                                    std::to_string(argc - optind) + "; see --help");
    }
    ParseTest(argv[optind], options);
    if (!options.iterations)
    {
        options.iterations = options.latency ? LATENCY_ITERATIONS : BANDWIDTH_ITERATIONS;
    }
    if (!given.txDepth)
    {
        options.txDepth = BANDWIDTH_TX_DEPTH;
    }
    if (!given.inlineSize && options.latency && options.verb != PERFTEST_READ)
    {
        options.inlineSize = LATENCY_INLINE_SIZE;
    }
    CompletePreset(given, options);
    if (!given.serviceLevel && !options.preset.infiniband)
    {
        options.serviceLevel = RdmaAddress().priority;
    }
    CheckTogether(given, options);
    if (given.all)
    {
        for (uint64_t size = 2; size <= LARGEST_OF_ALL; size *= 2)
        {
            options.sizes.push_back(size);
        }
    }
    if (options.sizes.empty())
    {
        options.sizes = {options.latency ? LATENCY_SIZE : BANDWIDTH_SIZE};
    }
    return options;
}

} // namespace ns3::rdma::perftest
