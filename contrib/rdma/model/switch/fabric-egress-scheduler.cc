/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-egress-scheduler.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricEgressScheduler);

TypeId
FabricEgressScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricEgressScheduler").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

} // namespace rdma
} // namespace ns3
