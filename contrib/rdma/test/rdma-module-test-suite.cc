/* SPDX-License-Identifier: GPL-2.0-only */
/** @file What every class of the module owes its users: a group, a help text and valid defaults for
 * its attributes. */
#include "ns3/test.h"
#include "ns3/type-id.h"

using namespace ns3;

namespace
{

/// Looks at every registered TypeId of the module.
class RdmaTypeIdTestCase : public TestCase
{
  public:
    RdmaTypeIdTestCase()
        : TestCase(
              "every TypeId has its group, help texts and defaults which its own checkers accept")
    {
    }

  private:
    void DoRun() override
    {
        const std::string prefix = "ns3::rdma::";
        uint32_t seen = 0;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId tid = TypeId::GetRegistered(i);
            if (tid.GetName().compare(0, prefix.size(), prefix) != 0)
            {
                continue;
            }
            ++seen;
            NS_TEST_EXPECT_MSG_EQ(tid.GetGroupName(), "Rdma", tid.GetName());
            for (std::size_t k = 0; k < tid.GetAttributeN(); ++k)
            {
                const TypeId::AttributeInformation info = tid.GetAttribute(k);
                const std::string where = tid.GetName() + "::" + info.name;
                NS_TEST_EXPECT_MSG_EQ(info.help.empty(), false, where << " has no help text");
                NS_TEST_EXPECT_MSG_EQ(info.checker->Check(*info.initialValue),
                                      true,
                                      where << " has a default which is out of its range");
            }
        }
        NS_TEST_EXPECT_MSG_GT(seen, 0U, "the module registers no TypeId");
    }
};

/// The suite of rules that hold for the whole module.
class RdmaModuleTestSuite : public TestSuite
{
  public:
    RdmaModuleTestSuite()
        : TestSuite("rdma-module", Type::UNIT)
    {
        AddTestCase(new RdmaTypeIdTestCase);
    }
};

/// Registers the suite.
const RdmaModuleTestSuite g_rdmaModuleTestSuite;

} // namespace
