/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NOTIFICATION_POINT_H
#define RDMA_NOTIFICATION_POINT_H

#include "ns3/fabric-types.h"

#include <boost/circular_buffer.hpp>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The notification point of DCQCN (SIGCOMM 2015, section 3.1): turns congestion marks into CNPs,
 * the first at once and then at most one per interval while marks keep coming.
 */
class RdmaNotificationPoint
{
  public:
    /**
     * A packet with CE has come.
     * \param now The time in ps.
     * \param interval Least time between two CNPs, in ps.
     * \param delay Time to make one, in ps.
     * \return When a CNP is to be sent, FABRIC_NEVER for none.
     */
    int64_t Marked(int64_t now, int64_t interval, int64_t delay)
    {
        if (now < m_nextAllowed)
        {
            return FABRIC_NEVER;
        }
        m_nextAllowed = now + interval;
        if (delay)
        {
            if (m_pending.full())
            {
                m_pending.set_capacity(2 * m_pending.capacity() + 1);
            }
            m_pending.push_back(now + delay);
        }
        return now + delay;
    }

    /**
     * The CNP that was due first has been sent.
     * \return When the next one is to be sent, FABRIC_NEVER for none: there are several under way
     *         when making one takes longer than the interval.
     */
    int64_t Sent()
    {
        if (!m_pending.empty())
        {
            m_pending.pop_front();
        }
        return m_pending.empty() ? FABRIC_NEVER : m_pending.front();
    }

  private:
    boost::circular_buffer<int64_t> m_pending; //!< when CNPs in the making are due, ps
    int64_t m_nextAllowed{0};                  //!< no CNP for marks before this time, ps
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
