/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_PACKET_H
#define RDMA_TRANSPORT_PACKET_H

#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-transport-headers.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What the packets of all link layers have in common: transport headers and payload, from BTH to
 * ICRC.
 *
 * A simulated payload mostly has a length but no content: it is sent as zeros.
 */
struct RdmaTransportPacket
{
    RdmaTransportHeaders transport; //!< the pad count is set when encoded
    uint32_t payloadBytes{0};       //!< payload without padding
    std::vector<uint8_t> payload;   //!< empty for a payload of zeros, else payloadBytes bytes

    /// \return Bytes from BTH to ICRC, both included.
    uint32_t GetTransportBytes() const;

    /// \param writer Takes the bytes from BTH to padding; the ICRC covers more and is not among
    ///        them.
    void WriteTransport(ByteWriter& writer) const;

    /**
     * Reads headers, payload and padding into this packet.
     *
     * \param reader Stands at the BTH, and ends with the ICRC; left standing at the ICRC.
     * \return Whether the opcode is known, all bytes are there, the padding is right and an opcode
     *         without payload has none.
     */
    bool ReadTransport(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_TRANSPORT_PACKET_H */
