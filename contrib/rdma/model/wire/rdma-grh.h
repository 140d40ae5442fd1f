/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_GRH_H
#define RDMA_GRH_H

#include "ns3/ipv6-address.h"
#include "ns3/mac48-address.h"
#include "ns3/rdma-ipv6-header.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The global route header and the identifiers in it (IBA volume 1, section 8.3, and annexes A16 and
 * A17).
 */

namespace ns3
{
namespace rdma
{

/// Next header of a GRH in front of a BTH.
inline constexpr uint8_t GRH_NEXT_HEADER_IBA = 0x1b;

/**
 * \ingroup rdma
 * Global route header: an IPv6 header with another next header. Its TClass is written as DSCP and
 * ECN, its addresses are GIDs.
 */
using RdmaGrh = RdmaIpv6Header;

/**
 * \param prefix The upper 64 bits: the subnet.
 * \param address MAC address that makes the lower 64 bits, as modified EUI-64 (RFC 4291, appendix
 *        A).
 * \return The GID.
 */
Ipv6Address RdmaGidOf(Ipv6Address prefix, Mac48Address address);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_GRH_H */
