/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_HEADER_H
#define RDMA_SRD_HEADER_H

#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-header-sizes.h"

#include <cstdint>
#include <optional>

/**
 * \file
 * \ingroup rdma
 * The headers of SRD packets. The wire format of AWS's scalable reliable datagrams is not public:
 * this one is the module's own, with the fields that the published behaviour needs.
 */

namespace ns3
{
namespace rdma
{

/// UDP destination port of SRD packets: the module's own choice, from the dynamic range.
inline constexpr uint16_t SRD_UDP_PORT = 49'999;
/// Version of the headers.
inline constexpr uint8_t SRD_VERSION = 1;

inline constexpr uint32_t SRD_BASE_BYTES = 24;   //!< what every SRD packet has
inline constexpr uint32_t SRD_REMOTE_BYTES = 12; //!< address and key: writes and read requests
inline constexpr uint32_t SRD_PLACE_BYTES = 8;   //!< length of the message and offset in it
inline constexpr uint32_t SRD_ACK_BYTES = 12;    //!< what was received
/// The longest payload, so that a packet fits an Ethernet payload of 9,001 bytes.
inline constexpr uint32_t SRD_MAX_PAYLOAD = 8928;
/// The longest RDMA write or read.
inline constexpr uint32_t SRD_MAX_RDMA_BYTES = 1U << 30;

/// What an SRD packet is.
enum class RdmaSrdOpcode : uint8_t
{
    SEND,          //!< a whole message for a receive
    SEND_IMM,      //!< with immediate data
    WRITE,         //!< a part of a write
    WRITE_IMM,     //!< a part of a write that tells the receiver when it is whole
    READ_REQUEST,  //!< asks for a range of memory
    READ_RESPONSE, //!< a part of what was asked for
    VOID,          //!< nothing; takes the place of a packet that was refused or given up, or probes
    ACK,           //!< a packet was received
    NACK,          //!< a packet was refused; its status says why
    COUNT          //!< how many there are
};

/// \param opcode An opcode. \return Whether the packet has remote address and key.
constexpr bool
SrdHasRemote(RdmaSrdOpcode opcode)
{
    return opcode == RdmaSrdOpcode::WRITE || opcode == RdmaSrdOpcode::WRITE_IMM ||
           opcode == RdmaSrdOpcode::READ_REQUEST;
}

/// \param opcode An opcode. \return Whether the packet has length and offset.
constexpr bool
SrdHasPlace(RdmaSrdOpcode opcode)
{
    return SrdHasRemote(opcode) || opcode == RdmaSrdOpcode::READ_RESPONSE;
}

/// \param opcode An opcode. \return Whether the packet has immediate data.
constexpr bool
SrdHasImmediate(RdmaSrdOpcode opcode)
{
    return opcode == RdmaSrdOpcode::SEND_IMM || opcode == RdmaSrdOpcode::WRITE_IMM;
}

/// \param opcode An opcode. \return Whether the packet answers another.
constexpr bool
SrdIsAnswer(RdmaSrdOpcode opcode)
{
    return opcode == RdmaSrdOpcode::ACK || opcode == RdmaSrdOpcode::NACK;
}

/// \param opcode An opcode. \return Whether the packet may have a payload.
constexpr bool
SrdHasPayload(RdmaSrdOpcode opcode)
{
    return opcode <= RdmaSrdOpcode::WRITE_IMM || opcode == RdmaSrdOpcode::READ_RESPONSE;
}

/// \param opcode An opcode. \return Bytes of all SRD headers of the packet.
constexpr uint32_t
SrdHeaderBytes(RdmaSrdOpcode opcode)
{
    return SRD_BASE_BYTES + (SrdHasRemote(opcode) ? SRD_REMOTE_BYTES : 0) +
           (SrdHasPlace(opcode) ? SRD_PLACE_BYTES : 0) +
           (SrdHasImmediate(opcode) ? IMM_DT_BYTES : 0) + (SrdIsAnswer(opcode) ? SRD_ACK_BYTES : 0);
}

/**
 * Length of an SRD frame from MAC header to FCS: Ethernet, IPv4, UDP, SRD headers, payload, a CRC
 * over all of SRD, and Ethernet's own padding to 64 bytes.
 *
 * \param opcode An opcode.
 * \param payload Payload bytes.
 * \return Bytes; add ETHERNET_WIRE_OVERHEAD_BYTES for the time on the wire.
 */
constexpr uint32_t
SrdFrameBytes(RdmaSrdOpcode opcode, uint32_t payload)
{
    const uint32_t bytes = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES +
                           SrdHeaderBytes(opcode) + payload + ICRC_BYTES + ETHERNET_FCS_BYTES;
    return bytes < ETHERNET_MIN_FRAME_BYTES ? ETHERNET_MIN_FRAME_BYTES : bytes;
}

/**
 * \ingroup rdma
 * The SRD headers of a packet, in network byte order:
 *
 * | bytes | field                                                       | in               |
 * |-------|-------------------------------------------------------------|------------------|
 * | 1     | version, 1                                                  | all              |
 * | 1     | opcode                                                      | all              |
 * | 1     | transmission: 1 for the first of a sequence number          | all              |
 * | 1     | status (RdmaSrdStatus)                                      | all              |
 * | 2 + 2 | destination and source queue pair                           | all              |
 * | 4     | connection key of the destination queue pair                | all              |
 * | 4     | packet sequence number, counted for each peer               | all              |
 * | 4     | message id                                                  | all              |
 * | 2 + 2 | payload bytes, reserved                                     | all              |
 * | 8 + 4 | remote address of the message, remote key                   | write, request   |
 * | 4 + 4 | bytes of the message, offset of the payload in it           | those, responses |
 * | 4     | immediate data                                              | with immediate   |
 * | 4 + 8 | all before this sequence number was received; bit i: so was | ACK, NACK        |
 * |       | the packet 64 - i before the one that is answered           |                  |
 */
struct RdmaSrdHeader
{
    RdmaSrdOpcode opcode{RdmaSrdOpcode::VOID}; //!< what the packet is
    uint8_t transmission{1};                   //!< 1 for the first of a sequence number
    uint8_t status{0};                         //!< RdmaSrdStatus
    uint16_t destinationQueuePair{0};          //!< who it is for
    uint16_t sourceQueuePair{0};               //!< who sent it
    uint32_t connectionKey{0};                 //!< that the destination must have
    uint32_t sequence{0};                      //!< packet sequence number of the peer
    uint32_t messageId{0};                     //!< message of the peer
    uint16_t payloadBytes{0};                  //!< payload
    uint64_t remoteAddress{0};                 //!< first byte of the whole message
    uint32_t remoteKey{0};                     //!< key of the remote memory
    uint32_t length{0};                        //!< bytes of the whole message
    uint32_t offset{0};                        //!< of the payload in the message
    uint32_t immediate{0};                     //!< immediate data
    uint32_t cumulative{0};                    //!< all before it was received
    uint64_t received{0};                      //!< bit i: sequence - 64 + i was received

    /// \param writer Takes SrdHeaderBytes(opcode) bytes.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing, or version or opcode are not known.
     */
    static std::optional<RdmaSrdHeader> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_HEADER_H */
