/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-spray-selector.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricSpraySelector);

TypeId
FabricSpraySelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricSpraySelector")
                            .SetParent<FabricPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricSpraySelector>();
    return tid;
}

uint32_t
FabricSpraySelector::DoSelect(const FabricFrame&, FabricForwardingTable::Ports ports)
{
    return (GetSeed() + m_turn++) % ports.count;
}

} // namespace rdma
} // namespace ns3
