/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-helper.h"

#include "ns3/abort.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/rdma-frame-codec.h"

namespace ns3
{

using namespace rdma;

RdmaHelper::RdmaHelper()
{
    m_nicFactory.SetTypeId("ns3::rdma::RdmaNic");
    m_congestionFactory.SetTypeId("ns3::rdma::RdmaNoCongestion");
    m_recoveryFactory.SetTypeId("ns3::rdma::RdmaGoBackN");
    m_srdCongestion.SetTypeId("ns3::rdma::RdmaSrdCongestion");
    m_srdPolicy.SetTypeId("ns3::rdma::RdmaSrdPathPolicy");
}

void
RdmaHelper::EnableSrd(const ObjectFactory& factory)
{
    m_srdFactory = factory;
    m_srd = true;
}

void
RdmaHelper::SetSrdCongestionControl(const ObjectFactory& factory)
{
    m_srdCongestion = factory;
}

void
RdmaHelper::SetSrdPathPolicy(const ObjectFactory& factory)
{
    m_srdPolicy = factory;
}

void
RdmaHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
RdmaHelper::SetCongestionControl(const ObjectFactory& factory)
{
    m_congestionFactory = factory;
}

void
RdmaHelper::SetCongestionControl(const std::string& type)
{
    m_congestionFactory = ObjectFactory(type);
}

void
RdmaHelper::SetHostInterface(const ObjectFactory& factory)
{
    m_hostFactory = factory;
    m_hasHostInterface = true;
}

void
RdmaHelper::SetLossRecovery(const ObjectFactory& factory)
{
    m_recoveryFactory = factory;
}

void
RdmaHelper::SetLossRecovery(const std::string& type)
{
    m_recoveryFactory = ObjectFactory(type);
}

Ptr<RdmaContext>
RdmaHelper::Install(Ptr<NetDevice> device)
{
    const auto fabricDevice = DynamicCast<FabricNetDevice>(device);
    NS_ABORT_MSG_IF(!fabricDevice, "RDMA NICs are installed on FabricNetDevices only");
    const Ptr<FabricNetwork> network = fabricDevice->GetNetwork();
    if (!network->GetCodec())
    {
        network->SetCodec(Create<RdmaFrameCodec>(*network));
    }
    const auto nic = m_nicFactory.Create<RdmaNic>();
    nic->SetCongestionControl(m_congestionFactory);
    if (m_hasHostInterface)
    {
        nic->SetHostInterface(m_hostFactory.Create<RdmaHostInterface>());
    }
    nic->SetLossRecovery(m_recoveryFactory);
    nic->Attach(fabricDevice);
    if (m_srd)
    {
        nic->SetSrdTransport(m_srdFactory);
        nic->GetSrdTransport()->SetCongestionControl(m_srdCongestion);
        nic->GetSrdTransport()->SetPathPolicy(m_srdPolicy);
    }
    return Create<RdmaContext>(nic);
}

std::vector<Ptr<RdmaContext>>
RdmaHelper::Install(const NetDeviceContainer& devices)
{
    std::vector<Ptr<RdmaContext>> contexts;
    for (auto it = devices.Begin(); it != devices.End(); ++it)
    {
        contexts.push_back(Install(*it));
    }
    return contexts;
}

RdmaConnectedPair
RdmaHelper::Connect(Ptr<RdmaContext> a,
                    Ptr<RdmaContext> b,
                    const RdmaQpAttributes& attributes,
                    const RdmaQpInitAttributes& init,
                    uint64_t bytes)
{
    NS_ABORT_MSG_IF(init.congestion || init.recovery,
                    "RdmaHelper::Connect makes two queue pairs, which cannot share one congestion "
                    "control or loss recovery: set it for the NICs");
    const Ptr<FabricNetwork> network = a->GetNic()->GetDevice()->GetNetwork();
    NS_ABORT_MSG_IF(network->GetEncapsulation() == RdmaEncapsulation::ROCE_V1 &&
                        network->GetSubnet(a->GetEndpoint()) !=
                            network->GetSubnet(b->GetEndpoint()),
                    "RoCEv1 is not routed: endpoint "
                        << a->GetEndpoint() << " is in subnet "
                        << network->GetSubnet(a->GetEndpoint()) << ", and endpoint "
                        << b->GetEndpoint() << " in subnet "
                        << network->GetSubnet(b->GetEndpoint()));
    RdmaConnectedPair pair;
    const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
    const auto make = [&](RdmaConnectedPair::Side& side, Ptr<RdmaContext> context) {
        side.context = context;
        RdmaQpInitAttributes complete = init;
        complete.domain = context->AllocPd();
        side.memory = context->RegMr(complete.domain, 0, bytes, rights).value();
        side.cq = context->CreateCq(init.maxSendWr + init.maxRecvWr);
        complete.sendCq = complete.recvCq = side.cq;
        side.queuePair = context->CreateQp(complete);
    };
    make(pair.a, a);
    make(pair.b, b);
    const auto connect = [&](RdmaConnectedPair::Side& side, const RdmaConnectedPair::Side& other) {
        RdmaQpAttributes full = attributes;
        full.accessFlags |= rights;
        full.address.endpoint = other.context->GetEndpoint();
        full.destinationQp = other.queuePair->GetNumber();
        NS_ABORT_MSG_IF(side.context->Connect(side.queuePair, full),
                        "Queue pairs cannot be connected: an attribute is out of its range");
    };
    connect(pair.a, pair.b);
    connect(pair.b, pair.a);
    return pair;
}

RdmaConnectedPair
RdmaHelper::Connect(Ptr<RdmaContext> a, Ptr<RdmaContext> b, uint64_t bytes)
{
    return Connect(a, b, RdmaQpAttributes(), RdmaQpInitAttributes(), bytes);
}

} // namespace ns3
