/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FLOW_HASH_H
#define FABRIC_FLOW_HASH_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * \param x A number.
 * \return A well-spread hash of it (the finalizer of MurmurHash3, 32 bit, which is in the public
 *         domain).
 */
constexpr uint32_t
FabricMix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6b;
    x ^= x >> 13;
    x *= 0xc2b2ae35;
    x ^= x >> 16;
    return x;
}

/**
 * \ingroup rdma
 * The hash of a flow's 5-tuple, which equal-cost multipath starts from. Each switch mixes its own
 * seed into it.
 *
 * \param source Source address.
 * \param destination Destination address.
 * \param sourcePort Source port.
 * \param destinationPort Destination port.
 * \param protocol IP protocol number.
 * \return The hash.
 */
constexpr uint32_t
FabricFlowHash(uint32_t source,
               uint32_t destination,
               uint16_t sourcePort,
               uint16_t destinationPort,
               uint8_t protocol)
{
    uint32_t hash = FabricMix(source + 0x9e3779b9);
    hash = FabricMix(hash ^ destination);
    hash = FabricMix(hash ^ (static_cast<uint32_t>(sourcePort) << 16 | destinationPort));
    return FabricMix(hash ^ protocol);
}

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_FLOW_HASH_H */
