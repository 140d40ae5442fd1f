/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-cm-channel.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/rdma-connection-manager.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCmChannel);

TypeId
RdmaCmChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaCmChannel")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaCmChannel>()
            .AddAttribute("Latency",
                          "Time that a message takes at least.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaCmChannel::m_latency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Jitter",
                          "Up to this much more, evenly distributed; messages may overtake.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaCmChannel::m_jitter),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LossRate",
                          "Probability that a message is lost.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaCmChannel::m_lossRate),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

RdmaCmChannel::RdmaCmChannel()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
RdmaCmChannel::Add(uint32_t endpoint, RdmaConnectionManager* manager)
{
    NS_ABORT_MSG_IF(!m_managers.emplace(endpoint, manager).second,
                    "Endpoint " << endpoint << " has a connection manager on this channel already");
}

void
RdmaCmChannel::Remove(uint32_t endpoint)
{
    m_managers.erase(endpoint);
}

void
RdmaCmChannel::Send(const RdmaCmMessage& message)
{
    if (m_lossRate > 0 && m_random->GetValue() < m_lossRate)
    {
        return;
    }
    const Time more = m_jitter.IsZero() ? m_jitter : m_jitter * m_random->GetValue();
    Simulator::Schedule(m_latency + more,
                        &RdmaCmChannel::Deliver,
                        Ptr<RdmaCmChannel>(this),
                        message);
}

void
RdmaCmChannel::Deliver(RdmaCmMessage message)
{
    const auto found = m_managers.find(message.destination);
    if (found != m_managers.end())
    {
        found->second->Receive(message);
    }
}

int64_t
RdmaCmChannel::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace rdma
} // namespace ns3
