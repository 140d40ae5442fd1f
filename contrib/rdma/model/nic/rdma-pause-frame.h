/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PAUSE_FRAME_H
#define RDMA_PAUSE_FRAME_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-frame-extras.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Frames as the pause frames of Ethernet.
 */

namespace ns3
{
namespace rdma
{

/**
 * \param frame A frame of kind PFC or PAUSE.
 * \param source Address of the port that sends it.
 * \return The frame from MAC header to the last byte before the FCS.
 */
std::vector<uint8_t> EncodePauseFrame(const FabricFrame& frame, Mac48Address source);

/**
 * \param data First byte of the MAC header.
 * \param size Bytes, without FCS.
 * \param [out] frame Gets kind, length, classes and times; a time of 802.3x is that of class 0.
 *        Unchanged if the result is nothing.
 * \return The addresses, or nothing when it is no pause frame.
 */
std::optional<RdmaFrameExtras> DecodePauseFrame(const uint8_t* data,
                                                std::size_t size,
                                                FabricFrame& frame);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PAUSE_FRAME_H */
