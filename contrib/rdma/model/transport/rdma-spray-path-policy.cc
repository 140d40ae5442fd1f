/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-spray-path-policy.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSprayPathPolicy);

TypeId
RdmaSprayPathPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaSprayPathPolicy")
                            .SetParent<RdmaPathPolicy>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaSprayPathPolicy>()
                            .AddAttribute("Paths",
                                          "Number of paths (UDP source ports) to each peer.",
                                          UintegerValue(64),
                                          MakeUintegerAccessor(&RdmaSprayPathPolicy::m_wanted),
                                          MakeUintegerChecker<uint16_t>(1, 16384));
    return tid;
}

void
RdmaSprayPathPolicy::DoStart()
{
    m_paths = m_wanted;
    m_next = 0;
}

uint16_t
RdmaSprayPathPolicy::DoSelect(uint16_t avoid, int64_t /* now */)
{
    for (;;)
    {
        const uint16_t path = m_next;
        m_next = static_cast<uint16_t>(m_next + 1 == m_paths ? 0 : m_next + 1);
        if (path != avoid)
        {
            return path;
        }
    }
}

} // namespace rdma
} // namespace ns3
