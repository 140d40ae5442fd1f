/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RC_TRANSPORT_H
#define RDMA_RC_TRANSPORT_H

#include "ns3/rdma-requester.h"
#include "ns3/rdma-responder.h"
#include "ns3/rdma-transport.h"

#include <memory>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The reliable connection service (IBA volume 1, section 9.7): a requester and a responder. Each is
 * made when it is first used, because most queue pairs of a large job are idle or go one way.
 */
class RdmaRcTransport final : public RdmaTransport
{
  public:
    /**
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created; outlives this.
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
    /// \return The sending half.
    RdmaRequester& Requester() const
    {
        return m_requester ? *m_requester : MakeRequester();
    }

    /// \return The receiving half.
    RdmaResponder& Responder() const
    {
        return m_responder ? *m_responder : MakeResponder();
    }

    /// \return The sending half, made now, in the state that the queue pair has brought about.
    RdmaRequester& MakeRequester() const;
    /// \return The receiving half, made now, in the state that the queue pair has brought about.
    RdmaResponder& MakeResponder() const;

    RdmaConnection& m_connection;                       //!< shared with the queue pair
    RdmaTxJobs& m_jobs;                                 //!< streams of packets at the NIC
    const RdmaQpInitAttributes& m_init;                 //!< how the queue pair was created
    mutable std::unique_ptr<RdmaRequester> m_requester; //!< made when first used
    mutable std::unique_ptr<RdmaResponder> m_responder; //!< made when first used
    bool m_receives{false};                             //!< whether StartReceiving was called
    bool m_sends{false};                                //!< whether StartSending was called
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RC_TRANSPORT_H */
