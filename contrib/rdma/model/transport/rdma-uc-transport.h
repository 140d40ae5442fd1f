/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_UC_TRANSPORT_H
#define RDMA_UC_TRANSPORT_H

#include "ns3/rdma-unreliable-transport.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The unreliable connection service (IBA volume 1, section 9.8.2): nothing is acknowledged, and a
 * message with a gap is dropped without a word.
 */
class RdmaUcTransport final : public RdmaUnreliableTransport
{
  public:
    /**
     * \param connection What it shares with the queue pair.
     * \param jobs The queue pair's streams of packets at the NIC.
     * \param init How the queue pair was created.
     */
    RdmaUcTransport(RdmaConnection& connection, RdmaTxJobs& jobs, const RdmaQpInitAttributes& init);

    int CheckSend(const RdmaSendWr& request, uint64_t length) const override;
    void StartReceiving() override;
    int PostSend(const RdmaSendWqe& request, bool allowed, int64_t now) override;
    void Receive(const FabricFrame& frame, int64_t now) override;

  private:
    /**
     * A message starts.
     * \param frame Its first packet.
     * \return Whether it can be taken.
     */
    bool Begin(const FabricFrame& frame);
    /**
     * \param frame A packet of the message under way, whose bytes are placed.
     * \return false when they do not fit.
     */
    bool Place(const FabricFrame& frame);
    /**
     * The last packet of a message has come.
     * \param frame The packet.
     * \param now The time in ps.
     */
    void Finish(const FabricFrame& frame, int64_t now);

    uint64_t m_expected{0};        //!< number of the next packet
    uint64_t m_messageBytes{0};    //!< bytes of the message so far
    uint64_t m_messageLimit{0};    //!< bytes that it may have
    uint64_t m_messageAddress{0};  //!< of a write: where it goes
    uint32_t m_messageKey{0};      //!< of a write: its R_Key
    bool m_inMessage{false};       //!< whether a message is under way
    bool m_messageIsSend{false};   //!< whether it is a send
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_UC_TRANSPORT_H */
