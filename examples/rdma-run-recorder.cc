/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-recorder.h"

#include "rdma-results-files.h"
#include "rdma-results-writer.h"

#include "ns3/fabric-buffer-policy.h"
#include "ns3/fabric-clock.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-pfc.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <ostream>
#include <tuple>

namespace ns3::rdma::runner
{

void
WritePausesHeader(std::ostream& out)
{
    out << "variant,time_us,node,port,priority,event,quanta\n";
}

void
WriteQueuesHeader(std::ostream& out)
{
    out << "variant,time_us,node,port,priority,queue_bytes\n";
}

PauseRecorder::PauseRecorder(const RunNetwork& network)
{
    for (FabricNetDevice* device : network.GetNetwork()->GetDevices())
    {
        const auto pfc = dynamic_cast<FabricPfc*>(&device->GetPort().GetFlowControl());
        if (pfc == nullptr)
        {
            continue;
        }
        const auto port = static_cast<uint32_t>(m_ports.size());
        m_ports.push_back(CsvField(network.GetName(device->GetNode())) + ',' +
                          std::to_string(device->GetIfIndex()));
        pfc->TraceConnectWithoutContext(
            "PauseSent",
            Callback<void, uint8_t, uint16_t, int64_t>(
                [this, port](uint8_t priority, uint16_t quanta, int64_t ps) {
                    Record(port, priority, quanta, ps);
                }));
    }
}

void
PauseRecorder::Record(uint32_t port, uint8_t priority, uint16_t quanta, int64_t ps)
{
    m_pauses.push_back({ps, port, quanta, priority});
}

void
PauseRecorder::Write(std::ostream& out, const std::string& variant)
{
    // The events of one instant may come in any order: the order of rows is ours.
    std::stable_sort(m_pauses.begin(), m_pauses.end(), [](const Pause& a, const Pause& b) {
        return std::tie(a.ps, a.port, a.priority) < std::tie(b.ps, b.port, b.priority);
    });
    for (const Pause& pause : m_pauses)
    {
        out << CsvField(variant) << ',' << FormatMicroseconds(pause.ps) << ','
            << m_ports[pause.port] << ',' << +pause.priority << ','
            << (pause.quanta > 0 ? "pause" : "resume") << ',' << pause.quanta << '\n';
    }
}

std::size_t
PauseRecorder::GetCount() const
{
    return m_pauses.size();
}

QueueSampler::QueueSampler(const RunNetwork& network,
                           const OutputSpec& outputs,
                           const std::string& variant,
                           std::ostream& out)
    : m_variant(CsvField(variant)),
      m_out(out),
      m_period(FabricClock().ToTime(outputs.queuePeriodPs))
{
    for (const Ptr<FabricSwitch>& fabricSwitch : network.GetSwitches())
    {
        const std::string& node = network.GetName(fabricSwitch->GetNode());
        if (!outputs.queueNodes.empty() &&
            std::find(outputs.queueNodes.begin(), outputs.queueNodes.end(), node) ==
                outputs.queueNodes.end())
        {
            continue;
        }
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            for (uint8_t priority = 0; priority < FABRIC_PRIORITIES; ++priority)
            {
                m_queues.push_back(
                    {fabricSwitch->GetBufferPolicy(),
                     CsvField(node) + ',' + std::to_string(port) + ',' + std::to_string(priority),
                     port,
                     priority,
                     0});
            }
        }
    }
    Simulator::Schedule(Time(0), &QueueSampler::Sample, this);
}

void
QueueSampler::Sample()
{
    const std::string now = FormatMicroseconds(FabricClock().Now());
    for (Queue& queue : m_queues)
    {
        const uint64_t bytes = queue.buffer->GetEgressBytes(queue.port, queue.priority);
        if (bytes != queue.last)
        {
            m_out << m_variant << ',' << now << ',' << queue.name << ',' << bytes << '\n';
            queue.last = bytes;
            ++m_rows;
        }
    }
    Simulator::Schedule(m_period, &QueueSampler::Sample, this);
}

std::size_t
QueueSampler::GetCount() const
{
    return m_rows;
}

} // namespace ns3::rdma::runner
