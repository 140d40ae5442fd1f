/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-network.h"

#include "ns3/abort.h"
#include "ns3/fabric-net-device.h"
#include "ns3/packet.h"
#include "ns3/rdma-grh.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricNetwork);

TypeId
FabricNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricNetwork")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricNetwork>()
            .AddAttribute("BaseAddress",
                          "IPv4 network address; endpoint n uses the address n + 1 above it in its "
                          "RDMA packets.",
                          Ipv4AddressValue(Ipv4Address("10.0.0.0")),
                          MakeIpv4AddressAccessor(&FabricNetwork::m_base),
                          MakeIpv4AddressChecker())
            .AddAttribute("SubnetPrefixLength",
                          "Length of the IPv4 prefix of a subnet in bits; the subnet's number is "
                          "added to BaseAddress in front of its end.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&FabricNetwork::m_prefixLength),
                          MakeUintegerChecker<uint8_t>(8, 30))
            .AddAttribute("GidPrefix",
                          "Upper 64 bits of the GIDs of subnet 0; the subnet's number is added to "
                          "them.",
                          Ipv6AddressValue(Ipv6Address("fd00::")),
                          MakeIpv6AddressAccessor(&FabricNetwork::m_gidPrefix),
                          MakeIpv6AddressChecker());
    return tid;
}

FabricNetwork::FabricNetwork()
    : m_encapsulation(RdmaEncapsulation::ROCE_V2_IPV4)
{
}

FabricNetwork::~FabricNetwork() = default;

void
FabricNetwork::DoDispose()
{
    m_devices.clear();
    m_endpoints.clear();
    m_byMac.clear();
    m_codec = nullptr;
    m_records = nullptr;
    Object::DoDispose();
}

uint32_t
FabricNetwork::AddDevice(FabricNetDevice* device)
{
    m_devices.push_back(device);
    return m_devices.size() - 1;
}

uint32_t
FabricNetwork::AddEndpoint(FabricNetDevice* device)
{
    m_endpoints.push_back(device);
    const uint32_t endpoint = m_endpoints.size() - 1;
    m_byMac[Mac48Address::ConvertFrom(device->GetAddress())] = endpoint;
    return endpoint;
}

const std::vector<FabricNetDevice*>&
FabricNetwork::GetDevices() const
{
    return m_devices;
}

const std::vector<FabricNetDevice*>&
FabricNetwork::GetEndpoints() const
{
    return m_endpoints;
}

void
FabricNetwork::SetMac(const FabricNetDevice* device, Mac48Address address)
{
    const uint32_t endpoint = device->GetEndpoint();
    if (endpoint >= m_endpoints.size())
    {
        return;
    }
    for (auto it = m_byMac.begin(); it != m_byMac.end();)
    {
        it = it->second == endpoint ? m_byMac.erase(it) : std::next(it);
    }
    m_byMac[address] = endpoint;
}

uint32_t
FabricNetwork::FindMac(Mac48Address address) const
{
    if (address.IsGroup())
    {
        return FABRIC_BROADCAST;
    }
    const auto it = m_byMac.find(address);
    return it == m_byMac.end() ? FABRIC_NO_ENDPOINT : it->second;
}

Ipv4Address
FabricNetwork::GetAddress(uint32_t endpoint) const
{
    const uint32_t subnet = uint32_t{GetSubnet(endpoint)} << (32 - m_prefixLength);
    return Ipv4Address(m_base.Get() + subnet + endpoint + 1);
}

void
FabricNetwork::SetSubnet(uint32_t endpoint, uint16_t subnet)
{
    NS_ABORT_MSG_IF(endpoint >= m_endpoints.size(),
                    "There is no endpoint " << endpoint << " to put into a subnet: the network has "
                                            << m_endpoints.size());
    const uint64_t hosts = uint64_t{1} << (32 - m_prefixLength);
    NS_ABORT_MSG_IF(subnet > 0 && endpoint + 2 > hosts - 1,
                    "Endpoint " << endpoint << " has no address in a subnet with an IPv4 prefix of "
                                << +m_prefixLength << " bits");
    NS_ABORT_MSG_IF(m_base.Get() + subnet * hosts + endpoint + 1 > 0xffffffffU,
                    "Subnet " << subnet << " does not fit behind " << m_base
                              << " with an IPv4 prefix of " << +m_prefixLength << " bits");
    if (m_subnets.size() <= endpoint)
    {
        m_subnets.resize(endpoint + 1);
    }
    m_subnets[endpoint] = subnet;
}

uint16_t
FabricNetwork::GetSubnet(uint32_t endpoint) const
{
    return endpoint < m_subnets.size() ? m_subnets[endpoint] : 0;
}

Ipv6Address
FabricNetwork::GetGid(uint32_t endpoint) const
{
    uint8_t prefix[16];
    m_gidPrefix.GetBytes(prefix);
    const uint32_t last = (uint32_t{prefix[6]} << 8 | prefix[7]) + GetSubnet(endpoint);
    prefix[6] = static_cast<uint8_t>(last >> 8);
    prefix[7] = static_cast<uint8_t>(last);
    return RdmaGidOf(Ipv6Address(prefix),
                     Mac48Address::ConvertFrom(m_endpoints.at(endpoint)->GetAddress()));
}

void
FabricNetwork::SetLid(uint32_t endpoint, uint16_t lid, uint8_t lmc)
{
    if (endpoint >= m_lids.size())
    {
        m_lids.resize(m_endpoints.size(), 0);
        m_lmcs.resize(m_endpoints.size(), 0);
    }
    m_lids.at(endpoint) = lid;
    m_lmcs.at(endpoint) = lmc;
}

uint8_t
FabricNetwork::GetLmc(uint32_t endpoint) const
{
    return endpoint < m_lmcs.size() ? m_lmcs[endpoint] : 0;
}

void
FabricNetwork::SetPathRecords(Ptr<const FabricPathRecords> records)
{
    m_records = records;
}

const Ptr<const FabricPathRecords>&
FabricNetwork::GetPathRecords() const
{
    return m_records;
}

void
FabricNetwork::SetEncapsulation(RdmaEncapsulation encapsulation)
{
    m_encapsulation = encapsulation;
}

RdmaEncapsulation
FabricNetwork::GetEncapsulation() const
{
    return m_encapsulation;
}

void
FabricNetwork::SetCodec(Ptr<FabricFrameCodec> codec)
{
    m_codec = codec;
}

Ptr<FabricFrameCodec>
FabricNetwork::GetCodec() const
{
    return m_codec;
}

} // namespace rdma
} // namespace ns3
