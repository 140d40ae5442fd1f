/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PFC_HEADER_H
#define FABRIC_PFC_HEADER_H

#include "ns3/fabric-mac-control.h"
#include "ns3/rdma-byte-io.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Body of a priority-based flow control frame (IEEE 802.1Qbb, 802.3 annex 31D): follows an
 * Ethernet header of type ETHERTYPE_MAC_CONTROL.
 */
struct FabricPfcHeader
{
    uint8_t classEnable{0};           //!< bit i set: quanta[i] applies to priority i
    std::array<uint16_t, 8> quanta{}; //!< pause per priority in units of 512 bit times; 0 resumes

    /**
     * \param source Address of the port that sends the frame.
     * \return The whole frame without FCS: 60 bytes, zero-padded.
     */
    std::vector<uint8_t> MakeFrame(const Mac48Address& source) const;

    /// \param writer Takes the 20 bytes, opcode included, of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing or the opcode is another.
     */
    static std::optional<FabricPfcHeader> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PFC_HEADER_H */
