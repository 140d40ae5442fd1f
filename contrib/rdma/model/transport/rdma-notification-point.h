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
 * the first at once and then at most one per interval. As published, each CNP opens an interval,
 * and marks within it make one CNP at its end, which opens the next. A notification point that
 * does not hold marks forgets those, and answers the first one after the interval.
 */
class RdmaNotificationPoint
{
  public:
    /**
     * A packet with CE has come.
     * \param now The time in ps.
     * \param interval Least time between two CNPs, in ps.
     * \param delay Time to make one, in ps.
     * \param hold Whether marks within an interval make a CNP at its end.
     * \return When a CNP is to be sent, FABRIC_NEVER for none.
     */
    int64_t Marked(int64_t now, int64_t interval, int64_t delay, bool hold)
    {
        if (m_held && now >= m_end)
        {
            m_end += interval;
            m_held = false;
        }
        if (now >= m_end)
        {
            m_end = now + interval;
            return Promise(now + delay);
        }
        if (!hold || m_held)
        {
            return FABRIC_NEVER;
        }
        m_held = true;
        return Promise(m_end + delay);
    }

    /**
     * The CNP that was due first has been sent.
     * \return When the next one is to be sent, FABRIC_NEVER for none: there are several under way
     *         making one takes longer than the interval, or the port was busy.
     */
    int64_t Sent()
    {
        if (!m_promised.empty())
        {
            m_promised.pop_front();
        }
        return m_promised.empty() ? FABRIC_NEVER : m_promised.front();
    }

  private:
    /**
     * Remember a CNP that is to be sent.
     * \param when When it is due, in ps, not before those promised earlier.
     * \return That time.
     */
    int64_t Promise(int64_t when)
    {
        if (m_promised.full())
        {
            m_promised.set_capacity(2 * m_promised.capacity() + 1);
        }
        m_promised.push_back(when);
        return when;
    }

    boost::circular_buffer<int64_t> m_promised; //!< when CNPs that are not sent yet are due, ps
    int64_t m_end{0};                           //!< end of the running interval, ps
    bool m_held{false};                         //!< a CNP is promised for that end
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
