/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-marker.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricMarker);

TypeId
FabricMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricMarker")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricMarker>();
    return tid;
}

void
FabricMarker::Configure(uint64_t bitsPerSecond, Ptr<UniformRandomVariable> random)
{
    m_random = random;
    DoConfigure(bitsPerSecond);
}

void
FabricMarker::DoDispose()
{
    m_random = nullptr;
    Object::DoDispose();
}

double
FabricMarker::Draw() const
{
    return m_random->GetValue();
}

uint64_t
FabricMarker::GetFullMarking() const
{
    return DoGetFullMarking();
}

uint64_t
FabricMarker::DoGetFullMarking() const
{
    return 0;
}

void
FabricMarker::DoConfigure(uint64_t)
{
}

bool
FabricMarker::DoMustMark(uint64_t)
{
    return false;
}

} // namespace rdma
} // namespace ns3
