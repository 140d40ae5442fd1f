/* SPDX-License-Identifier: GPL-2.0-only */
/* A host for tests that sends and receives frames without any transport. */

#include "fabric-test-host.h"

#include "ns3/fabric-flow-hash.h"
#include "ns3/fabric-serializer.h"
#include "ns3/ib-link.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

using namespace rdma;

FabricTestHost::FabricTestHost(Ptr<NetDevice> device)
    : m_device(DynamicCast<FabricNetDevice>(device)),
      m_received(FABRIC_LANES, 0)
{
    m_device->GetDriver();
    m_device->GetPort().SetSource(this);
    m_device->GetPort().SetSink(this);
}

std::size_t
FabricTestHost::Send(const Stream& stream)
{
    m_streams.push_back(stream);
    m_streams.back().ready = stream.start;
    const FabricClock clock;
    Simulator::ScheduleWithContext(m_device->GetNode()->GetId(),
                                   clock.ToTime(stream.start) - Simulator::Now(),
                                   &FabricTestHost::Wake,
                                   this);
    return m_streams.size() - 1;
}

void
FabricTestHost::Wake()
{
    m_device->GetPort().Wake(FabricClock().Now());
}

void
FabricTestHost::SendPfc(uint8_t classes, uint16_t quanta)
{
    FabricFrame* frame = m_device->Allocate();
    frame->kind = FabricFrameKind::PFC;
    frame->bytes = 64;
    frame->source = GetEndpoint();
    frame->destination = FABRIC_BROADCAST;
    frame->pause.classes = classes;
    std::fill(std::begin(frame->pause.quanta), std::end(frame->pause.quanta), quanta);
    m_device->GetPort().SendControl(frame, FabricClock().Now());
}

void
FabricTestHost::SendPlainPause(uint16_t quanta)
{
    FabricFrame* frame = m_device->Allocate();
    frame->kind = FabricFrameKind::PAUSE;
    frame->bytes = 64;
    frame->source = GetEndpoint();
    frame->destination = FABRIC_BROADCAST;
    frame->pause.classes = 0xff;
    std::fill(std::begin(frame->pause.quanta), std::end(frame->pause.quanta), quanta);
    m_device->GetPort().SendControl(frame, FabricClock().Now());
}

void
FabricTestHost::Hold(bool holds)
{
    m_hold = holds;
    m_device->GetPort().SetSinkHolds(holds);
}

void
FabricTestHost::Release()
{
    for (const auto& [lane, bytes] : m_held)
    {
        m_device->GetPort().GetIbLink()->Release(lane, bytes, FabricClock().Now());
    }
    m_held.clear();
}

void
FabricTestHost::Record(bool keep)
{
    m_record = keep;
}

const std::vector<FabricTestHost::Arrival>&
FabricTestHost::GetArrivals() const
{
    return m_arrivals;
}

uint64_t
FabricTestHost::GetReceived(uint8_t priority) const
{
    return m_received.at(priority);
}

uint64_t
FabricTestHost::GetReceivedBytes() const
{
    return m_receivedBytes;
}

int64_t
FabricTestHost::GetLastArrival() const
{
    return m_lastArrival;
}

uint64_t
FabricTestHost::GetSent(std::size_t stream) const
{
    return m_streams.at(stream).sent;
}

FabricNetDevice&
FabricTestHost::GetDevice() const
{
    return *m_device;
}

uint32_t
FabricTestHost::GetEndpoint() const
{
    return m_device->GetEndpoint();
}

FabricFrame*
FabricTestHost::Pull(FabricPort& port, int64_t now, int64_t& next)
{
    FabricFrame* frame = nullptr;
    next = FABRIC_NEVER;
    const std::size_t first = m_turn;
    for (std::size_t i = 0; i < m_streams.size(); ++i)
    {
        const std::size_t place = (first + i) % m_streams.size();
        Stream& stream = m_streams[place];
        if (stream.sent == stream.count || (port.GetBlocked() >> stream.priority & 1))
        {
            continue;
        }
        if (!frame && stream.ready <= now)
        {
            frame = m_device->Allocate();
            frame->kind = FabricFrameKind::RDMA;
            frame->source = GetEndpoint();
            frame->destination = stream.destination;
            frame->bytes = stream.bytes;
            frame->payload = stream.bytes;
            frame->priority = stream.priority;
            frame->serviceLevel = stream.priority;
            frame->dlid = m_device->GetNetwork()->GetLid(stream.destination);
            frame->slid = m_device->GetNetwork()->GetLid(GetEndpoint());
            frame->ecn = stream.ecn;
            frame->opcode = 0;
            frame->queuePair = static_cast<uint32_t>(place);
            frame->psn = static_cast<uint32_t>(stream.sent++);
            const uint32_t flow = stream.newFlowEach ? m_flows++ : frame->queuePair;
            frame->flowHash = FabricFlowHash(frame->source,
                                             frame->destination,
                                             static_cast<uint16_t>(flow),
                                             static_cast<uint16_t>(flow >> 16),
                                             17);
            if (stream.bitsPerSecond)
            {
                stream.ready += FabricSerializer::Duration(stream.bitsPerSecond, stream.bytes);
            }
            m_turn = place + 1;
        }
        if (stream.sent < stream.count)
        {
            next = std::min(next, std::max(now, stream.ready));
        }
    }
    return frame;
}

void
FabricTestHost::Receive(FabricPort&, FabricFrame* frame, int64_t now)
{
    if (m_record)
    {
        m_arrivals.push_back(
            {now, frame->source, frame->psn, frame->bytes, frame->priority, frame->ecn});
    }
    if (m_hold)
    {
        m_held.emplace_back(frame->priority, frame->bytes);
    }
    ++m_received[frame->priority];
    m_receivedBytes += frame->bytes;
    m_lastArrival = now;
    m_device->GetNetwork()->GetDigest().Delivery(*frame, now);
    m_device->Free(frame);
}

void
FabricTestHost::LinkChanged(FabricPort&, bool, int64_t)
{
}

} // namespace ns3
