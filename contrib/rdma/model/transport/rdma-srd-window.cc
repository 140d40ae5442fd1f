/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-window.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

void
RdmaSrdWindow::Grow()
{
    std::vector<uint64_t> old(std::max<std::size_t>(1, 2 * m_words.size()));
    old.swap(m_words);
    // Words keep their place modulo the size. The word of the base may hold both ends of the ring.
    for (uint64_t i = 0; i < 64 * old.size(); ++i)
    {
        const uint64_t sequence = m_base + i;
        if (old[(sequence >> 6) & (old.size() - 1)] >> (sequence & 63) & 1)
        {
            m_words[WordOf(sequence)] |= uint64_t{1} << (sequence & 63);
        }
    }
}

void
RdmaSrdWindow::Insert(uint64_t sequence)
{
    NS_ASSERT_MSG(!Contains(sequence), "a sequence number is inserted once");
    if (sequence == m_base)
    {
        // In order: no bit is needed, only those behind it may follow.
        ++m_base;
        while (Contains(m_base))
        {
            m_words[WordOf(m_base)] &= ~(uint64_t{1} << (m_base & 63));
            ++m_base;
        }
        return;
    }
    while (sequence - m_base >= GetRoom())
    {
        Grow();
    }
    m_words[WordOf(sequence)] |= uint64_t{1} << (sequence & 63);
}

uint64_t
RdmaSrdWindow::GetBefore(uint64_t sequence) const
{
    if (sequence <= m_base)
    {
        return ~uint64_t{0};
    }
    const uint64_t first = sequence - 64;
    const auto word = [this](uint64_t number) {
        // Bits of the 64 numbers from number on, which is a multiple of 64.
        if (number + 64 <= m_base)
        {
            return ~uint64_t{0};
        }
        uint64_t bits = 0;
        if (!m_words.empty() && number < m_base + GetRoom())
        {
            bits = m_words[WordOf(number)];
            if (number + 64 > m_base + GetRoom())
            {
                bits &= (uint64_t{1} << ((m_base + GetRoom()) & 63)) - 1;
            }
        }
        if (number < m_base)
        {
            const uint64_t below = (uint64_t{1} << (m_base & 63)) - 1;
            bits |= below;
        }
        return bits;
    };
    const unsigned shift = first & 63;
    const uint64_t low = word(first - shift);
    return shift ? low >> shift | word(first - shift + 64) << (64 - shift) : low;
}

} // namespace rdma
} // namespace ns3
