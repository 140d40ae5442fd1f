/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads topology files of the HPCC simulator. */

#include "ns3/fabric-topology-file.h"

#include "ns3/fabric-input-lines.h"
#include "ns3/fabric-units.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/// Decimal digits of an error rate that count.
constexpr uint32_t ERROR_RATE_DIGITS = 17;

/**
 * \param text A delay.
 * \return It in picoseconds, greater than 0.
 */
int64_t
ParseDelay(const std::string& text)
{
    const int64_t delay = FabricUnits::ParseTime(text);
    if (delay == 0)
    {
        throw std::invalid_argument(FabricInputError::Quote(text) +
                                    " is 0, and the delay must be > 0; allowed: 1ps to 1000000s");
    }
    return delay;
}

/**
 * \param text An error rate.
 * \return It as a number from 0 to 1.
 */
double
ParseErrorRate(const std::string& text)
{
    double rate = 2;
    try
    {
        rate = static_cast<double>(
                   FabricUnits::ParseDecimal(text, ERROR_RATE_DIGITS, FabricUnits::Rest::CUT)) /
               1e17;
    }
    catch (const std::invalid_argument&)
    {
    }
    if (rate > 1)
    {
        throw std::invalid_argument(FabricInputError::Quote(text) +
                                    " is not a probability; allowed: 0 to 1");
    }
    return rate;
}

/**
 * Reads the line that lists the switches.
 * \param lines The file.
 * \param nodes How many nodes there are.
 * \param switches How many of them are switches.
 * \return For each node whether it is a switch.
 */
std::vector<bool>
ReadSwitches(FabricInputLines& lines, uint64_t nodes, uint64_t switches)
{
    std::vector<bool> isSwitch(nodes, false);
    if (switches == 0)
    {
        return isSwitch;
    }
    if (!lines.Next())
    {
        lines.Refuse("the file ends before the line of switches; allowed: " +
                     std::to_string(switches) + " node numbers");
    }
    lines.Require(switches, "the numbers of the announced switches");
    for (std::size_t i = 0; i < switches; ++i)
    {
        const uint64_t node = lines.ReadInteger(i, "switch", 0, nodes - 1);
        if (isSwitch[node])
        {
            lines.Refuse("the switch " + FabricInputError::Quote(lines.GetColumns()[i]) +
                         " is listed twice; allowed: " + std::to_string(switches) +
                         " different node numbers");
        }
        isSwitch[node] = true;
    }
    return isSwitch;
}

/**
 * Adds the link of the current line.
 * \param lines The file.
 * \param topology The network so far.
 */
void
ReadLink(const FabricInputLines& lines, FabricTopology& topology)
{
    lines.Require(5, "source, destination, rate, delay and error rate");
    const uint64_t last = topology.GetNodes().size() - 1;
    const auto a = static_cast<uint32_t>(lines.ReadInteger(0, "source node", 0, last));
    const auto b = static_cast<uint32_t>(lines.ReadInteger(1, "destination node", 0, last));
    if (a == b)
    {
        lines.Refuse("the destination node " + FabricInputError::Quote(lines.GetColumns()[1]) +
                     " is also the source; allowed: another node from 0 to " +
                     std::to_string(last));
    }
    FabricLinkSpec spec;
    spec.bitsPerSecond = lines.Read(2, "link rate", FabricUnits::ParseRate);
    spec.delayPs = lines.Read(3, "link delay", ParseDelay);
    spec.errorRate = lines.Read(4, "error rate", ParseErrorRate);
    topology.AddLink(a, b, spec);
}

} // namespace

FabricTopology
FabricTopologyFile::Read(const std::string& file, std::vector<std::string>* notes)
{
    FabricInputLines lines(file);
    if (!lines.Next())
    {
        lines.Refuse("the file has no line but empty ones; allowed: nodes, switches and links");
    }
    lines.Require(3, "how many nodes, switches and links there are");
    const uint64_t nodes = lines.ReadInteger(0, "number of nodes", 1, MAX_NODES);
    const uint64_t switches = lines.ReadInteger(1, "number of switches", 0, nodes);
    const uint64_t links = lines.ReadInteger(2, "number of links", 0, MAX_LINKS);
    const std::vector<bool> isSwitch = ReadSwitches(lines, nodes, switches);

    FabricTopology topology;
    for (uint64_t i = 0; i < nodes; ++i)
    {
        if (isSwitch[i])
        {
            topology.AddSwitch("s" + std::to_string(i));
        }
        else
        {
            topology.AddHost("h" + std::to_string(i));
        }
    }
    for (uint64_t i = 0; i < links; ++i)
    {
        if (!lines.Next())
        {
            lines.Refuse("the file ends after " + std::to_string(i) + " of " +
                         std::to_string(links) + " announced links; allowed: at least " +
                         std::to_string(links) + " lines of links");
        }
        ReadLink(lines, topology);
    }
    lines.NoteSurplus(5, "links", links, notes);
    return topology;
}

} // namespace ns3
