/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-results.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::rdma::runner
{

const char*
RunStatusName(RunStatus status)
{
    switch (status)
    {
    case RunStatus::DONE:
        return "done";
    case RunStatus::UNFINISHED:
        return "unfinished";
    case RunStatus::DEADLOCK:
        return "deadlock";
    case RunStatus::STUCK:
        return "stuck";
    }
    return "unknown";
}

Distribution
Distribute(std::vector<double> values)
{
    Distribution result;
    result.count = values.size();
    if (values.empty())
    {
        return result;
    }
    std::sort(values.begin(), values.end());
    const auto rank = [&](std::size_t percent) {
        return values[(values.size() * percent + 99) / 100 - 1];
    };
    result.mean = std::accumulate(values.begin(), values.end(), 0.0) / values.size();
    result.p50 = rank(50);
    result.p95 = rank(95);
    result.p99 = rank(99);
    result.max = values.back();
    return result;
}

std::vector<GroupResult>
SummarizeGroups(const RunResult& result)
{
    struct Collected
    {
        GroupResult summary;
        std::vector<double> fctUs;
        std::vector<double> slowdown;
        uint64_t delivered{0};
        int64_t firstStart{0};
        int64_t lastProgress{0};
    };

    std::vector<Collected> groups;
    for (const FlowResult& flow : result.flows)
    {
        auto found = std::find_if(groups.begin(), groups.end(), [&](const Collected& group) {
            return group.summary.group == flow.group;
        });
        if (found == groups.end())
        {
            found = groups.emplace(groups.end());
            found->summary.group = flow.group;
            found->firstStart = flow.startPs;
        }
        ++found->summary.flows;
        found->delivered += flow.deliveredBytes;
        found->firstStart = std::min(found->firstStart, flow.startPs);
        found->lastProgress = std::max(found->lastProgress, flow.lastProgressPs);
        if (flow.Finished())
        {
            ++found->summary.finished;
            found->fctUs.push_back(flow.FctPs() * 1e-6);
            found->slowdown.push_back(flow.Slowdown());
        }
    }

    std::vector<GroupResult> summaries;
    for (Collected& group : groups)
    {
        group.summary.fctUs = Distribute(std::move(group.fctUs));
        group.summary.slowdown = Distribute(std::move(group.slowdown));
        const int64_t duration = group.lastProgress - group.firstStart;
        if (duration > 0)
        {
            // bits per picosecond are Tb/s
            group.summary.goodputGbps = group.delivered * 8.0 / duration * 1000;
        }
        summaries.push_back(std::move(group.summary));
    }
    return summaries;
}

RunTotals
SummarizeRun(const RunResult& result)
{
    RunTotals totals;
    for (const FlowResult& flow : result.flows)
    {
        totals.bytes += flow.bytes;
        totals.deliveredBytes += flow.deliveredBytes;
        totals.retransmittedPackets += flow.retransmittedPackets;
    }
    for (const PortResult& port : result.ports)
    {
        totals.drops += port.drops;
        totals.marks += port.marks;
        totals.pauses += port.pausesSent;
        totals.pausedPs += port.pausedPs;
    }
    return totals;
}

} // namespace ns3::rdma::runner
