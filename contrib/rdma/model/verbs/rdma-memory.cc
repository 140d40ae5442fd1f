/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-memory.h"

namespace ns3
{
namespace rdma
{

namespace
{

constexpr uint32_t REMOTE_RIGHTS = ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;

} // namespace

bool
RdmaMemoryTable::IsValid(const RdmaMemoryRegion& region)
{
    const bool remoteChanges = region.access & (ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC);
    const bool wraps = region.length && region.address + (region.length - 1) < region.address;
    return region.domain && !wraps && (!remoteChanges || region.access & ACCESS_LOCAL_WRITE) &&
           (!region.bytes || region.bytes->size() == region.length);
}

const RdmaMemoryTable::Slot*
RdmaMemoryTable::Find(uint32_t key) const
{
    const uint32_t index = (key >> 8) - 1;
    if (index >= m_slots.size() || !m_slots[index].used || m_slots[index].tag != (key & 0xff))
    {
        return nullptr;
    }
    return &m_slots[index];
}

std::optional<RdmaMemoryRegion>
RdmaMemoryTable::Register(RdmaMemoryRegion region)
{
    if (!IsValid(region))
    {
        return std::nullopt;
    }
    if (m_unused.empty())
    {
        m_unused.push_back(m_slots.size());
        m_slots.emplace_back();
    }
    const uint32_t index = m_unused.back();
    m_unused.pop_back();
    Slot& slot = m_slots[index];
    ++slot.tag;
    slot.used = slot.remote = true;
    region.lkey = region.rkey = (index + 1) << 8 | slot.tag;
    slot.region = std::move(region);
    return slot.region;
}

std::optional<RdmaMemoryRegion>
RdmaMemoryTable::Register(Ptr<RdmaProtectionDomain> domain,
                          uint64_t address,
                          uint64_t length,
                          uint32_t access)
{
    RdmaMemoryRegion region;
    region.domain = domain;
    region.address = address;
    region.length = length;
    region.access = access;
    return Register(region);
}

std::optional<RdmaMemoryRegion>
RdmaMemoryTable::Reregister(uint32_t key, uint32_t changes, const RdmaMemoryRegion& region)
{
    const Slot* found = Find(key);
    constexpr uint32_t all = REREG_CHANGE_TRANSLATION | REREG_CHANGE_PD | REREG_CHANGE_ACCESS;
    if (!found || !changes || changes & ~all)
    {
        return std::nullopt;
    }
    RdmaMemoryRegion next = found->region;
    if (changes & REREG_CHANGE_TRANSLATION)
    {
        next.address = region.address;
        next.length = region.length;
        next.bytes = region.bytes;
    }
    if (changes & REREG_CHANGE_PD)
    {
        next.domain = region.domain;
    }
    if (changes & REREG_CHANGE_ACCESS)
    {
        next.access = region.access;
    }
    if (!IsValid(next))
    {
        return std::nullopt;
    }
    Deregister(key);
    return Register(next); // takes the same place, with the next tag
}

bool
RdmaMemoryTable::Deregister(uint32_t key)
{
    if (!Find(key))
    {
        return false;
    }
    const uint32_t index = (key >> 8) - 1;
    m_slots[index].used = false;
    m_slots[index].region = RdmaMemoryRegion();
    m_unused.push_back(index);
    return true;
}

bool
RdmaMemoryTable::Invalidate(uint32_t key, const RdmaProtectionDomain* domain)
{
    const Slot* slot = Find(key);
    if (!slot || !slot->remote || PeekPointer(slot->region.domain) != domain)
    {
        return false;
    }
    m_slots[(key >> 8) - 1].remote = false;
    return true;
}

bool
RdmaMemoryTable::IsAllowed(uint32_t key,
                           const RdmaProtectionDomain* domain,
                           uint32_t access,
                           uint64_t address,
                           uint64_t length) const
{
    if (length == 0)
    {
        return true;
    }
    const Slot* slot = Find(key);
    if (!slot)
    {
        return false;
    }
    const RdmaMemoryRegion& region = slot->region;
    const uint64_t first = GetFirst(region);
    return PeekPointer(region.domain) == domain && (region.access & access) == access &&
           (slot->remote || !(access & REMOTE_RIGHTS)) && address >= first &&
           length <= region.length && address - first <= region.length - length;
}

bool
RdmaMemoryTable::HasBytes(uint32_t key) const
{
    const Slot* slot = Find(key);
    return slot && slot->region.bytes;
}

uint8_t*
RdmaMemoryTable::GetBytes(uint32_t key, uint64_t address, uint64_t length) const
{
    const Slot* slot = Find(key);
    if (!slot || !slot->region.bytes)
    {
        return nullptr;
    }
    const uint64_t offset = address - GetFirst(slot->region);
    std::vector<uint8_t>& bytes = *slot->region.bytes;
    // The vector is the user's, and may have become shorter.
    return offset <= bytes.size() && length <= bytes.size() - offset ? bytes.data() + offset
                                                                     : nullptr;
}

uint32_t
RdmaMemoryTable::GetNRegions() const
{
    return m_slots.size() - m_unused.size();
}

} // namespace rdma
} // namespace ns3
