/* SPDX-License-Identifier: GPL-2.0-only */
/* The index into the congestion control table of InfiniBand, with its timer. */

#include "ns3/rdma-ib-ccti.h"

#include "ns3/rdma-congestion-ops.h"

#include <algorithm>
#include <tuple>

namespace ns3
{
namespace rdma
{

bool
RdmaIbCcti::Settings::operator==(const Settings& other) const
{
    return std::tie(limit, increase, minimum, period) ==
           std::tie(other.limit, other.increase, other.minimum, other.period);
}

bool
RdmaIbCcti::Start(const Settings& settings, int64_t now)
{
    if (m_started)
    {
        return settings == m_settings;
    }
    m_settings = settings;
    m_started = true;
    m_value = settings.minimum;
    m_start = now;
    m_deadline = RdmaCongestionOps::NO_DEADLINE;
    return true;
}

void
RdmaIbCcti::Add(RdmaIbCctiListener* listener)
{
    m_listeners.push_back(listener);
}

void
RdmaIbCcti::Remove(RdmaIbCctiListener* listener)
{
    m_listeners.erase(std::remove(m_listeners.begin(), m_listeners.end(), listener),
                      m_listeners.end());
}

void
RdmaIbCcti::Becn(int64_t now)
{
    const uint32_t sum = uint32_t{m_value} + m_settings.increase;
    const auto value = static_cast<uint16_t>(std::min<uint32_t>(sum, m_settings.limit));
    if (value == m_value)
    {
        return;
    }
    if (m_deadline == RdmaCongestionOps::NO_DEADLINE)
    {
        const int64_t cycles = (now - m_start) / m_settings.period;
        m_deadline = m_start + (cycles + 1) * m_settings.period;
    }
    Set(value, now);
}

void
RdmaIbCcti::Advance(int64_t now)
{
    while (m_deadline <= now)
    {
        const int64_t due = m_deadline;
        const auto value = static_cast<uint16_t>(m_value - 1);
        m_deadline =
            value > m_settings.minimum ? due + m_settings.period : RdmaCongestionOps::NO_DEADLINE;
        Set(value, due);
    }
}

void
RdmaIbCcti::Set(uint16_t value, int64_t now)
{
    const uint16_t before = m_value;
    m_value = value;
    for (RdmaIbCctiListener* listener : m_listeners)
    {
        listener->CctiChanged(before, now);
    }
}

uint16_t
RdmaIbCcti::Get() const
{
    return m_value;
}

int64_t
RdmaIbCcti::GetDeadline() const
{
    return m_deadline;
}

} // namespace rdma
} // namespace ns3
