/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ETHERNET_HEADER_H
#define RDMA_ETHERNET_HEADER_H

#include "ns3/mac48-address.h"
#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

inline constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;        //!< IPv4
inline constexpr uint16_t ETHERTYPE_VLAN = 0x8100;        //!< 802.1Q tag
inline constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;        //!< IPv6
inline constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808; //!< MAC control: pause and PFC

/**
 * \ingroup rdma
 * Ethernet header: addresses, an optional 802.1Q tag, EtherType (IEEE 802.3 clause 3, 802.1Q
 * clause 9). The preamble and the FCS are not part of it.
 */
struct RdmaEthernetHeader
{
    /// 802.1Q tag.
    struct VlanTag
    {
        uint8_t priority{0};      //!< PCP, 0 to 7
        bool dropEligible{false}; //!< DEI
        uint16_t vlan{0}; //!< VLAN identifier, 12 bit; 0 for a tag that only gives a priority
    };

    Mac48Address destination;       //!< receiver
    Mac48Address source;            //!< sender
    std::optional<VlanTag> vlanTag; //!< 802.1Q tag, if there is one
    uint16_t etherType{0};          //!< what follows

    /// \param writer Takes the 14 or 18 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaEthernetHeader> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ETHERNET_HEADER_H */
