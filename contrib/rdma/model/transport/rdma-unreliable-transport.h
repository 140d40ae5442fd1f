/* SPDX-License-Identifier: GPL-2.0-only */
/* What the services without acknowledgements share. */

#ifndef RDMA_UNRELIABLE_TRANSPORT_H
#define RDMA_UNRELIABLE_TRANSPORT_H

#include "ns3/rdma-receive-queue.h"
#include "ns3/rdma-transport.h"
#include "ns3/rdma-unreliable-sender.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The queues of the services without acknowledgements (IBA volume 1, section 9.8). What is posted
 * and what comes in is the business of the service.
 */
class RdmaUnreliableTransport : public RdmaTransport
{
  public:
    uint8_t GetService() const override;
    void StartSending() override;
    void Reset() override;
    void Drain() override;
    void Resume(int64_t now) override;
    void PostFlushed(const RdmaSendWqe& request) override;
    int PostReceive(const RdmaRecvWr& request) override;
    void FlushSend(RdmaWcStatus first) override;
    void FlushReceive(RdmaWcStatus first) override;
    FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) override;
    int64_t OnTimer(int64_t now) override;

  protected:
    /**
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created.
     * \param service Upper three bits of the opcodes (section 9.2).
     */
    RdmaUnreliableTransport(RdmaConnection& connection,
                            RdmaTxJobs& jobs,
                            const RdmaQpInitAttributes& init,
                            uint8_t service);

    RdmaConnection& m_connection;  //!< shared with the queue pair
    RdmaUnreliableSender m_sender; //!< the sending half
    RdmaReceiveQueue m_receives;   //!< receives

  private:
    uint8_t m_service; //!< upper bits of opcodes
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_UNRELIABLE_TRANSPORT_H */
