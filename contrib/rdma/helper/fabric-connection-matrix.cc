/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads connection matrices of the htsim simulator. */

#include "ns3/fabric-connection-matrix.h"

#include "ns3/abort.h"
#include "ns3/fabric-input-lines.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace ns3
{

namespace
{

/// What the first lines announce.
struct Announced
{
    uint64_t nodes{0};          //!< how many hosts, 0 until it is read
    uint64_t connections{0};    //!< how many connections
    bool hasConnections{false}; //!< the number of connections was read
};

/// Words that stand for what this module does not do.
constexpr const char* UNSUPPORTED[] =
    {"trigger", "send_done_trigger", "recv_done_trigger", "addon", "prio", "failure"};

/**
 * Refuses a word of the current line.
 * \param lines The file.
 * \param word The word.
 * \param allowed What may stand there.
 */
[[noreturn]] void
RefuseWord(const FabricInputLines& lines, const std::string& word, const std::string& allowed)
{
    const bool known =
        std::find(std::begin(UNSUPPORTED), std::end(UNSUPPORTED), word) != std::end(UNSUPPORTED);
    lines.Refuse("the word " + FabricInputError::Quote(word) +
                 (known ? " is not supported" : " is unknown") + "; allowed: " + allowed);
}

/**
 * Reads a line before the first connection.
 * \param lines The file.
 * \param hosts How many hosts the network has.
 * \param announced What the line says is entered here.
 */
void
ReadAnnouncement(const FabricInputLines& lines, uint32_t hosts, Announced& announced)
{
    const std::string& word = lines.GetColumns()[0];
    const std::string names = "the word " + word + " and a number";
    if (word == "Nodes" && announced.nodes == 0)
    {
        lines.Require(2, names);
        announced.nodes = lines.ReadInteger(1, "number of nodes", 1, hosts);
    }
    else if (word == "Connections" && !announced.hasConnections)
    {
        lines.Require(2, names);
        announced.connections = lines.ReadInteger(1,
                                                  "number of connections",
                                                  0,
                                                  FabricConnectionMatrix::MAX_CONNECTIONS);
        announced.hasConnections = true;
    }
    else if (word == "Triggers" || word == "Failures")
    {
        lines.Require(2, names);
        lines.ReadInteger(1, "number of " + word + ", which are not supported,", 0, 0);
    }
    else if (word == "Nodes" || word == "Connections")
    {
        lines.Refuse("the line " + FabricInputError::Quote(word) +
                     " is there twice; allowed: one, before the connections");
    }
    else
    {
        RefuseWord(lines, word, "Nodes, Connections, or a connection such as 0->1");
    }
}

/**
 * Reads a line of the form a->b id i start t size s.
 * \param lines The file.
 * \param nodes How many hosts the file announces.
 * \param number The number of the line among the connections, from 1.
 * \return The flow.
 */
RdmaFlow
ReadConnection(const FabricInputLines& lines, uint64_t nodes, uint32_t number)
{
    const auto& columns = lines.GetColumns();
    const std::size_t arrow = columns[0].find("->");
    RdmaFlow flow;
    flow.id = number;
    flow.source = static_cast<uint32_t>(
        lines.ParseInteger(columns[0].substr(0, arrow), "source", 0, nodes - 1));
    flow.destination = static_cast<uint32_t>(
        lines.ParseInteger(columns[0].substr(arrow + 2), "destination", 0, nodes - 1));
    if (flow.source == flow.destination)
    {
        lines.Refuse("the connection " + FabricInputError::Quote(columns[0]) +
                     " leads to its own source; allowed: another host from 0 to " +
                     std::to_string(nodes - 1));
    }
    std::unordered_set<std::string> seen;
    for (std::size_t i = 1; i < columns.size(); i += 2)
    {
        const std::string& word = columns[i];
        if (word != "id" && word != "start" && word != "size")
        {
            RefuseWord(lines, word, "id, start and size");
        }
        if (!seen.insert(word).second || i + 1 == columns.size())
        {
            lines.Refuse("the word " + FabricInputError::Quote(word) +
                         (i + 1 == columns.size() ? " has no value" : " is there twice") +
                         "; allowed: once, followed by a value");
        }
        if (word == "id")
        {
            flow.id = static_cast<uint32_t>(
                lines.ReadInteger(i + 1, "id", 1, std::numeric_limits<uint32_t>::max()));
        }
        else if (word == "start")
        {
            flow.startPs = lines.Read(i + 1, word, [](const std::string& text) {
                return FabricUnits::ParseTime(text, "ps");
            });
        }
        else
        {
            flow.bytes = lines.Read(i + 1, word, FabricUnits::ParseSize);
            if (flow.bytes == 0)
            {
                lines.Refuse("the size " + FabricInputError::Quote(columns[i + 1]) +
                             " is too small; allowed: 1B to 1000000TB");
            }
        }
    }
    for (const char* needed : {"start", "size"})
    {
        if (seen.count(needed) == 0)
        {
            lines.Refuse("the connection " + FabricInputError::Quote(columns[0]) + " has no " +
                         needed +
                         "; allowed: a->b id i start t size s, of which only the id may "
                         "be missing");
        }
    }
    return flow;
}

} // namespace

std::vector<RdmaFlow>
FabricConnectionMatrix::Read(const std::string& file, uint32_t hosts)
{
    NS_ABORT_MSG_IF(hosts == 0, "A connection matrix needs a network with hosts");
    FabricInputLines lines(file);
    Announced announced;
    std::vector<RdmaFlow> flows;
    std::unordered_set<uint32_t> ids;
    while (lines.Next())
    {
        if (lines.GetColumns()[0].find("->") == std::string::npos)
        {
            if (!flows.empty())
            {
                RefuseWord(lines, lines.GetColumns()[0], "connections such as 0->1");
            }
            ReadAnnouncement(lines, hosts, announced);
            continue;
        }
        if (announced.nodes == 0 || !announced.hasConnections)
        {
            lines.Refuse("the connection " + FabricInputError::Quote(lines.GetColumns()[0]) +
                         " stands before the number of nodes and connections; allowed: Nodes N and "
                         "Connections M first");
        }
        if (flows.size() == announced.connections)
        {
            lines.Refuse(
                "the connection " + FabricInputError::Quote(lines.GetColumns()[0]) +
                " is one more than announced; allowed: " + std::to_string(announced.connections));
        }
        const auto number = static_cast<uint32_t>(flows.size() + 1);
        flows.push_back(ReadConnection(lines, announced.nodes, number));
        if (!ids.insert(flows.back().id).second)
        {
            lines.Refuse("the id " + std::to_string(flows.back().id) +
                         " was already given; allowed: ids that differ");
        }
    }
    if (announced.nodes == 0 || !announced.hasConnections || flows.size() < announced.connections)
    {
        lines.Refuse("the file ends after " + std::to_string(flows.size()) + " of " +
                     std::to_string(announced.connections) +
                     " announced connections; allowed: Nodes N, Connections M, and M connections");
    }
    std::stable_sort(flows.begin(), flows.end(), [](const RdmaFlow& a, const RdmaFlow& b) {
        return a.startPs < b.startPs;
    });
    return flows;
}

} // namespace ns3
