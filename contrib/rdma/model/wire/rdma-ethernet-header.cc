/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-ethernet-header.h"

#include "ns3/rdma-header-sizes.h"

namespace ns3
{
namespace rdma
{

void
RdmaEthernetHeader::Write(ByteWriter& writer) const
{
    uint8_t address[6];
    destination.CopyTo(address);
    writer.WriteBytes(address, sizeof(address));
    source.CopyTo(address);
    writer.WriteBytes(address, sizeof(address));
    if (vlanTag)
    {
        NS_ASSERT_MSG(vlanTag->priority <= 7 && vlanTag->vlan <= 0xfff,
                      "priority " << +vlanTag->priority << " or VLAN " << vlanTag->vlan
                                  << " does not fit the 802.1Q tag");
        writer.WriteU16(ETHERTYPE_VLAN);
        writer.WriteU16(static_cast<uint16_t>(vlanTag->priority << 13 |
                                              (vlanTag->dropEligible ? 0x1000 : 0) |
                                              (vlanTag->vlan & 0xfff)));
    }
    writer.WriteU16(etherType);
}

std::optional<RdmaEthernetHeader>
RdmaEthernetHeader::Read(ByteReader& reader)
{
    if (!reader.Has(ETHERNET_HEADER_BYTES))
    {
        return std::nullopt;
    }
    RdmaEthernetHeader header;
    uint8_t address[6];
    reader.ReadBytes(address, sizeof(address));
    header.destination.CopyFrom(address);
    reader.ReadBytes(address, sizeof(address));
    header.source.CopyFrom(address);
    header.etherType = reader.ReadU16();
    if (header.etherType == ETHERTYPE_VLAN)
    {
        if (!reader.Has(VLAN_TAG_BYTES))
        {
            return std::nullopt;
        }
        const uint16_t control = reader.ReadU16();
        VlanTag tag;
        tag.priority = static_cast<uint8_t>(control >> 13);
        tag.dropEligible = control & 0x1000;
        tag.vlan = control & 0xfff;
        header.vlanTag = tag;
        header.etherType = reader.ReadU16();
    }
    return header;
}

} // namespace rdma
} // namespace ns3
