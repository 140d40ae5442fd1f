/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-results-writer.h"

#include "rdma-results-files.h"

#include <cstdio>
#include <ostream>

namespace ns3::rdma::runner
{

namespace
{

/** \return the number with \p decimals decimals, whatever the state of any stream */
std::string
Fixed(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

/** \return how the flow ended, in a few words */
std::string
Status(const FlowResult& flow)
{
    return flow.Finished() ? "done" : (flow.failure.empty() ? "unfinished" : flow.failure);
}

/** \return the digest as the runner prints it everywhere */
std::string
Hex(uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
    return text;
}

/** \return the text as a JSON string */
std::string
JsonString(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (static_cast<unsigned char>(c) < 0x20)
        {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", c);
            quoted += escape;
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

/** \return an object with the order statistics, null when there are no values */
std::string
JsonDistribution(const Distribution& values, int decimals)
{
    if (values.count == 0)
    {
        return "null";
    }
    return "{\"mean\": " + Fixed(values.mean, decimals) +
           ", \"p50\": " + Fixed(values.p50, decimals) +
           ", \"p95\": " + Fixed(values.p95, decimals) +
           ", \"p99\": " + Fixed(values.p99, decimals) +
           ", \"max\": " + Fixed(values.max, decimals) + "}";
}

void
WriteJsonGroups(std::ostream& out, const RunResult& result)
{
    out << "      \"groups\": [";
    const char* separator = "\n";
    for (const GroupResult& group : SummarizeGroups(result))
    {
        out << separator << "        {\"name\": " << JsonString(group.group)
            << ", \"flows\": " << group.flows << ", \"finished\": " << group.finished
            << ", \"goodput_gbps\": " << Fixed(group.goodputGbps, 3)
            << ",\n         \"fct_us\": " << JsonDistribution(group.fctUs, 6)
            << ",\n         \"slowdown\": " << JsonDistribution(group.slowdown, 6) << "}";
        separator = ",\n";
    }
    out << "\n      ],\n";
}

void
WriteJsonTotals(std::ostream& out, const RunResult& result)
{
    const RunTotals totals = SummarizeRun(result);
    out << "      \"totals\": {\"bytes\": " << totals.bytes
        << ", \"delivered_bytes\": " << totals.deliveredBytes
        << ", \"dropped_frames\": " << totals.drops << ", \"ecn_marked_frames\": " << totals.marks
        << ", \"pfc_pauses\": " << totals.pauses
        << ", \"paused_us\": " << FormatMicroseconds(totals.pausedPs)
        << ", \"cnps\": " << result.cnps << ", \"timeouts\": " << result.timeouts
        << ", \"retransmitted_packets\": " << totals.retransmittedPackets
        << ", \"peak_buffer_bytes\": " << result.peakBufferBytes << "},\n";
}

void
WriteJsonUnfinished(std::ostream& out, const RunResult& result)
{
    out << "      \"unfinished\": [";
    const char* separator = "\n";
    for (const FlowResult& flow : result.flows)
    {
        if (flow.Finished())
        {
            continue;
        }
        out << separator << "        {\"flow\": " << flow.id
            << ", \"source\": " << JsonString(flow.source)
            << ", \"destination\": " << JsonString(flow.destination)
            << ", \"status\": " << JsonString(Status(flow)) << ", \"bytes\": " << flow.bytes
            << ", \"delivered_bytes\": " << flow.deliveredBytes << ", \"last_progress_us\": "
            << (flow.lastProgressPs == NOT_REACHED ? "null"
                                                   : FormatMicroseconds(flow.lastProgressPs))
            << "}";
        separator = ",\n";
    }
    out << (*separator == ',' ? "\n      ],\n" : "],\n");
}

void
WriteJsonWarnings(std::ostream& out, const RunResult& result)
{
    out << "      \"warnings\": [";
    const char* separator = "";
    for (const std::string& warning : result.warnings)
    {
        out << separator << JsonString(warning);
        separator = ", ";
    }
    out << "]\n";
}

} // namespace

std::string
CsvField(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c;
        if (c == '"')
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

void
WriteFlowsHeader(std::ostream& out)
{
    out << "variant,flow,group,source,destination,priority,congestion_control,size_bytes,start_us,"
           "finish_us,fct_us,ideal_fct_us,slowdown,delivered_bytes,last_progress_us,"
           "retransmitted_packets,status\n";
}

void
WriteFlows(std::ostream& out, const RunResult& result)
{
    for (const FlowResult& flow : result.flows)
    {
        out << CsvField(result.variant) << ',' << flow.id << ',' << CsvField(flow.group) << ','
            << CsvField(flow.source) << ',' << CsvField(flow.destination) << ',' << flow.priority
            << ',' << CsvField(flow.congestionControl) << ',' << flow.bytes << ','
            << FormatMicroseconds(flow.startPs) << ',';
        if (flow.Finished())
        {
            out << FormatMicroseconds(flow.finishPs) << ',' << FormatMicroseconds(flow.FctPs());
        }
        else
        {
            out << ',';
        }
        out << ',' << FormatMicroseconds(flow.idealFctPs) << ','
            << (flow.Finished() ? Fixed(flow.Slowdown(), 6) : "") << ',' << flow.deliveredBytes
            << ',';
        if (flow.lastProgressPs != NOT_REACHED)
        {
            out << FormatMicroseconds(flow.lastProgressPs);
        }
        out << ',' << flow.retransmittedPackets << ',' << CsvField(Status(flow)) << '\n';
    }
}

void
WritePortsHeader(std::ostream& out)
{
    out << "variant,node,port,peer,rate_bps,sent_frames,sent_bytes,received_frames,received_bytes,"
           "dropped_frames,ecn_marked_frames,pfc_pauses_sent,paused_us\n";
}

void
WritePorts(std::ostream& out, const RunResult& result)
{
    for (const PortResult& port : result.ports)
    {
        out << CsvField(result.variant) << ',' << CsvField(port.node) << ',' << port.port << ','
            << CsvField(port.peer) << ',' << port.rate << ',' << port.sentFrames << ','
            << port.sentBytes << ',' << port.receivedFrames << ',' << port.receivedBytes << ','
            << port.drops << ',' << port.marks << ',' << port.pausesSent << ','
            << FormatMicroseconds(port.pausedPs) << '\n';
    }
}

void
WriteJson(std::ostream& out,
          const std::string& experiment,
          const RunProvenance& provenance,
          const std::vector<RunResult>& results)
{
    out << "{\n  \"experiment\": " << JsonString(experiment) << ",\n";
    for (const auto& [name, value] : provenance)
    {
        out << "  " << JsonString(name) << ": " << JsonString(value) << ",\n";
    }
    out << "  \"runs\": [";
    const char* separator = "\n";
    for (const RunResult& result : results)
    {
        out << separator << "    {\n      \"variant\": " << JsonString(result.variant)
            << ",\n      \"status\": " << JsonString(RunStatusName(result.status))
            << ",\n      \"seed\": " << result.seed
            << ",\n      \"simulated_us\": " << FormatMicroseconds(result.endPs)
            << ",\n      \"digest\": " << JsonString(Hex(result.digest)) << ",\n";
        WriteJsonGroups(out, result);
        WriteJsonTotals(out, result);
        WriteJsonUnfinished(out, result);
        WriteJsonWarnings(out, result);
        out << "    }";
        separator = ",\n";
    }
    out << "\n  ]\n}\n";
}

} // namespace ns3::rdma::runner
