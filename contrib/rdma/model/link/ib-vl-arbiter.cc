/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/ib-vl-arbiter.h"

#include "ns3/assert.h"

#include <sstream>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr uint32_t WEIGHT_UNIT = 64;  // bytes, IBA volume 1, section 7.6.9
constexpr uint32_t LIMIT_UNIT = 4096; // bytes
constexpr std::size_t MOST_ENTRIES = 64;
constexpr uint32_t MOST_LANES = 15;

} // namespace

std::string
IbVlArbiter::Parse(const std::string& text, uint32_t lanes, Table& table)
{
    table = Table();
    std::istringstream in(text);
    std::string item;
    std::size_t entries = 0;
    while (std::getline(in, item, ','))
    {
        std::istringstream pair(item);
        unsigned lane = 0;
        unsigned weight = 0;
        char colon = 0;
        char rest = 0;
        if (!(pair >> lane >> colon >> weight) || colon != ':' || pair >> rest ||
            lane >= MOST_LANES || weight > 255)
        {
            return "an entry of a virtual lane arbitration table is a lane from 0 to 14, a colon, "
                   "and a weight from 0 to 255, got \"" +
                   item + "\"";
        }
        if (++entries > MOST_ENTRIES)
        {
            return "a virtual lane arbitration table has at most 64 entries, got \"" + text + "\"";
        }
        if (weight && lane < lanes)
        {
            table.entries.push_back({static_cast<uint8_t>(lane), weight * WEIGHT_UNIT});
            table.mask |= 1U << lane;
        }
    }
    return "";
}

std::string
IbVlArbiter::Configure(const std::string& high,
                       const std::string& low,
                       uint8_t limit,
                       uint32_t lanes)
{
    for (const std::string& why : {Parse(high, lanes, m_high), Parse(low, lanes, m_low)})
    {
        if (!why.empty())
        {
            return why;
        }
    }
    const uint32_t missing = ((1U << lanes) - 1) & ~(m_high.mask | m_low.mask);
    if (missing)
    {
        return "virtual lane " + std::to_string(__builtin_ctz(missing)) +
               " would never send: it has no weight in either arbitration table";
    }
    m_unlimited = limit == NO_LIMIT;
    m_limit = static_cast<uint64_t>(limit) * LIMIT_UNIT;
    m_highBytes = 0;
    m_selected = nullptr;
    return "";
}

uint32_t
IbVlArbiter::Next(Table& table, uint32_t eligible)
{
    while (true)
    {
        const Entry& entry = table.entries[table.turn];
        if ((eligible >> entry.lane & 1) && table.used < entry.weight)
        {
            return entry.lane;
        }
        table.turn = (table.turn + 1) % table.entries.size();
        table.used = 0;
    }
}

uint32_t
IbVlArbiter::Select(uint32_t eligible)
{
    const bool high = eligible & m_high.mask;
    const bool low = eligible & m_low.mask;
    NS_ASSERT_MSG(high || low, "a lane is in a table");
    const bool lowTurn = !m_unlimited && m_highBytes > 0 && m_highBytes >= m_limit;
    m_selected = high && !(low && lowTurn) ? &m_high : &m_low;
    return Next(*m_selected, eligible);
}

void
IbVlArbiter::Charge(uint32_t bytes)
{
    m_selected->used += bytes;
    m_highBytes = m_selected == &m_high ? m_highBytes + bytes : 0;
}

} // namespace rdma
} // namespace ns3
