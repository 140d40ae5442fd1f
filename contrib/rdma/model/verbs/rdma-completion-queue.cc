/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-completion-queue.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cerrno>

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
RdmaCompletionQueue::RequestNotify(bool solicitedOnly)
{
    m_solicitedOnly = solicitedOnly && (!m_armed || m_solicitedOnly);
    m_armed = true;
}

void
RdmaCompletionQueue::SetNotify(Callback<void, Ptr<RdmaCompletionQueue>> callback)
{
    m_notify = callback;
}

void
RdmaCompletionQueue::SetModeration(uint32_t count)
{
    NS_ABORT_MSG_IF(count == 0, "A notification takes at least 1 completion, got 0");
    m_moderation = count;
}

int
RdmaCompletionQueue::Resize(uint32_t capacity)
{
    if (capacity == 0 || capacity < m_completions.size())
    {
        return EINVAL;
    }
    m_capacity = capacity;
    return 0;
}

bool
RdmaCompletionQueue::Push(const RdmaWc& completion)
{
    if (m_overrun || m_completions.size() >= m_capacity)
    {
        if (!m_overrun)
        {
            m_overrun = true;
            if (!m_error.IsNull())
            {
                m_error(this);
            }
        }
        return false;
    }
    m_completions.push_back(completion);
    ++m_sinceNotified;
    const bool failed = completion.status != RdmaWcStatus::SUCCESS;
    if (m_armed && (!m_solicitedOnly || completion.solicited || failed) &&
        (failed || m_sinceNotified >= m_moderation) && !m_notify.IsNull())
    {
        m_armed = false;
        m_sinceNotified = 0;
        // Who is called may set another callback.
        const auto notify = m_notify;
        notify(this);
    }
    return true;
}

void
RdmaCompletionQueue::SetError(Callback<void, RdmaCompletionQueue*> callback)
{
    m_error = callback;
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
