/* SPDX-License-Identifier: GPL-2.0-only */
/* A text file of columns, read line by line. */

#include "ns3/fabric-input-lines.h"

#include "ns3/fabric-units.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ns3
{

namespace
{

/// The bytes between columns.
constexpr const char* BLANKS = " \t";

/// What a file may hold.
constexpr const char* ALLOWED = "plain text in ASCII or UTF-8";

} // namespace

FabricInputLines::FabricInputLines(const std::string& file)
    : m_file(file)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
    {
        throw FabricInputError(file, 0, "is a directory; a text file is needed");
    }
    errno = 0;
    m_stream.open(file, std::ios::binary);
    if (!m_stream)
    {
        throw FabricInputError(file,
                               0,
                               std::string("cannot be opened for reading: ") +
                                   std::strerror(errno ? errno : EIO));
    }
    if (m_stream.peek() == 0xef)
    {
        char mark[3] = {};
        m_stream.read(mark, sizeof(mark));
        if (std::memcmp(mark, "\xef\xbb\xbf", sizeof(mark)) != 0)
        {
            m_stream.clear();
            m_stream.seekg(0);
        }
    }
    if (m_stream.peek() == std::ifstream::traits_type::eof())
    {
        throw FabricInputError(file, 1, std::string("the file is empty; allowed: ") + ALLOWED);
    }
}

bool
FabricInputLines::Next()
{
    std::string text;
    while (ReadLine(text))
    {
        std::size_t at = text.find_first_not_of(BLANKS);
        if (at == std::string::npos || text[at] == '#')
        {
            continue;
        }
        m_columns.clear();
        while (at != std::string::npos)
        {
            const std::size_t end = text.find_first_of(BLANKS, at);
            m_columns.push_back(text.substr(at, end - at));
            at = text.find_first_not_of(BLANKS, end);
        }
        return true;
    }
    return false;
}

bool
FabricInputLines::ReadLine(std::string& text)
{
    text.clear();
    auto* const buffer = m_stream.rdbuf();
    int next = buffer->sbumpc();
    if (next == std::ifstream::traits_type::eof())
    {
        return false;
    }
    ++m_line;
    for (; next != std::ifstream::traits_type::eof() && next != '\n'; next = buffer->sbumpc())
    {
        if (next == 0)
        {
            Refuse("the line has a NUL byte in column " + std::to_string(text.size() + 1) +
                   "; allowed: " + ALLOWED);
        }
        if (text.size() == MAX_LINE)
        {
            Refuse("the line is longer than " + std::to_string(MAX_LINE) + " bytes, it begins " +
                   FabricInputError::Quote(text) + "; allowed: up to " + std::to_string(MAX_LINE));
        }
        text += static_cast<char>(next);
    }
    if (!text.empty() && text.back() == '\r')
    {
        text.pop_back();
    }
    return true;
}

uint64_t
FabricInputLines::GetLine() const
{
    return m_line;
}

const std::vector<std::string>&
FabricInputLines::GetColumns() const
{
    return m_columns;
}

void
FabricInputLines::Require(std::size_t number, const std::string& names) const
{
    if (m_columns.size() != number)
    {
        std::string all;
        for (const auto& column : m_columns)
        {
            all += (all.empty() ? "" : " ") + column;
        }
        Refuse("the line " + FabricInputError::Quote(all) + " has " +
               std::to_string(m_columns.size()) + (m_columns.size() == 1 ? " column" : " columns") +
               "; allowed: " + std::to_string(number) + ", " + names);
    }
}

uint64_t
FabricInputLines::ReadInteger(std::size_t column,
                              const std::string& name,
                              uint64_t lowest,
                              uint64_t highest) const
{
    return ParseInteger(m_columns[column], name, lowest, highest);
}

uint64_t
FabricInputLines::ParseInteger(const std::string& text,
                               const std::string& name,
                               uint64_t lowest,
                               uint64_t highest) const
{
    const std::string range =
        "; allowed: " + std::to_string(lowest) + " to " + std::to_string(highest);
    const std::size_t sign = text[0] == '-' ? 1 : 0;
    if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos)
    {
        Refuse("the " + name + " " + FabricInputError::Quote(text) + " is not a whole number" +
               range);
    }
    // 19 digits fit 64 bits, and no allowed value has more.
    const uint64_t value = text.size() <= 19 ? std::stoull(text) : UINT64_MAX;
    if (sign || value < lowest || value > highest)
    {
        Refuse("the " + name + " " + FabricInputError::Quote(text) + " is out of range" + range);
    }
    return value;
}

void
FabricInputLines::Refuse(const std::string& sentence) const
{
    throw FabricInputError(m_file, m_line, sentence);
}

void
FabricInputLines::NoteSurplus(std::size_t columns,
                              const std::string& noun,
                              uint64_t announced,
                              std::vector<std::string>* notes)
{
    const auto isNumber = [](const std::string& text) {
        return text.find_first_not_of("0123456789") == std::string::npos;
    };
    uint64_t surplus = 0;
    uint64_t first = 0;
    while (Next())
    {
        if (m_columns.size() == columns && isNumber(m_columns[0]) && isNumber(m_columns[1]))
        {
            first = surplus++ ? first : m_line;
        }
    }
    if (surplus && notes)
    {
        notes->push_back(m_file + ":" + std::to_string(first) + ": " + std::to_string(surplus) +
                         " more " + noun + " follow the " + std::to_string(announced) +
                         " announced ones and are not read");
    }
}

} // namespace ns3
