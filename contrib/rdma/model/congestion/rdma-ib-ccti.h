/* SPDX-License-Identifier: GPL-2.0-only */
/* The index into the congestion control table of InfiniBand, with its timer. */

#ifndef RDMA_IB_CCTI_H
#define RDMA_IB_CCTI_H

#include "ns3/rdma-congestion-pool.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Who sends as fast as a RdmaIbCcti says.
class RdmaIbCctiListener
{
  public:
    virtual ~RdmaIbCctiListener() = default;
    /**
     * The index has changed.
     * \param before What it was.
     * \param now Time of the change, ps; for the timer the time at which it was due.
     */
    virtual void CctiChanged(uint16_t before, int64_t now) = 0;
};

/**
 * \ingroup rdma
 * The CCTI of a queue pair, or of all queue pairs of a service level (IBA volume 1, annex A10).
 * Each BECN adds to it. A timer that runs in a cycle from the start takes one away each time.
 */
class RdmaIbCcti : public RdmaCongestionShared
{
  public:
    /// How it moves.
    struct Settings
    {
        uint16_t limit;   //!< CCTI_Limit: the highest value
        uint8_t increase; //!< CCTI_Increase: what a BECN adds
        uint8_t minimum;  //!< CCTI_Min: the lowest value
        int64_t period;   //!< CCTI_Timer in ps

        /// \param other Others. \return Whether they are the same.
        bool operator==(const Settings& other) const;
    };

    /**
     * Begins at the lowest value; a second call only compares the settings.
     * \param settings How it moves.
     * \param now The time in ps.
     * \return Whether it moves like that.
     */
    bool Start(const Settings& settings, int64_t now);
    /// \param listener Who is told of changes from now on, in the order of these calls.
    void Add(RdmaIbCctiListener* listener);
    /// \param listener Who is not told any more.
    void Remove(RdmaIbCctiListener* listener);

    /**
     * A BECN has come.
     * \param now The time in ps; Advance has been called for it.
     */
    void Becn(int64_t now);
    /**
     * Runs the timer.
     * \param now The time in ps.
     */
    void Advance(int64_t now);

    /// \return The index.
    uint16_t Get() const;
    /// \return When the timer next changes it, in ps; RdmaCongestionOps::NO_DEADLINE for never.
    int64_t GetDeadline() const;

  private:
    /**
     * Changes the index and tells the listeners.
     * \param value The new value.
     * \param now When, in ps.
     */
    void Set(uint16_t value, int64_t now);

    Settings m_settings{};                        //!< how it moves
    bool m_started{false};                        //!< whether the settings are set
    uint16_t m_value{0};                          //!< the index
    int64_t m_start{0};                           //!< when the timer's cycle began, ps
    int64_t m_deadline{0};                        //!< when the timer next changes it, ps
    std::vector<RdmaIbCctiListener*> m_listeners; //!< who is told
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IB_CCTI_H */
