/* SPDX-License-Identifier: GPL-2.0-only */
/* Who waits for whom, and which of them wait for ever. */

#ifndef FABRIC_WAIT_GRAPH_H
#define FABRIC_WAIT_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Queues that wait for one another. A queue can send again as soon as any queue that it waits for
 * sends, because that frees room at the far end. So a queue waits for ever if and only if no queue
 * that can move is reachable from it; in the theory of deadlocks this is a knot of the OR model
 * (E. Knapp, Deadlock detection in distributed databases, ACM Computing Surveys 1987).
 */
class FabricWaitGraph
{
  public:
    /**
     * \param movable Whether it does not wait for any other queue of the graph alone: it may send,
     *        or somebody outside stops it, and may let it go on.
     * \return The number of a new queue.
     */
    uint32_t AddQueue(bool movable);
    /// \param queue A queue that can move after all.
    void SetMovable(uint32_t queue);
    /**
     * \param queue A queue.
     * \param other One that it waits for.
     */
    void AddWait(uint32_t queue, uint32_t other);

    /**
     * \return Queues each of which waits for the next, and the last for the first, and that wait
     *         for ever; empty when every queue may move some day.
     */
    std::vector<uint32_t> FindCycle() const;

  private:
    /// \return For each queue whether it may move some day.
    std::vector<bool> FindMovable() const;

    std::vector<bool> m_movable;                //!< queues that do not depend on others
    std::vector<std::vector<uint32_t>> m_waits; //!< for each queue those it waits for
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_WAIT_GRAPH_H */
