/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-qp-scheduler.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

void
RdmaQpScheduler::SetLanes(const uint8_t* laneOf)
{
    m_laneOf = laneOf;
}

void
RdmaQpScheduler::Add(RdmaTxJob& job, int64_t when, int64_t now)
{
    if (job.state == RdmaTxJob::State::READY ||
        (job.state == RdmaTxJob::State::PACED && job.when <= when))
    {
        return;
    }
    if (when <= now)
    {
        PushReady(job);
        return;
    }
    job.state = RdmaTxJob::State::PACED;
    job.when = when;
    m_paced.push_back({when, m_order++, &job});
    std::push_heap(m_paced.begin(), m_paced.end(), IsLater);
}

void
RdmaQpScheduler::PushReady(RdmaTxJob& job)
{
    job.state = RdmaTxJob::State::READY;
    job.next = nullptr;
    job.lane = m_laneOf ? m_laneOf[job.priority] : job.priority;
    Ring& ring = m_rings[job.lane];
    if (ring.head)
    {
        ring.tail->next = &job;
    }
    else
    {
        ring.head = &job;
        m_ready |= 1U << job.lane;
    }
    ring.tail = &job;
}

void
RdmaQpScheduler::PopPaced()
{
    std::pop_heap(m_paced.begin(), m_paced.end(), IsLater);
    m_paced.pop_back();
}

void
RdmaQpScheduler::DropStale()
{
    while (!m_paced.empty() && (m_paced.front().job->state != RdmaTxJob::State::PACED ||
                                m_paced.front().job->when != m_paced.front().when))
    {
        PopPaced();
    }
}

void
RdmaQpScheduler::PushDue(int64_t now)
{
    DropStale();
    while (!m_paced.empty() && m_paced.front().when <= now)
    {
        PushReady(*m_paced.front().job);
        PopPaced();
        DropStale();
    }
}

RdmaTxJob*
RdmaQpScheduler::Take(uint32_t blocked, int64_t now)
{
    const uint32_t eligible = GetReady(now) & ~blocked;
    return eligible ? TakeFrom(31U - static_cast<uint32_t>(__builtin_clz(eligible))) : nullptr;
}

RdmaTxJob*
RdmaQpScheduler::TakeFrom(uint32_t lane)
{
    Ring& ring = m_rings[lane];
    RdmaTxJob* job = ring.head;
    ring.head = job->next;
    if (!ring.head)
    {
        m_ready &= ~(1U << lane);
    }
    job->state = RdmaTxJob::State::IDLE;
    return job;
}

int64_t
RdmaQpScheduler::GetNext(uint32_t blocked, int64_t now) const
{
    if (m_ready & ~blocked)
    {
        return now;
    }
    // The first entry may be stale; then Take finds nothing and looks at the next one.
    return m_paced.empty() ? FABRIC_NEVER : std::max(m_paced.front().when, now);
}

void
RdmaQpScheduler::Remove(RdmaTxJob& job)
{
    if (job.state == RdmaTxJob::State::READY)
    {
        Ring& ring = m_rings[job.lane];
        RdmaTxJob* before = nullptr;
        RdmaTxJob* at = ring.head;
        while (at != &job)
        {
            before = at;
            at = at->next;
        }
        (before ? before->next : ring.head) = job.next;
        ring.tail = ring.tail == &job ? before : ring.tail;
        if (!ring.head)
        {
            m_ready &= ~(1U << job.lane);
        }
    }
    job.state = RdmaTxJob::State::IDLE;
    m_paced.erase(std::remove_if(m_paced.begin(),
                                 m_paced.end(),
                                 [&job](const Paced& paced) { return paced.job == &job; }),
                  m_paced.end());
    std::make_heap(m_paced.begin(), m_paced.end(), IsLater);
}

} // namespace rdma
} // namespace ns3
