/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-progress.h"

#include <cstdio>

namespace ns3::rdma::runner
{

namespace
{

constexpr std::chrono::milliseconds INTERVAL{250};

} // namespace

RunProgress::RunProgress(bool enabled, const std::string& name)
    : m_name(name),
      m_start(Clock::now()),
      m_next(m_start + INTERVAL),
      m_enabled(enabled)
{
}

RunProgress::~RunProgress()
{
    if (m_printed)
    {
        std::fprintf(stderr, "\r%78s\r", "");
    }
}

void
RunProgress::Update(uint64_t delivered, uint64_t total, int64_t nowPs)
{
    if (!m_enabled || Clock::now() < m_next)
    {
        return;
    }
    m_next = Clock::now() + INTERVAL;
    const double percent =
        total > 0 ? 100.0 * static_cast<double>(delivered) / static_cast<double>(total) : 0;
    const double microseconds = static_cast<double>(nowPs) * 1e-6;
    std::fprintf(stderr,
                 "\r%.30s: %5.1f %% of the bytes, %.0f us simulated, %.0f us per second  ",
                 m_name.c_str(),
                 percent,
                 microseconds,
                 microseconds / GetElapsed());
    std::fflush(stderr);
    m_printed = true;
}

double
RunProgress::GetElapsed() const
{
    return std::chrono::duration<double>(Clock::now() - m_start).count();
}

} // namespace ns3::rdma::runner
