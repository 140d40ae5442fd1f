/* SPDX-License-Identifier: GPL-2.0-only */
/* Every malformed experiment file is refused by name, line and value, and leaves nothing behind. */

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <ostream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace
{

namespace fs = std::filesystem;

/// What a run of rdma-run left.
struct Outcome
{
    int status;         //!< exit code, negative when it crashed
    std::string errors; //!< standard error
    std::string output; //!< standard output
};

/**
 * Runs rdma-run in a fresh directory, which is where a relative output directory would appear.
 * \param name Names the directory.
 * \param arguments What follows the program's name.
 * \param left Set to how many files the run left in the directory.
 * \return What it did.
 */
Outcome
RunProgram(const std::string& name, const std::string& arguments, std::size_t& left)
{
    const fs::path directory = fs::absolute("rdma-experiment-bad-" + name);
    fs::remove_all(directory);
    fs::create_directories(directory);
    const fs::path errors = directory.string() + ".err";
    const fs::path output = directory.string() + ".out";
    const std::string command = "cd '" + directory.string() + "' && '" + RDMA_RUN + "' " +
                                arguments + " >'" + output.string() + "' 2>'" + errors.string() +
                                "'";
    const int raw = std::system(command.c_str());
    const auto read = [](const fs::path& path) {
        std::ifstream stream(path);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    const Outcome outcome{WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read(errors), read(output)};
    left = static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(directory), {}));
    fs::remove_all(directory);
    fs::remove(errors);
    fs::remove(output);
    return outcome;
}

/// Where the files are.
const std::string FOLDER = RDMA_SOURCE_DIR "/test/data/experiments/";

/// One file and the complaint that it has to get.
struct BadFile
{
    const char* name;                 //!< without .yaml
    int line;                         //!< of the experiment file; 0: another file is to blame
    std::vector<const char*> phrases; //!< all of them stand in the message
};

/// How GoogleTest shows a file. \param out where to \param bad the file \return out
std::ostream&
operator<<(std::ostream& out, const BadFile& bad)
{
    return out << bad.name;
}

