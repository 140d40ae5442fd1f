/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-ecmp-selector.h"

#include "ns3/fabric-flow-hash.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricEcmpSelector);

TypeId
FabricEcmpSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricEcmpSelector")
                            .SetParent<FabricPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricEcmpSelector>();
    return tid;
}

uint32_t
FabricEcmpSelector::DoSelect(const FabricFrame& frame, FabricForwardingTable::Ports ports)
{
    const uint64_t hash = FabricMix(frame.flowHash ^ GetSeed());
    return static_cast<uint32_t>(hash * ports.count >> 32);
}

} // namespace rdma
} // namespace ns3
