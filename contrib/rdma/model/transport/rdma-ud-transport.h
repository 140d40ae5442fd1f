/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UD_TRANSPORT_H
#define RDMA_UD_TRANSPORT_H

#include "ns3/rdma-unreliable-transport.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The unreliable datagram service (IBA volume 1, section 9.8.3): each message is one packet to an
 * address of its own, and is dropped without a word when the receiver has no use for it.
 */
class RdmaUdTransport final : public RdmaUnreliableTransport
{
  public:
    /**
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created.
     */
    RdmaUdTransport(RdmaConnection& connection, RdmaTxJobs& jobs, const RdmaQpInitAttributes& init);

    int CheckSend(const RdmaSendWr& request, uint64_t length) const override;
    void StartReceiving() override;
    int PostSend(const RdmaSendWqe& request, bool allowed, int64_t now) override;
    void Receive(const FabricFrame& frame, int64_t now) override;

  private:
    /**
     * \param frame A datagram for which there is a receive.
     * \param now The time in ps.
     */
    void Accept(const FabricFrame& frame, int64_t now);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_UD_TRANSPORT_H */
