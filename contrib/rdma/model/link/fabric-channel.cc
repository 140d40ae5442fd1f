/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-channel.h"

#include "ns3/abort.h"
#include "ns3/fabric-net-device.h"
#include "ns3/log.h"

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricChannel");
NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricChannel")
            .SetParent<Channel>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricChannel>()
            .AddAttribute("Delay",
                          "Propagation delay; 5 ns per metre of cable is usual. Must be greater "
                          "than 0, and is read when the second device is attached.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&FabricChannel::m_delay),
                          MakeTimeChecker(TimeStep(1)))
            .AddTraceSource("LinkState",
                            "The cable was cut or mended.",
                            MakeTraceSourceAccessor(&FabricChannel::m_stateTrace),
                            "ns3::rdma::FabricChannel::LinkStateTracedCallback");
    return tid;
}

FabricChannel::FabricChannel() = default;

void
FabricChannel::DoDispose()
{
    for (auto& device : m_devices)
    {
        device = nullptr;
    }
    Channel::DoDispose();
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_devices[1], "A cable has two ends; a third device cannot be attached");
    if (!m_devices[0])
    {
        m_devices[0] = device;
        return;
    }
    m_devices[1] = device;
    for (uint32_t i = 0; i < 2; ++i)
    {
        m_wires[i].delay = FabricClock().ToPs(m_delay);
        NS_ABORT_MSG_IF(m_wires[i].delay <= 0,
                        "The delay of a cable must be at least 1 ps, got " << m_delay);
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        m_devices[i]->GetPort().Connect(&m_wires[i], &m_wires[1 - i]);
    }
    for (auto& end : m_devices)
    {
        end->NotifyConnected(this);
    }
}

std::size_t
FabricChannel::GetNDevices() const
{
    return (m_devices[0] ? 1 : 0) + (m_devices[1] ? 1 : 0);
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

Ptr<FabricNetDevice>
FabricChannel::GetPeer(Ptr<const FabricNetDevice> device) const
{
    return m_devices[0] == device ? m_devices[1] : m_devices[0];
}

Time
FabricChannel::GetDelay() const
{
    return m_delay;
}

void
FabricChannel::SetUp(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (up == IsUp())
    {
        return;
    }
    for (auto& wire : m_wires)
    {
        wire.up = up;
    }
    for (auto& device : m_devices)
    {
        device->GetPort().LinkChanged(up, FabricClock().Now());
        device->NotifyLinkChanged();
    }
    m_stateTrace(this, up);
}

bool
FabricChannel::IsUp() const
{
    return m_wires[0].up;
}

} // namespace rdma
} // namespace ns3
