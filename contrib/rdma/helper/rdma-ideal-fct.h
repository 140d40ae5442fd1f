/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IDEAL_FCT_H
#define RDMA_IDEAL_FCT_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * One link of an idle path, and what follows it.
 */
struct RdmaPathHop
{
    uint64_t rate;   //!< of the link, in bit/s, greater than 0
    int64_t delay;   //!< propagation delay of the link, in picoseconds
    int64_t latency; //!< from the arrival of a whole frame at the end of the link until the next
                     //!< link may begin to send it, in picoseconds; 0 at the last link
};

/**
 * \ingroup rdma
 * What packets of a message look like on the wire.
 *
 * The defaults are a RoCEv2 RDMA WRITE over IPv4 without VLAN tag: 14 Ethernet + 20 IPv4 + 8 UDP +
 * 12 BTH + 4 ICRC + 4 FCS + 8 preamble + 12 inter-frame gap = 82 bytes around the payload, which is
 * padded to a multiple of 4, and 16 bytes of RETH in the first packet.
 */
struct RdmaPacketSizes
{
    uint32_t mtu{4096};      //!< largest payload of a packet in bytes, a multiple of 4
    uint32_t overhead{82};   //!< bytes around the payload of every packet
    uint32_t firstExtra{16}; //!< further bytes in the first packet of a message
    uint32_t cutThrough{0};  //!< bytes after which a switch sends a packet on; 0: all of them
    uint32_t padding{4};     //!< payload is padded to a multiple of so many bytes
};

/**
 * \ingroup rdma
 * The flow completion time of messages on an otherwise idle path, all posted at once on one queue
 * pair: from the moment the sending NIC may begin to transmit until the last bit of the last packet
 * has reached the receiving NIC.
 *
 * With s(n) the bytes of packet n on the wire and r(i) the rate of link i, the end of packet n on
 * link i follows e(i,n) = max(e(i,n-1), e(i-1,n) + delay(i-1) + latency(i-1)) + 8 s(n) / r(i).
 * Its solution is the heaviest monotone walk through the grid of links and packets. Whether it pays
 * to change link earlier or later depends on the rates alone, because all messages are alike and
 * all packets of a message have the same size but the first, which is not smaller, and the last,
 * which is not larger. So a heaviest walk changes link at the first or one of the last two packets
 * of the first or the last message; the function tries those, and its cost depends on neither the
 * length nor the number of the messages.
 *
 * With cut-through the head of a packet goes on after the first bytes, and the slowest link never
 * pauses: its last one is reached after the latencies, delays and heads before it, and is busy for
 * all packets from then on.
 *
 * Each link's share is rounded down to a picosecond: the result is at most one picosecond per link
 * below the exact value and never above it, so FCT / ideal FCT is at least 1 in a simulation.
 *
 * \param path the links from the sending to the receiving NIC, at least one
 * \param bytes the size of each message; 0 is one packet without payload
 * \param sizes the packets
 * \param messages how many, at least one
 * \return the ideal flow completion time in picoseconds
 */
int64_t RdmaIdealFct(const std::vector<RdmaPathHop>& path,
                     uint64_t bytes,
                     const RdmaPacketSizes& sizes = {},
                     uint64_t messages = 1);

} // namespace ns3

#endif /* RDMA_IDEAL_FCT_H */
