/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-crc.h"

#include <boost/crc.hpp>

namespace ns3
{
namespace rdma
{

uint16_t
IbCrc16(const uint8_t* data, std::size_t size)
{
    boost::crc_optimal<16, 0x100b, 0xffff, 0xffff, true, true> crc;
    crc.process_bytes(data, size);
    return crc.checksum();
}

} // namespace rdma
} // namespace ns3
