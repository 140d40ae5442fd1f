/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-grh.h"

namespace ns3
{
namespace rdma
{

Ipv6Address
RdmaGidOf(Ipv6Address prefix, Mac48Address address)
{
    uint8_t bytes[16];
    prefix.GetBytes(bytes);
    uint8_t mac[6];
    address.CopyTo(mac);
    bytes[8] = mac[0] ^ 0x02; // the bit that tells universal from local is inverted
    bytes[9] = mac[1];
    bytes[10] = mac[2];
    bytes[11] = 0xff;
    bytes[12] = 0xfe;
    bytes[13] = mac[3];
    bytes[14] = mac[4];
    bytes[15] = mac[5];
    return Ipv6Address(bytes);
}

} // namespace rdma
} // namespace ns3
