/* SPDX-License-Identifier: GPL-2.0-only */
/* The reaction point of DCQCN, shared by its parameter families. */

#ifndef RDMA_DCQCN_BASE_H
#define RDMA_DCQCN_BASE_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * \brief The DCQCN reaction point (Zhu et al., SIGCOMM 2015, section 3).
 *
 * A congestion notification packet (CNP) cuts the rate by alpha / 2, where alpha estimates how
 * often CNPs come. Without CNPs a timer and a byte counter raise the rate again, in three phases:
 *
 * - fast recovery while max(timer stage, byte stage) < F: rate = (target + rate) / 2;
 * - additive increase: target += R_AI first;
 * - hyper increase while min(timer stage, byte stage) > F: target += i * R_HAI first, with
 *   i = min(stages) - F + 1 as in QCN (IEEE 802.1Qau). A byte counter that is off does not hold
 *   back the timer: its stage then counts as the timer's.
 *
 * A stage counts the events since the last cut, the current one included. Both stages, the timer
 * and the byte counter restart at each cut. At line rate they rest: nothing is left to raise.
 *
 * Alpha is read at a cut only, so its decay is worked out there and needs no timer. Order at equal
 * times: the decay of alpha, then a postponed cut, then the increase by timer, then the event of
 * the call itself.
 *
 * Rates are whole bit/s and alpha is a binary fraction of 32 bits: results are the same bits on
 * every machine.
 *
 * A parameter family is a subclass that declares the attributes with its own initial values by
 * AddParameters(), and says how a CNP enters alpha.
 */
