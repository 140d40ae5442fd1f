/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include "ns3/rdma-header-sizes.h"

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Opcodes of the base transport header and what each says about its packet (InfiniBand
 * Architecture Specification volume 1, section 9.2; annex A10 for the CNP of InfiniBand, annex A17
 * for that of RoCEv2; annex A14 for XRC; annex A19 for FLUSH and ATOMIC WRITE).
 *
 * An opcode is three bits of transport service and five bits of operation. Everything that it
 * implies is one look-up in a table built at compile time.
 */

namespace ns3
{
namespace rdma
{

/// Opcodes by the names of the standard. They convert to uint8_t, the type of the header field.
enum RdmaOpcode : uint8_t
{
    RC_SEND_FIRST = 0x00,
    RC_SEND_MIDDLE = 0x01,
    RC_SEND_LAST = 0x02,
    RC_SEND_LAST_WITH_IMMEDIATE = 0x03,
    RC_SEND_ONLY = 0x04,
    RC_SEND_ONLY_WITH_IMMEDIATE = 0x05,
    RC_RDMA_WRITE_FIRST = 0x06,
    RC_RDMA_WRITE_MIDDLE = 0x07,
    RC_RDMA_WRITE_LAST = 0x08,
    RC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09,
    RC_RDMA_WRITE_ONLY = 0x0A,
    RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0B,
    RC_RDMA_READ_REQUEST = 0x0C,
    RC_RDMA_READ_RESPONSE_FIRST = 0x0D,
    RC_RDMA_READ_RESPONSE_MIDDLE = 0x0E,
    RC_RDMA_READ_RESPONSE_LAST = 0x0F,
    RC_RDMA_READ_RESPONSE_ONLY = 0x10,
    RC_ACKNOWLEDGE = 0x11,
    RC_ATOMIC_ACKNOWLEDGE = 0x12,
    RC_COMPARE_SWAP = 0x13,
    RC_FETCH_ADD = 0x14,
    RC_SEND_LAST_WITH_INVALIDATE = 0x16,
    RC_SEND_ONLY_WITH_INVALIDATE = 0x17,
    RC_FLUSH = 0x1C,
    RC_ATOMIC_WRITE = 0x1D,

    UC_SEND_FIRST = 0x20,
    UC_SEND_MIDDLE = 0x21,
    UC_SEND_LAST = 0x22,
    UC_SEND_LAST_WITH_IMMEDIATE = 0x23,
    UC_SEND_ONLY = 0x24,
    UC_SEND_ONLY_WITH_IMMEDIATE = 0x25,
    UC_RDMA_WRITE_FIRST = 0x26,
    UC_RDMA_WRITE_MIDDLE = 0x27,
    UC_RDMA_WRITE_LAST = 0x28,
    UC_RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x29,
    UC_RDMA_WRITE_ONLY = 0x2A,
    UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x2B,

    UD_SEND_ONLY = 0x64,
    UD_SEND_ONLY_WITH_IMMEDIATE = 0x65,

    RD_RESYNC = 0x55, //!< the only operation that RD has and RC has not

