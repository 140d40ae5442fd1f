/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss recovery of the InfiniBand standard: everything from the loss on is sent again. */

#include "ns3/rdma-go-back-n.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBackN);

TypeId
RdmaGoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::RdmaGoBackN")
                            .SetParent<RdmaLossRecovery>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaGoBackN>();
    return tid;
}

RdmaGoBackN::RdmaGoBackN() = default;

RdmaGoBackN::~RdmaGoBackN() = default;

bool
RdmaGoBackN::DoLost(const RdmaLossEvent& /* event */)
{
    return true;
}

} // namespace rdma
} // namespace ns3
