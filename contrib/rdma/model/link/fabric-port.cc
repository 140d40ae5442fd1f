/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-port.h"

#include "ns3/assert.h"
#include "ns3/fabric-net-device.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

FabricPort::FabricPort(FabricNetDevice* device)
    : m_device(device)
{
}

FabricPort::~FabricPort() = default;

void
FabricPort::SetDriver(FabricDriver* driver, uint32_t unit)
{
    m_driver = driver;
    m_unit = unit;
}

void
FabricPort::SetSource(FabricTxSource* source)
{
    m_source = source;
}

void
FabricPort::SetSink(FabricRxSink* sink)
{
    m_sink = sink;
}

void
FabricPort::SetFlowControl(Ptr<FabricFlowControl> flowControl)
{
    m_flowControl = flowControl;
    m_blocked = 0;
    if (flowControl)
    {
        flowControl->Bind(this);
    }
}

void
FabricPort::SetIngressLatency(int64_t latency)
{
    m_ingressLatency = latency;
}

void
FabricPort::SetRate(uint64_t bitsPerSecond)
{
    m_serializer.SetRate(bitsPerSecond);
}

void
FabricPort::SetOverhead(uint32_t overhead)
{
    m_overhead = overhead;
}

void
FabricPort::Connect(FabricWire* out, FabricWire* in)
{
    m_out = out;
    m_in = in;
    in->receiver = this;
}

void
FabricPort::SendControl(FabricFrame* frame, int64_t now)
{
    m_control.Push(frame);
    Wake(now);
}

void
FabricPort::SetBlocked(uint32_t lanes, int64_t now)
{
    const bool released = m_blocked & ~lanes;
    m_blocked = lanes;
    if (released)
    {
        Wake(now);
    }
}

void
FabricPort::ArmTimer(int64_t time)
{
    m_driver->Arm(m_unit, FabricDeadline::TIMER, time);
}

int64_t
FabricPort::OnDeadline(FabricDeadline kind, int64_t now)
{
    switch (kind)
    {
    case FabricDeadline::DATA:
        return ReceiveData(now);
    case FabricDeadline::TRANSMIT:
        // The slot's deadline has come: a Wake from here on has to arm it anew.
        m_transmitAt = Transmit(now);
        return m_transmitAt;
    case FabricDeadline::CONTROL:
        return ReceiveControl(now);
    case FabricDeadline::TIMER:
        return m_flowControl->RunTimers(now);
    }
    NS_ASSERT_MSG(false, "no such deadline");
    return FABRIC_NEVER;
}

int64_t
FabricPort::Transmit(int64_t now)
{
    NS_ASSERT_MSG(m_out, "the port is connected before it transmits");
    const bool control = !m_control.IsEmpty();
    int64_t next = now;
    FabricFrame* frame;
    m_pulling = true;
    if (control)
    {
        frame = m_control.Pop();
    }
    else
    {
        frame = m_source->Pull(*this, now, next);
        if (!m_control.IsEmpty())
        {
            next = now; // releasing a buffer may have made a control frame
        }
    }
    if (frame)
    {
        Put(frame, now, control);
        if (next != FABRIC_NEVER)
        {
            next = std::max(next, m_serializer.GetFree());
        }
    }
    m_pulling = false;
    return next;
}

void
FabricPort::Put(FabricFrame* frame, int64_t now, bool control)
{
    const int64_t end = m_serializer.Send(now, frame->bytes + m_overhead);
    if (control)
    {
        ++m_counters.txControlFrames;
    }
    else
    {
        ++m_counters.txFrames;
        m_counters.txBytes += frame->bytes;
    }
    if (m_device->IsTxObserved())
    {
        m_device->ObserveTx(*frame, now, end);
    }
    if (!m_out->up)
    {
        m_device->Drop(frame, FabricDropReason::LINK_DOWN, now);
        return;
    }
    FabricPort* receiver = m_out->receiver;
    frame->time = end + m_out->delay;
    if (control)
    {
        const bool first = m_out->control.IsEmpty();
        m_out->control.Push(frame);
        if (first)
        {
            receiver->m_driver->Arm(receiver->m_unit, FabricDeadline::CONTROL, frame->time);
        }
        return;
    }
    frame->time += receiver->m_ingressLatency;
    const bool first = m_out->data.IsEmpty();
    m_out->data.Push(frame);
    if (first)
    {
        receiver->m_driver->Arm(receiver->m_unit, FabricDeadline::DATA, frame->time);
    }
}

int64_t
FabricPort::ReceiveData(int64_t now)
{
    FabricFrame* frame = m_in->data.Pop();
    if (m_device->IsRxObserved() && !m_device->ObserveRx(*frame, now))
    {
        m_device->Drop(frame, FabricDropReason::LINK_ERROR, now);
    }
    else
    {
        ++m_counters.rxFrames;
        m_counters.rxBytes += frame->bytes;
        m_sink->Receive(*this, frame, now);
    }
    const FabricFrame* head = m_in->data.Peek();
    return head ? head->time : FABRIC_NEVER;
}

int64_t
FabricPort::ReceiveControl(int64_t now)
{
    FabricFrame* frame = m_in->control.Pop();
    if (m_device->IsRxObserved() && !m_device->ObserveRx(*frame, now))
    {
        m_device->Drop(frame, FabricDropReason::LINK_ERROR, now);
    }
    else
    {
        ++m_counters.rxControlFrames;
        m_flowControl->ReceiveControl(*frame, now);
        m_device->Free(frame);
    }
    const FabricFrame* head = m_in->control.Peek();
    return head ? head->time : FABRIC_NEVER;
}

void
FabricPort::LinkChanged(bool up, int64_t now)
{
    // A cable that is mended is empty, but for what its other end has just put on it.
    if (!up)
    {
        while (!m_in->data.IsEmpty())
        {
            m_device->Drop(m_in->data.Pop(), FabricDropReason::LINK_DOWN, now);
        }
        while (!m_in->control.IsEmpty())
        {
            m_device->Drop(m_in->control.Pop(), FabricDropReason::LINK_DOWN, now);
        }
        m_driver->Arm(m_unit, FabricDeadline::DATA, FABRIC_NEVER);
        m_driver->Arm(m_unit, FabricDeadline::CONTROL, FABRIC_NEVER);
    }
    m_flowControl->Reset(now);
    m_sink->LinkChanged(*this, up, now);
}

} // namespace rdma
} // namespace ns3
