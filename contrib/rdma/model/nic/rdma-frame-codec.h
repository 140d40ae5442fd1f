/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_CODEC_H
#define RDMA_FRAME_CODEC_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-network.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What a RoCEv2 packet says on the wire beyond the fields of a FabricFrame.
 */
struct RdmaFrameAddresses
{
    Mac48Address sourceMac;      //!< of the sending NIC
    Mac48Address destinationMac; //!< of the receiving NIC
    Ipv4Address source;          //!< of the sending NIC
    Ipv4Address destination;     //!< of the receiving NIC
    uint16_t udpSourcePort{0};   //!< entropy of the flow
    uint8_t dscp{0};             //!< differentiated services code point, 6 bit
};

/**
 * \ingroup rdma
 * Makes the bytes of the frames of an Ethernet fabric, RoCEv2 over IPv4 and pause frames, and reads
 * them back.
 *
 * A frame carries what RC and UC need with SEND, WRITE and READ: BTH, RETH, AETH, ImmDt and the
 * CNP. The length that a frame claims is that of its bytes and the FCS.
 */
class RdmaFrameCodec : public FabricFrameCodec
{
  public:
    /**
     * \param network Knows the addresses of the endpoints; it outlives the codec's use, which holds
     *        when the codec is given to it with SetCodec.
     */
    explicit RdmaFrameCodec(const FabricNetwork& network);

    /**
     * \param frame A frame of any kind but PACKET.
     * \return The packet from MAC header to the last byte before the FCS. An RDMA frame has the
     *         addresses that the network gives its endpoints, the DSCP eight times its priority
     *         (the class selector that trusting switches map back), and the UDP source port
     *         of the frame. The payload is zeros. A pause frame of a port that is no
     *         endpoint comes from address 02:00:00:00:00:00.
     */
    Ptr<Packet> ToPacket(const FabricFrame& frame) const override;

    /**
     * \param opcode A BTH opcode.
     * \return Whether a frame can carry all that a packet with this opcode says.
     */
    static bool IsSupported(uint8_t opcode);

    /**
     * \param frame A frame of kind RDMA with a supported opcode.
     * \param addresses What else stands in the packet.
     * \return The packet from MAC header to the last byte before the FCS.
     */
    static std::vector<uint8_t> Encode(const FabricFrame& frame,
                                       const RdmaFrameAddresses& addresses);

    /**
     * Reads a packet back into a frame.
     *
     * \param data First byte of the MAC header.
     * \param size Bytes, without FCS.
     * \param [out] frame Gets all fields that are on the wire; its priority is the upper three bits
     *        of the DSCP. The fields that are not (endpoints, flow hash, ingress port, sending
     * queue pair, times, offset) and the RDMA fields that the opcode has no header for stay.
     * \return The rest of what the packet says, or nothing when it is no RoCEv2 packet over IPv4
     * with a supported opcode; the frame is unchanged then.
     */
    static std::optional<RdmaFrameAddresses> Decode(const uint8_t* data,
                                                    std::size_t size,
                                                    FabricFrame& frame);

  private:
    /// \param endpoint An endpoint number. \return Its MAC address.
    Mac48Address GetMac(uint32_t endpoint) const;

    const FabricNetwork& m_network; //!< addresses
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FRAME_CODEC_H */
