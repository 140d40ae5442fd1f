/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs rdma-perftest and reads what it prints. */

#ifndef RDMA_PERFTEST_PROGRAM_H
#define RDMA_PERFTEST_PROGRAM_H

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

/// What a run of rdma-perftest did.
struct RdmaPerftestOutcome
{
    int status{-1};                        //!< exit code, -1 when it crashed
    std::string output;                    //!< standard output
    std::string errors;                    //!< standard error
    std::string capture;                   //!< what is in the file "capture.pcap"
    std::vector<std::vector<double>> rows; //!< numbers of the table

    /**
     * \param column A column of the table, from 0.
     * \return The number of the only row.
     */
    double Get(std::size_t column) const
    {
        if (status != 0 || rows.size() != 1 || rows[0].size() <= column)
        {
            ADD_FAILURE() << "exit code " << status << ", " << rows.size() << " rows\n"
                          << errors << output;
            return 0;
        }
        return rows[0][column];
    }
};

/// Columns of the tables.
enum RdmaPerftestColumn
{
    PERFTEST_BYTES = 0,
    PERFTEST_ITERATIONS = 1,
    PERFTEST_PEAK = 2,
    PERFTEST_AVERAGE = 3,
    PERFTEST_RATE = 4,
    PERFTEST_TYPICAL = 4,
};

/**
 * \param arguments Arguments, as in a shell.
 * \return What happened.
 */
inline RdmaPerftestOutcome
RunPerftest(const std::string& arguments)
{
    namespace fs = std::filesystem;
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    const fs::path directory =
        fs::absolute(std::string("rdma-perftest-") + info->test_suite_name() + "-" + info->name());
    fs::remove_all(directory);
    fs::create_directories(directory);
    const std::string command = "cd '" + directory.string() + "' && '" + RDMA_PERFTEST + "' " +
                                arguments + " >stdout 2>stderr";
    const int raw = std::system(command.c_str());
    const auto read = [](const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    RdmaPerftestOutcome outcome;
    outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
    outcome.output = read(directory / "stdout");
    outcome.errors = read(directory / "stderr");
    outcome.capture = read(directory / "capture.pcap");
    fs::remove_all(directory);
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.size() > 1 && line[0] == ' ' && std::isdigit(static_cast<unsigned char>(line[1])))
        {
            std::istringstream fields(line);
            outcome.rows.emplace_back(std::istream_iterator<double>(fields),
                                      std::istream_iterator<double>());
        }
    }
    return outcome;
}

#endif // RDMA_PERFTEST_PROGRAM_H
