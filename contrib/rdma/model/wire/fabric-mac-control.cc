/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-mac-control.h"

#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-header-sizes.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

Mac48Address
MacControlAddress()
{
    static constexpr uint8_t bytes[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

std::vector<uint8_t>
MakeMacControlFrame(const Mac48Address& source, const std::vector<uint8_t>& body)
{
    std::vector<uint8_t> frame;
    ByteWriter writer(frame);
    RdmaEthernetHeader ethernet;
    ethernet.destination = MacControlAddress();
    ethernet.source = source;
    ethernet.etherType = ETHERTYPE_MAC_CONTROL;
    ethernet.Write(writer);
    writer.WriteBytes(body.data(), body.size());
    frame.resize(
        std::max<std::size_t>(frame.size(), ETHERNET_MIN_FRAME_BYTES - ETHERNET_FCS_BYTES));
    return frame;
}

} // namespace rdma
} // namespace ns3
