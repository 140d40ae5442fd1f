/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BTH_H
#define RDMA_BTH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Base transport header (IBA volume 1, section 9.2): stands in every packet.
 */
struct RdmaBth
{
    uint8_t opcode{0};                //!< transport service and operation, see RdmaOpcode
    bool solicited{false};            //!< SE: the receiver shall raise an event
    bool migration{false};            //!< M: path migration state
    uint8_t padCount{0};              //!< bytes that pad the payload to a multiple of four, 0 to 3
    uint16_t partitionKey{0xffff};    //!< P_Key; 0xffff is the default partition
    bool fecn{false};                 //!< congestion was met on the way (InfiniBand)
    bool becn{false};                 //!< congestion is reported back to the sender
    uint32_t destinationQueuePair{0}; //!< queue pair that receives it, 24 bit
    bool ackRequest{false};           //!< AckReq: the responder shall answer
    uint32_t psn{0};                  //!< packet sequence number, 24 bit

    /// \param writer Takes the 12 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing or the transport version is
     *         not 0.
     */
    static std::optional<RdmaBth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_BTH_H */
