/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_LRH_H
#define IB_LRH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/// What follows a local route header (IBA volume 1, section 7.7.5).
enum class IbNextHeader : uint8_t
{
    RAW = 0,    //!< raw packet with an EtherType
    IPV6 = 1,   //!< raw packet with an IPv6 header
    LOCAL = 2,  //!< BTH: the packet stays in its subnet
    GLOBAL = 3, //!< GRH, then BTH
};

/**
 * \ingroup rdma
 * Local route header of InfiniBand (IBA volume 1, section 7.7): what a switch forwards by.
 */
struct IbLrh
{
    uint8_t virtualLane{0};                       //!< lane of the link it is on, 0 to 15
    uint8_t linkVersion{0};                       //!< LVer: 0
    uint8_t serviceLevel{0};                      //!< 0 to 15; switches map it to a lane
    IbNextHeader nextHeader{IbNextHeader::LOCAL}; //!< LNH: what follows
    uint16_t dlid{0};                             //!< destination local identifier
    uint16_t packetLength{0};                     //!< words of four bytes from LRH to ICRC, 11 bit
    uint16_t slid{0};                             //!< source local identifier

    /// \param writer Takes the 8 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<IbLrh> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* IB_LRH_H */
