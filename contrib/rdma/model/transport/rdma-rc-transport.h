/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_TRANSPORT_H
#define RDMA_RC_TRANSPORT_H

#include "ns3/rdma-requester.h"
#include "ns3/rdma-responder.h"
#include "ns3/rdma-transport.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The reliable connection service (IBA volume 1, section 9.7): a requester and a responder.
 */
class RdmaRcTransport final : public RdmaTransport
{
  public:
    /**
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created.
     */
    RdmaRcTransport(RdmaConnection& connection, RdmaTxJobs& jobs, const RdmaQpInitAttributes& init);

    uint8_t GetService() const override;
    int CheckSend(const RdmaSendWr& request, uint64_t length) const override;
    void StartReceiving() override;
    void StartSending() override;
    void Reset() override;
    void Drain() override;
    void Resume(int64_t now) override;
    int PostSend(const RdmaSendWqe& request, bool allowed, int64_t now) override;
    void PostFlushed(const RdmaSendWqe& request) override;
    int PostReceive(const RdmaRecvWr& request) override;
    void FlushSend(RdmaWcStatus first) override;
    void FlushReceive(RdmaWcStatus first) override;
    void Receive(const FabricFrame& frame, int64_t now) override;
    FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) override;
    int64_t OnTimer(int64_t now) override;
    const RdmaRequester* GetRequester() const override;
    const RdmaResponder* GetResponder() const override;

  private:
    RdmaConnection& m_connection; //!< shared with the queue pair
    RdmaRequester m_requester;    //!< the sending half
    RdmaResponder m_responder;    //!< the receiving half
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RC_TRANSPORT_H */
