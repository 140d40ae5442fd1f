/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-perftest-helper.h"

#include "ns3/node.h"
#include "ns3/rdma-perftest-application.h"

namespace ns3
{

using namespace rdma;

RdmaPerftestHelper::RdmaPerftestHelper(const std::string& type)
    : m_factory(type)
{
}

void
RdmaPerftestHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
RdmaPerftestHelper::SetQueuePairAttributes(const RdmaQpAttributes& attributes)
{
    m_attributes = attributes;
}

ApplicationContainer
RdmaPerftestHelper::Install(Ptr<RdmaContext> client, Ptr<RdmaContext> server)
{
    const auto make = [this](Ptr<RdmaContext> context) {
        const auto application = m_factory.Create<RdmaPerftestApplication>();
        application->Setup(context, m_attributes);
        context->GetNic()->GetDevice()->GetNode()->AddApplication(application);
        return application;
    };
    const auto first = make(client);
    const auto second = make(server);
    RdmaPerftestApplication::Connect(first, second);
    ApplicationContainer applications;
    applications.Add(first);
    applications.Add(second);
    return applications;
}

} // namespace ns3
