/* SPDX-License-Identifier: GPL-2.0-only */
/* Rates, times and sizes are read exactly, and wrong ones are refused in a sentence. */

#include "ns3/fabric-units.h"

#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

TEST(FabricTopologyUnits, RatesAreExact)
{
    const std::vector<std::pair<std::string, uint64_t>> cases{
        {"400Gbps", 400'000'000'000},
        {"100Gb/s", 100'000'000'000},
        {"25G", 25'000'000'000},
        {"1bps", 1},
        {"0.5kbps", 500},
        {"54.5454Gbps", 54'545'400'000},
        {"100Tbps", 100'000'000'000'000},
        {" 10 Mbps ", 10'000'000},
        {"2.5e1Gbps", 25'000'000'000},
        {"56K", 56'000},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_EQ(FabricUnits::ParseRate(text), expected) << text;
    }
}

TEST(FabricTopologyUnits, TimesAreExact)
{
    const std::vector<std::pair<std::string, int64_t>> cases{
        {"1us", 1'000'000},
        {"0.001ms", 1'000'000},
        {"1000ns", 1'000'000},
        {"5ps", 5},
        {"0.000000000001s", 1},
        {"0s", 0},
        // A double holds 53 bits, 9007199254740993 needs 54: a detour through one loses the 3.
        {"9007199254.740993us", 9'007'199'254'740'993},
        {"1000000s", 1'000'000'000'000'000'000},
        {".5ns", 500},
        {"1e-6s", 1'000'000},
        {"0e99999999999s", 0},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_EQ(FabricUnits::ParseTime(text), expected) << text;
    }
    EXPECT_EQ(FabricUnits::ParseTime("2", "s"), 2'000'000'000'000);
    EXPECT_EQ(FabricUnits::ParseTime("2us", "s"), 2'000'000);
    EXPECT_EQ(FabricUnits::ParseTime("2.0000012345678901", "s", FabricUnits::Rest::CUT),
              2'000'001'234'567);
    EXPECT_EQ(FabricUnits::ParseTime("1e-15", "s", FabricUnits::Rest::CUT), 0);
}

TEST(FabricTopologyUnits, SizesAreExact)
{
    const std::vector<std::pair<std::string, uint64_t>> cases{
        {"16MB", 16'000'000},
        {"16MiB", 16'777'216},
        {"4096B", 4096},
        {"4096", 4096},
        {"0", 0},
        {"0.5KiB", 512},
        {"1.5GiB", 1'610'612'736},
        // 1.000000000931322574615478515625 GiB is 2^30 + 1 bytes: every digit counts.
        {"1.000000000931322574615478515625GiB", 1'073'741'825},
        {"1.25kB", 1250},
        {"1000000TB", 1'000'000'000'000'000'000},
    };
    for (const auto& [text, expected] : cases)
    {
        EXPECT_EQ(FabricUnits::ParseSize(text), expected) << text;
    }
}

TEST(FabricTopologyUnits, DecimalsAreExact)
{
    EXPECT_EQ(FabricUnits::ParseDecimal("22.93", 9), 22'930'000'000u);
    EXPECT_EQ(FabricUnits::ParseDecimal("0.000000", 15), 0u);
    EXPECT_EQ(FabricUnits::ParseDecimal("1e-5", 15), 10'000'000'000u);
    EXPECT_EQ(FabricUnits::ParseDecimal("17", 0), 17u);
    EXPECT_EQ(FabricUnits::ParseDecimal("0.19", 1, FabricUnits::Rest::CUT), 1u);
}

TEST(FabricTopologyUnits, FormatsWhatItReads)
{
    EXPECT_EQ(FabricUnits::FormatRate(400'000'000'000), "400Gbps");
    EXPECT_EQ(FabricUnits::FormatRate(54'545'400'000), "54545400kbps");
    EXPECT_EQ(FabricUnits::FormatRate(1), "1bps");
    EXPECT_EQ(FabricUnits::FormatTime(0), "0ps");
    EXPECT_EQ(FabricUnits::FormatTime(1'500'000), "1500ns");
    EXPECT_EQ(FabricUnits::FormatTime(2'000'000'000'000), "2s");
}

TEST(FabricTopologyUnits, RefusesInOneSentence)
{
    const auto rate = [](const std::string& text) { FabricUnits::ParseRate(text); };
    const auto time = [](const std::string& text) { FabricUnits::ParseTime(text); };
    const auto size = [](const std::string& text) { FabricUnits::ParseSize(text); };
    const auto whole = [](const std::string& text) { FabricUnits::ParseDecimal(text, 0); };

    struct Case
    {
        std::function<void(const std::string&)> parse;
        std::string text;
        std::string sentence;
    };

    const std::string rates = "; allowed: 1bps to 100Tbps";
    const std::string rateUnits = " (units: bps, kbps, Mbps, Gbps or Tbps)";
    const std::string times = "; allowed: 0ps to 1000000s";
    const std::string sizes = "; allowed: 0B to 1000000TB";
    const std::string sizeUnits = " (units: B, kB, MB, GB, TB, KiB, MiB, GiB or TiB)";
    const std::vector<Case> cases{
        {rate, "400Gpbs", "the rate \"400Gpbs\" has the unknown unit \"Gpbs\"" + rateUnits + rates},
        {rate, "400GBps", "the rate \"400GBps\" has the unknown unit \"GBps\"" + rateUnits + rates},
        {rate, "400", "the rate \"400\" has no unit" + rateUnits + rates},
        {rate, "", "the rate \"\" is empty" + rates},
        {rate, "  ", "the rate \"  \" is empty" + rates},
        {rate, "0Gbps", "the rate \"0Gbps\" is too small" + rates},
        {rate, "-1Gbps", "the rate \"-1Gbps\" is negative" + rates},
        {rate, "nan", "the rate \"nan\" does not start with a number" + rates},
        {rate, "inf", "the rate \"inf\" does not start with a number" + rates},
        {rate, ".", "the rate \".\" does not start with a number" + rates},
        {rate, "101Tbps", "the rate \"101Tbps\" is too large" + rates},
        {rate, "1e400Gbps", "the rate \"1e400Gbps\" is too large" + rates},
        {rate,
         "18446744073709551617bps", // 2^64 + 1, which wraps to 1
         "the rate \"18446744073709551617bps\" is too large" + rates},
        {rate, "0.5bps", "the rate \"0.5bps\" is not a whole number of bit/s" + rates},
        {time,
         "1.2.3us",
         "the time \"1.2.3us\" has the unknown unit \".3us\" (units: ps, ns, us, ms or s)" + times},
        {time, "0.0001ns", "the time \"0.0001ns\" is not a whole number of picoseconds" + times},
        {time, "1000001s", "the time \"1000001s\" is too large" + times},
        {time, "-0.1us", "the time \"-0.1us\" is negative" + times},
        {time, "5", "the time \"5\" has no unit (units: ps, ns, us, ms or s)" + times},
        {size, "0.1KiB", "the size \"0.1KiB\" is not a whole number of bytes" + sizes},
        {size, "1.5", "the size \"1.5\" is not a whole number of bytes" + sizes},
        {size, "1e-400KiB", "the size \"1e-400KiB\" is not a whole number of bytes" + sizes},
        {size, "16Mb", "the size \"16Mb\" has the unknown unit \"Mb\"" + sizeUnits + sizes},
        {size, "16777216TiB", "the size \"16777216TiB\" is too large" + sizes}, // 2^64
        {size, "-1", "the size \"-1\" is negative" + sizes},
        {size, "0x10", "the size \"0x10\" has the unknown unit \"x10\"" + sizeUnits + sizes},
        {whole, "1.5", "the number \"1.5\" is not whole; allowed: whole numbers from 0 to 10^18"},
        {whole,
         "3\x01",
         "the number \"3\\x01\" has the unknown unit \"\\x01\" (units: none); allowed: whole "
         "numbers from 0 to 10^18"},
    };
    for (const Case& one : cases)
    {
        try
        {
            one.parse(one.text);
            ADD_FAILURE() << one.text << " is accepted";
        }
        catch (const std::invalid_argument& error)
        {
            EXPECT_EQ(error.what(), one.sentence);
        }
    }
}

} // namespace
} // namespace ns3
