/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TYPES_H
#define FABRIC_TYPES_H

#include <cstdint>
#include <limits>

/**
 * \file
 * \ingroup rdma
 * Small types that every layer of the module shares.
 */

namespace ns3
{
namespace rdma
{

/// A deadline that never comes, in picoseconds.
inline constexpr int64_t FABRIC_NEVER = std::numeric_limits<int64_t>::max();

/// Endpoint number of frames that go to every host (MAC broadcast and multicast).
inline constexpr uint32_t FABRIC_BROADCAST = 0xffffffff;

/// Endpoint number of a device that takes no traffic of its own (a switch port).
inline constexpr uint32_t FABRIC_NO_ENDPOINT = 0xfffffffe;

/// Number of priorities of an Ethernet port (IEEE 802.1Q, 3 bit PCP).
inline constexpr uint8_t FABRIC_PRIORITIES = 8;

/// Number of lanes that a port can tell apart: virtual lanes of InfiniBand, 15 for data and VL15.
inline constexpr uint8_t FABRIC_LANES = 16;

/// The ECN field of an IP header (RFC 3168, section 5).
enum FabricEcn : uint8_t
{
    ECN_NOT_ECT = 0, //!< the transport does not understand ECN: never marked
    ECN_ECT1 = 1,    //!< ECN capable
    ECN_ECT0 = 2,    //!< ECN capable
    ECN_CE = 3,      //!< congestion experienced
};

/// What a frame carries.
enum class FabricFrameKind : uint8_t
{
    RDMA,   //!< a packet of an RDMA transport: the fields of the frame are the packet
    PACKET, //!< an ns3::Packet of a network layer above the device
    PFC,    //!< IEEE 802.1Qbb priority-based pause
    PAUSE,  //!< IEEE 802.3x pause of the whole link
    CREDIT, //!< InfiniBand flow control packet of one virtual lane
    SRD,    //!< a packet of the SRD transport
};

/// Why a frame was thrown away.
enum class FabricDropReason : uint8_t
{
    LINK_DOWN,           //!< the link was, or went, down
    LINK_ERROR,          //!< the error model of the link corrupted it
    NO_ROUTE,            //!< the switch has no port towards the destination
    UNKNOWN_DESTINATION, //!< no device of the network has that address
    HOP_LIMIT,           //!< crossed too many switches (a routing loop)
    TOO_LONG,            //!< longer than the switch takes
    QUEUE_FULL,          //!< lossy class: over the limit of its queue
    BUFFER_FULL,         //!< the shared buffer of the switch is used up
    HEADROOM_FULL,       //!< lossless class: more arrived after the pause than was foreseen
    UNKNOWN_QUEUE_PAIR,  //!< the destination NIC has no such queue pair
    BAD_STATE,           //!< the queue pair is in a state that does not receive
    NOT_FOR_US,          //!< delivered to a device with another address
    NO_RECEIVER,         //!< the device has no protocol for it
    HEAD_OF_QUEUE,       //!< InfiniBand: waited at the head of a queue for longer than HOQLife
    SWITCH_LIFETIME,     //!< InfiniBand: was in a switch for longer than its packet lifetime
    LANE_STALLED,        //!< InfiniBand: its lane is stalled after VLStallCount HOQLife drops
    NO_LANE,             //!< InfiniBand: SL to VL map gives VL15: not to be sent there
    ROCE_V1_NOT_ROUTABLE, //!< RoCEv1: its destination is in another subnet
    COUNT                //!< number of reasons
};

/**
 * \param reason A reason.
 * \return Its name as it stands in traces and result files.
 */
constexpr const char*
FabricDropReasonName(FabricDropReason reason)
{
    constexpr const char* names[] = {"link-down",
                                     "link-error",
                                     "no-route",
                                     "unknown-destination",
                                     "hop-limit",
                                     "too-long",
                                     "queue-full",
                                     "buffer-full",
                                     "headroom-full",
                                     "unknown-queue-pair",
                                     "bad-state",
                                     "not-for-us",
                                     "no-receiver",
                                     "head-of-queue",
                                     "switch-lifetime",
                                     "lane-stalled",
                                     "no-lane",
                                     "roce-v1-not-routable"};
    static_assert(sizeof(names) / sizeof(names[0]) == static_cast<int>(FabricDropReason::COUNT),
                  "each reason has a name");
    return names[static_cast<int>(reason)];
}

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_TYPES_H */
