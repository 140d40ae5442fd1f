/* SPDX-License-Identifier: GPL-2.0-only */
/* No congestion control: always line rate. */

#include "ns3/rdma-no-congestion.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNoCongestion);

TypeId
RdmaNoCongestion::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaNoCongestion")
                            .SetParent<RdmaCongestionOps>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaNoCongestion>();
    return tid;
}

RdmaNoCongestion::RdmaNoCongestion() = default;

RdmaNoCongestion::~RdmaNoCongestion() = default;

} // namespace rdma
} // namespace ns3
