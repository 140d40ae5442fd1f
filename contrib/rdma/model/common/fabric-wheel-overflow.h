/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_WHEEL_OVERFLOW_H
#define FABRIC_WHEEL_OVERFLOW_H

#include "ns3/fabric-wheel-node.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The events of a FabricWheelScheduler that lie beyond the last block of its wheel.
 *
 * They wait in unordered lists of a radix structure: level l holds the events whose block number
 * differs from that of the last block in the base-64 digit l but in no higher one, with one list
 * per value of the digit. So the earliest event is in the first list in use of the lowest level,
 * and when the last block moves on exactly one list has to be spread.
 */
class FabricWheelOverflow
{
  public:
    /**
     * \param nodes The pool of the scheduler, which outlives this object.
     */
    explicit FabricWheelOverflow(FabricWheelPool& nodes);

    /**
     * Adds an event.
     * \param n The node.
     * \param block Its block.
     * \param lastBlock The last block of the wheel, less than \p block.
     */
    void Insert(uint32_t n, uint64_t block, uint64_t lastBlock);
    /// \return The earliest event, 0 if there is none.
    uint32_t FindFirst() const;
    /**
     * Takes out the list that holds the events of a block. No event may be before that block.
     * \param block The block.
     * \param lastBlock The last block of the wheel, less than \p block.
     * \return The first node of the list, in order of insertion; 0 if it is empty.
     */
    uint32_t Take(uint64_t block, uint64_t lastBlock);
    /**
     * Takes out one event.
     * \param key Its key.
     * \param block Its block.
     * \param lastBlock The last block of the wheel, less than \p block.
     * \return The node, 0 if it is not here.
     */
    uint32_t Remove(const Scheduler::EventKey& key, uint64_t block, uint64_t lastBlock);
    /// Forgets all events.
    void Clear();

    /**
     * Calls a function with the first node of each list in use.
     * \tparam F Callable with a uint32_t.
     * \param visit The function.
     */
    template <typename F>
    void ForEachList(F visit) const
    {
        for (uint32_t head : m_heads)
        {
            visit(head);
        }
    }

  private:
    static constexpr uint32_t DIGIT_BITS = 6;               //!< One digit of a block number.
    static constexpr uint32_t LISTS = 1U << DIGIT_BITS;     //!< Lists per level.
    static constexpr uint32_t LEVELS = 64 / DIGIT_BITS + 1; //!< Enough for any block number.

    /**
     * \param block A block beyond the wheel.
     * \param lastBlock The last block of the wheel.
     * \return The list of its events.
     */
    static uint32_t GetList(uint64_t block, uint64_t lastBlock);
    /**
     * Notes that a list has become empty.
     * \param list The list.
     */
    void MarkEmpty(uint32_t list);

    FabricWheelPool& m_nodes;                     //!< The pool.
    std::array<uint64_t, LEVELS> m_used;          //!< One bit per list in use.
    std::array<uint32_t, LEVELS * LISTS> m_heads; //!< The first node of each list.
    mutable uint32_t m_first;                     //!< The earliest node, 0 if not known.
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_WHEEL_OVERFLOW_H */
