/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-flow-control.h"

#include "ns3/assert.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricFlowControl);

TypeId
FabricFlowControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricFlowControl")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricFlowControl>();
    return tid;
}

void
FabricFlowControl::Bind(FabricPort* port)
{
    m_port = port;
}

uint32_t
FabricFlowControl::GetLossless() const
{
    return DoGetLossless();
}

void
FabricFlowControl::SetReceiverFull(uint8_t lane, bool full, int64_t now)
{
    NS_ASSERT_MSG(m_port, "a flow control is bound to a port first");
    DoSetReceiverFull(lane, full, now);
}

void
FabricFlowControl::ReceiveControl(const FabricFrame& frame, int64_t now)
{
    NS_ASSERT_MSG(m_port, "a flow control is bound to a port first");
    DoReceiveControl(frame, now);
}

int64_t
FabricFlowControl::RunTimers(int64_t now)
{
    return DoRunTimers(now);
}

void
FabricFlowControl::Reset(int64_t now)
{
    DoReset(now);
}

void
FabricFlowControl::Connect(FabricFlowControl& peer)
{
    DoConnect(peer);
}

std::string
FabricFlowControl::GetProtocol() const
{
    return "Ethernet";
}

void
FabricFlowControl::DoDispose()
{
    m_port = nullptr;
    Object::DoDispose();
}

void
FabricFlowControl::DoConnect(FabricFlowControl&)
{
}

uint32_t
FabricFlowControl::DoGetLossless() const
{
    return 0;
}

void
FabricFlowControl::DoSetReceiverFull(uint8_t, bool, int64_t)
{
}

void
FabricFlowControl::DoReceiveControl(const FabricFrame&, int64_t)
{
}

int64_t
FabricFlowControl::DoRunTimers(int64_t)
{
    return FABRIC_NEVER;
}

void
FabricFlowControl::DoReset(int64_t)
{
}

} // namespace rdma
} // namespace ns3
