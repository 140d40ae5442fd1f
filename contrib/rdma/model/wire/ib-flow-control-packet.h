/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_FLOW_CONTROL_PACKET_H
#define IB_FLOW_CONTROL_PACKET_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Flow control packet of one virtual lane (IBA volume 1, section 7.9): a link packet without
 * addresses, between the two ends of a cable.
 */
struct IbFlowControlPacket
{
    bool initial{false};     //!< op 1 (initializes the lane) instead of 0
    uint16_t sentBlocks{0};  //!< FCTBS: blocks of 64 bytes sent on the lane so far, 12 bit
    uint8_t virtualLane{0};  //!< lane that it speaks of, 0 to 15
    uint16_t creditLimit{0}; //!< FCCL: blocks that the other side may have sent, 12 bit

    /// \param writer Takes the 6 bytes of the packet, its CRC included.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the packet; steps over it when it is complete and right.
     * \return The packet, or nothing when bytes are missing, the op is another or the CRC is wrong.
     */
    static std::optional<IbFlowControlPacket> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* IB_FLOW_CONTROL_PACKET_H */
