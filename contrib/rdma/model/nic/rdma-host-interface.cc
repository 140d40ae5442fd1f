/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/rdma-host-interface.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaHostInterface");
NS_OBJECT_ENSURE_REGISTERED(RdmaHostInterface);

TypeId
RdmaHostInterface::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaHostInterface")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaHostInterface>()
            .AddAttribute("ReadDelay",
                          "Round trip of a read of host memory by the NIC, to its first byte: of "
                          "a work request, or of payload that is not inline.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_readDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("WriteDelay",
                          "Time from the end of a write on the bus to its being seen in host "
                          "memory.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_writeDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PollDelay",
                          "Time from a completion in memory to the moment the program, which "
                          "polls, has seen it.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_pollDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TransmitLatency",
                          "Time that a packet whose data is in the NIC needs to the wire.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_transmitLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReceiveLatency",
                          "Time from the last bit of a packet to its being worked on.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHostInterface::m_receiveLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("BusRate",
                          "Rate of each direction of the bus to host memory, for payload; 0: no "
                          "limit.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaHostInterface::m_busRate),
                          MakeDataRateChecker())
            .AddAttribute("PacketReadRate",
                          "Rate at which memory gives the payload of one packet; several are read "
                          "at a time, so it makes packets late and does not slow a stream. 0: no "
                          "limit.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaHostInterface::m_packetReadRate),
                          MakeDataRateChecker())
            .AddAttribute("FetchWindow",
                          "Payload bytes that a queue pair asks host memory for ahead of the wire.",
                          UintegerValue(262144),
                          MakeUintegerAccessor(&RdmaHostInterface::m_fetchWindow),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("BlueFlame",
                          "Whether a work request that is posted by itself goes to the NIC "
                          "together with its doorbell, so that the NIC need not read it.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHostInterface::m_blueFlame),
                          MakeBooleanChecker());
    return tid;
}

RdmaHostInterface::RdmaHostInterface() = default;
RdmaHostInterface::~RdmaHostInterface() = default;

void
RdmaHostInterface::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_events.clear();
    m_client = nullptr;
    Object::DoDispose();
}

void
RdmaHostInterface::Start(FabricDriver& driver, RdmaHostInterfaceClient& client)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_client, "A RdmaHostInterface belongs to one NIC only");
    m_client = &client;
    m_driver = &driver;
    m_unit = driver.AddUnit(this);
    RdmaDma::Parameters parameters;
    parameters.readDelay = m_readDelay.GetPicoSeconds();
    parameters.writeDelay = m_writeDelay.GetPicoSeconds();
    parameters.transmitLatency = m_transmitLatency.GetPicoSeconds();
    parameters.busRate = m_busRate.GetBitRate();
    parameters.packetReadRate = m_packetReadRate.GetBitRate();
    parameters.window = m_fetchWindow;
    parameters.fetchRequests = !m_blueFlame;
    m_dma = std::make_unique<RdmaDma>(parameters);
}

int64_t
RdmaHostInterface::GetReceiveLatency() const
{
    return m_receiveLatency.GetPicoSeconds();
}

int64_t
RdmaHostInterface::GetPollDelay() const
{
    return m_pollDelay.GetPicoSeconds();
}

int64_t
RdmaHostInterface::WrittenBy(int64_t now) const
{
    return std::max(m_written, now + m_writeDelay.GetPicoSeconds());
}

void
RdmaHostInterface::Received(uint32_t payload, int64_t now)
{
    if (payload)
    {
        m_written = m_dma->Write(payload, now);
    }
}

void
RdmaHostInterface::Add(Event event)
{
    event.order = m_order++;
    const int64_t when = event.when;
    m_events.push_back(std::move(event));
    std::push_heap(m_events.begin(), m_events.end());
    if (when < m_driver->GetDeadline(m_unit, FabricDeadline::TIMER))
    {
        m_driver->Arm(m_unit, FabricDeadline::TIMER, when);
    }
}

void
RdmaHostInterface::Complete(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion)
{
    Event event{};
    const int64_t now = m_now == FABRIC_NEVER ? m_driver->GetClock().Now() : m_now;
    event.when = WrittenBy(now) + GetPollDelay();
    event.queue = queue;
    event.completion = completion;
    Add(std::move(event));
}

void
RdmaHostInterface::Delivered(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now)
{
    Event event{};
    event.when = WrittenBy(now);
    event.queuePair = &queuePair;
    event.bytes = bytes;
    Add(std::move(event));
}

int64_t
RdmaHostInterface::OnDeadline(FabricDeadline, int64_t now)
{
    while (!m_events.empty() && m_events.front().when <= now)
    {
        std::pop_heap(m_events.begin(), m_events.end());
        const Event event = std::move(m_events.back());
        m_events.pop_back();
        if (event.queuePair)
        {
            m_client->MessageInMemory(*event.queuePair, event.bytes, now);
        }
        else if (!event.queue->Push(event.completion))
        {
            m_client->CompletionLost(event.completion.queuePair);
        }
    }
    return m_events.empty() ? FABRIC_NEVER : m_events.front().when;
}

} // namespace rdma
} // namespace ns3
