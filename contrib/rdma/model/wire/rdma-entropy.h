/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ENTROPY_H
#define RDMA_ENTROPY_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * How a queue pair gets its UDP source port, the entropy that ECMP hashes (the rule of Linux's
 * RDMA core, include/rdma/ib_verbs.h: rdma_calc_flow_label and rdma_flow_label_to_udp_sport).
 */

namespace ns3
{
namespace rdma
{

/// Lowest UDP source port of RoCEv2, and the only one that early drivers used.
inline constexpr uint16_t ROCE_V2_MIN_SOURCE_PORT = 0xc000;

/**
 * \param localQueuePair One end of the connection, 24 bit.
 * \param remoteQueuePair Its other end, 24 bit.
 * \return Flow label of the connection, 20 bit; the same for both directions.
 */
constexpr uint32_t
RdmaFlowLabel(uint32_t localQueuePair, uint32_t remoteQueuePair)
{
    uint64_t label = uint64_t{localQueuePair} * remoteQueuePair;
    label ^= label >> 20;
    label ^= label >> 40;
    return static_cast<uint32_t>(label & 0xfffff);
}

/**
 * \param flowLabel A flow label, 20 bit.
 * \return UDP source port, 0xc000 to 0xffff: the low 14 bits folded with the high six.
 */
constexpr uint16_t
RdmaUdpSourcePort(uint32_t flowLabel)
{
    return static_cast<uint16_t>(((flowLabel & 0x3fff) ^ ((flowLabel & 0xfc000) >> 14)) |
                                 ROCE_V2_MIN_SOURCE_PORT);
}

/**
 * \param sourcePort A UDP source port.
 * \return The shortest flow label that RdmaUdpSourcePort makes this port of, if it is 0xc000 or
 *         more: packets without UDP carry the entropy of a flow so.
 */
constexpr uint32_t
RdmaFlowLabelOfPort(uint16_t sourcePort)
{
    return sourcePort & 0x3fff;
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ENTROPY_H */
