/* SPDX-License-Identifier: GPL-2.0-only */
/* The congestion control table of an InfiniBand channel adapter. */

#include "ns3/rdma-ib-cct.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

namespace ns3
{
namespace rdma
{

// ns-3's macro does not use all parameters of its functions, which clang takes for ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
ATTRIBUTE_HELPER_CPP(RdmaIbCct);
#pragma GCC diagnostic pop

namespace
{

/**
 * \param word A word.
 * \param entry On success what it says.
 * \return Whether it is shift:multiplier, both in range.
 */
bool
ReadEntry(const std::string& word, RdmaIbCct::Entry& entry)
{
    const std::size_t colon = word.find(':');
    const auto isNumber = [](const std::string& digits) {
        return !digits.empty() && digits.size() <= 5 &&
               digits.find_first_not_of("0123456789") == std::string::npos;
    };
    if (colon == std::string::npos || !isNumber(word.substr(0, colon)) ||
        !isNumber(word.substr(colon + 1)))
    {
        return false;
    }
    const int shift = std::stoi(word.substr(0, colon));
    const int multiplier = std::stoi(word.substr(colon + 1));
    if (shift > RdmaIbCct::MAX_SHIFT || multiplier > RdmaIbCct::MAX_MULTIPLIER)
    {
        return false;
    }
    entry = {static_cast<uint8_t>(shift), static_cast<uint16_t>(multiplier)};
    return true;
}

} // namespace

RdmaIbCct::RdmaIbCct()
{
    *this = Linear();
}

RdmaIbCct
RdmaIbCct::Linear()
{
    std::vector<Entry> entries;
    for (uint16_t i = 0; i < PRESET_ENTRIES; ++i)
    {
        entries.push_back({0, i});
    }
    return RdmaIbCct(std::move(entries));
}

RdmaIbCct
RdmaIbCct::Llnl()
{
    std::vector<Entry> entries;
    for (uint32_t i = 0; i < PRESET_ENTRIES; ++i)
    {
        entries.push_back({3, static_cast<uint16_t>(7'000 * i * i / (106 * 106 * 408))});
    }
    return RdmaIbCct(std::move(entries));
}

RdmaIbCct::RdmaIbCct(std::vector<Entry> entries)
    : m_entries(std::move(entries))
{
}

uint32_t
RdmaIbCct::GetSize() const
{
    return m_entries.size();
}

const RdmaIbCct::Entry&
RdmaIbCct::GetEntry(uint32_t index) const
{
    return m_entries.at(index);
}

uint64_t
RdmaIbCct::GetRate(uint32_t index, uint64_t bitsPerSecond) const
{
    const Entry& entry = GetEntry(index);
    return (bitsPerSecond << entry.shift) / ((1U << entry.shift) + entry.multiplier);
}

bool
RdmaIbCct::operator==(const RdmaIbCct& other) const
{
    return std::equal(m_entries.begin(),
                      m_entries.end(),
                      other.m_entries.begin(),
                      other.m_entries.end(),
                      [](const Entry& a, const Entry& b) {
                          return a.shift == b.shift && a.multiplier == b.multiplier;
                      });
}

std::ostream&
operator<<(std::ostream& os, const RdmaIbCct& table)
{
    const char* separator = "";
    for (uint32_t i = 0; i < table.GetSize(); ++i)
    {
        const RdmaIbCct::Entry& entry = table.GetEntry(i);
        os << separator << +entry.shift << ':' << entry.multiplier;
        separator = " ";
    }
    return os;
}

std::istream&
operator>>(std::istream& is, RdmaIbCct& table)
{
    std::string text;
    std::getline(is, text, '\0'); // all of it
    if (text == "linear" || text == "llnl")
    {
        table = text == "linear" ? RdmaIbCct::Linear() : RdmaIbCct::Llnl();
        return is;
    }
    std::istringstream words(text);
    std::vector<RdmaIbCct::Entry> entries;
    for (std::string word; words >> word;)
    {
        RdmaIbCct::Entry entry{};
        if (!ReadEntry(word, entry) || entries.size() == RdmaIbCct::MAX_ENTRIES)
        {
            is.setstate(std::ios::failbit);
            return is;
        }
        entries.push_back(entry);
    }
    if (entries.empty())
    {
        is.setstate(std::ios::failbit);
        return is;
    }
    table = RdmaIbCct(std::move(entries));
    return is;
}

} // namespace rdma
} // namespace ns3
