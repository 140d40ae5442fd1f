/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-port.h"

#include "ns3/assert.h"
#include "ns3/fabric-net-device.h"
#include "ns3/ib-link.h"

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
    m_ibLink = dynamic_cast<IbLink*>(PeekPointer(flowControl));
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
FabricPort::SetCutThrough(uint32_t bytes)
{
    m_cutThrough = bytes;
}

void
FabricPort::SetSinkHolds(bool holds)
{
    m_sinkHolds = holds;
}

void
FabricPort::SetSourceAsks(bool asks)
{
    m_sourceAsks = asks;
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
FabricPort::SetControlLazy(bool lazy)
{
    if (m_controlLazy && !lazy)
    {
        if (const FabricFrame* head = m_in->control.Peek())
        {
            m_driver->Arm(m_unit, FabricDeadline::CONTROL, head->time);
        }
    }
    m_controlLazy = lazy;
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
        // A look at the wire may have taken the frame already.
        if (const FabricFrame* head = m_in->control.Peek(); !head || head->time > now)
        {
            return head && !m_controlLazy ? head->time : FABRIC_NEVER;
        }
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
    if (m_ibLink)
    {
        return TransmitCredited(now);
    }
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
    return Start(frame, now, control, next);
}

int64_t
FabricPort::TransmitCredited(int64_t now)
{
    m_pulling = true;
    if (m_departing)
    {
        m_departing = false;
        m_source->Departed(*this, now);
    }
    const bool control = m_controlDue;
    int64_t next = now;
    FabricFrame* frame;
    if (control)
    {
        m_controlDue = false;
        frame = m_ibLink->NextControl(now);
    }
    else
    {
        frame = m_sourceAsks ? m_source->Pull(*this, now, next) : PullWithCredit(now, next);
        m_departing = m_sourceAsks && frame;
        if (m_controlDue)
        {
            next = now;
        }
    }
    return Start(frame, now, control, next);
}

inline int64_t
FabricPort::Start(FabricFrame* frame, int64_t now, bool control, int64_t next)
{
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

FabricFrame*
FabricPort::PullWithCredit(int64_t now, int64_t& next)
{
    FabricFrame* before = nullptr;
    for (FabricFrame* frame = m_kept.Peek(); frame; before = frame, frame = frame->next)
    {
        if (!(m_blocked >> frame->priority & 1))
        {
            m_kept.Remove(frame, before);
            next = now;
            return frame;
        }
    }
    while (FabricFrame* frame = m_source->Pull(*this, now, next))
    {
        if (m_ibLink->MaySend(frame->priority, frame->bytes, now))
        {
            return frame;
        }
        m_kept.Push(frame);
        if (next != now)
        {
            break;
        }
    }
    return nullptr;
}

void
FabricPort::SendCredited(FabricFrame& frame, int64_t now)
{
    const FabricPort& receiver = *m_out->receiver;
    if (receiver.m_cutThrough)
    {
        const uint32_t head = std::min(receiver.m_cutThrough, frame.bytes);
        frame.time = now + FabricSerializer::Duration(GetRate(), head) + m_out->delay +
                     receiver.m_ingressLatency;
    }
    m_ibLink->Sent(frame.priority, frame.bytes, now);
}

inline void
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
        if (first && (!receiver->m_controlLazy || receiver->m_device->IsRxObserved()))
        {
            receiver->m_driver->Arm(receiver->m_unit, FabricDeadline::CONTROL, frame->time);
        }
        return;
    }
    frame->time += receiver->m_ingressLatency;
    if (m_ibLink)
    {
        SendCredited(*frame, now);
    }
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
    if (m_ibLink)
    {
        ReceiveCredited(now);
    }
    else if (FabricFrame* frame = m_in->data.Pop(); IsIntact(frame, now))
    {
        Deliver(frame, now);
    }
    const FabricFrame* head = m_in->data.Peek();
    return head ? head->time : FABRIC_NEVER;
}

void
FabricPort::ReceiveCredited(int64_t now)
{
    TakeControl(now); // their counters speak of what came before and after this frame
    FabricFrame* frame = m_in->data.Pop();
    const uint8_t lane = frame->priority;
    const uint32_t bytes = frame->bytes;
    if (!IsIntact(frame, now))
    {
        m_ibLink->Lost(lane);
        return;
    }
    m_ibLink->Received(lane, bytes, now);
    Deliver(frame, now);
    if (!m_sinkHolds)
    {
        m_ibLink->Release(lane, bytes, now);
    }
}

inline bool
FabricPort::IsIntact(FabricFrame* frame, int64_t now)
{
    if (m_device->IsRxObserved() && !m_device->ObserveRx(*frame, now))
    {
        m_device->Drop(frame, FabricDropReason::LINK_ERROR, now);
        return false;
    }
    return true;
}

inline void
FabricPort::Deliver(FabricFrame* frame, int64_t now)
{
    ++m_counters.rxFrames;
    m_counters.rxBytes += frame->bytes;
    m_sink->Receive(*this, frame, now);
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
    return head && !m_controlLazy ? head->time : FABRIC_NEVER;
}

void
FabricPort::LinkChanged(bool up, int64_t now)
{
    // A cable that is mended is empty, but for what its other end has just put on it.
    if (!up)
    {
        if (m_ibLink)
        {
            TakeControl(now); // what has come is not lost
        }
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
