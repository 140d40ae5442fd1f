/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-queue-pair.h"

#include "ns3/fabric-clock.h"
#include "ns3/rdma-srd-transport.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr uint64_t MAX_INLINE = 32; // bytes, of the device

/// \param opcode Of a work request. \return Of its packets; VOID when SRD cannot do it.
RdmaSrdOpcode
ToPacketOpcode(RdmaWrOpcode opcode)
{
    switch (opcode)
    {
    case RdmaWrOpcode::SEND:
        return RdmaSrdOpcode::SEND;
    case RdmaWrOpcode::SEND_WITH_IMM:
        return RdmaSrdOpcode::SEND_IMM;
    case RdmaWrOpcode::RDMA_WRITE:
        return RdmaSrdOpcode::WRITE;
    case RdmaWrOpcode::RDMA_WRITE_WITH_IMM:
        return RdmaSrdOpcode::WRITE_IMM;
    case RdmaWrOpcode::RDMA_READ:
        return RdmaSrdOpcode::READ_REQUEST;
    default:
        return RdmaSrdOpcode::VOID;
    }
}

} // namespace

RdmaSrdQueuePair::RdmaSrdQueuePair(RdmaSrdTransport& transport,
                                   uint16_t number,
                                   const RdmaSrdQpInitAttributes& init)
    : m_transport(transport),
      m_init(init),
      m_number(number)
{
}

int
RdmaSrdQueuePair::Modify(RdmaQpState state)
{
    const bool next = (m_state == RdmaQpState::RESET && state == RdmaQpState::INIT) ||
                      (m_state == RdmaQpState::INIT && state == RdmaQpState::RTR) ||
                      (m_state == RdmaQpState::RTR && state == RdmaQpState::RTS);
    if (m_detached || (!next && state != RdmaQpState::ERR && state != RdmaQpState::RESET))
    {
        return EINVAL;
    }
    if (state == RdmaQpState::ERR)
    {
        EnterError();
        return 0; // a completion may have led to yet another state
    }
    m_state = state;
    if (state == RdmaQpState::RESET)
    {
        m_receives.clear();
        m_outstanding = 0;
        m_transport.Forget(*this, FabricClock().Now());
    }
    return 0;
}

RdmaSrdStatus
RdmaSrdQueuePair::Check(const RdmaSrdSendWr& request) const
{
    const RdmaSrdOpcode opcode = ToPacketOpcode(request.opcode);
    if (opcode == RdmaSrdOpcode::VOID)
    {
        return RdmaSrdStatus::UNSUPPORTED_OP;
    }
    if (!request.address || !request.address->IsValid())
    {
        return RdmaSrdStatus::INVALID_AH;
    }
    const bool send = opcode == RdmaSrdOpcode::SEND || opcode == RdmaSrdOpcode::SEND_IMM;
    if (request.length > (send ? m_transport.GetParameters().mtu : SRD_MAX_RDMA_BYTES))
    {
        return RdmaSrdStatus::BAD_LENGTH;
    }
    if (request.inlineData)
    {
        return request.length > MAX_INLINE ? RdmaSrdStatus::BAD_LENGTH : RdmaSrdStatus::OK;
    }
    const bool read = opcode == RdmaSrdOpcode::READ_REQUEST;
    const uint32_t right = read ? static_cast<uint32_t>(ACCESS_LOCAL_WRITE) : 0;
    return m_transport.GetHost().GetState().memory.IsAllowed(request.lkey,
                                                             PeekPointer(m_init.domain),
                                                             right,
                                                             request.localAddress,
                                                             request.length)
               ? RdmaSrdStatus::OK
               : RdmaSrdStatus::INVALID_LKEY;
}

int
RdmaSrdQueuePair::PostSend(const RdmaSrdSendWr& request)
{
    if (m_detached || !request.gather.empty() ||
        (m_state != RdmaQpState::RTS && m_state != RdmaQpState::ERR))
    {
        return EINVAL;
    }
    if (m_outstanding >= m_init.maxSendWr)
    {
        return ENOMEM;
    }
    RdmaSrdMessage wanted;
    wanted.queuePair = this;
    wanted.handle = PeekPointer(request.address);
    wanted.wrId = request.wrId;
    wanted.opcode = ToPacketOpcode(request.opcode);
    wanted.length = static_cast<uint32_t>(std::min<uint64_t>(request.length, UINT32_MAX));
    wanted.remoteAddress = request.remoteAddress;
    wanted.remoteKey = request.rkey;
    wanted.immediate = request.immediate;
    wanted.connectionKey = request.connectionKey;
    wanted.localQueuePair = m_number;
    wanted.remoteQueuePair = request.remoteQueuePair;
    wanted.signaled = request.signaled;
    wanted.retryLimit = m_init.rnrRetry;
    ++m_outstanding;
    const RdmaSrdStatus status =
        m_state == RdmaQpState::ERR ? RdmaSrdStatus::FLUSHED : Check(request);
    if (status != RdmaSrdStatus::OK)
    {
        CompleteSend(wanted, status);
        return 0;
    }
    m_transport.Post(wanted, request.address->GetEndpoint(), FabricClock().Now());
    return 0;
}

int
RdmaSrdQueuePair::PostRecv(const RdmaRecvWr& request)
{
    if (m_detached || !request.scatter.empty() || m_state == RdmaQpState::RESET)
    {
        return EINVAL;
    }
    if (m_receives.size() >= m_init.maxRecvWr)
    {
        return ENOMEM;
    }
    if (m_receives.full())
    {
        m_receives.set_capacity(std::max<std::size_t>(4, 2 * m_receives.capacity()));
    }
    m_receives.push_back(request);
    if (m_state == RdmaQpState::ERR)
    {
        FlushReceives();
    }
    return 0;
}