const BadFile BAD_FILES[] = {
    {"empty", 1, {"empty"}},
    {"only-comment", 1, {"empty"}},
    {"null-document", 1, {"empty"}},
    {"scalar", 1, {"map of keys"}},
    {"list", 1, {"map of keys"}},
    {"nul", 2, {"control character (byte 0x0)"}},
    {"escape", 1, {"control character (byte 0x1b)"}},
    {"utf16", 1, {"not valid UTF-8"}},
    {"utf8-overlong", 1, {"not valid UTF-8"}},
    {"utf8-cut", 2, {"not valid UTF-8"}},
    {"lone-carriage-returns", 1, {"control character (byte 0xd)"}},
    {"tab-indent", 6, {"not valid YAML"}},
    {"cut-list", 14, {"not valid YAML"}},
    {"cut-map", 12, {"not valid YAML"}},
    {"cut-quote", 12, {"not valid YAML"}},
    {"cut-key", 1, {"'workload' is missing"}},
    {"cut-before-workload", 1, {"'workload' is missing"}},
    {"bad-indent", 7, {"not valid YAML"}},
    {"two-documents", 26, {"second YAML document"}},
    {"tag", 2, {"tag"}},
    {"tcp-mtu", 16, {"'nic.mtu'", "9001", "576 to 9000"}},
    {"tcp-several-links", 4, {"'workload'", "'one'", "several links", "hosts with one"}},
    {"efa-mtu", 16, {"'nic.mtu'", "9000", "64 to 8928"}},
    {"efa-congestion-control", 17, {"'nic.congestion-control'", "unknown"}},
    {"efa-long-message", 17, {"'workload'", "'one'", "2000000000B", "1073741824B"}},
    {"encapsulation", 16, {"encapsulation", "rocev3", "rocev1, rocev2-ipv4, rocev2-ipv6"}},
    {"run-ahead-events", 11, {"'switch.run-ahead'", "'events'", "allowed here: off"}},
    {"run-ahead-queues", 11, {"'switch.run-ahead'", "'outputs.queues'", "allowed here: off"}},
    {"run-ahead-value", 11, {"run-ahead", "soon", "on, off"}},
    {"duplicate-key", 3, {"'seed' is given twice", "line 2"}},
    {"duplicate-nested-key", 8, {"'leaves' is given twice", "line 6"}},
    {"duplicate-section", 25, {"'nic' is given twice", "line 15"}},
    {"anchor-cycle", 6, {"alias"}},
    {"undefined-alias", 6, {"not valid YAML"}},
    {"alias-key", 25, {"alias cannot be a key"}},
    {"alias-bomb", 6, {"200000 values"}},
    {"deep-list", 1, {"deeper than 24"}},
    {"deep-map", 24, {"deeper than 24"}},
    {"deep-cut", 1, {"cannot be a key"}},
    {"map-as-key", 25, {"cannot be a key"}},
    {"empty-key", 25, {"key is empty"}},
    {"unknown-key", 3, {"'stoptime' is unknown", "did you mean 'stop-time'"}},
    {"unknown-nested-key", 13, {"'switch.ecn.k-min' is unknown", "did you mean 'kmin'"}},
    {"unknown-section", 25, {"'telemetry' is unknown"}},
    {"missing-topology-type", 4, {"'topology.type' is missing"}},
    {"missing-leaves", 4, {"'topology.leaves' is missing"}},
    {"missing-topology", 1, {"'topology' is missing"}},
    {"missing-size", 22, {"'workload[0].list[0].size' is missing"}},
    {"missing-value", 2, {"'seed' has no value"}},
    {"missing-directory", 23, {"'outputs.directory' is missing"}},
    {"topology-is-a-list", 9, {"'topology.link' must hold a map"}},
    {"seed-is-a-map", 2, {"'seed' must hold a single value"}},
    {"workload-is-a-map", 18, {"'workload' must hold a list"}},
    {"workload-is-empty", 18, {"'workload'"}},
    {"wrong-topology", 5, {R"("mesh" is unknown)", "leaf-spine", "fat-tree"}},
    {"rate-unit", 9, {"'topology.link.rate'", "400Gpbs", "unknown unit"}},
    {"rate-no-unit", 9, {"'topology.link.rate'", "no unit"}},
    {"rate-zero", 9, {"'topology.link.rate'", "0 Gb/s"}},
    {"rate-huge", 9, {"'topology.link.rate'", "too large"}},
    {"rate-bytes", 9, {"'topology.link.rate'", "unknown unit"}},
    {"delay-negative", 9, {"'topology.link.delay'", "negative"}},
    {"delay-zero", 9, {"'topology.link.delay'", R"("0 us")", "1ps"}},
    {"delay-unit", 9, {"'topology.link.delay'", "unknown unit"}},
    {"delay-long", 9, {"'topology.link.delay'", "out of range"}},
    {"error-rate", 9, {"'topology.link.error-rate'", "1.5", "0 to 1"}},
    {"error-rate-nan", 9, {"'topology.link.error-rate'", "not a number"}},
    {"leaves-zero", 6, {"'topology.leaves'", R"("0")", "1 to"}},
    {"leaves-negative", 6, {"'topology.leaves'", R"("-2")"}},
    {"leaves-fraction", 6, {"'topology.leaves'", "whole number"}},
    {"leaves-word", 6, {"'topology.leaves'", "whole number"}},
    {"leaves-huge", 6, {"'topology.leaves'"}},
    {"too-many-hosts", 4, {"4294967296 hosts"}},
    {"fat-tree-odd", 6, {"'topology.k'", "odd"}},
    {"key-of-another-topology", 7, {"'topology.leaves' is unknown"}},
    {"alpha-zero", 12, {"'switch.buffer.alpha'", "out of range"}},
    {"alpha-divided-by-zero", 12, {"'switch.buffer.alpha'", "not a number"}},
    {"buffer-policy", 12, {"'switch.buffer.policy'", R"("magic")", "dynamic, static"}},
    {"buffer-negative", 12, {"'switch.buffer.size'", "negative"}},
    {"buffer-rate", 12, {"'switch.buffer.size'", "unknown unit"}},
    {"alpha-with-static", 12, {"'switch.buffer.alpha' is unknown"}},
    {"kmin-above-kmax", 13, {"'switch.ecn.kmin'", "500000", "400000"}},
    {"pmax-percent", 13, {"'switch.ecn.pmax'", "not a number", "0 to 1"}},
    {"pmax-large", 13, {"'switch.ecn.pmax'", "0 to 1"}},
    {"ecn-word", 13, {"'switch.ecn'", R"("maybe")", "off"}},
    {"priority-nine", 14, {"'switch.pfc.priorities'", R"("9")", "0 to 7"}},
    {"priority-twice", 14, {"'switch.pfc.priorities'", "twice"}},
    {"scheduler", 12, {"'switch.scheduler'", R"("fifo")", "strict, dwrr"}},
    {"weights", 12, {"'switch.scheduler.weights'", "2 items"}},
    {"path", 12, {"'switch.path'", R"("random")"}},
    {"mtu-odd", 16, {"'nic.mtu'", "multiple of 4"}},
    {"mtu-large", 16, {"'nic.mtu'", "64 to 9000"}},
    {"congestion-control", 17, {"'nic.congestion-control'", R"("dcqnc")", "dcqcn"}},
    {"congestion-preset", 17, {"'nic.congestion-control.preset'", R"("cx9")", "connectx"}},
    {"congestion-parameter",
     17,
     {"'nic.congestion-control.parameters.gian' is unknown", "did you mean 'gain'"}},
    {"congestion-parameter-range",
     17,
     {"'nic.congestion-control.parameters.gain'", R"("2")", "out of range"}},
    {"congestion-parameter-unit",
     17,
     {"'nic.congestion-control.parameters.rate-period'", "no unit"}},
    {"recovery",
     17,
     {"'nic.recovery'", R"("selectiv")", "not a loss recovery", "go-back-n, selective-repeat"}},
    {"recovery-parameter",
     17,
     {"'nic.recovery.parameters.rto-lo' is unknown", "did you mean 'rto-low'"}},
    {"recovery-parameter-range",
     17,
     {"'nic.recovery.parameters.round-trip-time'", "out of range"}},
    {"recovery-parameter-foreign", 17, {"'nic.recovery.parameters.rto-low' is unknown"}},
    {"recovery-without-type", 17, {"'nic.recovery.type' is missing"}},
    {"stop-time-zero", 3, {"'stop-time'", "out of range"}},
    {"seed-negative", 2, {"'seed'", R"("-7")", "1 to 4294967295"}},
    {"unknown-host", 22, {"'workload[0].list[0].from'", R"("4" is not a host)", "0 to 3"}},
    {"unknown-host-name", 22, {"'workload[0].list[0].from'", R"("leaf0" is not a host)"}},
    {"to-itself", 22, {"'workload[0].list[0].to'", "itself"}},
    {"size-zero", 22, {"'workload[0].list[0].size'", "out of range"}},
    {"size-fraction", 22, {"'workload[0].list[0].size'", "whole number"}},
    {"flow-priority", 22, {"'workload[0].list[0].priority'", "0 to 7"}},
    {"flow-start", 22, {"'workload[0].list[0].start'", "soon"}},
    {"flow-congestion-control", 22, {"'workload[0].list[0].congestion-control'", R"("fast")"}},
    {"flow-list-of-words", 22, {"'workload[0].list[0]' must hold a map"}},
    {"workload-type", 20, {"'workload[0].type'", R"("flood")", "incast"}},
    {"workload-name-twice", 23, {"'workload[1].name'", "twice"}},
    {"incast-without-target", 19, {"'workload[0].to' is missing"}},
    {"incast-too-many-senders", 22, {"'workload[0].senders'", R"("4")", "1 to 3"}},
    {"hosts-twice", 21, {"'workload[0].hosts'", "repeats host 1"}},
    {"hosts-backwards", 21, {"'workload[0].hosts'", "range"}},
    {"hosts-single", 21, {"'workload[0].hosts'", "at least two hosts"}},
    {"poisson-load", 22, {"'workload[0].load'", "not a number"}},
    {"poisson-load-high", 22, {"'workload[0].load'", "out of range"}},
    {"poisson-duration", 23, {"'workload[0].duration'", "no unit"}},
    {"poisson-no-file", 0, {"nowhere.cdf:"}},
    {"poisson-bad-cdf", 0, {"descending.cdf:3:"}},
    {"flow-file-unknown-host", 0, {"unknown-host.flow.txt:3:"}},
    {"flow-file-cut", 0, {"cut.flow.txt:"}},
    {"flow-file-format", 21, {"'workload[0].format'", R"("csv")", "hpcc"}},
    {"flow-file-missing-column", 0, {"missing-column.flow.txt:2:"}},
    {"flow-file-htsim-cut", 0, {"cut.cm:"}},
    {"topology-file-missing", 0, {"nowhere.txt:"}},
    {"topology-file-rate", 0, {"rate.topology.txt:4:", "400Gpbs"}},
    {"topology-file-cut", 0, {"cut.topology.txt:"}},
    {"topology-file-unreachable", 4, {"path"}},
    {"event-link", 26, {"'events[0].link'", "without such a link"}},
    {"event-node", 26, {"'events[0].link'", R"("spine9")"}},
    {"event-ends", 26, {"'events[0].link'", "two nodes"}},
    {"event-state", 26, {"'events[0].state'", "up, down"}},
    {"event-time", 26, {"'events[0].time' is missing"}},
    {"variant-key", 27, {"'nic.mtuu' is unknown", "did you mean 'mtu'"}},
    {"variant-value", 29, {"'nic.mtu'", R"("2")"}},
    {"variant-outputs", 26, {"'variants.a.outputs'", "is the same for all variants"}},
    {"variants-empty", 25, {"'variants'"}},
    {"variants-list", 25, {"'variants' must hold a map"}},
    {"queue-period", 25, {"'outputs.queues.period'", "out of range"}},
    {"queue-node", 25, {"'outputs.queues.nodes'", R"("leaf7")"}},
    {"output-switch", 25, {"'outputs.pfc'", R"("please")"}},
};

