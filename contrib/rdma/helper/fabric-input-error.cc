/* SPDX-License-Identifier: GPL-2.0-only */
/* The error that every reader of an input file throws. */

#include "ns3/fabric-input-error.h"

namespace ns3
{

namespace
{

/// Longest piece of a file that is repeated in a sentence, in bytes.
constexpr std::size_t LONGEST_QUOTE = 60;

} // namespace

FabricInputError::FabricInputError(const std::string& file,
                                   uint64_t line,
                                   const std::string& sentence)
    : std::runtime_error(file + ":" + (line ? std::to_string(line) + ":" : "") + " " + sentence),
      m_file(file),
      m_line(line)
{
}

const std::string&
FabricInputError::GetFile() const
{
    return m_file;
}

uint64_t
FabricInputError::GetLine() const
{
    return m_line;
}

std::string
FabricInputError::Quote(const std::string& text)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char character : text.substr(0, LONGEST_QUOTE))
    {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte >= 0x7f)
        {
            quoted += "\\x";
            quoted += digits[byte >> 4];
            quoted += digits[byte & 15];
        }
        else
        {
            quoted += character;
        }
    }
    quoted += text.size() > LONGEST_QUOTE ? "...\"" : "\"";
    return quoted;
}

} // namespace ns3