bool
RdmaSrdQueuePair::IsAllowed(const FabricFrame& frame, uint32_t right) const
{
    return frame.srd.length <= SRD_MAX_RDMA_BYTES &&
           uint64_t{frame.srd.offset} + frame.payload <= frame.srd.length &&
           m_transport.GetHost().GetState().memory.IsAllowed(frame.srd.remoteKey,
                                                             PeekPointer(m_init.domain),
                                                             right,
                                                             frame.srd.remoteAddress,
                                                             frame.srd.length);
}

RdmaSrdStatus
RdmaSrdQueuePair::ReceiveSend(const FabricFrame& frame, int64_t now)
{
    if (m_receives.empty())
    {
        return RdmaSrdStatus::REM_RNR;
    }
    const RdmaRecvWr receive = m_receives.front();
    m_receives.pop_front();
    if (frame.payload > receive.length)
    {
        CompleteReceive(RdmaSrdStatus::BAD_LENGTH, RdmaWcOpcode::RECV, receive.wrId, &frame);
        return RdmaSrdStatus::REM_BAD_LENGTH;
    }
    if (!m_transport.GetHost().GetState().memory.IsAllowed(receive.lkey,
                                                           PeekPointer(m_init.domain),
                                                           ACCESS_LOCAL_WRITE,
                                                           receive.localAddress,
                                                           frame.payload))
    {
        CompleteReceive(RdmaSrdStatus::INVALID_LKEY, RdmaWcOpcode::RECV, receive.wrId, &frame);
        return RdmaSrdStatus::REM_ABORT;
    }
    m_transport.Placed(frame, now);
    ++m_transport.GetCounters().deliveredMessages;
    CompleteReceive(RdmaSrdStatus::OK, RdmaWcOpcode::RECV, receive.wrId, &frame);
    return RdmaSrdStatus::OK;
}

void
RdmaSrdQueuePair::ReceiveImmediate(const FabricFrame& frame)
{
    ++m_transport.GetCounters().deliveredMessages;
    CompleteReceive(RdmaSrdStatus::OK, RdmaWcOpcode::RECV_RDMA_WITH_IMM, 0, &frame);
}

void
RdmaSrdQueuePair::CompleteReceive(RdmaSrdStatus status,
                                  RdmaWcOpcode opcode,
                                  uint64_t wrId,
                                  const FabricFrame* frame)
{
    RdmaWc completion;
    completion.wrId = wrId;
    completion.status = RdmaSrdToWcStatus(status);
    completion.vendorError = static_cast<uint8_t>(status);
    completion.opcode = opcode;
    completion.queuePair = m_number;
    if (frame)
    {
        completion.byteLength = opcode == RdmaWcOpcode::RECV ? frame->payload : frame->srd.length;
        completion.hasImmediate = SrdHasImmediate(static_cast<RdmaSrdOpcode>(frame->opcode));
        completion.immediate = completion.hasImmediate ? frame->srd.immediate : 0;
        completion.sourceQueuePair = frame->sourceQueuePair;
        completion.sourceEndpoint = frame->source;
    }
    Push(m_init.recvCq, completion);
}

void
RdmaSrdQueuePair::CompleteSend(const RdmaSrdMessage& message, RdmaSrdStatus status)
{
    --m_outstanding;
    if (status == RdmaSrdStatus::OK && !message.signaled)
    {
        return;
    }
    RdmaWc completion;
    completion.wrId = message.wrId;
    completion.status = RdmaSrdToWcStatus(status);
    completion.vendorError = static_cast<uint8_t>(status);
    completion.queuePair = m_number;
    switch (message.opcode)
    {
    case RdmaSrdOpcode::WRITE:
    case RdmaSrdOpcode::WRITE_IMM:
        completion.opcode = RdmaWcOpcode::RDMA_WRITE;
        break;
    case RdmaSrdOpcode::READ_REQUEST:
        completion.opcode = RdmaWcOpcode::RDMA_READ;
        completion.byteLength = message.length;
        break;
    default:
        completion.opcode = RdmaWcOpcode::SEND;
        break;
    }
    Push(m_init.sendCq, completion);
}

void
RdmaSrdQueuePair::Push(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion)
{
    if (!m_transport.GetHost().Complete(queue, completion))
    {
        ++m_transport.GetCounters().overruns;
        EnterError();
    }
}

void
RdmaSrdQueuePair::FlushReceives()
{
    while (!m_receives.empty())
    {
        const uint64_t wrId = m_receives.front().wrId;
        m_receives.pop_front();
        CompleteReceive(RdmaSrdStatus::FLUSHED, RdmaWcOpcode::RECV, wrId, nullptr);
    }
}

void
RdmaSrdQueuePair::EnterError()
{
    if (m_state == RdmaQpState::ERR)
    {
        return;
    }
    m_state = RdmaQpState::ERR;
    m_transport.Flush(*this, FabricClock().Now());
    if (m_state == RdmaQpState::ERR)
    {
        FlushReceives();
    }
}

void
RdmaSrdQueuePair::Detach()
{
    m_detached = true;
    m_state = RdmaQpState::RESET;
    m_receives.clear();
    m_outstanding = 0;
}

} // namespace rdma
} // namespace ns3
