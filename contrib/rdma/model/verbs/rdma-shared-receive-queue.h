/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SHARED_RECEIVE_QUEUE_H
#define RDMA_SHARED_RECEIVE_QUEUE_H

#include "ns3/callback.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-work-request.h"
#include "ns3/simple-ref-count.h"

#include <deque>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Receives that several queue pairs take from, oldest first (ibv_srq).
 */
class RdmaSharedReceiveQueue : public SimpleRefCount<RdmaSharedReceiveQueue>
{
  public:
    /**
     * \param domain Protection domain of the receives.
     * \param maxWr Receives that may be posted.
     * \param maxSge Pieces of memory of a receive.
     */
    RdmaSharedReceiveQueue(Ptr<RdmaProtectionDomain> domain, uint32_t maxWr, uint32_t maxSge);

    /**
     * ibv_post_srq_recv.
     * \param request The receive.
     * \return 0, or ENOMEM when the queue is full or the receive has too many pieces.
     */
    int Post(const RdmaRecvWr& request);
    /**
     * ibv_modify_srq with IBV_SRQ_LIMIT: arms the limit event.
     * \param limit The event comes once, when fewer receives than this are left; 0: never.
     * \return 0, or EINVAL when the queue cannot hold so many.
     */
    int SetLimit(uint32_t limit);
    /// \return ibv_query_srq: the limit; 0 once the event has come.
    uint32_t GetLimit() const;
    /// \return Receives that may be posted.
    uint32_t GetMaxWr() const;
    /// \return Receives posted and not taken.
    uint32_t GetPosted() const;
    /// \return The protection domain.
    const RdmaProtectionDomain* GetDomain() const;

    // -- for queue pairs and the NIC

    /**
     * \param [out] request The oldest receive.
     * \return Whether there was one.
     */
    bool Take(RdmaRecvWr& request);
    /// \param callback Called when the limit is reached.
    void SetLimitReached(Callback<void, const RdmaSharedReceiveQueue*> callback);

  private:
    Ptr<RdmaProtectionDomain> m_domain;                           //!< protection domain
    std::deque<RdmaRecvWr> m_receives;                            //!< oldest first
    Callback<void, const RdmaSharedReceiveQueue*> m_limitReached; //!< who is told
    uint32_t m_maxWr;                                             //!< receives that fit
    uint32_t m_maxSge;                                            //!< pieces of a receive
    uint32_t m_limit{0};                                          //!< 0: not armed
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SHARED_RECEIVE_QUEUE_H */
