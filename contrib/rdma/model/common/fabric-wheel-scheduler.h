/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_WHEEL_SCHEDULER_H
#define FABRIC_WHEEL_SCHEDULER_H

#include "ns3/fabric-wheel-node.h"
#include "ns3/fabric-wheel-overflow.h"
#include "ns3/fabric-wheel-tuner.h"
#include "ns3/scheduler.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * An event scheduler for simulations with very many events a short time ahead: a timing wheel.
 *
 * It delivers events in the order of MapScheduler, by time and then by unique id, with one
 * difference: unique ids are compared by serial-number arithmetic (RFC 1982). The simulator's
 * unique ids have 32 bits and wrap during long runs; where they do, plain comparison reverses
 * events of equal time. Two events of equal time come in the right order as long as fewer than
 * 2^31 events are scheduled between them.
 *
 * Select it before Simulator::Run:
 * \code
 *   ObjectFactory factory("ns3::rdma::FabricWheelScheduler");
 *   Simulator::SetScheduler(factory);
 * \endcode
 *
 * Structure. Time is cut into slots of "BucketWidth" ticks. The wheel has one bucket per slot for
 * the slots from the current one to the end of the next block (a block is half of the wheel). A
 * bucket is a linked list in order. The events of equal time in it form a group whose first event
 * knows the last one, so an insertion steps over groups, not over events, and any number of
 * simultaneous events costs no more than one. A bitmap with a summary on top finds the next bucket
 * in use. Events after the next block wait in a FabricWheelOverflow until the wheel comes near.
 * Events are nodes of a pool, so that nothing is allocated once the pool has grown.
 *
 * Cost. Insert and RemoveNext take constant time on average for events within the wheel, and at
 * most one more step per level (at most ten) for events beyond it. Remove searches the bucket, or
 * the list, of the event. Memory is linear in the number of pending events.
 *
 * With "Adaptive" the width and the number of buckets follow the load (FabricWheelTuner); the
 * order of events never depends on either.
 */
class FabricWheelScheduler : public Scheduler
{
  public:
    /**
     * \brief Get the type ID.
     * \return The object TypeId.
     */
    static TypeId GetTypeId();

    FabricWheelScheduler();
    ~FabricWheelScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

    /**
     * Sets the width of a bucket, also while events are pending.
     * \param width Ticks, rounded down to a power of two.
     */
    void SetBucketWidth(uint64_t width);
    /// \return The width of a bucket in ticks; with "Adaptive" it changes.
    uint64_t GetBucketWidth() const;
    /// \return The number of buckets; with "Adaptive" it changes.
    uint32_t GetBucketCount() const;
    /// \return The number of events for which there is memory.
    uint32_t GetCapacity() const;

  private:
    static constexpr uint32_t NO_BUCKET = UINT32_MAX; //!< Nothing found.

    /**
     * Puts an event into an unused node, of which there must be one, and the node into its place.
     * \param ev The event.
     */
    void Append(const Event& ev);
    /// Makes more nodes.
    void Grow();
    /**
     * Puts a node into the wheel or behind it.
     * \param n The node.
     */
    void Place(uint32_t n);
    /**
     * Puts a node into the bucket of a slot that has one.
     * \param n The node.
     * \param slot The slot.
     */
    void PlaceNear(uint32_t n, uint64_t slot);
    /**
     * Puts a node into a bucket in use.
     * \param n The node.
     * \param link The head of the bucket.
     */
    void PlaceInOrder(uint32_t n, uint32_t* link);
    /**
     * Puts a node into the group of its time.
     * \param n The node.
     * \param link The link to the first node of the group.
     */
    void PlaceInGroup(uint32_t n, uint32_t* link);
    /**
     * \param bucket An empty bucket.
     * \return The first bucket in use after it around the wheel, or NO_BUCKET.
     */
    uint32_t FindBucket(uint32_t bucket) const;
    /**
     * \param word The words of m_used after it are searched around the wheel, it comes last.
     * \return The first bucket in use, or NO_BUCKET.
     */
    uint32_t FindBucketBeyond(uint32_t word) const;
    /**
     * Takes the first event out of a bucket.
     * \param bucket A bucket in use.
     * \return The event.
     */
    Event TakeFirst(uint32_t bucket);
    /// \return The earliest event, removed, wherever it is.
    Event RemoveDistant();
    /**
     * Moves an empty wheel to the block of the earliest event.
     * \return The bucket of that event.
     */
    uint32_t Skip();
    /**
     * Makes a block the last one of the wheel. No event behind the wheel may be earlier.
     * \param block Its number.
     */
    void LoadBlock(uint64_t block);
    /**
     * Notes that a bucket has become empty.
     * \param bucket The bucket.
     */
    void MarkEmpty(uint32_t bucket);
    /**
     * Returns a node to the pool.
     * \param n The node.
     */
    void Release(uint32_t n);
    /**
     * Takes a node out of a bucket.
     * \param ev The event.
     * \param bucket The bucket.
     * \return The node, 0 if it is not there.
     */
    uint32_t Unlink(const Event& ev, uint32_t bucket);
    /**
     * Inserts an event after making room and giving the tuner a sample.
     * \param ev The event.
     */
    void InsertAndSample(const Event& ev);
    /// Follows the choice of the tuner.
    void Tune();
    /**
     * Moves all events to another layout, and to a pool that fits their number.
     * \param geometry The layout.
     */
    void Rebuild(const FabricWheelTuner::Geometry& geometry);
    /**
     * \param n A node.
     * \return Its event.
     */
    Event ToEvent(uint32_t n) const;

    FabricWheelPool m_nodes;         //!< The pool; the first node is not used.
    std::vector<uint32_t> m_heads;   //!< The first node of each bucket.
    std::vector<uint64_t> m_used;    //!< One bit per bucket in use.
    std::vector<uint64_t> m_summary; //!< One bit per word of m_used that is not 0.
    uint32_t m_free;                 //!< The first unused node.
    uint32_t m_size;                 //!< Pending events.
    uint32_t m_shift;                //!< Logarithm of the bucket width in ticks.
    uint32_t m_mask;                 //!< Number of buckets - 1.
    uint32_t m_blockBits;            //!< Logarithm of the number of buckets of a block.
    uint32_t m_untilSample;          //!< Insertions until the next sample.
    uint64_t m_slot;                 //!< The current slot: that of the last removed event.
    uint64_t m_lastBlock;            //!< The first slot of the last block of the wheel.
    uint64_t m_end;                  //!< The first slot behind the wheel.
    uint64_t m_now;                  //!< Time of the last removed event in ticks.
    bool m_adaptive;                 //!< Whether the layout follows the load.
    FabricWheelTuner m_tuner;        //!< Chooses the layout.
    FabricWheelOverflow m_overflow;  //!< The events from m_end on.
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_WHEEL_SCHEDULER_H */
