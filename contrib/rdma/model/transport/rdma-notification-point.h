/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NOTIFICATION_POINT_H
#define RDMA_NOTIFICATION_POINT_H

#include "ns3/fabric-types.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The notification point of DCQCN (SIGCOMM 2015, section 3.1): turns congestion marks into CNPs, the
 * first at once and then at most one per interval while marks keep coming.
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
        return now + delay;
    }

  private:
    int64_t m_nextAllowed{0}; //!< no CNP for marks before this time, ps
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
