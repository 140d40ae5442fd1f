/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss recovery of the InfiniBand standard: everything from the loss on is sent again. */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "ns3/rdma-loss-recovery.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Go-back-N (IBA volume 1, sections 9.7.5 and 9.7.6): the responder takes packets in order only,
 * reports a gap once, and the requester sends again from the packet that is missing.
 */
class RdmaGoBackN : public RdmaLossRecovery
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaGoBackN();
    ~RdmaGoBackN() override;

  private:
    bool DoLost(const RdmaLossEvent& event) override;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_GO_BACK_N_H */
