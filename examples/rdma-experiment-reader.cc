/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-reader.h"

#include "ns3/fabric-input-error.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace ns3::rdma::runner
{

namespace
{

/** \return how many insertions, deletions and replacements turn one word into the other */
std::size_t
EditDistance(const std::string& from, const std::string& to)
{
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= from.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j)
        {
            const std::size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

/** \return the word nearest to \p wrong, empty when none is near */
template <typename Words>
std::string
Nearest(const std::string& wrong, const Words& words)
{
    // Half of the letters wrong is no longer a slip of the pen.
    std::size_t best = std::min<std::size_t>(wrong.size(), 64) / 2 + 1;
    std::string nearest;
    for (const std::string& word : words)
    {
        const std::size_t distance = EditDistance(wrong.substr(0, 64), word);
        if (distance < best)
        {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

template <typename Words>
std::string
Join(const Words& words)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + std::string(word);
    }
    return joined;
}

/** \return the integer that the whole text is */
std::optional<int64_t>
ParseInteger(const std::string& text)
{
    const bool negative = !text.empty() && text[0] == '-';
    try
    {
        const auto magnitude =
            static_cast<int64_t>(FabricUnits::ParseDecimal(text.substr(negative), 0));
        return negative ? -magnitude : magnitude;
    }
    catch (const std::invalid_argument&)
    {
        return std::nullopt;
    }
}

/** \return the number that the whole text is; no "nan", "inf" or hexadecimal */
std::optional<double>
ParseNumber(const std::string& text)
{
    if (text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    {
        return std::nullopt;
    }
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double value = 0;
    if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof())
    {
        return std::nullopt;
    }
    return value;
}

/** \return the number, or the quotient of the two numbers around a slash */
std::optional<double>
ParseNumberOrFraction(const std::string& text)
{
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
    {
        return ParseNumber(text);
    }
    const auto numerator = ParseNumber(text.substr(0, slash));
    const auto denominator = ParseNumber(text.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0)
    {
        return std::nullopt;
    }
    return *numerator / *denominator;
}

std::string
Plain(double value)
{
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    stream << value;
    return stream.str();
}

} // namespace

ExperimentReader::ExperimentReader(const std::string& file,
                                   const ExperimentNode& map,
                                   const std::string& path)
    : m_file(file),
      m_map(map),
      m_path(path)
{
    if (map.kind != ExperimentNode::Kind::MAP)
    {
        throw FabricInputError(file, map.line, "key '" + path + "' must hold a map of keys");
    }
}

void
ExperimentReader::Require(std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
    {
        if (!Has(key))
        {
            RefuseMap("key '" + FullKey(key) + "' is missing");
        }
    }
}

bool
ExperimentReader::Has(const std::string& key)
{
    return Find(key) != nullptr;
}

const ExperimentNode*
ExperimentReader::Find(const std::string& key)
{
    m_known.insert(key);
    return m_map.Find(key);
}

const std::vector<ExperimentNode>&
ExperimentReader::All()
{
    for (const ExperimentNode& child : m_map.children)
    {
        m_known.insert(child.key);
    }
    return m_map.children;
}

const ExperimentNode*
ExperimentReader::Scalar(const std::string& key)
{
    const ExperimentNode* node = Find(key);
    if (node == nullptr)
    {
        return nullptr;
    }
    switch (node->kind)
    {
    case ExperimentNode::Kind::SCALAR:
        return node;
    case ExperimentNode::Kind::NOTHING:
        throw FabricInputError(m_file, node->line, "key '" + FullKey(key) + "' has no value");
    case ExperimentNode::Kind::LIST:
    case ExperimentNode::Kind::MAP:
        break;
    }
    throw FabricInputError(m_file,
                           node->line,
                           "key '" + FullKey(key) + "' must hold a single value");
}

int64_t
ExperimentReader::Integer(const std::string& key, int64_t value, int64_t lowest, int64_t highest)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return value;
    }
    const auto parsed = ParseInteger(node->text);
    const std::string allowed = std::to_string(lowest) + " to " + std::to_string(highest);
    if (!parsed)
    {
        RefuseValue(key, "is not a whole number", allowed);
    }
    if (*parsed < lowest || *parsed > highest)
    {
        RefuseValue(key, "is out of range", allowed);
    }
    return *parsed;
}

void
ExperimentReader::ReadNumber(const std::string& key, double& value, double lowest, double highest)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    const auto parsed = ParseNumberOrFraction(node->text);
    const std::string allowed = Plain(lowest) + " to " + Plain(highest);
    if (!parsed)
    {
        RefuseValue(key, "is not a number", allowed);
    }
    if (*parsed < lowest || *parsed > highest)
    {
        RefuseValue(key, "is out of range", allowed);
    }
    value = *parsed;
}

void
ExperimentReader::ReadSwitch(const std::string& key, bool& value)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    const std::string& text = node->text;
    if (text == "true" || text == "yes" || text == "on")
    {
        value = true;
    }
    else if (text == "false" || text == "no" || text == "off")
    {
        value = false;
    }
    else
    {
        RefuseValue(key, "is neither on nor off", "on, off, true, false, yes, no");
    }
}

void
ExperimentReader::ReadWord(const std::string& key,
                           std::string& value,
                           std::initializer_list<const char*> words)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    const std::vector<std::string> allowed(words.begin(), words.end());
    if (std::find(allowed.begin(), allowed.end(), node->text) == allowed.end())
    {
        RefuseValue(key, "is unknown", Join(allowed));
    }
    value = node->text;
}

void
ExperimentReader::ReadText(const std::string& key, std::string& value)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    if (node->text.empty())
    {
        RefuseValue(key, "is empty", "any text");
    }
    value = node->text;
}

