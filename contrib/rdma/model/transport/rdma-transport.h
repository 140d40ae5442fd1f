/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "ns3/rdma-connection.h"
#include "ns3/rdma-qp-init-attributes.h"
#include "ns3/rdma-send-wqe.h"
#include "ns3/rdma-tx-job.h"

#include <memory>

namespace ns3
{
namespace rdma
{

class RdmaRequester;
class RdmaResponder;

/**
 * \ingroup rdma
 * What a transport service does with the queues of a queue pair: one class per service. The queue
 * pair keeps state, attributes and congestion notification, and checks what every service checks;
 * everything about packets is here.
 */
class RdmaTransport
{
  public:
    virtual ~RdmaTransport() = default;

    /**
     * \param type A transport service.
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created; outlives the transport.
     * \return The transport.
     */
    static std::unique_ptr<RdmaTransport> Make(RdmaQpType type,
                                               RdmaConnection& connection,
                                               RdmaTxJobs& jobs,
                                               const RdmaQpInitAttributes& init);

    /// \return The upper three bits of the opcodes of its packets; others are dropped.
    virtual uint8_t GetService() const = 0;
    /**
     * \param request A work request.
     * \param length Its bytes.
     * \return 0; or an errno value when the service cannot do it, with these attributes.
     */
    virtual int CheckSend(const RdmaSendWr& request, uint64_t length) const = 0;

    /// The queue pair goes to RTR: from here on it receives.
    virtual void StartReceiving() = 0;
    /// The queue pair goes from RTR to RTS: from here on it sends.
    virtual void StartSending() = 0;
    /// Forgets everything.
    virtual void Reset() = 0;
    /**
     * The queue pair goes to SQD: nothing new is begun, what was begun is finished.
     * RdmaConnection::SendQueueDrained is called when that is so, perhaps at once.
     */
    virtual void Drain() = 0;
    /**
     * The queue pair comes back to RTS, from SQD or SQE.
     * \param now The time in ps.
     */
    virtual void Resume(int64_t now) = 0;

    /**
     * \param request The work request.
     * \param allowed Whether its memory may be used; if not, it fails when its turn comes.
     * \param now The time in ps.
     * \return 0, or ENOMEM when the queue is full.
     */
    virtual int PostSend(const RdmaSendWqe& request, bool allowed, int64_t now) = 0;
    /// \param request A work request that comes after the send queue has failed.
    virtual void PostFlushed(const RdmaSendWqe& request) = 0;
    /// \param request A receive. \return As RdmaReceiveQueue::Post.
    virtual int PostReceive(const RdmaRecvWr& request) = 0;
    /**
     * Completes the send queue with errors.
     * \param first Status of the oldest; the rest is flushed.
     */
    virtual void FlushSend(RdmaWcStatus first) = 0;
    /**
     * Completes the receive queue with errors.
     * \param first Status of the oldest; the rest is flushed.
     */
    virtual void FlushReceive(RdmaWcStatus first) = 0;

    /**
     * \param frame A packet of its service, no CNP; the caller frees it.
     * \param now The time in ps.
     */
    virtual void Receive(const FabricFrame& frame, int64_t now) = 0;
    /**
     * \param job One of the streams, not that of CNPs.
     * \param now The time in ps; the congestion control has been advanced to it.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet of the stream, or nullptr.
     */
    virtual FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) = 0;
    /**
     * The timer is due.
     * \param now The time in ps.
     * \return When it is due next.
     */
    virtual int64_t OnTimer(int64_t now) = 0;

    /// \return The sending half of a reliable connection; nullptr for other services.
    virtual const RdmaRequester* GetRequester() const
    {
        return nullptr;
    }

    /// \return The receiving half of a reliable connection; nullptr for other services.
    virtual const RdmaResponder* GetResponder() const
    {
        return nullptr;
    }
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_TRANSPORT_H */
