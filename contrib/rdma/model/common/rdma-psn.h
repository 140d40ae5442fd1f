/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Packet sequence numbers have 24 bits (IBA volume 1, section 9.7.2).
inline constexpr uint32_t RDMA_PSN_MASK = 0xffffff;

/// \ingroup rdma Longest message in bytes (IBA volume 1, section 9.7.7).
inline constexpr uint64_t RDMA_MAX_MESSAGE = 1ULL << 31;

/// \ingroup rdma Bytes that an atomic operation works on (IBA volume 1, section 9.4.5).
inline constexpr uint32_t RDMA_ATOMIC_BYTES = 8;

/// \ingroup rdma Packets that may be unacknowledged at most (IBA volume 1, section 9.7.3).
inline constexpr uint64_t RDMA_PSN_WINDOW = 1ULL << 23;

/**
 * \ingroup rdma
 * Inside the model packets are numbered by 64 bits that never wrap; the wire has the lower 24.
 *
 * \param sequence A packet's number.
 * \return Its PSN.
 */
constexpr uint32_t
RdmaToPsn(uint64_t sequence)
{
    return static_cast<uint32_t>(sequence) & RDMA_PSN_MASK;
}

/**
 * \ingroup rdma
 * \param psn A PSN from the wire.
 * \param reference A number near it; at most 2^23 packets may be outstanding.
 * \return The number with that PSN that is nearest to the reference, as a signed number: below 0
 *         for a PSN of before the first packet.
 */
constexpr int64_t
RdmaFromPsn(uint32_t psn, uint64_t reference)
{
    const uint32_t distance = (psn - RdmaToPsn(reference)) & RDMA_PSN_MASK;
    const int64_t difference =
        distance < RDMA_PSN_WINDOW ? distance : static_cast<int64_t>(distance) - 0x1000000;
    return static_cast<int64_t>(reference) + difference;
}

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PSN_H */
