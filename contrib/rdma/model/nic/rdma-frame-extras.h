/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FRAME_EXTRAS_H
#define RDMA_FRAME_EXTRAS_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/mac48-address.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What a packet says on the wire beyond the fields of a FabricFrame. Which of it is there depends
 * on what the packet is wrapped in.
 */
struct RdmaFrameExtras
{
    Mac48Address sourceMac;       //!< Ethernet: of the sending port
    Mac48Address destinationMac;  //!< Ethernet: of the receiving NIC
    Ipv4Address source;           //!< IPv4: of the sending NIC
    Ipv4Address destination;      //!< IPv4: of the receiving NIC
    Ipv6Address sourceGid;        //!< IPv6 and GRH: of the sending NIC
    Ipv6Address destinationGid;   //!< IPv6 and GRH: of the receiving NIC
    uint8_t dscp{0};              //!< IP and GRH: upper six bits of the traffic class
    std::vector<uint8_t> payload; //!< content of a payload that was read; empty if all zeros
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FRAME_EXTRAS_H */
