/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory regions: what may be registered, and what an access needs. */

#include "ns3/rdma-memory.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{
namespace
{

constexpr uint32_t ALL =
    ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;

/// A table with one region: addresses 1000 to 1099, all rights.
class RdmaMemory : public testing::Test
{
  protected:
    RdmaMemoryTable table;                                                   //!< the table
    Ptr<RdmaProtectionDomain> domain{Create<RdmaProtectionDomain>()};        //!< its domain
    RdmaMemoryRegion region{table.Register(domain, 1000, 100, ALL).value()}; //!< the region
};

TEST_F(RdmaMemory, BoundsAreExact)
{
    const auto allowed = [&](uint64_t address, uint64_t length) {
        return table.IsAllowed(region.rkey,
                               PeekPointer(domain),
                               ACCESS_REMOTE_READ,
                               address,
                               length);
    };
    EXPECT_TRUE(allowed(1000, 100));
    EXPECT_TRUE(allowed(1099, 1));
    EXPECT_FALSE(allowed(999, 1));
    EXPECT_FALSE(allowed(999, 101));
    EXPECT_FALSE(allowed(1000, 101));
    EXPECT_FALSE(allowed(1100, 1));
    EXPECT_FALSE(allowed(1001, ~0ULL)); // wraps round
    EXPECT_FALSE(allowed(~0ULL, 2));
    EXPECT_TRUE(allowed(5, 0)); // no bytes, no check
}

TEST_F(RdmaMemory, EachRightIsAskedFor)
{
    for (const uint32_t right :
         {ACCESS_LOCAL_WRITE, ACCESS_REMOTE_WRITE, ACCESS_REMOTE_READ, ACCESS_REMOTE_ATOMIC})
    {
        const uint32_t others = right == ACCESS_LOCAL_WRITE ? ACCESS_REMOTE_READ : (ALL & ~right);
        const auto lacking = table.Register(domain, 0, 10, others);
        ASSERT_TRUE(lacking);
        EXPECT_FALSE(table.IsAllowed(lacking->rkey, PeekPointer(domain), right, 0, 1)) << right;
        EXPECT_TRUE(table.IsAllowed(region.rkey, PeekPointer(domain), right, 1000, 1)) << right;
    }
}

TEST_F(RdmaMemory, DomainAndKeyMustFit)
{
    const auto other = Create<RdmaProtectionDomain>();
    EXPECT_FALSE(table.IsAllowed(region.rkey, PeekPointer(other), 0, 1000, 1));
    EXPECT_FALSE(table.IsAllowed(region.rkey, nullptr, 0, 1000, 1));
    for (const uint32_t key : {0U, 1U, region.rkey + 1, region.rkey + 256, ~0U})
    {
        EXPECT_FALSE(table.IsAllowed(key, PeekPointer(domain), 0, 1000, 1)) << key;
    }
}

// verbs manual: remote write and remote atomic need local write; the range must exist.
TEST_F(RdmaMemory, WhatCannotBeRegistered)
{
    EXPECT_FALSE(table.Register(nullptr, 0, 1, 0));
    EXPECT_FALSE(table.Register(domain, 0, 1, ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(table.Register(domain, 0, 1, ACCESS_REMOTE_ATOMIC));
    EXPECT_FALSE(table.Register(domain, ~0ULL, 2, 0));
    EXPECT_TRUE(table.Register(domain, ~0ULL, 1, 0));
    EXPECT_TRUE(table.Register(domain, 0, ~0ULL, 0));
    EXPECT_TRUE(table.Register(domain, 0, 0, 0));
    EXPECT_TRUE(table.Register(domain, 0, 1, ACCESS_REMOTE_READ));
}

TEST_F(RdmaMemory, AStaleKeyIsRefused)
{
    EXPECT_TRUE(table.Deregister(region.rkey));
    EXPECT_FALSE(table.IsAllowed(region.rkey, PeekPointer(domain), 0, 1000, 1));
    EXPECT_FALSE(table.Deregister(region.rkey));
    const auto next = table.Register(domain, 1000, 100, ALL); // takes the place of the first
    ASSERT_TRUE(next);
    EXPECT_NE(next->rkey, region.rkey);
    EXPECT_FALSE(table.IsAllowed(region.rkey, PeekPointer(domain), 0, 1000, 1));
    EXPECT_TRUE(table.IsAllowed(next->rkey, PeekPointer(domain), 0, 1000, 1));
    EXPECT_FALSE(table.Deregister(0));
}

} // namespace
} // namespace rdma
} // namespace ns3
