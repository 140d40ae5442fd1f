/* SPDX-License-Identifier: GPL-2.0-only */
/* DCQCN with the parameters of ConnectX network adapters. */

#ifndef RDMA_DCQCN_CONNECTX_H
#define RDMA_DCQCN_CONNECTX_H

#include "ns3/rdma-dcqcn-base.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * \brief DCQCN with the defaults of NVIDIA ConnectX firmware.
 *
 * The values are those that mlxconfig prints, with the meaning of the mstflint help texts:
 * DCE_TCP_G 1019 (alpha *= 1019/1024, g = 5/1024), DCE_TCP_RTT 1 us (K), RPG_TIME_RESET 300 us (T),
 * RPG_THRESHOLD 1 (F), RPG_AI_RATE 5 and RPG_HAI_RATE 50 Mb/s, RPG_MIN_RATE 1 Mb/s,
 * RATE_REDUCE_MONITOR_PERIOD 4 us, RPG_MIN_DEC_FAC 50 %, RATE_TO_SET_ON_FIRST_CNP 0,
 * CLAMP_TGT_RATE 0, CLAMP_TGT_RATE_AFTER_TIME_INC 1, INITIAL_ALPHA_VALUE 1023 (the largest, here
 * 1), RPG_GD 11 (with alpha in units of 2^-10: a cut by alpha / 2).
 *
 * Alpha periods run freely from the first CNP, and a period adds g once if it has seen a CNP, when
 * it ends. RPG_BYTE_RESET reads 32767, the largest value of its field and of unclear unit: the byte
 * counter is off here, as in the published simulators of this family.
 */
class RdmaDcqcnConnectX : public RdmaDcqcnBase
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcnConnectX();
    ~RdmaDcqcnConnectX() override;

  private:
    void EstimateCnp(int64_t now) override;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DCQCN_CONNECTX_H */
