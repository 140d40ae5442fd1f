/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_STATIC_BUFFER_H
#define FABRIC_STATIC_BUFFER_H

#include "ns3/fabric-buffer-policy.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Fixed thresholds: a lossless lane of an ingress port has what is reserved for it and its sender
 * is stopped when that is used up; a lossy queue has a fixed limit.
 */
class FabricStaticBuffer : public FabricBufferPolicy
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    Verdict DoAdmit(const Ingress& lane, uint64_t egressBytes, uint64_t bytes) const override;
    bool DoMustStop(const Ingress& lane) const override;
    bool DoMayGoOn(const Ingress& lane) const override;
    uint64_t DoGetStopBytes() const override;

    uint64_t m_lossyLimit; //!< bytes of a lossy queue
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_STATIC_BUFFER_H */