    IB_CNP = 0x80,   //!< congestion notification packet of InfiniBand
    ROCE_CNP = 0x81, //!< congestion notification packet of RoCEv2
};

/// The bits of an opcode that tell the transport.
inline constexpr uint8_t OPCODE_PREFIX_MASK = 0xE0;
/// Upper three bits of the opcodes of reliable datagrams; the operations are those of RC.
inline constexpr uint8_t OPCODE_PREFIX_RD = 0x40;
/// Upper three bits of the opcodes of extended reliable connections; the operations are RC's.
inline constexpr uint8_t OPCODE_PREFIX_XRC = 0xA0;
/**
 * Prefix of SENDs and WRITEs of which every packet has a RETH, so that it can be placed although
 * one before it is missing. The standard leaves opcodes from 0xC0 on to manufacturers
 * (section 9.2.1); this use is the module's own, after IRN ("Revisiting Network Support for RDMA",
 * SIGCOMM 2018, section 5.3). The operation is that of the reliable connection.
 */
inline constexpr uint8_t OPCODE_PLACED = 0xC0;

/// What an opcode implies, as bits.
enum RdmaOpcodeTrait : uint32_t
{
    OPCODE_KNOWN = 1U << 0,               //!< the module knows this opcode
    OPCODE_STARTS = 1U << 1,              //!< first packet of its message, or the only one
    OPCODE_ENDS = 1U << 2,                //!< last packet of its message, or the only one
    OPCODE_SEND = 1U << 3,                //!< part of a SEND
    OPCODE_WRITE = 1U << 4,               //!< part of an RDMA WRITE
    OPCODE_READ_REQUEST = 1U << 5,        //!< RDMA READ request
    OPCODE_READ_RESPONSE = 1U << 6,       //!< part of the answer to an RDMA READ
    OPCODE_ACK = 1U << 7,                 //!< acknowledge without data
    OPCODE_ATOMIC = 1U << 8,              //!< compare-and-swap or fetch-and-add request
    OPCODE_ATOMIC_ACK = 1U << 9,          //!< answer to an atomic request
    OPCODE_REQUEST = 1U << 10,            //!< travels from requester to responder
    OPCODE_RESPONSE = 1U << 11,           //!< travels from responder to requester
    OPCODE_PAYLOAD = 1U << 12,            //!< bytes of the message may follow the headers
    OPCODE_CNP = 1U << 13,                //!< congestion notification packet
    OPCODE_HAS_DETH = 1U << 14,           //!< DETH is present
    OPCODE_HAS_FETH = 1U << 15,           //!< FETH is present
    OPCODE_HAS_RETH = 1U << 16,           //!< RETH is present
    OPCODE_HAS_ATOMIC_ETH = 1U << 17,     //!< AtomicETH is present
    OPCODE_HAS_AETH = 1U << 18,           //!< AETH is present
    OPCODE_HAS_ATOMIC_ACK_ETH = 1U << 19, //!< AtomicAckETH is present
    OPCODE_HAS_IMMEDIATE = 1U << 20,      //!< ImmDt is present
    OPCODE_HAS_IETH = 1U << 21,           //!< IETH is present
    OPCODE_HAS_RDETH = 1U << 22,          //!< RDETH is present
    OPCODE_HAS_XRCETH = 1U << 23,         //!< XRCETH is present
};

/// The byte above the trait bits is the length of all transport headers.
inline constexpr unsigned OPCODE_HEADER_BYTES_SHIFT = 24;

/// \return The traits of all 256 opcodes; 0 for one that the module does not know.
constexpr std::array<uint32_t, 256>
BuildRdmaOpcodeTraits()
{
    constexpr uint32_t first = OPCODE_STARTS;
    constexpr uint32_t middle = 0;
    constexpr uint32_t last = OPCODE_ENDS;
    constexpr uint32_t only = OPCODE_STARTS | OPCODE_ENDS;
    constexpr uint32_t send = OPCODE_SEND | OPCODE_REQUEST | OPCODE_PAYLOAD;
    constexpr uint32_t write = OPCODE_WRITE | OPCODE_REQUEST | OPCODE_PAYLOAD;
    constexpr uint32_t readResponse = OPCODE_READ_RESPONSE | OPCODE_RESPONSE | OPCODE_PAYLOAD;
    constexpr uint32_t atomic = OPCODE_ATOMIC | OPCODE_REQUEST | OPCODE_HAS_ATOMIC_ETH | only;

    std::array<uint32_t, 256> traits{};
    // What RC and UC share; the numbers differ by the transport's prefix.
    for (unsigned prefix : {0x00U, 0x20U})
    {
        traits[prefix | 0x00] = send | first;
        traits[prefix | 0x01] = send | middle;
        traits[prefix | 0x02] = send | last;
        traits[prefix | 0x03] = send | last | OPCODE_HAS_IMMEDIATE;
        traits[prefix | 0x04] = send | only;
        traits[prefix | 0x05] = send | only | OPCODE_HAS_IMMEDIATE;
        traits[prefix | 0x06] = write | first | OPCODE_HAS_RETH;
        traits[prefix | 0x07] = write | middle;
        traits[prefix | 0x08] = write | last;
        traits[prefix | 0x09] = write | last | OPCODE_HAS_IMMEDIATE;
        traits[prefix | 0x0A] = write | only | OPCODE_HAS_RETH;
        traits[prefix | 0x0B] = write | only | OPCODE_HAS_RETH | OPCODE_HAS_IMMEDIATE;
    }
    traits[RC_RDMA_READ_REQUEST] = OPCODE_READ_REQUEST | OPCODE_REQUEST | OPCODE_HAS_RETH | only;
    traits[RC_RDMA_READ_RESPONSE_FIRST] = readResponse | first | OPCODE_HAS_AETH;
    traits[RC_RDMA_READ_RESPONSE_MIDDLE] = readResponse | middle;
    traits[RC_RDMA_READ_RESPONSE_LAST] = readResponse | last | OPCODE_HAS_AETH;
    traits[RC_RDMA_READ_RESPONSE_ONLY] = readResponse | only | OPCODE_HAS_AETH;
    traits[RC_ACKNOWLEDGE] = OPCODE_ACK | OPCODE_RESPONSE | OPCODE_HAS_AETH | only;
    traits[RC_ATOMIC_ACKNOWLEDGE] =
        OPCODE_ATOMIC_ACK | OPCODE_RESPONSE | OPCODE_HAS_AETH | OPCODE_HAS_ATOMIC_ACK_ETH | only;
    traits[RC_COMPARE_SWAP] = atomic;
    traits[RC_FETCH_ADD] = atomic;
    traits[RC_SEND_LAST_WITH_INVALIDATE] = send | last | OPCODE_HAS_IETH;
    traits[RC_SEND_ONLY_WITH_INVALIDATE] = send | only | OPCODE_HAS_IETH;
    traits[RC_FLUSH] = OPCODE_REQUEST | OPCODE_HAS_FETH | OPCODE_HAS_RETH | only;
    traits[RC_ATOMIC_WRITE] = OPCODE_REQUEST | OPCODE_HAS_RETH | OPCODE_PAYLOAD | only;
    traits[UD_SEND_ONLY] = send | only | OPCODE_HAS_DETH;
    traits[UD_SEND_ONLY_WITH_IMMEDIATE] = send | only | OPCODE_HAS_DETH | OPCODE_HAS_IMMEDIATE;
    traits[IB_CNP] = traits[ROCE_CNP] = OPCODE_CNP | OPCODE_RESPONSE | only;
    for (unsigned operation = 0; operation < 0x20; ++operation)
    {
        if (traits[operation] & (OPCODE_SEND | OPCODE_WRITE))
        {
            traits[OPCODE_PLACED | operation] = traits[operation] | OPCODE_HAS_RETH;
        }
    }
    // RD and XRC do what RC does, with other headers in front.
    for (unsigned operation = RC_SEND_FIRST; operation <= RC_FETCH_ADD; ++operation)
    {
        const bool request = traits[operation] & OPCODE_REQUEST;
        traits[OPCODE_PREFIX_RD | operation] =
            traits[operation] | OPCODE_HAS_RDETH | (request ? OPCODE_HAS_DETH : 0U);
        traits[OPCODE_PREFIX_XRC | operation] =
            traits[operation] | (request ? OPCODE_HAS_XRCETH : 0U);
    }
    traits[RD_RESYNC] = OPCODE_REQUEST | OPCODE_HAS_RDETH | OPCODE_HAS_DETH | only;
    for (unsigned operation : {RC_SEND_LAST_WITH_INVALIDATE, RC_SEND_ONLY_WITH_INVALIDATE})
    {
        traits[OPCODE_PREFIX_XRC | operation] = traits[operation] | OPCODE_HAS_XRCETH;
    }

    for (unsigned opcode = 0; opcode < traits.size(); ++opcode)
    {
        uint32_t& t = traits[opcode];
        if (t == 0)
        {
            continue;
        }
        uint32_t bytes = BTH_BYTES;
        bytes += (t & OPCODE_HAS_DETH) ? DETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_FETH) ? FETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_RETH) ? RETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_ATOMIC_ETH) ? ATOMIC_ETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_AETH) ? AETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_ATOMIC_ACK_ETH) ? ATOMIC_ACK_ETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_IMMEDIATE) ? IMM_DT_BYTES : 0;
        bytes += (t & OPCODE_HAS_IETH) ? IETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_RDETH) ? RDETH_BYTES : 0;
        bytes += (t & OPCODE_HAS_XRCETH) ? XRCETH_BYTES : 0;
        bytes += opcode == ROCE_CNP ? CNP_RESERVED_BYTES : 0;
        t |= OPCODE_KNOWN | (bytes << OPCODE_HEADER_BYTES_SHIFT);
    }
    return traits;
}

