/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-shared-receive-queue.h"

#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaSharedReceiveQueue::RdmaSharedReceiveQueue(Ptr<RdmaProtectionDomain> domain,
                                               uint32_t maxWr,
                                               uint32_t maxSge)
    : m_domain(domain),
      m_maxWr(maxWr),
      m_maxSge(maxSge)
{
}

int
RdmaSharedReceiveQueue::Post(const RdmaRecvWr& request)
{
    if (m_receives.size() >= m_maxWr || request.scatter.size() > m_maxSge)
    {
        return ENOMEM;
    }
    m_receives.push_back(request);
    return 0;
}

int
RdmaSharedReceiveQueue::SetLimit(uint32_t limit)
{
    if (limit > m_maxWr)
    {
        return EINVAL;
    }
    m_limit = limit;
    return 0;
}

uint32_t
RdmaSharedReceiveQueue::GetLimit() const
{
    return m_limit;
}

uint32_t
RdmaSharedReceiveQueue::GetMaxWr() const
{
    return m_maxWr;
}

uint32_t
RdmaSharedReceiveQueue::GetPosted() const
{
    return m_receives.size();
}

const RdmaProtectionDomain*
RdmaSharedReceiveQueue::GetDomain() const
{
    return PeekPointer(m_domain);
}

bool
RdmaSharedReceiveQueue::Take(RdmaRecvWr& request)
{
    if (m_receives.empty())
    {
        return false;
    }
    request = std::move(m_receives.front());
    m_receives.pop_front();
    if (m_receives.size() < m_limit)
    {
        m_limit = 0; // once per arming
        if (!m_limitReached.IsNull())
        {
            // Who is called may set another callback.
            const auto limitReached = m_limitReached;
            limitReached(this);
        }
    }
    return true;
}

void
RdmaSharedReceiveQueue::SetLimitReached(Callback<void, const RdmaSharedReceiveQueue*> callback)
{
    m_limitReached = callback;
}

} // namespace rdma
} // namespace ns3
