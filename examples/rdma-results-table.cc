/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-results-table.h"

#include "rdma-results-files.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

namespace ns3::rdma::runner
{

namespace
{

/** A table whose columns are as wide as their widest cell. */
class TextTable
{
  public:
    /** Adds a row. The first row is the heading. \param cells its cells */
    void Add(std::vector<std::string> cells)
    {
        m_rows.push_back(std::move(cells));
    }

    /**
     * \param out where to
     * \param left how many columns hold words, aligned to the left; the others hold numbers
     */
    void Print(std::ostream& out, std::size_t left) const
    {
        std::vector<std::size_t> widths;
        for (const auto& row : m_rows)
        {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i)
            {
                widths[i] = std::max(widths[i], row[i].size());
            }
        }
        for (const auto& row : m_rows)
        {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i)
            {
                const std::string blanks(widths[i] - row[i].size(), ' ');
                line += (i == 0 ? "  " : "   ") + (i < left ? row[i] + blanks : blanks + row[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out << line << '\n';
        }
    }

  private:
    std::vector<std::vector<std::string>> m_rows;
};

std::string
Number(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

/** \return microseconds with three significant decimals below 1000, one above */
std::string
Micros(double value)
{
    return Number(value, value < 1000 ? 3 : 1);
}

} // namespace

void
PrintFlowTable(std::ostream& out, const std::vector<RunResult>& results)
{
    TextTable table;
    table.Add({"flows of",
               "variant",
               "done",
               "FCT p50 us",
               "p95",
               "p99",
               "max",
               "slowdown p50",
               "p99",
               "max",
               "Gb/s"});
    std::vector<std::vector<GroupResult>> runs;
    for (const RunResult& result : results)
    {
        runs.push_back(SummarizeGroups(result));
    }
    // Group by group, in the order in which the variants name them first.
    std::vector<std::string> names;
    for (const auto& run : runs)
    {
        for (const GroupResult& group : run)
        {
            if (std::find(names.begin(), names.end(), group.group) == names.end())
            {
                names.push_back(group.group);
            }
        }
    }
    for (const std::string& name : names)
    {
        for (std::size_t i = 0; i < runs.size(); ++i)
        {
            for (const GroupResult& group : runs[i])
            {
                if (group.group != name)
                {
                    continue;
                }
                std::vector<std::string> row{name,
                                             results[i].variant,
                                             std::to_string(group.finished) + "/" +
                                                 std::to_string(group.flows)};
                if (group.finished == 0)
                {
                    row.insert(row.end(), 7, "-");
                }
                else
                {
                    for (const double us :
                         {group.fctUs.p50, group.fctUs.p95, group.fctUs.p99, group.fctUs.max})
                    {
                        row.push_back(Micros(us));
                    }
                    for (const double ratio :
                         {group.slowdown.p50, group.slowdown.p99, group.slowdown.max})
                    {
                        row.push_back(Number(ratio, 3));
                    }
                }
                row.push_back(Number(group.goodputGbps, 2));
                table.Add(std::move(row));
            }
        }
    }
    table.Print(out, 2);
}

void
PrintFabricTable(std::ostream& out, const std::vector<RunResult>& results)
{
    TextTable table;
    table.Add({"variant",
               "ended",
               "digest",
               "after us",
               "ECN marks",
               "CNPs",
               "PFC pauses",
               "paused us",
               "drops",
               "resent",
               "peak buffer B"});
    for (const RunResult& result : results)
    {
        const RunTotals totals = SummarizeRun(result);
        char digest[24];
        std::snprintf(digest,
                      sizeof(digest),
                      "%016llx",
                      static_cast<unsigned long long>(result.digest));
        table.Add({result.variant,
                   RunStatusName(result.status),
                   digest,
                   Micros(result.endPs * 1e-6),
                   std::to_string(totals.marks),
                   std::to_string(result.cnps),
                   std::to_string(totals.pauses),
                   Micros(totals.pausedPs * 1e-6),
                   std::to_string(totals.drops),
                   std::to_string(totals.retransmittedPackets),
                   std::to_string(result.peakBufferBytes)});
    }
    table.Print(out, 3);
}

void
PrintUnfinished(std::ostream& out, const RunResult& result, std::size_t most)
{
    std::size_t unfinished = 0;
    TextTable table;
    table.Add({"flow", "from", "to", "delivered B", "of B", "last progress us", "status"});
    for (const FlowResult& flow : result.flows)
    {
        if (flow.Finished())
        {
            continue;
        }
        if (++unfinished <= most)
        {
            table.Add({std::to_string(flow.id),
                       flow.source,
                       flow.destination,
                       std::to_string(flow.deliveredBytes),
                       std::to_string(flow.bytes),
                       flow.lastProgressPs == NOT_REACHED ? "never"
                                                          : FormatMicroseconds(flow.lastProgressPs),
                       flow.failure.empty() ? "" : flow.failure});
        }
    }
    if (unfinished == 0)
    {
        return;
    }
    out << result.variant << ": " << unfinished << " of " << result.flows.size()
        << " flows are unfinished at " << FormatMicroseconds(result.endPs) << " us:\n";
    table.Print(out, 3);
    if (unfinished > most)
    {
        out << "  and " << unfinished - most << " more\n";
    }
}

} // namespace ns3::rdma::runner