void
ExperimentReader::ReadRate(const std::string& key, uint64_t& value)
{
    if (const ExperimentNode* node = Scalar(key))
    {
        try
        {
            value = FabricUnits::ParseRate(node->text);
        }
        catch (const std::invalid_argument& error)
        {
            throw FabricInputError(m_file,
                                   node->line,
                                   "key '" + FullKey(key) + "': " + error.what());
        }
    }
}

void
ExperimentReader::ReadTime(const std::string& key, int64_t& value, int64_t lowest, int64_t highest)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    int64_t parsed = 0;
    try
    {
        parsed = FabricUnits::ParseTime(node->text);
    }
    catch (const std::invalid_argument& error)
    {
        throw FabricInputError(m_file, node->line, "key '" + FullKey(key) + "': " + error.what());
    }
    if (parsed < lowest || parsed > highest)
    {
        RefuseValue(key,
                    "is out of range",
                    FabricUnits::FormatTime(lowest) + " to " + FabricUnits::FormatTime(highest));
    }
    value = parsed;
}

void
ExperimentReader::ReadBytes(const std::string& key,
                            uint64_t& value,
                            uint64_t lowest,
                            uint64_t highest)
{
    const ExperimentNode* node = Scalar(key);
    if (node == nullptr)
    {
        return;
    }
    uint64_t parsed = 0;
    try
    {
        parsed = FabricUnits::ParseSize(node->text);
    }
    catch (const std::invalid_argument& error)
    {
        throw FabricInputError(m_file, node->line, "key '" + FullKey(key) + "': " + error.what());
    }
    if (parsed < lowest || parsed > highest)
    {
        RefuseValue(key,
                    "is out of range",
                    std::to_string(lowest) + "B to " + std::to_string(highest) + "B");
    }
    value = parsed;
}

void
ExperimentReader::ReadIntegers(const std::string& key,
                               std::vector<uint32_t>& values,
                               int64_t lowest,
                               int64_t highest)
{
    const ExperimentNode* node = Find(key);
    if (node == nullptr)
    {
        return;
    }
    std::vector<uint32_t> parsed;
    if (node->kind != ExperimentNode::Kind::LIST)
    {
        parsed.push_back(static_cast<uint32_t>(Integer(key, 0, lowest, highest)));
    }
    for (const ExperimentNode& item : node->children)
    {
        const auto number =
            item.kind == ExperimentNode::Kind::SCALAR ? ParseInteger(item.text) : std::nullopt;
        if (!number || *number < lowest || *number > highest)
        {
            throw FabricInputError(
                m_file,
                item.line,
                "key '" + FullKey(key) + "': item " + FabricInputError::Quote(item.text) +
                    " is not a whole number in range; allowed: " + std::to_string(lowest) + " to " +
                    std::to_string(highest));
        }
        parsed.push_back(static_cast<uint32_t>(*number));
    }
    values = std::move(parsed);
}

void
ExperimentReader::ReadMap(const std::string& key,
                          const std::function<void(ExperimentReader&)>& read)
{
    if (const ExperimentNode* node = Find(key))
    {
        ExperimentReader nested(m_file, *node, FullKey(key));
        read(nested);
        nested.Finish();
    }
}

void
ExperimentReader::ReadMaps(const std::string& key,
                           const std::function<void(ExperimentReader&)>& read)
{
    const ExperimentNode* node = Find(key);
    if (node == nullptr)
    {
        return;
    }
    if (node->kind != ExperimentNode::Kind::LIST)
    {
        throw FabricInputError(m_file,
                               node->line,
                               "key '" + FullKey(key) + "' must hold a list, each item after '- '");
    }
    for (std::size_t i = 0; i < node->children.size(); ++i)
    {
        ExperimentReader item(m_file,
                              node->children[i],
                              FullKey(key) + "[" + std::to_string(i) + "]");
        read(item);
        item.Finish();
    }
}

void
ExperimentReader::Finish() const
{
    for (const ExperimentNode& child : m_map.children)
    {
        if (m_known.count(child.key) == 0)
        {
            const std::string nearest = Nearest(child.key, m_known);
            throw FabricInputError(
                m_file,
                child.line,
                "key '" + FullKey(child.key) + "' is unknown here" +
                    (nearest.empty() ? "." : "; did you mean '" + nearest + "'?") +
                    (m_known.empty() ? "" : " Known keys: " + Join(m_known)));
        }
    }
}

void
ExperimentReader::RefuseValue(const std::string& key,
                              const std::string& reason,
                              const std::string& allowed) const
{
    const ExperimentNode* node = m_map.Find(key);
    const bool scalar = node != nullptr && node->kind == ExperimentNode::Kind::SCALAR;
    const std::string value = scalar ? " value " + FabricInputError::Quote(node->text) : "";
    throw FabricInputError(m_file,
                           LineOf(key),
                           "key '" + FullKey(key) + "':" + value + " " + reason +
                               (allowed.empty() ? "" : "; allowed: " + allowed));
}

void
ExperimentReader::RefuseMap(const std::string& sentence) const
{
    throw FabricInputError(m_file, m_map.line, sentence);
}

int
ExperimentReader::Line() const
{
    return m_map.line;
}

int
ExperimentReader::LineOf(const std::string& key) const
{
    const ExperimentNode* node = m_map.Find(key);
    return node == nullptr ? m_map.line : node->line;
}

const std::string&
ExperimentReader::File() const
{
    return m_file;
}

std::string
ExperimentReader::FullKey(const std::string& key) const
{
    return m_path.empty() ? key : m_path + "." + key;
}

} // namespace ns3::rdma::runner
