/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SPRAY_PATH_POLICY_H
#define RDMA_SPRAY_PATH_POLICY_H

#include "ns3/rdma-path-policy.h"

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Packets take all paths in turn, whatever becomes of them.
class RdmaSprayPathPolicy : public RdmaPathPolicy
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    void DoStart() override;
    uint16_t DoSelect(uint16_t avoid, int64_t now) override;

    uint16_t m_wanted;  //!< number of paths
    uint16_t m_next{0}; //!< path of the next packet
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SPRAY_PATH_POLICY_H */