class RdmaDcqcnBase : public RdmaCongestionOps
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcnBase();
    ~RdmaDcqcnBase() override;

    /**
     * \return the rate to which recovery leads, bit/s
     */
    uint64_t GetTargetRate() const;

    /**
     * \brief Get the congestion estimate.
     * \param now current time, ps, not before the last event
     * \return alpha at that time, 0 to 1
     */
    double GetAlpha(int64_t now) const;

    /**
     * \return events of the timer since the last cut; holds while the rate is below the line rate
     */
    uint32_t GetTimerStage() const;

    /**
     * \return events of the byte counter since the last cut; holds while the rate is below the
     * line rate
     */
    uint32_t GetByteStage() const;

  protected:
    /** A binary fraction in units of 2^-32; FRACTION_ONE is 1. */
    using Fraction = uint64_t;
    /** The Fraction that is 1. */
    static constexpr Fraction FRACTION_ONE = Fraction(1) << 32;

    /** Initial values of the attributes of a parameter family; units as in the attributes. */
    struct Defaults
    {
        double gain;                //!< Gain
        double initialAlpha;        //!< InitialAlpha
        Time alphaPeriod;           //!< AlphaPeriod
        Time ratePeriod;            //!< RatePeriod
        uint64_t byteCounter;       //!< ByteCounter
        uint32_t threshold;         //!< RecoveryThreshold
        DataRate additiveRate;      //!< AdditiveIncrease
        DataRate hyperRate;         //!< HyperIncrease
        DataRate minRate;           //!< MinRate
        Time cutInterval;           //!< CutInterval
        double minDecreaseFactor;   //!< MinDecreaseFactor
        DataRate firstCnpRate;      //!< FirstCnpRate
        bool clampTarget;           //!< ClampTarget
        bool clampTargetAfterTimer; //!< ClampTargetAfterTimer
    };

    /**
     * \brief Declare the attributes of DCQCN in the TypeId of a parameter family.
     * \param tid the TypeId
     * \param defaults initial values
     * \return the TypeId
     */
    static TypeId AddParameters(TypeId tid, const Defaults& defaults);

    /**
     * \brief Multiply by a fraction, rounding down.
     * \param value any value
     * \param fraction at most #FRACTION_ONE
     * \return value * fraction
     */
    static uint64_t Multiply(uint64_t value, Fraction fraction)
    {
        return (value >> 32) * fraction + (((value & 0xffffffff) * fraction) >> 32);
    }

    /**
     * \brief Let one period pass in an estimate.
     * \param alpha the estimate
     * \return (1 - g) alpha
     */
    Fraction Decay(Fraction alpha) const
    {
        return alpha - Multiply(alpha, m_gain);
    }

    /**
     * \brief Let one period with a CNP pass in an estimate.
     * \param alpha the estimate
     * \return (1 - g) alpha + g
     */
    Fraction Reinforce(Fraction alpha) const
    {
        return Decay(alpha) + m_gain;
    }

    Fraction m_alpha{FRACTION_ONE}; //!< estimate at #m_alphaTime
    int64_t m_alphaTime{0};         //!< begin of the running alpha period, ps

    bool m_cnpInPeriod{false}; //!< the running alpha period has a CNP that is not yet in alpha

  private:
    void DoStart(int64_t now) override;
    void DoAdvance(int64_t now) override;
    void DoSent(int64_t now, uint32_t wireBytes) override;
    void DoCnp(int64_t now) override;

    /**
     * \brief Take a CNP into the estimate, after the cut that it causes.
     * \param now its arrival time, ps; whole periods before it are already in #m_alpha
     */
    virtual void EstimateCnp(int64_t now) = 0;

    /**
     * \brief Count the alpha periods that have ended.
     * \param now current time, ps
     * \return number of whole periods since #m_alphaTime
     */
    int64_t EndedPeriods(int64_t now) const;

    /**
     * \brief Let whole periods pass in the estimate.
     * \param periods how many
     * \return the estimate after them
     */
    Fraction AlphaAfter(int64_t periods) const;

    /**
     * \brief Bring #m_alpha up to date.
     * \param now current time, ps
     */
    void UpdateAlpha(int64_t now);

    /**
     * \brief Cut the rate, for a CNP now or one postponed until now.
     * \param now current time, ps
     */
    void Cut(int64_t now);

    /**
     * \brief Begin a new recovery: stages, bytes and timer start afresh.
     * \param now current time, ps
     */
    void RestartRecovery(int64_t now);

    /**
     * \brief Raise the rate after an event of the timer or the byte counter.
     * \param now time of the event, ps
     */
    void Increase(int64_t now);

    /** Set the deadline to the earlier of the increase timer and a postponed cut. */
    void UpdateDeadline();

    void SetGain(double gain);                //!< \param gain attribute value
    double GetGain() const;                   //!< \return attribute value
    void SetInitialAlpha(double alpha);       //!< \param alpha attribute value
    double GetInitialAlpha() const;           //!< \return attribute value
    void SetMinDecreaseFactor(double factor); //!< \param factor attribute value
    double GetMinDecreaseFactor() const;      //!< \return attribute value

    // Parameters
    Fraction m_gain{0};                  //!< g
    Fraction m_initialAlpha{0};          //!< alpha before the first CNP
    Fraction m_minDecreaseFactor{0};     //!< share of the rate that a cut leaves at least
    Time m_alphaPeriod;                  //!< K
    Time m_ratePeriod;                   //!< T
    Time m_cutInterval;                  //!< time between cuts at least
    uint64_t m_byteCounter{0};           //!< B, bytes; 0 is off
    DataRate m_additiveRate;             //!< R_AI
    DataRate m_hyperRate;                //!< R_HAI
    DataRate m_minRateLimit;             //!< lower limit of the rate
    DataRate m_firstCnpRate;             //!< rate on the first CNP; 0 is off
    uint32_t m_threshold{0};             //!< F
    bool m_clampTarget{false};           //!< every cut lowers the target to the rate
    bool m_clampTargetAfterTimer{false}; //!< so does a cut after an increase by timer

    // State
    bool m_cnpSeen{false};            //!< a CNP has come since the start
    bool m_cutPending{false};         //!< a CNP waits for #m_nextCut
    uint32_t m_timerStage{0};         //!< timer events since the last cut
    uint32_t m_byteStage{0};          //!< byte counter events since the last cut
    uint64_t m_bytes{0};              //!< bytes since the last byte counter event
    uint64_t m_target{0};             //!< target rate, bit/s
    int64_t m_nextTimer{NO_DEADLINE}; //!< next timer event, ps; none while at line rate
    int64_t m_nextCut{0};             //!< no cut before this time, ps
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DCQCN_BASE_H */
