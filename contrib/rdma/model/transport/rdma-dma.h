/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DMA_H
#define RDMA_DMA_H

#include "ns3/fabric-serializer.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The way of a NIC to the memory of its host: when data that is read or written has arrived.
 *
 * Reads and writes go in opposite directions of the bus (PCI Express), which all queue pairs of the
 * NIC share; each direction carries one transfer after the other. Calls are made in the order of
 * time.
 */
class RdmaDma
{
  public:
    /// What takes time.
    struct Parameters
    {
        int64_t readDelay{0};       //!< from asking to the first byte, ps
        int64_t writeDelay{0};      //!< from the last byte on the bus to its being visible, ps
        int64_t transmitLatency{0}; //!< from data in the NIC to the wire, ps
        uint64_t busRate{0};        //!< of each direction of the bus, bit/s; 0: no limit
        uint64_t packetReadRate{0}; //!< at which memory gives a packet, bit/s; 0: no limit
        uint64_t window{0};         //!< bytes that a queue pair asks for ahead of the wire
        bool fetchRequests{false};  //!< whether a work request is read by the NIC
    };

    /// \param parameters What takes time.
    explicit RdmaDma(const Parameters& parameters)
        : m_parameters(parameters)
    {
        if (parameters.busRate)
        {
            m_toNic.SetRate(parameters.busRate);
            m_toHost.SetRate(parameters.busRate);
        }
    }

    /// \return What takes time.
    const Parameters& GetParameters() const
    {
        return m_parameters;
    }

    /**
     * The NIC asks for the payload of a packet.
     * \param bytes Its bytes, at least 1.
     * \param now The time in ps.
     * \return When the last byte is in the NIC, in ps. Memory reads of several packets go on at the
     *         same time, so the rate of one packet makes it late, and does not slow the stream.
     */
    int64_t Read(uint32_t bytes, int64_t now)
    {
        const int64_t end = m_parameters.busRate ? m_toNic.Send(now, bytes) : now;
        const int64_t memory = m_parameters.packetReadRate
                                   ? FabricSerializer::Duration(m_parameters.packetReadRate, bytes)
                                   : 0;
        return end + m_parameters.readDelay + memory;
    }

    /**
     * The NIC writes the payload of a packet.
     * \param bytes Its bytes; 0 for none.
     * \param now The time in ps.
     * \return When the host sees everything that was written until now, in ps.
     */
    int64_t Write(uint32_t bytes, int64_t now)
    {
        const int64_t end = m_parameters.busRate ? m_toHost.Send(now, bytes) : now;
        return end + m_parameters.writeDelay;
    }

  private:
    Parameters m_parameters;   //!< what takes time
    FabricSerializer m_toNic;  //!< bus, answers to reads
    FabricSerializer m_toHost; //!< bus, writes
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DMA_H */
