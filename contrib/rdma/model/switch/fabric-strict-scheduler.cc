/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-strict-scheduler.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricStrictScheduler);

TypeId
FabricStrictScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricStrictScheduler")
                            .SetParent<FabricEgressScheduler>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricStrictScheduler>();
    return tid;
}

FabricStrictScheduler::FabricStrictScheduler()
    : FabricEgressScheduler(false)
{
}

uint32_t
FabricStrictScheduler::DoSelect(uint32_t eligible, const FabricFrameQueue*)
{
    return Highest(eligible);
}

} // namespace rdma
} // namespace ns3
