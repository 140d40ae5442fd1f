/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-connection.h"

#include "ns3/fabric-flow-hash.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-udp-header.h"

namespace ns3
{
namespace rdma
{

RdmaConnection::Route
RdmaConnection::MakeRoute(const RdmaAddress& address, uint32_t queuePair) const
{
    Route route;
    route.sourcePort = address.sourcePort ? address.sourcePort
                                          : RdmaUdpSourcePort(RdmaFlowLabel(m_number, queuePair));
    // What switches hash of RoCEv1 is the pair of MAC addresses: it has no ports.
    const RdmaHostState& state = GetHostState();
    const bool ports = state.encapsulation != RdmaEncapsulation::ROCE_V1;
    route.flowHash = FabricFlowHash(state.endpoint,
                                    address.endpoint,
                                    ports ? route.sourcePort : 0,
                                    ports ? ROCE_V2_UDP_PORT : 0,
                                    ports ? IP_PROTOCOL_UDP : 0);
    return route;
}

} // namespace rdma
} // namespace ns3
