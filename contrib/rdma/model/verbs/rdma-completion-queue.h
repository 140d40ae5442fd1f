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
     * \param solicitedOnly Whether only a failure, or a message sent with a solicited event, does.
     *        Asked for both, everything does.
     */
    void RequestNotify(bool solicitedOnly = false);
    /// \param callback Called when a completion comes and notification was requested.
    void SetNotify(Callback<void, Ptr<RdmaCompletionQueue>> callback);
    /**
     * ibv_modify_cq: moderation of notifications.
     * \param count Completions that there have to be since the last notification, 1: each notifies.
     */
    void SetModeration(uint32_t count);
    /**
     * ibv_resize_cq.
     * \param capacity Completions that it shall hold.
     * \return 0, or EINVAL when it is 0 or more completions wait.
     */
    int Resize(uint32_t capacity);

    /**
     * \param completion A completion.
     * \return false when there was no room: the queue is overrun for good, and the completion lost.
     */
    bool Push(const RdmaWc& completion);
    /// \param callback Called when the queue is overrun, once.
    void SetError(Callback<void, RdmaCompletionQueue*> callback);

    /// \return How many completions it can hold.
    uint32_t GetCapacity() const;
    /// \return How many completions wait.
    uint32_t GetDepth() const;
    /// \return Whether a completion was ever lost for want of room.
    bool IsOverrun() const;

  private:
    std::deque<RdmaWc> m_completions;                  //!< oldest first
    Callback<void, Ptr<RdmaCompletionQueue>> m_notify; //!< who is told
    Callback<void, RdmaCompletionQueue*> m_error;      //!< who is told of an overrun
    uint32_t m_capacity;                               //!< how many fit
    uint32_t m_moderation{1};                          //!< completions per notification
    uint32_t m_sinceNotified{0};                       //!< completions since the last one
    bool m_armed{false};                               //!< notification requested
    bool m_solicitedOnly{false};                       //!< of solicited events only
    bool m_overrun{false};                             //!< a completion was lost
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
