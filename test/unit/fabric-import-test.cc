/* SPDX-License-Identifier: GPL-2.0-only */
/* What the importers make of files that are right. */

#include "ns3/fabric-cdf.h"
#include "ns3/fabric-connection-matrix.h"
#include "ns3/fabric-flow-file.h"
#include "ns3/fabric-topology-file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace
{

/// \return The path of a sample of this project.
std::string
Sample(const std::string& name)
{
    return std::string(RDMA_SOURCE_DIR) + "/examples/data/" + name;
}

/// A file that lives as long as the object.
class TemporaryFile
{
  public:
    explicit TemporaryFile(const std::string& content)
        : m_path(testing::TempDir() + "fabric-import-" + std::to_string(getpid()) + ".txt")
    {
        std::ofstream(m_path, std::ios::binary) << content;
    }

    ~TemporaryFile()
    {
        std::remove(m_path.c_str());
    }

    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

TEST(FabricImport, TopologySample)
{
    std::vector<std::string> notes;
    const auto topology = FabricTopologyFile::Read(Sample("leaf-spine-8.topology.txt"), &notes);
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(topology.GetSwitches(), (std::vector<uint32_t>{8, 9, 10, 11}));
    ASSERT_EQ(topology.GetLinks().size(), 12u);
    EXPECT_EQ(topology.GetNodes()[8].name, "s8");
    EXPECT_EQ(topology.GetLinks()[4].a, 4u);
    EXPECT_EQ(topology.GetLinks()[4].b, 9u);
    EXPECT_EQ(topology.GetLinks()[4].bitsPerSecond, 100'000'000'000u);
    EXPECT_EQ(topology.GetLinks()[11].bitsPerSecond, 200'000'000'000u);
    EXPECT_EQ(topology.GetLinks()[11].delayPs, 1'000'000);
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(FabricImport, HarmlessOddities)
{
    const std::string plain = "3 1 2\n1\n0 1 100Gbps 1us 0.25\n1 2 25Gbps 5ns 1e-3\n";
    std::string windows = "\xef\xbb\xbf";
    for (const char character : plain)
    {
        windows += character == '\n' ? "\r\n" : std::string(1, character);
    }
    for (const std::string& content : {plain,
                                       windows,
                                       "\xef\xbb\xbf" + plain,
                                       plain.substr(0, plain.size() - 1),
                                       std::string("# a comment\n\n  3\t1  2 \n1\n\n0 1 100Gbps "
                                                   "1us 0.25\n#\n1 2 25Gbps 0.005us 0.001\n\n")})
    {
        const TemporaryFile file(content);
        const auto topology = FabricTopologyFile::Read(file.GetPath());
        EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{0, 2}));
        ASSERT_EQ(topology.GetLinks().size(), 2u);
        EXPECT_EQ(topology.GetLinks()[0].errorRate, 0.25);
        EXPECT_EQ(topology.GetLinks()[1].delayPs, 5'000);
        EXPECT_DOUBLE_EQ(topology.GetLinks()[1].errorRate, 0.001);
        EXPECT_EQ(topology.GetNodes()[2].name, "h2");
        EXPECT_EQ(topology.GetNodes()[2].rank, 1u);
    }
}

TEST(FabricImport, TopologyWithoutSwitchHasNoLineForThem)
{
    const TemporaryFile file("2 0 1\n0 1 100Gbps 1us 0\n");
    EXPECT_TRUE(FabricTopologyFile::Read(file.GetPath()).Validate().empty());
}

TEST(FabricImport, HostWithoutLinkIsToldByTheCheck)
{
    const TemporaryFile file("3 1 1\n1\n0 1 100Gbps 1us 0\n");
    EXPECT_EQ(FabricTopologyFile::Read(file.GetPath()).Validate(),
              (std::vector<std::string>{"host h2 has no link"}));
}

TEST(FabricImport, WhatFollowsTheAnnouncedLinesIsTold)
{
    const TemporaryFile file("3 1 1\n1\n0 1 100Gbps 1us 0\n1 2 25Gbps 5ns 0\n1 2 25Gbps 5ns 0\n"
                             "\nFirst line: nodes switches links\nsrc0 dst0 rate delay error\n");
    std::vector<std::string> notes;
    EXPECT_EQ(FabricTopologyFile::Read(file.GetPath(), &notes).GetLinks().size(), 1u);
    EXPECT_EQ(
        notes,
        (std::vector<std::string>{
            file.GetPath() + ":4: 2 more links follow the 1 announced ones and are not read"}));
}

TEST(FabricImport, FlowSample)
{
    const auto topology = FabricTopologyFile::Read(Sample("leaf-spine-8.topology.txt"));
    const auto flows = FabricFlowFile::Read(Sample("leaf-spine-8.flow.txt"), topology, {});
    ASSERT_EQ(flows.size(), 4u);
    EXPECT_EQ(flows[2].id, 2u);
    EXPECT_EQ(flows[2].source, 2u);
    EXPECT_EQ(flows[2].destination, 7u);
    EXPECT_EQ(flows[2].bytes, 500'000u);
    EXPECT_EQ(flows[2].startPs, 1'000'000);
    EXPECT_EQ(flows[2].priority, 3);
    EXPECT_EQ(flows[2].destinationPort, 100);
    EXPECT_EQ(flows[3].startPs, 20'000'000);
}

TEST(FabricImport, FlowsAreSortedAndNodesBecomeRanks)
{
    // Switch 0, hosts 1 to 3: node 1 has rank 0. The start is a double with all its digits.
    const TemporaryFile map("4 1 3\n0\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n0 3 1Gbps 1us 0\n");
    const auto topology = FabricTopologyFile::Read(map.GetPath());
    const TemporaryFile file("3\n3 1 0 9 7 2.0000000000019999\n1 2 7 0 8 1e-06\n2 3 3 1 9 1e-06\n");
    const auto flows = FabricFlowFile::Read(file.GetPath(), topology, {});
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[0].source, 0u);
    EXPECT_EQ(flows[0].destination, 1u);
    EXPECT_EQ(flows[0].priority, 7);
    EXPECT_EQ(flows[0].startPs, 1'000'000);
    EXPECT_EQ(flows[1].source, 1u);
    EXPECT_EQ(flows[2].source, 2u);
    EXPECT_EQ(flows[2].id, 2u);
    EXPECT_EQ(flows[2].startPs, 2'000'000'000'001);
}

TEST(FabricImport, FlowsInTheFormWithPackets)
{
    const TemporaryFile file("1\n1 0 3 250 2.0 9.0\n");
    const auto topology = FabricTopology::Star(2, {});
    const auto flows =
        FabricFlowFile::Read(file.GetPath(), topology, {FabricFlowFile::Form::PACKETS, 1024});
    ASSERT_EQ(flows.size(), 1u);
    EXPECT_EQ(flows[0].bytes, 256'000u);
    EXPECT_EQ(flows[0].startPs, 2'000'000'000'000);
    EXPECT_EQ(flows[0].destinationPort, 0);
}

TEST(FabricImport, ConnectionMatrixSample)
{
    const auto flows = FabricConnectionMatrix::Read(Sample("leaf-spine-8.cm"), 8);
    ASSERT_EQ(flows.size(), 8u);
    for (uint32_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(flows[i].id, i + 1);
        EXPECT_EQ(flows[i].source, i);
        EXPECT_EQ(flows[i].destination, (i + 4) % 8);
        EXPECT_EQ(flows[i].bytes, 1'000'000u);
        EXPECT_EQ(flows[i].startPs, 0);
    }
}

TEST(FabricImport, ConnectionMatrixWithUnitsAndWithoutIds)
{
    const TemporaryFile file("Nodes 3\nConnections 2\nTriggers 0\n\n"
                             "0->1 size 2MB start 5us\n1->2 start 3000000.0 size 1KiB\n");
    const auto flows = FabricConnectionMatrix::Read(file.GetPath(), 16);
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0].id, 2u);
    EXPECT_EQ(flows[0].startPs, 3'000'000);
    EXPECT_EQ(flows[0].bytes, 1024u);
    EXPECT_EQ(flows[1].id, 1u);
    EXPECT_EQ(flows[1].startPs, 5'000'000);
    EXPECT_EQ(flows[1].bytes, 2'000'000u);
}

// 50 % x 2050 + 30 % x 34000 + 10 % x 532000 + 10 % x 4500000 = 514425.
TEST(FabricImport, CdfSample)
{
    const auto cdf = FabricCdf::Read(Sample("short-and-long.cdf.txt"));
    EXPECT_EQ(cdf.GetPoints().size(), 5u);
    EXPECT_DOUBLE_EQ(cdf.GetMean(), 514'425);
    EXPECT_EQ(cdf.GetQuantile(0), 100u);
    EXPECT_EQ(cdf.GetQuantile(0.25), 2050u);
    EXPECT_EQ(cdf.GetQuantile(0.5), 4000u);
    EXPECT_EQ(cdf.GetQuantile(0.95), 4'500'000u);
    EXPECT_EQ(cdf.GetQuantile(1), 8'000'000u);
}

TEST(FabricImport, CdfWithStepsAndPlateaus)
{
    // 20 % have exactly 1000 bytes, 30 % exactly 5000, none lies between 5000 and 7000.
    const FabricCdf cdf({{1000, 20}, {5000, 40}, {5000, 70}, {7000, 70}, {9000, 100}});
    EXPECT_EQ(cdf.GetQuantile(0.1), 1000u);
    EXPECT_EQ(cdf.GetQuantile(0.3), 3000u);
    EXPECT_EQ(cdf.GetQuantile(0.55), 5000u);
    EXPECT_EQ(cdf.GetQuantile(0.7), 5000u);
    EXPECT_EQ(cdf.GetQuantile(0.85), 8000u);
    // 0.2 x 1000 + 0.2 x 3000 + 0.3 x 5000 + 0.3 x 8000.
    EXPECT_DOUBLE_EQ(cdf.GetMean(), 4700);
    EXPECT_EQ(FabricCdf({{0, 50}, {10, 100}}).GetQuantile(0.2), 1u);
}

/// Inputs that other simulators publish, when the environment tells where they are.
class FabricImportPublic : public testing::Test
{
  protected:
    void SetUp() override
    {
        const char* folder = std::getenv("RDMA_PUBLIC_DATA");
        if (!folder)
        {
            GTEST_SKIP() << "RDMA_PUBLIC_DATA does not name a folder of public inputs";
        }
        m_folder = folder;
    }

    std::string m_folder; //!< where hpcc/ and htsim/ are
};

TEST_F(FabricImportPublic, Hpcc)
{
    std::vector<std::string> notes;
    const auto star = FabricTopologyFile::Read(m_folder + "/hpcc/star-65.topology.txt", &notes);
    EXPECT_EQ(star.GetHosts().size(), 65u);
    EXPECT_EQ(star.GetSwitches(), (std::vector<uint32_t>{0}));
    EXPECT_EQ(star.GetLinks().size(), 65u);
    EXPECT_EQ(star.GetLinks()[0].delayPs, 1'000'000);
    EXPECT_TRUE(star.Validate().empty());

    const auto fat = FabricTopologyFile::Read(m_folder + "/hpcc/fat-320.topology.txt", &notes);
    EXPECT_EQ(fat.GetHosts().size(), 320u);
    EXPECT_EQ(fat.GetSwitches().size(), 56u);
    EXPECT_EQ(fat.GetLinks().size(), 480u);
    EXPECT_TRUE(fat.Validate().empty());

    const auto flows = FabricFlowFile::Read(m_folder + "/hpcc/star-4.flow.txt", star, {}, &notes);
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[1].source, 2u);
    EXPECT_EQ(flows[1].destination, 0u);
    EXPECT_EQ(flows[1].bytes, 200'000'000u);
    EXPECT_EQ(flows[1].startPs, 2'000'000'000'000);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_NE(notes[0].find(":68: 191 more links"), std::string::npos) << notes[0];
    EXPECT_NE(notes[1].find(":4: 254 more flows"), std::string::npos) << notes[1];

    // Half sums of sizes, times the percentages between them, by hand.
    EXPECT_DOUBLE_EQ(FabricCdf::Read(m_folder + "/hpcc/WebSearch.cdf.txt").GetMean(), 1'711'250);
    EXPECT_EQ(FabricCdf::Read(m_folder + "/hpcc/AliStorage2019.cdf.txt").GetPoints().size(), 9u);
}

TEST_F(FabricImportPublic, Htsim)
{
    const auto flows = FabricConnectionMatrix::Read(m_folder + "/htsim/perm_16n_16c_2MB.cm", 16);
    ASSERT_EQ(flows.size(), 16u);
    EXPECT_EQ(flows[0].source, 7u);
    EXPECT_EQ(flows[0].destination, 5u);
    EXPECT_EQ(flows[0].bytes, 2'000'000u);
    const auto incast = FabricConnectionMatrix::Read(m_folder + "/htsim/incast_128.cm", 128);
    EXPECT_EQ(incast.size(), 127u);
    EXPECT_TRUE(std::all_of(incast.begin(), incast.end(), [](const RdmaFlow& flow) {
        return flow.destination == 33;
    }));
}

} // namespace
} // namespace ns3
