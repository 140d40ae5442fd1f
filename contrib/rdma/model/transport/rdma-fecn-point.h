/* SPDX-License-Identifier: GPL-2.0-only */
/* The notification point of InfiniBand. */

#ifndef RDMA_FECN_POINT_H
#define RDMA_FECN_POINT_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-opcode.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The notification point of InfiniBand congestion control (IBA volume 1, section A10.3): a packet
 * that came with FECN is told of by BECN in the next acknowledgement, or, where none will follow,
 * by a congestion notification packet.
 */
class RdmaFecnPoint
{
  public:
    /**
     * A packet with FECN has come.
     * \param frame The packet.
     * \return Whether a CNP is to be sent now.
     */
    bool Marked(const FabricFrame& frame)
    {
        if (IsAcknowledged(frame.opcode))
        {
            m_becnDue = true;
            return false;
        }
        const bool first = !m_cnpDue;
        m_cnpDue = true;
        m_endpoint = frame.source;
        m_queuePair = frame.sourceQueuePair;
        return first;
    }

    /// An acknowledgement is sent. \return Whether it carries BECN.
    bool TakeBecn()
    {
        const bool due = m_becnDue;
        m_becnDue = false;
        return due;
    }

    /// The CNP is sent. \param frame The CNP, which gets the sender of the packet as destination.
    void Address(FabricFrame& frame)
    {
        m_cnpDue = false;
        frame.destination = m_endpoint;
        frame.queuePair = m_queuePair;
    }

  private:
    /**
     * \param opcode A BTH opcode.
     * \return Whether an acknowledge packet follows: reliable connections, SEND and RDMA WRITE.
     */
    static constexpr bool IsAcknowledged(uint8_t opcode)
    {
        constexpr uint8_t SERVICE = 0xe0; // of an opcode; reliable connections have 0
        return !(opcode & SERVICE) && (OpcodeIsSend(opcode) || OpcodeIsWrite(opcode));
    }

    uint32_t m_endpoint{0};  //!< who sent the packet that the CNP tells of
    uint32_t m_queuePair{0}; //!< its queue pair
    bool m_becnDue{false};   //!< the next acknowledgement carries BECN
    bool m_cnpDue{false};    //!< a CNP waits to be sent
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FECN_POINT_H */
