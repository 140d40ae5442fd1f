/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-path-policy.h"

#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPathPolicy);

TypeId
RdmaPathPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaPathPolicy").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

void
RdmaPathPolicy::Start(uint32_t source, uint32_t destination, uint16_t port)
{
    m_source = source;
    m_destination = destination;
    m_port = port;
    // Peers start at different places, so that not all take the same ports.
    m_firstPort = static_cast<uint16_t>(FabricMix(FabricMix(source) ^ destination) & 0x3fff);
    m_measured = m_congested = 0;
    DoStart();
    NS_ASSERT_MSG(m_paths >= 1, "there is at least one path");
}

void
RdmaPathPolicy::DoAcked(uint16_t /* path */, int64_t /* rtt */, int64_t /* now */)
{
}

void
RdmaPathPolicy::DoLost(uint16_t /* path */, int64_t /* now */)
{
}

} // namespace rdma
} // namespace ns3
