/* SPDX-License-Identifier: GPL-2.0-only */
/* DCQCN with the parameters of its paper. */

#include "ns3/rdma-dcqcn.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid = AddParameters(TypeId("ns3::rdma::RdmaDcqcn")
                                          .SetParent<RdmaDcqcnBase>()
                                          .SetGroupName("Rdma")
                                          .AddConstructor<RdmaDcqcn>(),
                                      {1.0 / 256,           // gain
                                       1.0,                 // initialAlpha
                                       MicroSeconds(55),    // alphaPeriod
                                       MicroSeconds(55),    // ratePeriod
                                       10000000,            // byteCounter
                                       5,                   // threshold
                                       DataRate(40000000),  // additiveRate
                                       DataRate(200000000), // hyperRate
                                       DataRate(5000000),   // minRate
                                       Seconds(0),          // cutInterval
                                       0.0,                 // minDecreaseFactor
                                       DataRate(0),         // firstCnpRate
                                       true,                // clampTarget
                                       true});              // clampTargetAfterTimer
    return tid;
}

RdmaDcqcn::RdmaDcqcn() = default;

RdmaDcqcn::~RdmaDcqcn() = default;

void
RdmaDcqcn::EstimateCnp(int64_t now)
{
    m_alpha = Reinforce(m_alpha);
    m_alphaTime = now;
}

} // namespace rdma
} // namespace ns3
