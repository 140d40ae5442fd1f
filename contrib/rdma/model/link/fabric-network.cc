/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-network.h"

#include "ns3/fabric-net-device.h"
#include "ns3/packet.h"

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
                          MakeIpv4AddressChecker());
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
    return Ipv4Address(m_base.Get() + endpoint + 1);
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
