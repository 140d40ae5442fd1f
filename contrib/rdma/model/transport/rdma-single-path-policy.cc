/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-single-path-policy.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSinglePathPolicy);

TypeId
RdmaSinglePathPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaSinglePathPolicy")
                            .SetParent<RdmaPathPolicy>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaSinglePathPolicy>();
    return tid;
}

void
RdmaSinglePathPolicy::DoStart()
{
    m_paths = 1;
}

uint16_t
RdmaSinglePathPolicy::DoSelect(uint16_t /* avoid */, int64_t /* now */)
{
    return 0;
}

} // namespace rdma
} // namespace ns3
