/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wire/rdma-wire-test-util.h"

#include "ns3/rdma-icrc.h"

#include <gtest/gtest.h>

using namespace ns3::rdma;
using namespace ns3::rdma::wiretest;

namespace
{

/// \param packet From the IP header to the padding. \return Its ICRC as it is sent.
Bytes
IcrcBytes(const Bytes& packet)
{
    Bytes bytes;
    ByteWriter writer(bytes);
    const auto icrc = RoceV2Icrc(packet.data(), packet.size());
    EXPECT_TRUE(icrc);
    writer.WriteU32LittleEndian(icrc.value_or(0));
    return bytes;
}

/// A UC SEND Only of 18 bytes between two times 192.168.0.7, ICRC 0x78f353f3 on the wire (vector of
/// scapy's RoCE tests).
const char* const UC_SEND = "4501 0040 0478 4000 4011 b4d5 c0a80007 c0a80007"
                            "c000 12b7 002c aca2"
                            "24 60 ffff 00 0000d3 00 cf1710"
                            "4630818be28935d90e9a95505401be885e50 0000";

/// A CNP captured from a ConnectX-4 Lx, ICRC 0x82fd002a on the wire (vector of scapy's RoCE tests).
const char* const CNP = "45c2 003c 718c 4000 4011 9161 0a001101 0a001201"
                        "0000 12b7 0028 0000"
                        "81 00 ffff 40 000118 00 000000"
                        "00000000000000000000000000000000";

/// An RC SEND Only of "hello" between 2001:db8::1 and 2001:db8::2. Its ICRC, 0x6ff93ca2 on the
/// wire, was computed with zlib's crc32 over eight bytes ff, the IP header with its first 32 bits
/// 6fffffff and hop limit ff, UDP with checksum ffff, the BTH with its fifth byte ff, and the rest.
const char* const IPV6_SEND = "66a12345 0020 11 40 20010db8000000000000000000000001"
                              "20010db8000000000000000000000002"
                              "c121 12b7 0020 0000"
                              "04 30 ffff 00 000011 80 000007"
                              "68656c6c6f 000000";

} // namespace

TEST(RdmaIcrc, Vectors)
{
    EXPECT_EQ(IcrcBytes(FromHex(UC_SEND)), FromHex("78f353f3"));
    EXPECT_EQ(IcrcBytes(FromHex(CNP)), FromHex("82fd002a"));
    EXPECT_EQ(IcrcBytes(FromHex(IPV6_SEND)), FromHex("6ff93ca2"));
}

TEST(RdmaIcrc, CoversAllButTheVariantFields)
{
    // IPv4: type of service 1, time to live 8, checksum 10 and 11; UDP checksum 26 and 27; byte 4
    // of the BTH at 32. The version and length of the header (byte 0) are left out of the loop.
    const Bytes v4 = FromHex(UC_SEND);
    for (std::size_t i = 1; i < v4.size(); ++i)
    {
        const bool variant =
            i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;
        Bytes changed = v4;
        changed[i] ^= 0xff;
        EXPECT_EQ(IcrcBytes(changed) == IcrcBytes(v4), variant) << "IPv4, byte " << i;
    }
    // IPv6: traffic class and flow label 1, 2, 3 and the low half of 0; hop limit 7; UDP checksum
    // 46 and 47; byte 4 of the BTH at 52.
    const Bytes v6 = FromHex(IPV6_SEND);
    for (std::size_t i = 0; i < v6.size(); ++i)
    {
        const bool variant = i <= 3 || i == 7 || i == 46 || i == 47 || i == 52;
        Bytes changed = v6;
        changed[i] ^= i == 0 ? 0x0f : 0xff;
        EXPECT_EQ(IcrcBytes(changed) == IcrcBytes(v6), variant) << "IPv6, byte " << i;
    }
}

TEST(RdmaIcrc, RefusesWhatIsNoPacket)
{
    EXPECT_FALSE(RoceV2Icrc(nullptr, 0));
    for (const char* text : {UC_SEND, IPV6_SEND})
    {
        const Bytes packet = FromHex(text);
        const std::size_t headers = text == UC_SEND ? 40 : 60;
        for (std::size_t size = 0; size < headers; ++size)
        {
            const Bytes cut(packet.begin(), packet.begin() + size);
            EXPECT_FALSE(RoceV2Icrc(cut.data(), cut.size())) << size;
        }
        EXPECT_TRUE(RoceV2Icrc(packet.data(), headers));
    }
    Bytes other = FromHex(UC_SEND);
    other[0] = 0x55; // no such IP version
    EXPECT_FALSE(RoceV2Icrc(other.data(), other.size()));
    other[0] = 0x44; // a header shorter than IPv4's
    EXPECT_FALSE(RoceV2Icrc(other.data(), other.size()));
    other[0] = 0x4f; // a header of 60 bytes: the packet ends before the BTH does
    EXPECT_FALSE(RoceV2Icrc(other.data(), other.size()));
    other.resize(80); // 60 + 8 + 12
    EXPECT_TRUE(RoceV2Icrc(other.data(), other.size()));
}
