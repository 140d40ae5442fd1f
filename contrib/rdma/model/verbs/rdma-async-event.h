/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ASYNC_EVENT_H
#define RDMA_ASYNC_EVENT_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

class RdmaCompletionQueue;
class RdmaSharedReceiveQueue;

/// What an asynchronous event says (ibv_event_type).
enum class RdmaEventType : uint8_t
{
    CQ_ERR = 0,               //!< a completion queue is overrun
    QP_FATAL = 1,             //!< a queue pair has failed: its completions cannot be written
    QP_REQ_ERR = 2,           //!< the peer of a queue pair sent an invalid request
    QP_ACCESS_ERR = 3,        //!< the peer of a queue pair wanted what it must not
    COMM_EST = 4,             //!< the first packet came while the queue pair was in RTR
    SQ_DRAINED = 5,           //!< a send queue has nothing under way any more, in SQD
    PORT_ACTIVE = 9,          //!< the cable is up
    PORT_ERR = 10,            //!< the cable is down
    SRQ_LIMIT_REACHED = 15,   //!< a shared receive queue has fewer receives than its limit
    QP_LAST_WQE_REACHED = 16, //!< a failed queue pair takes no more from its shared receive queue
};

/**
 * \param type A type.
 * \return Its name, as in IBV_EVENT_...
 */
const char* RdmaEventTypeName(RdmaEventType type);

/// \ingroup rdma Something that no completion can tell (ibv_async_event).
struct RdmaAsyncEvent
{
    RdmaEventType type{RdmaEventType::QP_FATAL};               //!< what
    uint32_t queuePair{0};                                     //!< number, events of queue pairs
    const RdmaCompletionQueue* completionQueue{nullptr};       //!< CQ_ERR: which
    const RdmaSharedReceiveQueue* sharedReceiveQueue{nullptr}; //!< SRQ_LIMIT_REACHED: which
    uint8_t port{0};                                           //!< events of ports: which
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ASYNC_EVENT_H */
