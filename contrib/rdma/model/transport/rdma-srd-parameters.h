/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_PARAMETERS_H
#define RDMA_SRD_PARAMETERS_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Attributes of RdmaSrdTransport, as its peers read them.
struct RdmaSrdParameters
{
    int64_t minTimeout{0};     //!< least retransmission timeout, ps
    int64_t maxTimeout{0};     //!< longest, ps
    int64_t firstTimeout{0};   //!< before the first round-trip time is known, ps
    int64_t reordering{0};     //!< by how much packets overtake each other, ps
    int64_t unresponsive{0};   //!< a silent peer is given up after so long, ps
    int64_t receiverDelay{0};  //!< wait after the first receiver-not-ready, ps
    uint64_t maxInFlight{0};   //!< payload bytes in flight to a peer; 0: no limit
    uint32_t mtu{0};           //!< payload bytes of a packet
    uint32_t maxSpan{0};       //!< from the oldest unacknowledged packet to the newest
    uint32_t lossThreshold{0}; //!< later packets of a path that make an earlier one lost
    uint8_t priority{0};       //!< 802.1p priority of data
    uint8_t ackPriority{0};    //!< of acknowledgements
};

/// \ingroup rdma What the SRD transport of a NIC counts.
struct RdmaSrdCounters
{
    uint64_t dataPackets{0};          //!< packets sent for the first time, without answers
    uint64_t dataBytes{0};            //!< their payload
    uint64_t retransmittedPackets{0}; //!< packets sent again
    uint64_t voidPackets{0};          //!< packets without a message sent
    uint64_t timeouts{0};             //!< packets that count as lost because time has run out
    uint64_t overtaken{0};            //!< and because later ones have arrived
    uint64_t answers{0};              //!< ACKs and NACKs sent
    uint64_t refusals{0};             //!< NACKs received that told something new
    uint64_t receiverNotReady{0};     //!< of those: no receive was posted
    uint64_t peerFailures{0};         //!< peers given up
    uint64_t deliveredBytes{0};       //!< payload placed
    uint64_t deliveredMessages{0};    //!< sends, writes with immediate and reads that are whole
    uint64_t outOfOrder{0};           //!< packets received ahead of an earlier one
    uint64_t duplicates{0};           //!< packets received again, not placed
    uint64_t beyondSpan{0};           //!< packets too far ahead, thrown away
    uint64_t badQueuePair{0};         //!< packets for no queue pair, or with another key
    uint64_t lateResponses{0};        //!< read data that nobody waits for
    uint64_t overruns{0};             //!< completions lost because their queue was full
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_PARAMETERS_H */
