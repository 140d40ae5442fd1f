/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CRC_H
#define IB_CRC_H

#include <cstddef>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The 16 bit CRC of InfiniBand links (IBA volume 1, sections 7.8.2 and 7.9.3).
 */

namespace ns3
{
namespace rdma
{

/**
 * The variant CRC of a packet, and the link packet CRC of a flow control packet: polynomial 0x100b,
 * least significant bit of each byte first, start value of ones, result inverted.
 *
 * \param data First byte: of the LRH, or of the flow control packet.
 * \param size Bytes up to the end of the ICRC, or 4.
 * \return The CRC; its bytes are sent least significant first.
 */
uint16_t IbCrc16(const uint8_t* data, std::size_t size);

} // namespace rdma
} // namespace ns3

#endif /* IB_CRC_H */
