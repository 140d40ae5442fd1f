/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion control of InfiniBand: the channel adapter's reaction to BECN. */

#ifndef RDMA_IB_CONGESTION_H
#define RDMA_IB_CONGESTION_H

#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-ib-cct.h"
#include "ns3/rdma-ib-ccti.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Congestion control of InfiniBand (IBA volume 1, annex A10) in the sending channel adapter.
 * Switches mark packets with FECN, the receiver answers with BECN, and each BECN moves the sender
 * up in the congestion control table, whose entry says how long to wait after each packet. A timer
 * moves it down again.
 *
 * The index into the table belongs to the queue pair, or is shared by all queue pairs of the NIC
 * that use the same service level.
 */
class RdmaIbCongestion : public RdmaCongestionOps, private RdmaIbCctiListener
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();
    RdmaIbCongestion();
    ~RdmaIbCongestion() override;

    /// \return The index into the table; only after Start().
    uint16_t GetCcti() const;

    /**
     * Signature of the trace source Ccti.
     * \param before The index before.
     * \param after The index after.
     * \param ps The time in picoseconds; for the timer the time at which it is due.
     */
    typedef void (*CctiTracedCallback)(uint16_t before, uint16_t after, int64_t ps);
    /**
     * Signature of the trace source Trigger.
     * \param ccti The index.
     * \param ps The time in picoseconds.
     */
    typedef void (*TriggerTracedCallback)(uint16_t ccti, int64_t ps);

  private:
    void DoJoin(RdmaCongestionPool& pool, uint8_t serviceLevel) override;
    void DoStart(int64_t now) override;
    void DoAdvance(int64_t now) override;
    void DoCnp(int64_t now) override;
    void CctiChanged(uint16_t before, int64_t now) override;

    /// Lets go of the index.
    void Leave();
    /// Takes over rate and deadline of the index. \param now The time in ps.
    void Apply(int64_t now);

    RdmaIbCct m_table;                                       //!< the table
    uint16_t m_limit;                                        //!< CCTI_Limit
    uint8_t m_increase;                                      //!< CCTI_Increase
    uint8_t m_minimum;                                       //!< CCTI_Min
    uint16_t m_timer;                                        //!< CCTI_Timer in units of 1.024 us
    uint8_t m_trigger;                                       //!< Trigger_Threshold; 0: none
    bool m_perServiceLevel;                                  //!< port_control bit 0
    bool m_shared{false};                                    //!< whether others have the same index
    Ptr<RdmaIbCcti> m_ccti;                                  //!< the index
    TracedCallback<uint16_t, uint16_t, int64_t> m_cctiTrace; //!< the index changes
    TracedCallback<uint16_t, int64_t> m_triggerTrace;        //!< it reaches the threshold
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IB_CONGESTION_H */
