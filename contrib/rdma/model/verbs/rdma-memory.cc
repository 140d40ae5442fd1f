/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-memory.h"

namespace ns3
{
namespace rdma
{

std::optional<RdmaMemoryRegion>
RdmaMemoryTable::Register(Ptr<RdmaProtectionDomain> domain,
                          uint64_t address,
                          uint64_t length,
                          uint32_t access)
{
    const bool remoteChanges = access & (ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC);
    const bool wraps = length && address + (length - 1) < address;
    if (!domain || wraps || (remoteChanges && !(access & ACCESS_LOCAL_WRITE)))
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
    slot.used = true;
    const uint32_t key = (index + 1) << 8 | slot.tag;
    slot.region = {domain, address, length, access, key, key};
    return slot.region;
}

bool
RdmaMemoryTable::Deregister(uint32_t key)
{
    const uint32_t index = (key >> 8) - 1;
    if (index >= m_slots.size() || !m_slots[index].used || m_slots[index].tag != (key & 0xff))
    {
        return false;
    }
    m_slots[index].used = false;
    m_slots[index].region = RdmaMemoryRegion();
    m_unused.push_back(index);
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
    const uint32_t index = (key >> 8) - 1;
    if (index >= m_slots.size() || !m_slots[index].used || m_slots[index].tag != (key & 0xff))
    {
        return false;
    }
    const RdmaMemoryRegion& region = m_slots[index].region;
    return PeekPointer(region.domain) == domain && (region.access & access) == access &&
           address >= region.address && length <= region.length &&
           address - region.address <= region.length - length;
}

} // namespace rdma
} // namespace ns3
