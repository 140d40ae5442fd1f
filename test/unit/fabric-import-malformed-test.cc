/* SPDX-License-Identifier: GPL-2.0-only */
/* Every malformed input file is refused with file, line, value and allowed range. */

#include "ns3/fabric-cdf.h"
#include "ns3/fabric-connection-matrix.h"
#include "ns3/fabric-flow-file.h"
#include "ns3/fabric-input-error.h"
#include "ns3/fabric-topology-file.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace
{

/// What reads a file.
using Reader = std::function<void(const std::string& file)>;

/// A file that must be refused.
struct Malformed
{
    const char* title;   //!< what is wrong with it
    std::string content; //!< what the file holds
    uint64_t line;       //!< the line that the message must name
    std::string value;   //!< the piece of the file that the message must show
    std::string allowed; //!< what the message must say is allowed
};

/// \return A network of the hosts 0, 1 and 3 around the switch 2.
FabricTopology
SmallNetwork()
{
    FabricTopology topology;
    topology.AddHost("h0");
    topology.AddHost("h1");
    topology.AddSwitch("s2");
    topology.AddHost("h3");
    return topology;
}

void
ReadTopology(const std::string& file)
{
    FabricTopologyFile::Read(file);
}

void
ReadFlows(const std::string& file)
{
    FabricFlowFile::Read(file, SmallNetwork(), {});
}

void
ReadPacketFlows(const std::string& file)
{
    FabricFlowFile::Read(file, SmallNetwork(), {FabricFlowFile::Form::PACKETS, 1000});
}

void
ReadMatrix(const std::string& file)
{
    FabricConnectionMatrix::Read(file, 8);
}

void
ReadCdf(const std::string& file)
{
    FabricCdf::Read(file);
}

/// Reads one malformed file after the other and looks at what is said.
void
ExpectRefused(const Reader& read, const std::vector<Malformed>& cases)
{
    // Tests run side by side, each in a process of its own.
    const std::string file =
        testing::TempDir() + "fabric-import-malformed-" + std::to_string(getpid()) + ".txt";
    for (const Malformed& one : cases)
    {
        std::ofstream(file, std::ios::binary) << one.content;
        try
        {
            read(file);
            ADD_FAILURE() << one.title << ": is accepted";
        }
        catch (const FabricInputError& error)
        {
            const std::string what = error.what();
            const std::string start = file + ":" + std::to_string(one.line) + ": ";
            EXPECT_EQ(what.substr(0, start.size()), start) << one.title << ": " << what;
            EXPECT_EQ(error.GetFile(), file);
            EXPECT_EQ(error.GetLine(), one.line);
            EXPECT_NE(what.find(one.value), std::string::npos) << one.title << ": " << what;
            EXPECT_NE(what.find("allowed: " + one.allowed), std::string::npos)
                << one.title << ": " << what;
            EXPECT_EQ(what.find('\n'), std::string::npos) << one.title << ": " << what;
        }
        std::remove(file.c_str());
    }
}

TEST(FabricImportMalformed, Topology)
{
    const std::string head = "3 1 2\n2\n";
    const std::string first = "0 2 100Gbps 1us 0\n";
    ExpectRefused(
        ReadTopology,
        {
            {"empty file", "", 1, "the file is empty", "plain text"},
            {"only blank lines", "\n \n\t\n", 3, "empty ones", "nodes, switches"},
            {"only a byte order mark", "\xef\xbb\xbf", 1, "the file is empty", "plain"},
            {"head of two columns", "3 1\n2\n", 1, "\"3 1\"", "3, how many"},
            {"head of four columns", "3 1 2 9\n2\n", 1, "\"3 1 2 9\"", "3, how many"},
            {"words in the head", "three 1 2\n", 1, "\"three\"", "1 to 1000000"},
            {"no node", "0 0 0\n", 1, "\"0\"", "1 to 1000000"},
            {"negative nodes", "-3 1 2\n", 1, "\"-3\"", "1 to 1000000"},
            {"fraction of nodes", "3.5 1 2\n", 1, "\"3.5\"", "1 to 1000000"},
            {"huge nodes", "4294967299 1 2\n2\n", 1, "\"4294967299\"", "1 to 1000000"},
            {"nodes of 30 digits",
             "999999999999999999999999999999 1 2\n",
             1,
             "\"999999999999999999999999999999\"",
             "1 to 1000000"},
            {"more switches than nodes", "3 4 2\n", 1, "\"4\"", "0 to 3"},
            {"huge links", "3 1 99999999999\n2\n", 1, "\"99999999999\"", "0 to 10000000"},
            {"cut before the switches", "3 1 2\n", 1, "", "1 node numbers"},
            {"too few switches", "4 2 2\n2\n" + first, 2, "\"2\"", "2, the numbers"},
            {"too many switches", "4 1 2\n2 3\n", 2, "\"2 3\"", "1, the numbers"},
            {"switch out of range", "3 1 2\n3\n", 2, "\"3\"", "0 to 2"},
            {"switch listed twice", "4 2 2\n2 2\n", 2, "\"2\"", "2 different"},
            {"switch with a name", "3 1 2\ns2\n", 2, "\"s2\"", "0 to 2"},
            {"missing column", head + "0 2 100Gbps 1us\n", 3, "\"0 2 100Gbps 1us\"", "5,"},
            {"superfluous column",
             head + "0 2 100Gbps 1us 0 7\n",
             3,
             "\"0 2 100Gbps 1us 0 7\"",
             "5,"},
            {"unknown source", head + first + "3 2 1Gbps 1us 0\n", 4, "\"3\"", "0 to 2"},
            {"unknown destination", head + "0 9 1Gbps 1us 0\n", 3, "\"9\"", "0 to 2"},
            {"negative node", head + "-1 2 1Gbps 1us 0\n", 3, "\"-1\"", "0 to 2"},
            {"link to itself", head + "1 1 1Gbps 1us 0\n", 3, "\"1\"", "another node"},
            {"misspelt unit", head + "0 2 400Gpbs 1us 0\n", 3, "\"400Gpbs\"", "1bps to"},
            {"bytes for bits", head + "0 2 50GBps 1us 0\n", 3, "\"50GBps\"", "1bps to"},
            {"rate without unit", head + "0 2 100 1us 0\n", 3, "\"100\"", "1bps to"},
            {"rate of 0", head + "0 2 0Gbps 1us 0\n", 3, "\"0Gbps\"", "1bps to"},
            {"negative rate", head + "0 2 -1Gbps 1us 0\n", 3, "\"-1Gbps\"", "1bps to"},
            {"huge rate", head + "0 2 1000Tbps 1us 0\n", 3, "\"1000Tbps\"", "1bps to"},
            {"rate nan", head + "0 2 nan 1us 0\n", 3, "\"nan\"", "1bps to 100Tbps"},
            {"delay of 0", head + "0 2 1Gbps 0us 0\n", 3, "delay must be > 0", "1ps to"},
            {"delay without unit", head + "0 2 1Gbps 1 0\n", 3, "\"1\"", "0ps to"},
            {"delay in metres", head + "0 2 1Gbps 3m 0\n", 3, "\"m\"", "0ps to"},
            {"negative delay", head + "0 2 1Gbps -1us 0\n", 3, "\"-1us\"", "0ps to"},
            {"delay below 1 ps", head + "0 2 1Gbps 0.1ps 0\n", 3, "\"0.1ps\"", "0ps to"},
            {"huge delay", head + "0 2 1Gbps 1e9s 0\n", 3, "\"1e9s\"", "0ps to 1000000s"},
            {"delay and rate swapped", head + "0 2 1us 1Gbps 0\n", 3, "\"1us\"", "1bps"},
            {"error rate above 1", head + "0 2 1Gbps 1us 1.01\n", 3, "\"1.01\"", "0 to 1"},
            {"error rate of 20", head + "0 2 1Gbps 1us 20\n", 3, "\"20\"", "0 to 1"},
            {"negative error rate", head + "0 2 1Gbps 1us -0.1\n", 3, "\"-0.1\"", "0 to 1"},
            {"error rate a word", head + "0 2 1Gbps 1us no\n", 3, "\"no\"", "0 to 1"},
            {"cut after a link", head + first, 3, "1 of 2", "at least 2 lines"},
            {"cut within a line", head + first + "1 2 10", 4, "\"1 2 10\"", "5,"},
            {"NUL byte", head + std::string("0 2\0 1", 6), 3, "column 4", "plain text"},
            {"UTF-16",
             std::string("\xff\xfe"
                         "3\0 \0",
                         6),
             1,
             "NUL",
             "plain text"},
            {"two marks",
             "\xef\xbb\xbf\xef\xbb\xbf"
             "3 1 2\n",
             1,
             "\\xef\\xbb\\xbf3",
             "1 to"},
            {"old Mac line ends", "3 1 2\r2\r0 2 1Gbps 1us 0\r", 1, "\\x0d", "3, how many"},
            {"endless line",
             head + std::string(2 << 20, '7'),
             3,
             "\"777777777777777777777777777777777777777777777777777777777777...\"",
             "up to 1048576"},
        });
}

TEST(FabricImportMalformed, Flows)
{
    ExpectRefused(
        ReadFlows,
        {
            {"only a comment", "# flows\n", 1, "", "the number of flows"},
            {"head of two columns", "1 2\n", 1, "\"1 2\"", "1, the number"},
            {"negative flows", "-1\n", 1, "\"-1\"", "0 to 100000000"},
            {"huge flows", "4000000000\n", 1, "\"4000000000\"", "0 to 100000000"},
            {"missing column", "1\n0 1 3 100 5\n", 2, "\"0 1 3 100 5\"", "6, source"},
            {"superfluous column", "1\n0 1 3 1 5 0 0\n", 2, "\"0 1 3 1 5 0 0\"", "6,"},
            {"unknown source", "1\n4 1 3 100 5 0\n", 2, "\"4\"", "0 to 3"},
            {"unknown destination", "1\n0 99 3 100 5 0\n", 2, "\"99\"", "0 to 3"},
            {"from a switch", "1\n2 1 3 100 5 0\n", 2, "\"2\" is the switch s2", "the num"},
            {"to a switch", "1\n0 2 3 100 5 0\n", 2, "\"2\" is the switch s2", "the num"},
            {"to itself", "1\n3 3 3 100 5 0\n", 2, "\"3\" is also", "another host"},
            {"host by name", "1\nh0 1 3 100 5 0\n", 2, "\"h0\"", "0 to 3"},
            {"priority 8", "1\n0 1 8 100 5 0\n", 2, "priority \"8\"", "0 to 7"},
            {"negative priority", "1\n0 1 -3 100 5 0\n", 2, "\"-3\"", "0 to 7"},
            {"minus 0", "1\n0 1 -0 100 5 0\n", 2, "\"-0\"", "0 to 7"},
            {"port 65536", "1\n0 1 3 65536 5 0\n", 2, "\"65536\"", "0 to 65535"},
            {"no byte", "1\n0 1 3 100 0 0\n", 2, "bytes \"0\"", "1 to 10000"},
            {"negative bytes", "1\n0 1 3 100 -5 0\n", 2, "\"-5\"", "1 to 10000"},
            {"bytes with unit", "1\n0 1 3 100 5MB 0\n", 2, "\"5MB\"", "1 to 10000"},
            {"2^64 + 1 bytes",
             "1\n0 1 3 100 18446744073709551617 0\n",
             2,
             "\"18446744073709551617\"",
             "1 to 1000000000000000000"},
            {"form with packets", "1\n0 1 3 9 2.0 9.0\n", 2, "form with packets?", "1 to 10000"},
            {"negative start", "1\n0 1 3 100 5 -1\n", 2, "\"-1\"", "0ps to 1000000s"},
            {"start nan", "1\n0 1 3 100 5 nan\n", 2, "\"nan\"", "0ps to 1000000s"},
            {"huge start", "1\n0 1 3 100 5 1e7\n", 2, "\"1e7\"", "0ps to 1000000s"},
            {"cut", "2\n0 1 3 100 5 0\n", 2, "1 of 2", "at least 2 lines"},
            {"cut at once", "2", 1, "0 of 2", "at least 2 lines"},
        });
    ExpectRefused(ReadPacketFlows,
                  {
                      {"no packet", "1\n0 1 3 0 1 2\n", 2, "packets \"0\"", "1 to 10000"},
                      {"2^60 packets",
                       "1\n0 1 3 1152921504606846976 1 2\n",
                       2,
                       "\"1152921504606846976\"",
                       "1 to 1000000000000000"},
                      {"form with bytes", "1\n0 1 3 100 200000000 2\n", 2, "\"200000000\"", "0ps"},
                      {"stop before start", "1\n0 1 3 100 3 2\n", 2, "\"2\"", "more than 3"},
                  });
}

TEST(FabricImportMalformed, ConnectionMatrix)
{
    const std::string head = "Nodes 4\nConnections 1\n";
    ExpectRefused(
        ReadMatrix,
        {
            {"no head", "0->1 start 0 size 1\n", 1, "\"0->1\"", "Nodes N and Connections M"},
            {"no connections line", "Nodes 4\n0->1 start 0 size 1\n", 2, "\"0->1\"", "Nodes N and"},
            {"nodes without number", "Nodes\n", 1, "\"Nodes\"", "2, the word Nodes"},
            {"more nodes than hosts", "Nodes 9\n", 1, "\"9\"", "1 to 8"},
            {"no node", "Nodes 0\n", 1, "\"0\"", "1 to 8"},
            {"nodes twice", "Nodes 4\nNodes 4\n", 2, "\"Nodes\" is there twice", "one,"},
            {"negative connections", "Nodes 4\nConnections -1\n", 2, "\"-1\"", "0 to 100000000"},
            {"misspelt head", "Nodes 4\nConections 1\n", 2, "\"Conections\"", "Nodes, Connections"},
            {"triggers", "Nodes 4\nTriggers 2\n", 2, "not supported, \"2\"", "0 to 0"},
            {"failures", "Nodes 4\nFailures 1\n", 2, "not supported, \"1\"", "0 to 0"},
            {"trigger of a flow",
             head + "0->1 id 1 trigger 1 size 5\n",
             3,
             "\"trigger\" is not sup",
             ""},
            {"trigger line", head + "trigger id 1 oneshot\n", 3, "\"trigger\" is not sup", ""},
            {"prio", head + "0->1 start 0 size 5 prio 2\n", 3, "\"prio\" is not sup", "id, start"},
            {"unknown word",
             head + "0->1 begin 0 size 5\n",
             3,
             "\"begin\" is unknown",
             "id, start"},
            {"unknown source", head + "4->1 start 0 size 5\n", 3, "\"4\"", "0 to 3"},
            {"unknown destination", head + "0->7 start 0 size 5\n", 3, "\"7\"", "0 to 3"},
            {"to itself", head + "2->2 start 0 size 5\n", 3, "\"2->2\"", "another host"},
            {"no destination", head + "2-> start 0 size 5\n", 3, "\"\"", "0 to 3"},
            {"blanks at the arrow", head + "0 -> 1 start 0 size 5\n", 3, "\"0\"", "Nodes, Conn"},
            {"no size", head + "0->1 start 0\n", 3, "\"0->1\" has no size", "a->b"},
            {"no start", head + "0->1 size 5\n", 3, "\"0->1\" has no start", "a->b"},
            {"word without value",
             head + "0->1 start 0 size\n",
             3,
             "\"size\" has no value",
             "once"},
            {"word twice", head + "0->1 size 1 size 2\n", 3, "\"size\" is there twice", "once"},
            {"size of 0", head + "0->1 start 0 size 0\n", 3, "\"0\"", "1B to 1000000TB"},
            {"negative size", head + "0->1 start 0 size -5\n", 3, "\"-5\"", "0B to 1000000TB"},
            {"wrong unit of size", head + "0->1 start 0 size 5Mb\n", 3, "\"Mb\"", "0B to"},
            {"wrong unit of start", head + "0->1 start 5min size 5\n", 3, "\"min\"", "0ps to"},
            {"fraction of a ps", head + "0->1 start 0.5 size 5\n", 3, "\"0.5\"", "0ps to"},
            {"id 0", head + "0->1 id 0 start 0 size 5\n", 3, "\"0\"", "1 to 4294967295"},
            {"id twice",
             "Nodes 4\nConnections 2\n0->1 id 7 start 0 size 5\n1->2 id 7 start 0 size 5\n",
             4,
             "id 7",
             "ids that differ"},
            {"cut", "Nodes 4\nConnections 2\n0->1 start 0 size 5\n", 3, "1 of 2", "Nodes N"},
            {"one too many",
             head + "0->1 start 0 size 5\n1->2 start 0 size 5\n",
             4,
             "\"1->2\" is one more",
             "1"},
            {"head after a flow", head + "0->1 start 0 size 5\nNodes 4\n", 4, "\"Nodes\"", "conn"},
        });
}

TEST(FabricImportMalformed, Cdf)
{
    ExpectRefused(ReadCdf,
                  {
                      {"only blank lines", "\n\n", 2, "", "lines of bytes and percent"},
                      {"one column", "0\n", 1, "\"0\"", "2, bytes"},
                      {"three columns", "0 0 0\n", 1, "\"0 0 0\"", "2, bytes"},
                      {"negative bytes", "-1 0\n", 1, "\"-1\"", "0 to 10000"},
                      {"bytes with fraction", "1.5 0\n", 1, "\"1.5\"", "0 to 10000"},
                      {"falling bytes", "0 0\n100 50\n99 100\n", 3, "\"99\"", "100 to"},
                      {"falling percent", "0 0\n100 50\n200 49.5\n", 3, "\"49.5\"", "50 to 100"},
                      {"negative percent", "0 -1\n", 1, "\"-1\"", "0 to 100"},
                      {"percent above 100", "0 0\n100 100.5\n", 2, "\"100.5\"", "0 to 100"},
                      {"percent a word", "0 all\n", 1, "\"all\"", "0 to 100"},
                      {"percent with sign", "0 50%\n", 1, "\"50%\"", "0 to 100"},
                      {"fractions, not percent", "0 0\n100 0.5\n200 1\n", 3, "\"1\"", "100"},
                      {"cut", "0 0\n100 50\n", 2, "\"50\"", "100"},
                      {"all sizes 0", "0 50\n0 100\n", 2, "\"0\"", "at least 1 byte"},
                  });
}

TEST(FabricImportMalformed, WhatIsNoFile)
{
    const std::string directory = testing::TempDir();
    for (const Reader& read : {Reader(ReadTopology),
                               Reader(ReadFlows),
                               Reader(ReadPacketFlows),
                               Reader(ReadMatrix),
                               Reader(ReadCdf)})
    {
        for (const std::string& file : {directory, directory + "does-not-exist.txt"})
        {
            try
            {
                read(file);
                ADD_FAILURE() << file << " is accepted";
            }
            catch (const FabricInputError& error)
            {
                EXPECT_EQ(error.GetLine(), 0u);
                EXPECT_EQ(error.what(),
                          file + (file == directory
                                      ? ": is a directory; a text file is needed"
                                      : ": cannot be opened for reading: No such file or "
                                        "directory"));
            }
        }
    }
}

} // namespace
} // namespace ns3
