/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SINGLE_PATH_POLICY_H
#define RDMA_SINGLE_PATH_POLICY_H

#include "ns3/rdma-path-policy.h"

namespace ns3
{
namespace rdma
{

/// \ingroup rdma All packets to a peer take one path, so that they stay in order.
class RdmaSinglePathPolicy : public RdmaPathPolicy
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    void DoStart() override;
    uint16_t DoSelect(uint16_t avoid, int64_t now) override;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SINGLE_PATH_POLICY_H */
