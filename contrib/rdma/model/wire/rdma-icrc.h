/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ICRC_H
#define RDMA_ICRC_H

#include <cstddef>
#include <cstdint>
#include <optional>

/**
 * \file
 * \ingroup rdma
 * The invariant CRC of RoCEv2 (IBA volume 1, section 7.8.1 and annex A17).
 */

namespace ns3
{
namespace rdma
{

/**
 * CRC over all that no switch or router may change: Ethernet's CRC-32 of eight bytes of ones (the
 * place of InfiniBand's local route header) and the packet, with ones in the fields that change on
 * the way: IPv4 type of service, time to live and checksum; IPv6 traffic class, flow label and hop
 * limit; UDP checksum; the BTH byte of FECN and BECN.
 *
 * \param packet First byte of the IP header (version 4 or 6, UDP directly behind it).
 * \param size Bytes from there to the end of the payload and its padding, without the ICRC.
 * \return The ICRC; its bytes are sent least significant first. Nothing if the bytes are no IP
 *         packet that is long enough to hold a BTH.
 */
std::optional<uint32_t> RoceV2Icrc(const uint8_t* packet, std::size_t size);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ICRC_H */
