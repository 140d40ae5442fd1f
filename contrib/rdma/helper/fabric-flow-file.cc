/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads flow files of the HPCC simulator. */

#include "ns3/fabric-flow-file.h"

#include "ns3/abort.h"
#include "ns3/fabric-input-lines.h"
#include "ns3/fabric-units.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Columns of a flow in both forms.
constexpr std::size_t COLUMNS = 6;

/**
 * \param text A time in seconds.
 * \return It in picoseconds.
 */
int64_t
ParseSeconds(const std::string& text)
{
    return FabricUnits::ParseTime(text, "s", FabricUnits::Rest::CUT);
}

/**
 * Reads a column that names a host.
 * \param lines The file.
 * \param column The number of the column.
 * \param name What it is called in messages.
 * \param topology The network.
 * \return The rank of the host.
 */
uint32_t
ReadHost(const FabricInputLines& lines,
         std::size_t column,
         const std::string& name,
         const FabricTopology& topology)
{
    const auto& nodes = topology.GetNodes();
    const auto node = lines.ReadInteger(column, name, 0, nodes.size() - 1);
    if (nodes[node].kind != FabricNodeKind::HOST)
    {
        lines.Refuse("the " + name + " " + FabricInputError::Quote(lines.GetColumns()[column]) +
                     " is the switch " + nodes[node].name + "; allowed: the numbers of hosts, " +
                     std::to_string(topology.GetHosts().front()) + " to " +
                     std::to_string(topology.GetHosts().back()));
    }
    return nodes[node].rank;
}

/**
 * Reads the columns that tell size and time.
 * \param lines The file.
 * \param options How to read it.
 * \param flow Its size, start and port are set.
 */
void
ReadSizeAndTime(const FabricInputLines& lines,
                const FabricFlowFile::Options& options,
                RdmaFlow& flow)
{
    if (options.form == FabricFlowFile::Form::BYTES)
    {
        flow.destinationPort =
            static_cast<uint16_t>(lines.ReadInteger(3, "destination port", 0, 65535));
        if (lines.GetColumns()[4].find('.') != std::string::npos)
        {
            lines.Refuse("the number of bytes " + FabricInputError::Quote(lines.GetColumns()[4]) +
                         " is not a whole number; allowed: 1 to " +
                         std::to_string(FabricUnits::MAX_SIZE) +
                         " (is this a file of the form with packets?)");
        }
        flow.bytes = lines.ReadInteger(4, "number of bytes", 1, FabricUnits::MAX_SIZE);
        flow.startPs = lines.Read(5, "start in seconds", ParseSeconds);
        return;
    }
    flow.bytes =
        options.packetBytes *
        lines.ReadInteger(3, "number of packets", 1, FabricUnits::MAX_SIZE / options.packetBytes);
    flow.startPs = lines.Read(4, "start in seconds", ParseSeconds);
    if (lines.Read(5, "stop in seconds", ParseSeconds) <= flow.startPs)
    {
        lines.Refuse("the stop in seconds " + FabricInputError::Quote(lines.GetColumns()[5]) +
                     " is not after the start; allowed: more than " + lines.GetColumns()[4] +
                     " (is this a file of the form with bytes?)");
    }
}

} // namespace

std::vector<RdmaFlow>
FabricFlowFile::Read(const std::string& file,
                     const FabricTopology& topology,
                     const Options& options,
                     std::vector<std::string>* notes)
{
    NS_ABORT_MSG_IF(topology.GetHosts().empty(), "A flow file needs a topology with hosts");
    NS_ABORT_MSG_IF(options.packetBytes == 0, "A packet of a flow file has at least 1 byte, got 0");
    FabricInputLines lines(file);
    if (!lines.Next())
    {
        lines.Refuse("the file has no line but empty ones; allowed: the number of flows");
    }
    lines.Require(1, "the number of flows");
    const uint64_t announced = lines.ReadInteger(0, "number of flows", 0, MAX_FLOWS);

    std::vector<RdmaFlow> flows;
    while (flows.size() < announced)
    {
        if (!lines.Next())
        {
            lines.Refuse("the file ends after " + std::to_string(flows.size()) + " of " +
                         std::to_string(announced) + " announced flows; allowed: at least " +
                         std::to_string(announced) + " lines of flows");
        }
        lines.Require(COLUMNS,
                      options.form == Form::BYTES
                          ? "source, destination, priority, port, bytes and start in seconds"
                          : "source, destination, priority, packets, start and stop in seconds");
        RdmaFlow flow;
        flow.source = ReadHost(lines, 0, "source node", topology);
        flow.destination = ReadHost(lines, 1, "destination node", topology);
        if (flow.source == flow.destination)
        {
            lines.Refuse("the destination node " + FabricInputError::Quote(lines.GetColumns()[1]) +
                         " is also the source; allowed: another host");
        }
        flow.priority = static_cast<uint8_t>(lines.ReadInteger(2, "priority", 0, 7));
        ReadSizeAndTime(lines, options, flow);
        flows.push_back(flow);
    }
    lines.NoteSurplus(COLUMNS, "flows", announced, notes);
    std::stable_sort(flows.begin(), flows.end(), [](const RdmaFlow& a, const RdmaFlow& b) {
        return a.startPs < b.startPs;
    });
    for (uint32_t id = 0; id < flows.size(); ++id)
    {
        flows[id].id = id;
    }
    return flows;
}

} // namespace ns3
