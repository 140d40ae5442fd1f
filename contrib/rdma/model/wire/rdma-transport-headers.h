/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_HEADERS_H
#define RDMA_TRANSPORT_HEADERS_H

#include "ns3/rdma-aeth.h"
#include "ns3/rdma-atomic-ack-eth.h"
#include "ns3/rdma-atomic-eth.h"
#include "ns3/rdma-bth.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-deth.h"
#include "ns3/rdma-feth.h"
#include "ns3/rdma-ieth.h"
#include "ns3/rdma-imm-dt.h"
#include "ns3/rdma-rdeth.h"
#include "ns3/rdma-reth.h"
#include "ns3/rdma-xrceth.h"

#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * BTH and the extended headers that its opcode calls for: the part of a packet that RoCE and
 * InfiniBand share.
 *
 * The opcode alone decides which of the extended headers are on the wire; the others keep their
 * defaults and are not sent. The reserved bytes of a RoCEv2 CNP count as headers.
 */
struct RdmaTransportHeaders
{
    RdmaBth bth;                //!< always present
    RdmaRdeth rdeth;            //!< RD
    RdmaXrceth xrceth;          //!< XRC requests
    RdmaDeth deth;              //!< UD, RD requests
    RdmaFeth feth;              //!< FLUSH
    RdmaReth reth;              //!< WRITE First and Only, READ request, FLUSH, ATOMIC WRITE
    RdmaAtomicEth atomicEth;    //!< compare-and-swap, fetch-and-add
    RdmaAeth aeth;              //!< Acknowledge, READ response First, Last and Only, atomic ACK
    RdmaAtomicAckEth atomicAck; //!< atomic ACK
    RdmaImmDt immDt;            //!< with Immediate
    RdmaIeth ieth;              //!< with Invalidate

    /// \param writer Takes OpcodeHeaderBytes(bth.opcode) bytes; the opcode must be a known one.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the BTH; steps over the headers when they are complete.
     * \return The headers, or nothing when bytes are missing or the opcode is not known.
     */
    static std::optional<RdmaTransportHeaders> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_TRANSPORT_HEADERS_H */
