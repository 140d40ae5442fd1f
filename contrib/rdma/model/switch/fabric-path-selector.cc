/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-path-selector.h"

#include "ns3/fabric-flow-hash.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricPathSelector);

TypeId
FabricPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricPathSelector").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

void
FabricPathSelector::SetSeed(uint32_t seed)
{
    m_seed = FabricMix(seed ^ 0x5bd1e995);
}

void
FabricPathSelector::SetQueues(const FabricQueueLengths* queues)
{
    m_queues = queues;
}

} // namespace rdma
} // namespace ns3
