/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_WHEEL_TUNER_H
#define FABRIC_WHEEL_TUNER_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Chooses the bucket width and the number of buckets of a FabricWheelScheduler from what it
 * measures.
 *
 * Narrow buckets make insertion cheap, because few events share one; a wide wheel makes it cheap,
 * because few events lie beyond its end and have to be moved later; a small wheel stays in the
 * processor's cache. The tuner knows three things: how far ahead events are inserted (a sampled
 * histogram), how many events an insertion had to walk past, and how many events are inserted per
 * tick. From these it predicts the instructions per event of every geometry.
 */
class FabricWheelTuner
{
  public:
    /// The layout of a wheel.
    struct Geometry
    {
        uint32_t widthBits; //!< A bucket holds 2^widthBits ticks.
        uint32_t countBits; //!< The wheel has 2^countBits buckets; half of them are a block.
    };

    /// The events of which one is sampled; prime, so that no pattern of a model hides from it.
    static constexpr uint32_t SAMPLE_INTERVAL = 61;
    /// The smallest wheel: 2^10 buckets.
    static constexpr uint32_t MIN_COUNT_BITS = 10;
    /// The largest wheel: 2^20 buckets.
    static constexpr uint32_t MAX_COUNT_BITS = 20;
    /// The widest bucket: 2^44 ticks.
    static constexpr uint32_t MAX_WIDTH_BITS = 44;

    FabricWheelTuner();

    /**
     * Counts one event out of SAMPLE_INTERVAL.
     * \param delay Ticks between the last removed event and the inserted one.
     */
    void Sample(uint64_t delay)
    {
        ++m_delays[delay ? 64 - __builtin_clzll(delay) : 0];
        ++m_samples;
    }

    /**
     * Counts the events that an insertion passed in a bucket.
     * \param steps Their number.
     */
    void Walk(uint32_t steps)
    {
        m_steps += steps;
    }

    /// \return Whether it is time to call Choose.
    bool IsDue() const
    {
        return m_samples >= m_epoch || (m_steps > MAX_STEPS && m_samples >= MIN_SAMPLES);
    }

    /**
     * Ends an epoch of measurement.
     * \param current The layout in use.
     * \param pending The number of pending events.
     * \param now Time of the last removed event in ticks.
     * \return The layout to use from now on; \p current unless another one pays for the move.
     */
    Geometry Choose(const Geometry& current, std::size_t pending, uint64_t now);

  private:
    /// What an epoch has shown.
    struct Load
    {
        double stepsPerInsert;              //!< Events passed per insertion.
        double eventsPerTick;               //!< Insertions per tick.
        std::array<double, 65> shareBeyond; //!< Share of insertions 2^i ticks ahead or more.
    };

    /**
     * \param candidate The layout to judge.
     * \param current The layout in use while the load was measured.
     * \param load What was measured.
     * \return The part of the instructions per event that depends on the layout.
     */
    static double Predict(const Geometry& candidate, const Geometry& current, const Load& load);

    static constexpr uint32_t MIN_SAMPLES = 8;     //!< Fewer say nothing.
    static constexpr uint32_t MAX_EPOCH = 512;     //!< Samples of the longest epoch.
    static constexpr uint64_t MAX_STEPS = 1 << 16; //!< Ends an epoch early.

    std::array<uint32_t, 65> m_delays; //!< Samples by the bit length of the delay.
    uint32_t m_samples;                //!< Samples of this epoch.
    uint32_t m_epoch;                  //!< Samples that end this epoch.
    uint64_t m_steps;                  //!< Events passed in this epoch.
    uint64_t m_start;                  //!< Time at which this epoch began in ticks.
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_WHEEL_TUNER_H */
