/* SPDX-License-Identifier: GPL-2.0-only */
/* No congestion control: always line rate. */

#ifndef RDMA_NO_CONGESTION_H
#define RDMA_NO_CONGESTION_H

#include "ns3/rdma-congestion-ops.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * \brief No congestion control: line rate, no window, no signals.
 *
 * For fabrics that rely on link-level flow control alone, and as the reference of comparisons.
 */
class RdmaNoCongestion : public RdmaCongestionOps
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNoCongestion();
    ~RdmaNoCongestion() override;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_NO_CONGESTION_H */
