/* SPDX-License-Identifier: GPL-2.0-only */
/* What the documentation names is there: attributes, trace sources, tests, lines of an example. */

#include "ns3/rdma-module.h"
#include "ns3/type-id.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace
{

/** \return what stands in a file of the source tree */
std::string
ReadSource(const std::string& path)
{
    std::ifstream file(RDMA_SOURCE_DIR "/" + path);
    EXPECT_TRUE(file) << path << " cannot be read";
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/** Checks a name in the form in which the reference writes it. */
void
ExpectDescribed(const std::string& reference, const std::string& owner, const std::string& text)
{
    EXPECT_NE(reference.find("``" + text + "``"), std::string::npos)
        << "contrib/rdma/doc says nothing of ``" << text << "`` of " << owner;
}

} // namespace

TEST(RdmaDocumentation, NamesEveryAttributeAndTraceSource)
{
    const std::string prefix = "ns3::rdma::";
    std::string reference;
    for (const auto& entry :
         std::filesystem::directory_iterator(RDMA_SOURCE_DIR "/contrib/rdma/doc"))
    {
        reference += ReadSource("contrib/rdma/doc/" + entry.path().filename().string());
    }
    uint32_t classes = 0;
    for (uint16_t i = 0; i < ns3::TypeId::GetRegisteredN(); ++i)
    {
        const ns3::TypeId tid = ns3::TypeId::GetRegistered(i);
        if (tid.GetName().compare(0, prefix.size(), prefix) != 0)
        {
            continue;
        }
        ++classes;
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            ExpectDescribed(reference, tid.GetName(), tid.GetAttribute(a).name);
        }
        for (std::size_t t = 0; t < tid.GetTraceSourceN(); ++t)
        {
            ExpectDescribed(reference,
                            tid.GetName(),
                            tid.GetName().substr(prefix.size()) + '/' + tid.GetTraceSource(t).name);
        }
    }
    EXPECT_GT(classes, 20u);
}

TEST(RdmaDocumentation, CasesNameTestsThatExist)
{
    std::set<std::string> tests;
    const std::regex definition(R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    for (const char* kind : {"unit", "wire", "system", "validation"})
    {
        for (const auto& entry :
             std::filesystem::directory_iterator(RDMA_SOURCE_DIR "/test/" + std::string(kind)))
        {
            const std::string text =
                ReadSource("test/" + std::string(kind) + '/' + entry.path().filename().string());
            for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end;
                 ++it)
            {
                tests.insert((*it)[1].str() + '.' + (*it)[2].str());
            }
        }
    }
    const std::string cases = ReadSource("doc/cases.rst");
    const std::regex name(R"(``(\w+\.\w+)``)");
    uint32_t named = 0;
    for (std::sregex_iterator it(cases.begin(), cases.end(), name), end; it != end; ++it, ++named)
    {
        EXPECT_TRUE(tests.count((*it)[1]))
            << "doc/cases.rst names " << (*it)[1] << ", which is no test";
    }
    EXPECT_GT(named, 30u);
}

TEST(RdmaDocumentation, ReadmeShowsLinesOfTheExample)
{
    const std::string example = ReadSource("contrib/rdma/examples/rdma-write.cc");
    std::istringstream readme(ReadSource("README.md"));
    std::string line;
    while (std::getline(readme, line) && line != "```cpp")
    {
    }
    std::size_t place = 0;
    uint32_t lines = 0;
    for (; std::getline(readme, line) && line != "```"; ++lines)
    {
        const std::size_t found = example.find(line + '\n', place);
        ASSERT_NE(found, std::string::npos)
            << "rdma-write.cc has no line after the one before: " << line;
        place = found;
    }
    EXPECT_GT(lines, 9u);
}
