/* SPDX-License-Identifier: GPL-2.0-only */
/* DCQCN with the parameters of ConnectX network adapters. */

#include "ns3/rdma-dcqcn-connectx.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcnConnectX);

TypeId
RdmaDcqcnConnectX::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::rdma::RdmaDcqcnConnectX")
                                          .SetParent<RdmaDcqcnBase>()
                                          .SetGroupName("Rdma")
                                          .AddConstructor<RdmaDcqcnConnectX>(),
                                      {5.0 / 1024,         // gain
                                       1.0,                // initialAlpha
                                       MicroSeconds(1),    // alphaPeriod
                                       MicroSeconds(300),  // ratePeriod
                                       0,                  // byteCounter
                                       1,                  // threshold
                                       DataRate(5000000),  // additiveRate
                                       DataRate(50000000), // hyperRate
                                       DataRate(1000000),  // minRate
                                       MicroSeconds(4),    // cutInterval
                                       0.5,                // minDecreaseFactor
                                       DataRate(0),        // firstCnpRate
                                       false,              // clampTarget
                                       true});             // clampTargetAfterTimer
    return tid;
}

RdmaDcqcnConnectX::RdmaDcqcnConnectX() = default;

RdmaDcqcnConnectX::~RdmaDcqcnConnectX() = default;

void
RdmaDcqcnConnectX::EstimateCnp(int64_t /* now */)
{
    m_cnpInPeriod = true;
}

} // namespace rdma
} // namespace ns3