/// Traits by opcode: RdmaOpcodeTrait bits and the header length.
inline constexpr std::array<uint32_t, 256> RDMA_OPCODE_TRAITS = BuildRdmaOpcodeTraits();

/**
 * \param opcode A BTH opcode.
 * \param trait One RdmaOpcodeTrait bit, or several.
 * \return Whether the opcode has at least one of them.
 */
constexpr bool
OpcodeHas(uint8_t opcode, uint32_t trait)
{
    return (RDMA_OPCODE_TRAITS[opcode] & trait) != 0;
}

/// \param opcode A BTH opcode. \return Bytes of BTH and extended headers; 0 for an unknown opcode.
constexpr uint32_t
OpcodeHeaderBytes(uint8_t opcode)
{
    return RDMA_OPCODE_TRAITS[opcode] >> OPCODE_HEADER_BYTES_SHIFT;
}

/// \param opcode A BTH opcode. \return Whether the module knows it.
constexpr bool
OpcodeIsKnown(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_KNOWN);
}

/// \param opcode A BTH opcode. \return Whether it opens a message (First or Only).
constexpr bool
OpcodeStartsMessage(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_STARTS);
}

/// \param opcode A BTH opcode. \return Whether it closes a message (Last or Only).
constexpr bool
OpcodeEndsMessage(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_ENDS);
}

