/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TSHARK_UTIL_H
#define RDMA_TSHARK_UTIL_H

#include "wire/rdma-wire-test-util.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

/**
 * \file
 * tshark as a reader of capture files.
 */

namespace ns3
{
namespace rdma
{
namespace wiretest
{

/// Frames written to a capture file and read back by tshark.
class RdmaTshark : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (std::system("tshark --version > /dev/null 2>&1") != 0)
        {
            GTEST_SKIP() << "tshark is not installed";
        }
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        m_file = testing::TempDir() + "rdma-tshark-" + std::to_string(getpid()) + "-" +
                 test->name() + ".pcap";
    }

    void TearDown() override
    {
        std::remove(m_file.c_str());
    }

    /// \param frames Frames without FCS, written as a capture file (classic pcap, Ethernet).
    void WritePcap(const std::vector<Bytes>& frames)
    {
        Bytes out;
        ByteWriter writer(out);
        writer.WriteU32(0xa1b2c3d4); // big-endian, microseconds
        writer.WriteU16(2);
        writer.WriteU16(4);
        writer.WriteZeros(8);
        writer.WriteU32(65535);
        writer.WriteU32(1); // Ethernet
        uint32_t microseconds = 0;
        for (const Bytes& frame : frames)
        {
            writer.WriteU32(0);
            writer.WriteU32(microseconds++);
            writer.WriteU32(static_cast<uint32_t>(frame.size()));
            writer.WriteU32(static_cast<uint32_t>(frame.size()));
            writer.WriteBytes(frame.data(), frame.size());
        }
        std::ofstream(m_file, std::ios::binary)
            .write(reinterpret_cast<const char*>(out.data()),
                   static_cast<std::streamsize>(out.size()));
    }

    /**
     * \param fields Names of fields, separated by spaces.
     * \return One line per frame: the fields separated by spaces, an empty one as "-", numbers in
     *         decimal and flags as 0 or 1, whatever the release of tshark prints.
     */
    std::vector<std::string> Dissect(const std::string& fields) const
    {
        std::string command = "tshark -r '" + m_file + "' -T fields -E separator=, -E occurrence=f";
        std::istringstream names(fields);
        for (std::string name; names >> name;)
        {
            command += " -e " + name;
        }
        std::vector<std::string> lines;
        std::istringstream output(Run(command));
        for (std::string line; std::getline(output, line);)
        {
            std::string normal;
            std::istringstream values(line + ",");
            for (std::string value; std::getline(values, value, ',');)
            {
                normal += (normal.empty() ? "" : " ") + Normalize(value);
            }
            lines.push_back(normal);
        }
        return lines;
    }

    /**
     * Expects that tshark finds no malformed frame and no wrong IP checksum.
     * \param filter Which frames: a display filter, or empty for all.
     */
    void ExpectWellFormed(const std::string& filter = "") const
    {
        const std::string text = Run("tshark -r '" + m_file + "' -o ip.check_checksum:TRUE -V" +
                                     (filter.empty() ? "" : " -Y '" + filter + "'"));
        EXPECT_EQ(text.find("alformed"), std::string::npos) << text;
        EXPECT_EQ(text.find("incorrect"), std::string::npos) << text;
    }

    /// \param command A shell command. \return What it prints.
    static std::string Run(const std::string& command)
    {
        FILE* pipe = popen((command + " 2> /dev/null").c_str(), "r");
        EXPECT_TRUE(pipe);
        std::string text;
        char buffer[4096];
        for (std::size_t n; pipe && (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
        {
            text.append(buffer, n);
        }
        EXPECT_EQ(pipe ? pclose(pipe) : -1, 0) << command;
        return text;
    }

    std::string m_file; //!< the capture

  private:
    /// \param value A field as tshark prints it. \return The same in all releases.
    static std::string Normalize(const std::string& value)
    {
        if (value.empty())
        {
            return "-";
        }
        if (value == "True" || value == "False")
        {
            return value == "True" ? "1" : "0";
        }
        return value.rfind("0x", 0) == 0 ? std::to_string(std::stoull(value, nullptr, 16)) : value;
    }
};

} // namespace wiretest
} // namespace rdma
} // namespace ns3

#endif /* RDMA_TSHARK_UTIL_H */
