/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/fabric-least-queued-selector.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricLeastQueuedSelector);

TypeId
FabricLeastQueuedSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricLeastQueuedSelector")
                            .SetParent<FabricPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricLeastQueuedSelector>();
    return tid;
}

uint32_t
FabricLeastQueuedSelector::DoSelect(const FabricFrame&, FabricForwardingTable::Ports ports)
{
    // The seed makes switches that see the same begin at different ports.
    const uint32_t start = (GetSeed() + m_turn++) % ports.count;
    uint32_t best = start;
    uint64_t least = GetQueues().GetQueuedBytes(ports.first[start]);
    for (uint32_t i = 1; i < ports.count && least; ++i)
    {
        const uint32_t candidate = (start + i) % ports.count;
        const uint64_t bytes = GetQueues().GetQueuedBytes(ports.first[candidate]);
        if (bytes < least)
        {
            best = candidate;
            least = bytes;
        }
    }
    return best;
}

} // namespace rdma
} // namespace ns3
