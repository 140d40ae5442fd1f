/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_STRICT_SCHEDULER_H
#define FABRIC_STRICT_SCHEDULER_H

#include "ns3/fabric-egress-scheduler.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Strict priority (IEEE 802.1Q, 8.6.8.1): the highest lane that may send, sends.
 */
class FabricStrictScheduler : public FabricEgressScheduler
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricStrictScheduler();

  private:
    uint32_t DoSelect(uint32_t eligible, const FabricFrameQueue* lanes) override;
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_STRICT_SCHEDULER_H */
