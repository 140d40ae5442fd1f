/* SPDX-License-Identifier: GPL-2.0-only */
/* DCQCN with the parameters of its paper. */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "ns3/rdma-dcqcn-base.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * \brief DCQCN as published (Zhu et al., SIGCOMM 2015), with the values deployed there.
 *
 * g = 1/256, K = T = 55 us, B = 10 MB, F = 5, R_AI = 40 Mb/s. A CNP enters alpha when it arrives,
 * after its cut, and restarts the alpha period; every cut clamps the target. The paper gives no
 * R_HAI and no minimum rate: R_HAI is the 200 Mb/s of the authors' published simulator
 * configuration, and the minimum the 5 Mb/s of rpgMinRate in IEEE 802.1Qau.
 */
class RdmaDcqcn : public RdmaDcqcnBase
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcn();
    ~RdmaDcqcn() override;

  private:
    void EstimateCnp(int64_t now) override;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DCQCN_H */
