/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-tree.h"

#include "ns3/fabric-input-error.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace ns3::rdma::runner
{

namespace
{

/** \returns the 1-based line of the byte at \p offset */
int
LineOf(const std::string& text, std::size_t offset)
{
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + offset, '\n'));
}

/**
 * \param text UTF-8 or not
 * \param at the offset of a first byte
 * \returns the length of the well-formed sequence that starts there, 0 if there is none
 */
std::size_t
Utf8SequenceLength(const std::string& text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
    const uint8_t first = byte(at);
    if (first < 0x80)
    {
        return 1;
    }
    // 0xc0 and 0xc1 would be overlong; above 0xf4 lies beyond U+10FFFF.
    const std::size_t length = first >= 0xf0 ? 4 : (first >= 0xe0 ? 3 : 2);
    if (first < 0xc2 || first > 0xf4 || at + length > text.size())
    {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i)
    {
        if ((byte(at + i) & 0xc0) != 0x80)
        {
            return 0;
        }
    }
    const bool overlong =
        (first == 0xe0 && byte(at + 1) < 0xa0) || (first == 0xf0 && byte(at + 1) < 0x90);
    const bool surrogate = first == 0xed && byte(at + 1) >= 0xa0;
    const bool beyond = first == 0xf4 && byte(at + 1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/** Refuses what no text file holds, so that the YAML scanner only ever sees text. */
void
CheckText(const std::string& file, const std::string& text)
{
    for (std::size_t i = 0; i < text.size();)
    {
        const auto byte = static_cast<uint8_t>(text[i]);
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
        {
            std::ostringstream message;
            message << "the file holds a control character (byte 0x" << std::hex << int{byte}
                    << "); it must be UTF-8 text";
            throw FabricInputError(file, LineOf(text, i), message.str());
        }
        const std::size_t length = Utf8SequenceLength(text, i);
        if (length == 0)
        {
            throw FabricInputError(file, LineOf(text, i), "the file is not valid UTF-8 text");
        }
        i += length;
    }
}

/** \returns the checked text of the file with neither byte order mark nor carriage returns */
std::string
ReadText(const std::string& file, std::size_t limit)
{
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
    {
        throw FabricInputError(file, 0, "the file does not exist or cannot be reached");
    }
    if (std::filesystem::is_directory(status))
    {
        throw FabricInputError(file, 0, "this is a directory, not an experiment file");
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(limit + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad() || (!stream && !stream.eof()))
    {
        throw FabricInputError(file, 0, "the file cannot be read");
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit)
    {
        throw FabricInputError(file,
                               0,
                               "the file is larger than " + std::to_string(limit) + " bytes");
    }
    if (text.compare(0, 3, "\xef\xbb\xbf") == 0)
    {
        text.erase(0, 3);
    }
    // A carriage return counts as a line end only before a line feed; alone it is refused below.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
        {
            text[kept++] = text[i];
        }
    }
    text.resize(kept);
    CheckText(file, text);
    return text;
}

/** Builds the tree from the parser's events. */
class TreeBuilder : public YAML::EventHandler
{
  public:
    TreeBuilder(const std::string& file, const ExperimentTreeLimits& limits)
        : m_file(file),
          m_limits(limits)
    {
    }

    /** \returns the finished tree */
    ExperimentNode Take()
    {
        return std::move(m_root);
    }

    void OnDocumentStart(const YAML::Mark&) override {}

    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        Leaf(mark, anchor, ExperimentNode::Kind::NOTHING, "");
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override
    {
        CheckTag(mark, tag);
        const bool plainNull = tag == "?" && (value.empty() || value == "~" || value == "null");
        Leaf(mark,
             anchor,
             plainNull ? ExperimentNode::Kind::NOTHING : ExperimentNode::Kind::SCALAR,
             value);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto known = m_anchors.find(anchor);
        if (known == m_anchors.end())
        {
            Refuse(mark, "an alias refers to the value that contains it");
        }
        if (ExpectsKey())
        {
            Refuse(mark, "an alias cannot be a key");
        }
        Count(mark, Size(known->second), Depth(known->second));
        ExperimentNode copy = known->second;
        copy.line = mark.line + 1;
        Place(std::move(copy));
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        CheckTag(mark, tag);
        Open(mark, anchor, ExperimentNode::Kind::LIST);
    }

    void OnSequenceEnd() override
    {
        Close();
    }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        CheckTag(mark, tag);
        Open(mark, anchor, ExperimentNode::Kind::MAP);
    }

    void OnMapEnd() override
    {
        Close();
    }

  private:
    /** A list or map that is still growing. */
    struct OpenNode
    {
        ExperimentNode node;        //!< what is there so far
        YAML::anchor_t anchor;      //!< its anchor, 0 for none
        bool hasKey{false};         //!< in a map: a key waits for its value
        std::string key;            //!< the key that waits
        int keyLine{0};             //!< its line
        std::set<std::string> keys; //!< in a map: the keys so far
    };

    [[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& sentence) const
    {
        throw FabricInputError(m_file, mark.line + 1, sentence);
    }

    void CheckTag(const YAML::Mark& mark, const std::string& tag) const
    {
        if (!tag.empty() && tag != "?" && tag != "!")
        {
            Refuse(mark, "the YAML tag '" + tag + "' is not supported; write the plain value");
        }
    }

    /** Keeps the number of values and the nesting within the limits. */
    void Count(const YAML::Mark& mark, std::size_t nodes, std::size_t depth)
    {
        m_nodes += nodes;
        if (m_nodes > m_limits.nodes)
        {
            Refuse(mark,
                   "the file holds more than " + std::to_string(m_limits.nodes) +
                       " values, aliases expanded");
        }
        if (m_open.size() + depth > m_limits.depth)
        {
            Refuse(mark,
                   "values are nested deeper than " + std::to_string(m_limits.depth) + " levels");
        }
    }

    bool ExpectsKey() const
    {
        return !m_open.empty() && m_open.back().node.kind == ExperimentNode::Kind::MAP &&
               !m_open.back().hasKey;
    }

    void Leaf(const YAML::Mark& mark,
              YAML::anchor_t anchor,
              ExperimentNode::Kind kind,
              const std::string& text)
    {
        Count(mark, 1, 1);
        if (ExpectsKey())
        {
            TakeKey(mark, text);
            return;
        }
        ExperimentNode node;
        node.kind = kind;
        node.text = text;
        node.line = mark.line + 1;
        Remember(anchor, node);
        Place(std::move(node));
    }

    void TakeKey(const YAML::Mark& mark, const std::string& text)
    {
        OpenNode& map = m_open.back();
        if (text.empty())
        {
            Refuse(mark, "a key is empty");
        }
        if (!map.keys.insert(text).second)
        {
            const int first = map.node.Find(text)->line;
            Refuse(mark,
                   "key '" + text + "' is given twice (first on line " + std::to_string(first) +
                       ")");
        }
        map.hasKey = true;
        map.key = text;
        map.keyLine = mark.line + 1;
    }

    void Open(const YAML::Mark& mark, YAML::anchor_t anchor, ExperimentNode::Kind kind)
    {
        Count(mark, 1, 1);
        if (ExpectsKey())
        {
            Refuse(mark, "a list or map cannot be a key");
        }
        OpenNode open;
        open.node.kind = kind;
        open.node.line = mark.line + 1;
        open.anchor = anchor;
        m_open.push_back(std::move(open));
    }

    void Close()
    {
        OpenNode closed = std::move(m_open.back());
        m_open.pop_back();
        Remember(closed.anchor, closed.node);
        Place(std::move(closed.node));
    }

    void Remember(YAML::anchor_t anchor, const ExperimentNode& node)
    {
        if (anchor != 0)
        {
            m_anchors[anchor] = node;
        }
    }

    void Place(ExperimentNode node)
    {
        if (m_open.empty())
        {
            m_root = std::move(node);
            return;
        }
        OpenNode& parent = m_open.back();
        if (parent.hasKey)
        {
            node.key = parent.key;
            node.line = parent.keyLine;
            parent.hasKey = false;
        }
        parent.node.children.push_back(std::move(node));
    }

    static std::size_t Size(const ExperimentNode& node)
    {
        std::size_t size = 1;
        for (const ExperimentNode& child : node.children)
        {
            size += Size(child);
        }
        return size;
    }

    static std::size_t Depth(const ExperimentNode& node)
    {
        std::size_t below = 0;
        for (const ExperimentNode& child : node.children)
        {
            below = std::max(below, Depth(child));
        }
        return below + 1;
    }

    const std::string& m_file;
    const ExperimentTreeLimits m_limits;
    std::size_t m_nodes{0};
    ExperimentNode m_root;
    std::vector<OpenNode> m_open;
    std::map<YAML::anchor_t, ExperimentNode> m_anchors;
};

} // namespace

const ExperimentNode*
ExperimentNode::Find(const std::string& name) const
{
    const auto found = std::find_if(children.begin(), children.end(), [&](const auto& child) {
        return child.key == name;
    });
    return found == children.end() ? nullptr : &*found;
}

ExperimentNode
ReadExperimentTree(const std::string& file, const ExperimentTreeLimits& limits)
{
    std::istringstream stream(ReadText(file, limits.bytes));
    TreeBuilder builder(file, limits);
    try
    {
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder))
        {
            throw FabricInputError(file, 1, "the file is empty; it must hold an experiment");
        }
        TreeBuilder second(file, limits);
        if (parser.HandleNextDocument(second))
        {
            throw FabricInputError(file,
                                   second.Take().line,
                                   "the file holds a second YAML document; only one is allowed");
        }
    }
    catch (const YAML::Exception& error)
    {
        throw FabricInputError(file,
                               error.mark.is_null() ? 0 : error.mark.line + 1,
                               "this is not valid YAML: " + error.msg);
    }
    ExperimentNode root = builder.Take();
    if (root.kind == ExperimentNode::Kind::NOTHING)
    {
        throw FabricInputError(file, 1, "the file is empty; it must hold an experiment");
    }
    if (root.kind != ExperimentNode::Kind::MAP)
    {
        throw FabricInputError(file, root.line, "the file must hold a map of keys and values");
    }
    return root;
}

void
OverlayExperimentTree(ExperimentNode& base, const ExperimentNode& overlay)
{
    if (base.kind != ExperimentNode::Kind::MAP || overlay.kind != ExperimentNode::Kind::MAP)
    {
        base = overlay;
        return;
    }
    for (const ExperimentNode& child : overlay.children)
    {
        const auto same = std::find_if(base.children.begin(),
                                       base.children.end(),
                                       [&](const auto& other) { return other.key == child.key; });
        if (same == base.children.end())
        {
            base.children.push_back(child);
        }
        else
        {
            OverlayExperimentTree(*same, child);
        }
    }
}

} // namespace ns3::rdma::runner
