/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PAUSE_HEADER_H
#define FABRIC_PAUSE_HEADER_H

#include "ns3/fabric-mac-control.h"
#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Body of a pause frame for the whole link (IEEE 802.3 annex 31B): follows an Ethernet header of
 * type ETHERTYPE_MAC_CONTROL.
 */
struct FabricPauseHeader
{
    uint16_t quanta{0}; //!< pause in units of 512 bit times; 0 resumes

    /**
     * \param source Address of the port that sends the frame.
     * \return The whole frame without FCS: 60 bytes, zero-padded.
     */
    std::vector<uint8_t> MakeFrame(const Mac48Address& source) const;

    /// \param writer Takes the 4 bytes, opcode included, of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing or the opcode is another.
     */
    static std::optional<FabricPauseHeader> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PAUSE_HEADER_H */