/// \param opcode A BTH opcode. \return Whether it is the first of several packets.
constexpr bool
OpcodeIsFirst(uint8_t opcode)
{
    return (RDMA_OPCODE_TRAITS[opcode] & (OPCODE_STARTS | OPCODE_ENDS)) == OPCODE_STARTS;
}

/// \param opcode A BTH opcode. \return Whether packets of its message come before and after it.
constexpr bool
OpcodeIsMiddle(uint8_t opcode)
{
    return (RDMA_OPCODE_TRAITS[opcode] & (OPCODE_KNOWN | OPCODE_STARTS | OPCODE_ENDS)) ==
           OPCODE_KNOWN;
}

/// \param opcode A BTH opcode. \return Whether it is the last of several packets.
constexpr bool
OpcodeIsLast(uint8_t opcode)
{
    return (RDMA_OPCODE_TRAITS[opcode] & (OPCODE_STARTS | OPCODE_ENDS)) == OPCODE_ENDS;
}

/**
 * \param opcode A BTH opcode.
 * \return Whether the packet stands alone: the Only opcodes, and all that have no parts (READ
 *         request, acknowledge, atomics, CNP).
 */
constexpr bool
OpcodeIsOnly(uint8_t opcode)
{
    return (RDMA_OPCODE_TRAITS[opcode] & (OPCODE_STARTS | OPCODE_ENDS)) ==
           (OPCODE_STARTS | OPCODE_ENDS);
}

/// \param opcode A BTH opcode. \return Whether it is part of a SEND.
constexpr bool
OpcodeIsSend(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_SEND);
}

/// \param opcode A BTH opcode. \return Whether it is part of an RDMA WRITE.
constexpr bool
OpcodeIsWrite(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_WRITE);
}

/// \param opcode A BTH opcode. \return Whether it asks for an RDMA READ.
constexpr bool
OpcodeIsReadRequest(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_READ_REQUEST);
}

/// \param opcode A BTH opcode. \return Whether it carries data of an RDMA READ back.
constexpr bool
OpcodeIsReadResponse(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_READ_RESPONSE);
}

/// \param opcode A BTH opcode. \return Whether it is Acknowledge (its AETH says ACK or NAK).
constexpr bool
OpcodeIsAck(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_ACK);
}

/// \param opcode A BTH opcode. \return Whether it is compare-and-swap or fetch-and-add.
constexpr bool
OpcodeIsAtomic(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_ATOMIC);
}

/// \param opcode A BTH opcode. \return Whether it answers an atomic request.
constexpr bool
OpcodeIsAtomicAck(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_ATOMIC_ACK);
}

/// \param opcode A BTH opcode. \return Whether it is a congestion notification packet.
constexpr bool
OpcodeIsCnp(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_CNP);
}

/// \param opcode A BTH opcode. \return Whether it travels from requester to responder.
constexpr bool
OpcodeIsRequest(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_REQUEST);
}

/// \param opcode A BTH opcode. \return Whether it travels from responder to requester.
constexpr bool
OpcodeIsResponse(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_RESPONSE);
}

/// \param opcode A BTH opcode. \return Whether message bytes may follow its headers.
constexpr bool
OpcodeHasPayload(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_PAYLOAD);
}

/// \param opcode A BTH opcode. \return Whether a RETH is present.
constexpr bool
OpcodeHasReth(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_HAS_RETH);
}

/// \param opcode A BTH opcode. \return Whether an AETH is present.
constexpr bool
OpcodeHasAeth(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_HAS_AETH);
}

/// \param opcode A BTH opcode. \return Whether immediate data is present.
constexpr bool
OpcodeHasImmediate(uint8_t opcode)
{
    return OpcodeHas(opcode, OPCODE_HAS_IMMEDIATE);
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_OPCODE_H */