class RdmaExperimentBadInput : public ::testing::TestWithParam<BadFile>
{
};

TEST_P(RdmaExperimentBadInput, IsRefusedAndLeavesNothing)
{
    const BadFile& bad = GetParam();
    const std::string file = FOLDER + "bad/" + bad.name + ".yaml";
    ASSERT_TRUE(fs::exists(file));
    std::size_t left = 0;
    const Outcome outcome = RunProgram(bad.name, "'" + file + "'", left);
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(outcome.output, "");
    if (bad.line > 0)
    {
        const std::string place = file + ":" + std::to_string(bad.line) + ":";
        EXPECT_NE(outcome.errors.find(place), std::string::npos) << outcome.errors;
    }
    for (const char* phrase : bad.phrases)
    {
        EXPECT_NE(outcome.errors.find(phrase), std::string::npos)
            << "wanted: " << phrase << "\ngot: " << outcome.errors;
    }
    // One sentence for people: no stack of exceptions, no raw control characters.
    EXPECT_LT(outcome.errors.size(), 1000u) << outcome.errors;
    EXPECT_EQ(outcome.errors.find("terminate"), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.errors.find('\x1b'), std::string::npos);
    EXPECT_EQ(outcome.errors.find('\0'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Files,
                         RdmaExperimentBadInput,
                         ::testing::ValuesIn(BAD_FILES),
                         [](const auto& info) {
                             std::string name = info.param.name;
                             for (char& c : name)
                             {
                                 c = c == '-' ? '_' : c;
                             }
                             return name;
                         });

TEST(RdmaExperimentBadInputFiles, EveryFileIsInTheTable)
{
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(FOLDER + "bad"))
    {
        files += entry.path().extension() == ".yaml";
    }
    EXPECT_EQ(files, std::size(BAD_FILES));
    EXPECT_GE(files, 60u);
}

TEST(RdmaExperimentBadInputFiles, NoFileADirectoryAndAHugeFile)
{
    std::size_t left = 0;
    const Outcome none = RunProgram("none", "nowhere.yaml", left);
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.errors.find("nowhere.yaml: "), std::string::npos) << none.errors;

    const Outcome directory = RunProgram("directory", ".", left);
    EXPECT_EQ(directory.status, 1);
    EXPECT_NE(directory.errors.find("directory"), std::string::npos) << directory.errors;

    const Outcome endless = RunProgram("endless", "/dev/zero", left);
    EXPECT_EQ(endless.status, 1);
    EXPECT_NE(endless.errors.find("larger than"), std::string::npos) << endless.errors;

    const Outcome nothing = RunProgram("nothing", "", left);
    EXPECT_EQ(nothing.status, 1);
    EXPECT_NE(nothing.errors.find("experiment file"), std::string::npos) << nothing.errors;
}

TEST(RdmaExperimentBadInputFiles, TheGoodOneIsAcceptedInEveryEncoding)
{
    std::ifstream stream(FOLDER + "good.yaml");
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    std::string windows = "\xef\xbb\xbf";
    for (const char c : text)
    {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
    }
    for (const std::string& content : {text, windows, text.substr(0, text.size() - 1)})
    {
        const fs::path file = fs::absolute("rdma-experiment-good.yaml");
        std::ofstream(file, std::ios::binary) << content;
        std::size_t left = 0;
        const Outcome outcome = RunProgram("good", "--check '" + file.string() + "'", left);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_EQ(left, 0u);
        fs::remove(file);
    }
}

} // namespace
