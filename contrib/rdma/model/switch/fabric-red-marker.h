/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_RED_MARKER_H
#define FABRIC_RED_MARKER_H

#include "ns3/data-rate.h"
#include "ns3/fabric-marker.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * RED on the instantaneous queue, as DCQCN asks for (SIGCOMM 2015, section 3.1, CP): no mark up to
 * Kmin, probability Pmax (q - Kmin) / (Kmax - Kmin) between, and every frame above Kmax.
 *
 * Kmin and Kmax hold at the reference rate and scale with the rate of the port.
 */
class FabricRedMarker : public FabricMarker
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /// \return Kmin at the port's rate, in bytes.
    uint64_t GetKmin() const;
    /// \return Kmax at the port's rate, in bytes.
    uint64_t GetKmax() const;

  private:
    void DoConfigure(uint64_t bitsPerSecond) override;
    bool DoMustMark(uint64_t queueBytes) override;
    uint64_t DoGetFullMarking() const override;

    uint64_t m_kmin;          //!< bytes below which nothing is marked
    uint64_t m_kmax;          //!< bytes above which everything is
    double m_pmax;            //!< probability at Kmax
    DataRate m_reference;     //!< rate that Kmin and Kmax are for; 0: any
    uint64_t m_scaledKmin{0}; //!< Kmin at the port's rate
    uint64_t m_scaledKmax{0}; //!< Kmax at the port's rate
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_RED_MARKER_H */
