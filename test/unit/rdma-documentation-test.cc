/* SPDX-License-Identifier: GPL-2.0-only */
/* The model reference names every attribute and trace source of the module. */

#include "ns3/rdma-module.h"
#include "ns3/type-id.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace
{

/** \return the pages of the model reference that describe classes, one after the other */
std::string
ReadReference()
{
    std::ostringstream text;
    for (const char* page : {"rdma.rst", "rdma-dcqcn.rst"})
    {
        std::ifstream file(std::string(RDMA_SOURCE_DIR "/contrib/rdma/doc/") + page);
        text << file.rdbuf();
    }
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
    const std::string reference = ReadReference();
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
