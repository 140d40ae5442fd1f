/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_PEER_H
#define RDMA_SRD_PEER_H

#include "ns3/rdma-srd-receiver.h"
#include "ns3/rdma-srd-sender.h"
#include "ns3/rdma-tx-job.h"

namespace ns3
{
namespace rdma
{

class RdmaSrdTransport;

/**
 * \ingroup rdma
 * The context of a remote NIC, which all SRD queue pairs of a NIC share: what is sent there and not
 * acknowledged, what came from there, its paths and its congestion control. It is made with the
 * first packet to or from that NIC.
 */
class RdmaSrdPeer : public RdmaTxOwner
{
  public:
    /**
     * \param transport The transport of the NIC.
     * \param endpoint Endpoint number of the remote NIC.
     */
    RdmaSrdPeer(RdmaSrdTransport& transport, uint32_t endpoint);
    RdmaSrdPeer(const RdmaSrdPeer&) = delete;
    RdmaSrdPeer& operator=(const RdmaSrdPeer&) = delete;

    /**
     * \param frame A packet of the remote NIC; the caller frees it.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) override;
    /**
     * Makes its timer run out no later than a time.
     * \param when The time in ps.
     */
    void NeedTimer(int64_t when);
    /**
     * The timer is due.
     * \param now The time in ps.
     */
    void OnTimer(int64_t now);

    /**
     * \param when The time of a timer in ps.
     * \return Whether it is still the one that counts.
     */
    bool IsTimerCurrent(int64_t when) const
    {
        return m_timerAt == when;
    }

    /// \return The transport of the NIC.
    RdmaSrdTransport& GetTransport() const
    {
        return m_transport;
    }

    /// \return Endpoint number of the remote NIC.
    uint32_t GetEndpoint() const
    {
        return m_endpoint;
    }

    /// \return The sending half.
    RdmaSrdSender& GetSender()
    {
        return m_sender;
    }

    /// \return The stream of its data at the NIC.
    RdmaTxJob& GetDataJob()
    {
        return m_dataJob;
    }

    /// \return The stream of its answers at the NIC.
    RdmaTxJob& GetAnswerJob()
    {
        return m_answerJob;
    }

  private:
    RdmaSrdTransport& m_transport;   //!< the transport of the NIC
    RdmaTxJob m_dataJob;             //!< data
    RdmaTxJob m_answerJob;           //!< answers
    RdmaSrdSender m_sender;          //!< the sending half
    RdmaSrdReceiver m_receiver;      //!< the receiving half
    int64_t m_timerAt{FABRIC_NEVER}; //!< when the timer is due, ps
    uint32_t m_endpoint;             //!< remote NIC
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_PEER_H */
