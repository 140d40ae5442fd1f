/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_CODEC_H
#define RDMA_FRAME_CODEC_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-network.h"
#include "ns3/mac48-address.h"
#include "ns3/rdma-frame-extras.h"
#include "ns3/rdma-wire-sizes.h"

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
 * Makes the bytes of the frames of a network, and reads them back, whatever its RDMA packets are
 * wrapped in; one file for each link layer does the work.
 *
 * The length that a frame claims is that of its bytes, and of the FCS on Ethernet.
 */
class RdmaFrameCodec : public FabricFrameCodec
{
  public:
    /**
     * \param network Knows the encapsulation, and the addresses of the endpoints; it outlives the
     *        codec's use, which holds when the codec is given to it with SetCodec.
     */
    explicit RdmaFrameCodec(const FabricNetwork& network);

    /**
     * \param frame A frame of any kind but PACKET.
     * \return The packet from MAC header to the last byte before the FCS, or from LRH to VCRC, or
     *         the flow control packet. An RDMA frame on Ethernet has the addresses that the network
     *         gives its endpoints and the DSCP eight times its priority (the class selector that
     *         trusting switches map back); on InfiniBand a GRH has traffic class 0. The payload is
     *         zeros unless the frame has bytes. A pause frame of a port that is no endpoint comes
     * from address 02:00:00:00:00:00.
     */
    Ptr<Packet> ToPacket(const FabricFrame& frame) const override;

    /**
     * \param encapsulation What the packet is wrapped in.
     * \param frame A frame of any kind but PACKET; its kind must be one of the link layer, and its
     *        opcode one that a frame holds.
     * \param extras What else stands in the packet.
     * \return The packet from MAC header to the last byte before the FCS, or from LRH to VCRC, or
     *         the flow control packet.
     */
    static std::vector<uint8_t> Encode(RdmaEncapsulation encapsulation,
                                       const FabricFrame& frame,
                                       const RdmaFrameExtras& extras);

    /**
     * Reads a packet back into a frame.
     *
     * \param encapsulation What it must be wrapped in, unless it is a control frame.
     * \param data First byte of the packet.
     * \param size Bytes, without FCS.
     * \param [out] frame Gets all fields that are on the wire; on Ethernet its priority is the
     *        upper three bits of the traffic class. The fields that are not (endpoints, flow hash,
     *        ingress port, sending queue pair, times, offset) and the RDMA fields that the opcode
     *        has no header for stay.
     * \return The rest of what the packet says, or nothing when it is no such packet with an opcode
     *         that a frame holds; the frame is unchanged then.
     */
    static std::optional<RdmaFrameExtras> Decode(RdmaEncapsulation encapsulation,
                                                 const uint8_t* data,
                                                 std::size_t size,
                                                 FabricFrame& frame);

  private:
    /// \param frame A frame. \return What the network says about its ends.
    RdmaFrameExtras GetExtras(const FabricFrame& frame) const;
    /// \param endpoint An endpoint number. \return Its MAC address.
    Mac48Address GetMac(uint32_t endpoint) const;

    const FabricNetwork& m_network; //!< addresses
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FRAME_CODEC_H */
