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
 * The invariant CRC of InfiniBand, RoCEv1 and RoCEv2 (IBA volume 1, section 7.8.1, and annexes A16
 * and A17).
 *
 * It is Ethernet's CRC-32 over all that no switch or router may change, with ones in the place of
 * what may change. Its bytes are sent least significant first.
 */

namespace ns3
{
namespace rdma
{

/**
 * CRC of eight bytes of ones (the place of InfiniBand's local route header) and the packet, with
 * ones in IPv4 type of service, time to live and checksum; IPv6 traffic class, flow label and hop
 * limit; UDP checksum; the BTH byte of FECN and BECN.
 *
 * \param packet First byte of the IP header (version 4 or 6, UDP directly behind it).
 * \param size Bytes from there to the end of the payload and its padding, without the ICRC.
 * \return The ICRC. Nothing if the bytes are no IP packet that is long enough to hold a BTH.
 */
std::optional<uint32_t> RoceV2Icrc(const uint8_t* packet, std::size_t size);

/**
 * CRC of eight bytes of ones and the packet, with ones in TClass, FlowLabel and HopLmt of the GRH
 * and the BTH byte of FECN and BECN.
 *
 * \param packet First byte of the GRH.
 * \param size Bytes from there to the end of the payload and its padding, without the ICRC.
 * \return The ICRC. Nothing if the bytes are no GRH and BTH.
 */
std::optional<uint32_t> RoceV1Icrc(const uint8_t* packet, std::size_t size);

/**
 * CRC of an InfiniBand packet. Without a GRH: with ones in VL of the LRH and the BTH byte of FECN
 * and BECN. With one: as RoceV1Icrc, which has ones in all of the LRH, because routers make a new
 * one.
 *
 * \param packet First byte of the LRH.
 * \param size Bytes from there to the end of the payload and its padding, without the ICRC.
 * \return The ICRC. Nothing if the bytes are no LRH (of an IBA packet), GRH if announced, and BTH.
 */
std::optional<uint32_t> IbIcrc(const uint8_t* packet, std::size_t size);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ICRC_H */
