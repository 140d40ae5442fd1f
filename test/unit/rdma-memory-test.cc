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

// ibv_rereg_mr: what is named changes, the keys with it; a bad value changes nothing.
TEST_F(RdmaMemory, Reregistration)
{
    const auto allowed = [&](uint32_t key, uint32_t access, uint64_t address) {
        return table.IsAllowed(key, PeekPointer(domain), access, address, 1);
    };
    RdmaMemoryRegion change = region;
    change.address = ~0ULL;
    EXPECT_FALSE(table.Reregister(region.rkey, REREG_CHANGE_TRANSLATION, change));
    change.access = ACCESS_REMOTE_WRITE;
    EXPECT_FALSE(table.Reregister(region.rkey, REREG_CHANGE_ACCESS, change));
    change.domain = nullptr;
    EXPECT_FALSE(table.Reregister(region.rkey, REREG_CHANGE_PD, change));
    EXPECT_FALSE(table.Reregister(region.rkey, 0, region));
    EXPECT_FALSE(table.Reregister(region.rkey, 8, region));
    EXPECT_FALSE(table.Reregister(region.rkey + 1, REREG_CHANGE_PD, region));
    EXPECT_TRUE(allowed(region.rkey, ACCESS_REMOTE_WRITE, 1000));

    change = RdmaMemoryRegion();
    change.access = ACCESS_REMOTE_READ;
    const auto weaker = table.Reregister(region.rkey, REREG_CHANGE_ACCESS, change);
    ASSERT_TRUE(weaker);
    EXPECT_FALSE(allowed(region.rkey, ACCESS_REMOTE_READ, 1000)); // the old key
    EXPECT_TRUE(allowed(weaker->rkey, ACCESS_REMOTE_READ, 1000));
    EXPECT_FALSE(allowed(weaker->rkey, ACCESS_REMOTE_WRITE, 1000));
    change.address = 5000;
    change.length = 10;
    const auto moved = table.Reregister(weaker->lkey, REREG_CHANGE_TRANSLATION, change);
    ASSERT_TRUE(moved);
    EXPECT_TRUE(allowed(moved->rkey, ACCESS_REMOTE_READ, 5009));
    EXPECT_FALSE(allowed(moved->rkey, ACCESS_REMOTE_READ, 1000));
    change.domain = Create<RdmaProtectionDomain>();
    const auto foreign = table.Reregister(moved->lkey, REREG_CHANGE_PD, change);
    ASSERT_TRUE(foreign);
    EXPECT_FALSE(allowed(foreign->rkey, ACCESS_REMOTE_READ, 5000));
    EXPECT_EQ(table.GetNRegions(), 1u);
}

// IBV_ACCESS_ZERO_BASED: 0 is the first byte, wherever the region is.
TEST_F(RdmaMemory, ZeroBased)
{
    RdmaMemoryRegion zero;
    zero.domain = domain;
    zero.address = 7000;
    zero.length = 4;
    zero.access = ACCESS_REMOTE_READ | ACCESS_ZERO_BASED;
    zero.bytes = std::make_shared<std::vector<uint8_t>>(std::vector<uint8_t>{1, 2, 3, 4});
    zero = table.Register(zero).value();
    EXPECT_TRUE(table.IsAllowed(zero.rkey, PeekPointer(domain), ACCESS_REMOTE_READ, 0, 4));
    EXPECT_FALSE(table.IsAllowed(zero.rkey, PeekPointer(domain), ACCESS_REMOTE_READ, 1, 4));
    EXPECT_FALSE(table.IsAllowed(zero.rkey, PeekPointer(domain), ACCESS_REMOTE_READ, 7000, 1));
    EXPECT_EQ(*table.GetBytes(zero.rkey, 3, 1), 4);
}

// An invalid key is refused to the other side only, and only its own domain may make it so.
TEST_F(RdmaMemory, Invalidation)
{
    const auto other = Create<RdmaProtectionDomain>();
    EXPECT_FALSE(table.Invalidate(region.rkey, PeekPointer(other)));
    EXPECT_FALSE(table.Invalidate(region.rkey + 1, PeekPointer(domain)));
    EXPECT_TRUE(table.Invalidate(region.rkey, PeekPointer(domain)));
    EXPECT_FALSE(table.Invalidate(region.rkey, PeekPointer(domain)));
    for (const uint32_t right : {ACCESS_REMOTE_WRITE, ACCESS_REMOTE_READ, ACCESS_REMOTE_ATOMIC})
    {
        EXPECT_FALSE(table.IsAllowed(region.rkey, PeekPointer(domain), right, 1000, 1));
    }
    EXPECT_TRUE(table.IsAllowed(region.lkey, PeekPointer(domain), ACCESS_LOCAL_WRITE, 1000, 1));
}

// Bytes are as many as the region is long; where there are none, or fewer by now, there is nothing.
TEST_F(RdmaMemory, Bytes)
{
    RdmaMemoryRegion real = region;
    real.bytes = std::make_shared<std::vector<uint8_t>>(99);
    EXPECT_FALSE(table.Register(real));
    real.bytes->resize(100);
    real = table.Register(real).value();
    EXPECT_TRUE(table.HasBytes(real.lkey));
    EXPECT_EQ(table.GetBytes(real.rkey, 1010, 90), real.bytes->data() + 10);
    EXPECT_EQ(table.GetBytes(real.rkey, 1010, 91), nullptr);
    EXPECT_EQ(table.GetBytes(real.rkey, 999, 1), nullptr);
    EXPECT_FALSE(table.HasBytes(region.lkey));
    EXPECT_EQ(table.GetBytes(region.rkey, 1000, 1), nullptr);
    real.bytes->resize(50);
    EXPECT_EQ(table.GetBytes(real.rkey, 1010, 90), nullptr);
}

} // namespace
} // namespace rdma
} // namespace ns3
