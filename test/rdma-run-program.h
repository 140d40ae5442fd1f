/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs rdma-run on an experiment and reads what it leaves. */

#ifndef RDMA_RUN_PROGRAM_H
#define RDMA_RUN_PROGRAM_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

/// What a run of rdma-run did.
struct RdmaRunOutcome
{
    /// A row of a CSV file by the name of its columns.
    using Row = std::map<std::string, std::string>;

    int status{-1};                           //!< exit code, -1 when it crashed
    std::string output;                       //!< standard output
    std::string errors;                       //!< standard error
    std::map<std::string, std::string> files; //!< files in the output directory, by name

    /**
     * \param name A CSV file without quoted fields.
     * \return Its rows.
     */
    std::vector<Row> GetRows(const std::string& name) const
    {
        std::vector<Row> rows;
        const auto file = files.find(name);
        if (file == files.end())
        {
            ADD_FAILURE() << name << " is missing\n" << errors << output;
            return rows;
        }
        std::istringstream stream(file->second);
        const auto split = [](const std::string& line) {
            std::vector<std::string> fields(1);
            for (const char c : line)
            {
                if (c == ',')
                {
                    fields.emplace_back();
                }
                else
                {
                    fields.back() += c;
                }
            }
            return fields;
        };
        std::string line;
        std::getline(stream, line);
        const std::vector<std::string> names = split(line);
        while (std::getline(stream, line))
        {
            const std::vector<std::string> fields = split(line);
            EXPECT_EQ(fields.size(), names.size()) << name << ": " << line;
            Row row;
            for (std::size_t i = 0; i < fields.size() && i < names.size(); ++i)
            {
                row[names[i]] = fields[i];
            }
            rows.push_back(std::move(row));
        }
        return rows;
    }

    /**
     * \param name A CSV file.
     * \param column A column with numbers.
     * \param variant Only rows of this variant; empty for all.
     * \return The sum of the column.
     */
    double Sum(const std::string& name,
               const std::string& column,
               const std::string& variant = "") const
    {
        double sum = 0;
        for (const Row& row : GetRows(name))
        {
            if (variant.empty() || row.at("variant") == variant)
            {
                sum += std::stod(row.at(column));
            }
        }
        return sum;
    }
};

/**
 * Runs an experiment in a directory of its own, which is removed afterwards.
 * \param experiment The text of the experiment file, or the absolute path of one.
 * \param options Options of rdma-run.
 * \param more Other files beside the experiment file, by name.
 * \return What happened; relative output directories are looked for in "out".
 */
inline RdmaRunOutcome
RunRdma(const std::string& experiment,
        const std::string& options = "--output=out",
        const std::map<std::string, std::string>& more = {})
{
    namespace fs = std::filesystem;
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    const fs::path directory =
        fs::absolute(std::string("rdma-run-") + info->test_suite_name() + "-" + info->name());
    fs::remove_all(directory);
    fs::create_directories(directory);
    const bool isPath = experiment.compare(0, 1, "/") == 0;
    if (!isPath)
    {
        std::ofstream(directory / "test.yaml", std::ios::binary) << experiment;
    }
    for (const auto& [name, text] : more)
    {
        std::ofstream(directory / name, std::ios::binary) << text;
    }
    const std::string command = "cd '" + directory.string() + "' && '" + RDMA_RUN + "' '" +
                                (isPath ? experiment : "test.yaml") + "' " + options +
                                " >stdout 2>stderr";
    const int raw = std::system(command.c_str());
    const auto read = [](const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    RdmaRunOutcome outcome;
    outcome.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
    outcome.output = read(directory / "stdout");
    outcome.errors = read(directory / "stderr");
    if (fs::exists(directory / "out"))
    {
        for (const auto& entry : fs::directory_iterator(directory / "out"))
        {
            outcome.files[entry.path().filename().string()] = read(entry.path());
        }
    }
    fs::remove_all(directory);
    return outcome;
}

#endif // RDMA_RUN_PROGRAM_H
