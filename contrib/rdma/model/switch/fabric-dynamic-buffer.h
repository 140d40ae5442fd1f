/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DYNAMIC_BUFFER_H
#define FABRIC_DYNAMIC_BUFFER_H

#include "ns3/fabric-buffer-policy.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Dynamic thresholds: a queue may use alpha times what is free of the shared pool.
 *
 * Lossless lanes are limited where they come in, and their senders are stopped there; they are
 * never limited where they go out, so a stop always comes before a loss. Lossy lanes are limited
 * where they go out, and lose what comes on top.
 */
class FabricDynamicBuffer : public FabricBufferPolicy
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

  private:
    Verdict DoAdmit(const Ingress& lane, uint64_t egressBytes, uint64_t bytes) const override;
    bool DoMustStop(const Ingress& lane) const override;
    bool DoMayGoOn(const Ingress& lane) const override;
    void DoConfigured() override;
    uint64_t DoGetStopBytes() const override;

    /// \return Bytes of the shared pool that a lossless lane may use now.
    uint64_t GetThreshold() const;
    /// \param alpha Share of what is free that a lossless lane may use.
    void SetAlpha(double alpha);
    /// \return Share of what is free that a lossless lane may use.
    double GetAlpha() const;
    /// \param alpha Share of what is free that a lossy queue may use.
    void SetLossyAlpha(double alpha);
    /// \return Share of what is free that a lossy queue may use.
    double GetLossyAlpha() const;

    uint64_t m_alpha;      //!< in 1/1024
    uint64_t m_lossyAlpha; //!< in 1/1024
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DYNAMIC_BUFFER_H */
