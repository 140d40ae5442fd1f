/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_MAC_CONTROL_H
#define FABRIC_MAC_CONTROL_H

#include "ns3/mac48-address.h"

#include <cstdint>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * What the MAC control frames have in common (IEEE 802.3 clause 31, annexes 31B and 31D).
 */

namespace ns3
{
namespace rdma
{

inline constexpr uint16_t MAC_CONTROL_PAUSE = 0x0001; //!< opcode: pause of the whole link
inline constexpr uint16_t MAC_CONTROL_PFC = 0x0101;   //!< opcode: pause per priority

/// \return The address that MAC control frames go to, 01:80:C2:00:00:01; bridges never forward it.
Mac48Address MacControlAddress();

/**
 * \param source Address of the port that sends the frame.
 * \param body Opcode and parameters.
 * \return The frame with its Ethernet header, zero-padded to the minimum length, without FCS.
 */
std::vector<uint8_t> MakeMacControlFrame(const Mac48Address& source,
                                         const std::vector<uint8_t>& body);

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_MAC_CONTROL_H */
