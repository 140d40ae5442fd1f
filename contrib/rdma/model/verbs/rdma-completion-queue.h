/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_COMPLETION_QUEUE_H
#define RDMA_COMPLETION_QUEUE_H

#include "ns3/callback.h"
#include "ns3/rdma-work-request.h"
#include "ns3/simple-ref-count.h"

#include <deque>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A completion queue (ibv_cq): polled, or armed to notify once.
 */
class RdmaCompletionQueue : public SimpleRefCount<RdmaCompletionQueue>
{
  public:
    /// \param capacity Completions that it holds.
    explicit RdmaCompletionQueue(uint32_t capacity);

    /**
     * ibv_poll_cq.
     * \param most How many to take.
     * \return The oldest completions.
     */
    std::vector<RdmaWc> Poll(uint32_t most);
    /**
     * ibv_req_notify_cq: the next completion that comes calls the notification, once.
     */
    void RequestNotify();
    /// \param callback Called when a completion comes and notification was requested.
    void SetNotify(Callback<void, Ptr<RdmaCompletionQueue>> callback);

    /**
     * \param completion A completion.
     * \return false when there was no room: the queue is overrun, and the completion lost.
     */
    bool Push(const RdmaWc& completion);

    /// \return How many completions it can hold.
    uint32_t GetCapacity() const;
    /// \return How many completions wait.
    uint32_t GetDepth() const;
    /// \return Whether a completion was ever lost for want of room.
    bool IsOverrun() const;

  private:
    std::deque<RdmaWc> m_completions;                  //!< oldest first
    Callback<void, Ptr<RdmaCompletionQueue>> m_notify; //!< who is told
    uint32_t m_capacity;                               //!< how many fit
    bool m_armed{false};                               //!< notification requested
    bool m_overrun{false};                             //!< a completion was lost
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
