/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-completion-queue.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

RdmaCompletionQueue::RdmaCompletionQueue(uint32_t capacity)
    : m_capacity(capacity)
{
    NS_ABORT_MSG_IF(capacity == 0, "A completion queue holds at least 1 completion, got 0");
}

std::vector<RdmaWc>
RdmaCompletionQueue::Poll(uint32_t most)
{
    const auto count = std::min<std::size_t>(most, m_completions.size());
    const auto end = m_completions.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<RdmaWc> taken(m_completions.begin(), end);
    m_completions.erase(m_completions.begin(), end);
    return taken;
}

void
RdmaCompletionQueue::RequestNotify()
{
    m_armed = true;
}

void
RdmaCompletionQueue::SetNotify(Callback<void, Ptr<RdmaCompletionQueue>> callback)
{
    m_notify = callback;
}

bool
RdmaCompletionQueue::Push(const RdmaWc& completion)
{
    if (m_completions.size() >= m_capacity)
    {
        m_overrun = true;
        return false;
    }
    m_completions.push_back(completion);
    if (m_armed && !m_notify.IsNull())
    {
        m_armed = false;
        // Who is called may set another callback.
        const auto notify = m_notify;
        notify(this);
    }
    return true;
}

uint32_t
RdmaCompletionQueue::GetCapacity() const
{
    return m_capacity;
}

uint32_t
RdmaCompletionQueue::GetDepth() const
{
    return m_completions.size();
}

bool
RdmaCompletionQueue::IsOverrun() const
{
    return m_overrun;
}

} // namespace rdma
} // namespace ns3
