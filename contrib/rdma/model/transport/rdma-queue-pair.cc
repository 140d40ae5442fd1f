/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/fabric-clock.h"
#include "ns3/log.h"
#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-payload.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-qp-transitions.h"

#include <cerrno>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

RdmaQueuePair::RdmaQueuePair(RdmaTransportHost& host,
                             uint32_t number,
                             const RdmaQpInitAttributes& init)
    : m_init(init),
      m_type(init.type)
{
    m_host = &host;
    m_number = number;
    m_domain = init.domain;
    m_congestion = init.congestion;
    m_recovery = init.recovery;
    m_window = init.window;
    m_init.congestion = nullptr;
    m_init.recovery = nullptr;
    m_jobs.cnp.kind = RdmaTxJob::Kind::CNP;
    m_jobs.acknowledge.kind = RdmaTxJob::Kind::ACKNOWLEDGE;
    m_jobs.response.kind = RdmaTxJob::Kind::RESPONSE;
    m_jobs.request.kind = RdmaTxJob::Kind::REQUEST;
    for (RdmaTxJob* job : GetJobs())
    {
        job->owner = this;
    }
    m_transport = RdmaTransport::Make(m_type, *this, m_jobs, m_init);
    m_service = m_transport->GetService();
    // Reliable connections send what can be placed out of order under a service of its own.
    const uint8_t placed = m_recovery->GetOpcodePrefix();
    m_placedService = m_service == RC_SEND_FIRST && placed ? placed : m_service;
}

RdmaQueuePair::~RdmaQueuePair() = default;

bool
RdmaQueuePair::AreInRange(const RdmaQpAttributes& attributes, uint32_t mask) const
{
    const uint8_t reads = GetHostState().limits.maxQpRdAtomic;
    const auto ok = [mask](uint32_t bit, bool good) { return !(mask & bit) || good; };
    return ok(QP_CUR_STATE, attributes.currentState == m_attributes.state) &&
           ok(QP_PORT, attributes.port == 1) && ok(QP_PKEY_INDEX, attributes.pkeyIndex == 0) &&
           ok(QP_AV, attributes.address.priority < GetHostState().GetPriorities()) &&
           ok(QP_PATH_MTU, attributes.pathMtu >= 64 && attributes.pathMtu <= 9216) &&
           ok(QP_DEST_QPN, attributes.destinationQp <= RDMA_PSN_MASK) &&
           ok(QP_RQ_PSN, attributes.rqPsn <= RDMA_PSN_MASK) &&
           ok(QP_SQ_PSN, attributes.sqPsn <= RDMA_PSN_MASK) &&
           ok(QP_MAX_DEST_RD_ATOMIC, attributes.maxDestRdAtomic <= reads) &&
           ok(QP_MAX_QP_RD_ATOMIC, attributes.maxRdAtomic <= reads) &&
           ok(QP_MIN_RNR_TIMER, attributes.minRnrTimer <= 31) &&
           ok(QP_TIMEOUT, attributes.timeout <= 31) &&
           ok(QP_RETRY_CNT, attributes.retryCount <= 7) &&
           ok(QP_RNR_RETRY, attributes.rnrRetry <= 7);
}

void
RdmaQueuePair::Take(const RdmaQpAttributes& attributes, uint32_t mask)
{
    const auto take = [&](uint32_t bit, auto member) {
        if (mask & bit)
        {
            m_attributes.*member = attributes.*member;
        }
    };
    take(QP_PKEY_INDEX, &RdmaQpAttributes::pkeyIndex);
    take(QP_PORT, &RdmaQpAttributes::port);
    take(QP_QKEY, &RdmaQpAttributes::queueKey);
    take(QP_ACCESS_FLAGS, &RdmaQpAttributes::accessFlags);
    take(QP_AV, &RdmaQpAttributes::address);
    take(QP_PATH_MTU, &RdmaQpAttributes::pathMtu);
    take(QP_DEST_QPN, &RdmaQpAttributes::destinationQp);
    take(QP_RQ_PSN, &RdmaQpAttributes::rqPsn);
    take(QP_SQ_PSN, &RdmaQpAttributes::sqPsn);
    take(QP_MAX_DEST_RD_ATOMIC, &RdmaQpAttributes::maxDestRdAtomic);
    take(QP_MAX_QP_RD_ATOMIC, &RdmaQpAttributes::maxRdAtomic);
    take(QP_MIN_RNR_TIMER, &RdmaQpAttributes::minRnrTimer);
    take(QP_TIMEOUT, &RdmaQpAttributes::timeout);
    take(QP_RETRY_CNT, &RdmaQpAttributes::retryCount);
    take(QP_RNR_RETRY, &RdmaQpAttributes::rnrRetry);
}

int
RdmaQueuePair::Modify(const RdmaQpAttributes& attributes, uint32_t mask, int64_t now)
{
    NS_LOG_FUNCTION(this << m_number << mask);
    const RdmaQpState from = m_attributes.state;
    const RdmaQpState to = mask & QP_STATE ? attributes.state : from;
    const auto transition = RdmaFindQpTransition(m_type, from, to);
    const uint32_t given = mask & ~QP_STATE;
    if (m_detached || !transition || (given & transition->required) != transition->required ||
        (given & ~(transition->required | transition->optional)) ||
        (!(mask & QP_STATE) && !given) || !AreInRange(attributes, mask) ||
        (from == RdmaQpState::SQD && to == RdmaQpState::RTS && !m_drained))
    {
        return EINVAL;
    }
    Take(attributes, mask);
    if (mask & QP_AV)
    {
        UseAddress();
    }
    if (to == RdmaQpState::ERR)
    {
        EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::WR_FLUSH_ERR);
        return 0; // a completion may have led to yet another state
    }
    if (to == RdmaQpState::RESET)
    {
        Clear();
    }
    m_attributes.state = to;
    if (to == from)
    {
        return 0;
    }
    switch (to)
    {
    case RdmaQpState::RTR:
        m_transport->StartReceiving();
        m_congestion->Join(GetHostState().congestion, m_attributes.address.priority);
        m_congestion->Start(GetHostState().lineRate, now);
        break;
    case RdmaQpState::RTS:
        if (from == RdmaQpState::RTR)
        {
            m_transport->StartSending();
        }
        else
        {
            m_transport->Resume(now);
        }
        break;
    case RdmaQpState::SQD:
        m_drained = false;
        m_attributes.sqDrainedNotify = mask & QP_EN_SQD_ASYNC_NOTIFY && attributes.sqDrainedNotify;
        m_transport->Drain();
        break;
    default:
        break;
    }
    return 0;
}

void
RdmaQueuePair::UseAddress()
{
    const RdmaHostState& state = GetHostState();
    const Route route = MakeRoute(m_attributes.address, m_attributes.destinationQp);
    m_sourcePort = route.sourcePort;
    m_flowHash = route.flowHash;
    const uint8_t data = m_attributes.address.priority;
    m_jobs.request.priority = data;
    m_jobs.response.priority = data;
    m_jobs.acknowledge.priority = state.ackPriority < FABRIC_PRIORITIES ? state.ackPriority : data;
    m_jobs.cnp.priority = state.cnpPriority;
}

uint16_t
RdmaQueuePair::GetSourcePort() const
{
    return m_sourcePort;
}

const RdmaRequester&
RdmaQueuePair::GetRequester() const
{
    const RdmaRequester* requester = m_transport->GetRequester();
    NS_ABORT_MSG_IF(!requester, "Only a queue pair of type RC has a requester");
    return *requester;
}

const RdmaResponder&
RdmaQueuePair::GetResponder() const
{
    const RdmaResponder* responder = m_transport->GetResponder();
    NS_ABORT_MSG_IF(!responder, "Only a queue pair of type RC has a responder");
    return *responder;
}

int
RdmaQueuePair::CheckSend(const RdmaSendWr& request, uint64_t& length) const
{
    if (request.gather.size() > m_init.maxSendSge)
    {
        return ENOMEM;
    }
    length = request.length;
    if (!request.gather.empty())
    {
        length = 0;
        for (const RdmaSge& piece : request.gather)
        {
            length += piece.length;
        }
    }
    if (request.inlineData)
    {
        if (RdmaAwaitsResponse(request.opcode))
        {
            return EINVAL;
        }
        if (length > m_init.maxInlineData)
        {
            return ENOMEM;
        }
    }
    return m_transport->CheckSend(request, length);
}

RdmaSendWqe
RdmaQueuePair::MakeWqe(const RdmaSendWr& request, uint64_t length, bool& allowed) const
{
    RdmaSendWqe wqe;
    wqe.wrId = request.wrId;
    wqe.length = length;
    wqe.localAddress = request.localAddress;
    wqe.remoteAddress = request.remoteAddress;
    wqe.compareAdd = request.compareAdd;
    wqe.swap = request.swap;
    wqe.lkey = request.lkey;
    wqe.rkey = request.rkey;
    wqe.immediate = request.immediate;
    wqe.opcode = request.opcode;
    wqe.signaled = request.signaled || m_init.signalAll;
    wqe.fence = request.fence;
    wqe.solicited = request.solicited;
    wqe.inlineData = request.inlineData;

    const RdmaMemoryTable& memory = GetHostState().memory;
    const uint32_t right =
        RdmaAwaitsResponse(request.opcode) ? static_cast<uint32_t>(ACCESS_LOCAL_WRITE) : 0;
    const auto use = [&](uint32_t key, uint64_t address, uint64_t bytes) {
        allowed = allowed && memory.IsAllowed(key, GetDomain(), right, address, bytes);
        wqe.hasData = wqe.hasData || memory.HasBytes(key);
    };
    allowed = true;
    if (request.gather.empty())
    {
        use(request.lkey, request.localAddress, request.length);
    }
    for (const RdmaSge& piece : request.gather)
    {
        use(piece.lkey, piece.address, piece.length);
    }
    const bool takeBytes = request.inlineData && wqe.hasData;
    if (!request.gather.empty() || takeBytes || request.addressHandle)
    {
        auto details = std::make_shared<RdmaSendDetails>();
        details->gather = request.gather;
        if (request.addressHandle)
        {
            details->to = RdmaDatagramAddress{request.addressHandle->GetAddress(),
                                              request.remoteQueuePair,
                                              request.remoteQueueKey};
        }
        wqe.details = details;
        if (takeBytes)
        {
            std::vector<uint8_t> bytes(length);
            RdmaGather(memory, RdmaPieces(wqe), 0, bytes.data(), static_cast<uint32_t>(length));
            details->inlineData = std::move(bytes);
        }
    }
    // Inline data comes out of the program's memory, registered or not.
    allowed = allowed || request.inlineData;
    return wqe;
}

int
RdmaQueuePair::PostSend(const RdmaSendWr& request)
{
    return Post(request, false);
}

int
RdmaQueuePair::Post(const RdmaSendWr& request, bool listed)
{
    const RdmaQpState state = m_attributes.state;
    const bool failed = state == RdmaQpState::ERR || state == RdmaQpState::SQE;
    if (!failed && state != RdmaQpState::RTS && state != RdmaQpState::SQD)
    {
        return EINVAL;
    }
    uint64_t length;
    const int error = CheckSend(request, length);
    if (error)
    {
        return error;
    }
    bool allowed;
    RdmaSendWqe wqe = MakeWqe(request, length, allowed);
    wqe.listed = listed;
    if (failed)
    {
        m_transport->PostFlushed(wqe);
        return 0;
    }
    return m_transport->PostSend(wqe, allowed, FabricClock().Now());
}

int
RdmaQueuePair::PostSend(const std::vector<RdmaSendWr>& requests, const RdmaSendWr*& bad)
{
    for (const RdmaSendWr& request : requests)
    {
        if (const int error = Post(request, requests.size() > 1))
        {
            bad = &request;
            return error;
        }
    }
    return 0;
}

int
RdmaQueuePair::PostRecv(const RdmaRecvWr& request)
{
    if (m_attributes.state == RdmaQpState::RESET)
    {
        return EINVAL;
    }
    const int result = m_transport->PostReceive(request);
    if (m_attributes.state == RdmaQpState::ERR)
    {
        m_transport->FlushReceive(RdmaWcStatus::WR_FLUSH_ERR);
    }
    return result;
}

int
RdmaQueuePair::PostRecv(const std::vector<RdmaRecvWr>& requests, const RdmaRecvWr*& bad)
{
    for (const RdmaRecvWr& request : requests)
    {
        if (const int error = PostRecv(request))
        {
            bad = &request;
            return error;
        }
    }
    return 0;
}

void
RdmaQueuePair::Receive(const FabricFrame& frame, int64_t now)
{
    const uint8_t opcode = frame.opcode;
    RdmaHostState& state = GetHostState();
    if (OpcodeIsCnp(opcode))
    {
        ++state.counters.rpCnpHandled;
        m_congestion->Cnp(now);
        return;
    }
    if (OpcodeHas(opcode, OPCODE_REQUEST | OPCODE_READ_RESPONSE))
    {
        ReceiveMark(frame, now);
    }
    else if (frame.flags & FabricFrame::BECN)
    {
        ++state.counters.rpCnpHandled;
        m_congestion->Cnp(now);
    }
    if (m_attributes.state == RdmaQpState::RTR && !m_established)
    {
        m_established = true;
        TellEvent(RdmaEventType::COMM_EST);
    }
    m_transport->Receive(frame, now);
}

void
RdmaQueuePair::ReceiveMark(const FabricFrame& frame, int64_t now)
{
    RdmaHostState& state = GetHostState();
    if (frame.flags & FabricFrame::FECN)
    {
        ++state.counters.npEcnMarked;
        if (m_fecnPoint.Marked(frame))
        {
            m_jobs.cnp.priority = frame.serviceLevel; // as IBA, section A10.3, has it
            m_host->Ready(m_jobs.cnp, now, now);
        }
    }
    else if (frame.ecn == ECN_CE && !OpcodeHas(frame.opcode, OPCODE_HAS_DETH))
    {
        // On Ethernet, datagrams have no flow that their sender could slow down.
        ++state.counters.npEcnMarked;
        Congested(now);
    }
}

void
RdmaQueuePair::Congested(int64_t now)
{
    const RdmaHostState& state = GetHostState();
    if (!m_notification)
    {
        m_notification = std::make_unique<RdmaNotificationPoint>();
    }
    const int64_t when =
        m_notification->Marked(now, state.cnpInterval, state.cnpDelay, state.cnpHoldMarks);
    if (when != FABRIC_NEVER)
    {
        m_host->Ready(m_jobs.cnp, when, now);
    }
}

FabricFrame*
RdmaQueuePair::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (job.kind != RdmaTxJob::Kind::CNP)
    {
        FabricFrame* frame = m_transport->Build(job, now, again);
        if (frame && job.kind == RdmaTxJob::Kind::ACKNOWLEDGE && m_fecnPoint.TakeBecn())
        {
            frame->flags |= FabricFrame::BECN;
        }
        return frame;
    }
    const bool infiniBand = IsInfiniBand(GetHostState().encapsulation);
    const RdmaOpcode opcode = infiniBand ? IB_CNP : ROCE_CNP;
    again = m_notification ? m_notification->Sent() : FABRIC_NEVER;
    if (!Takes(opcode))
    {
        return nullptr;
    }
    FabricFrame* frame = MakeFrame(opcode, 0, 0, job.priority);
    frame->flags = FabricFrame::BECN;
    if (infiniBand)
    {
        m_fecnPoint.Address(*frame);
    }
    ++GetHostState().counters.npCnpSent;
    return frame;
}

void
RdmaQueuePair::NeedTimer(int64_t when)
{
    if (when < m_timerAt)
    {
        m_timerAt = when;
        m_host->ArmTimer(*this, when);
    }
}

void
RdmaQueuePair::OnTimer(int64_t now)
{
    m_timerAt = FABRIC_NEVER;
    NeedTimer(m_transport->OnTimer(now));
}

void
RdmaQueuePair::EnterError(RdmaWcStatus send, RdmaWcStatus receive)
{
    if (m_attributes.state == RdmaQpState::ERR)
    {
        return;
    }
    NS_LOG_INFO("queue pair " << m_number << " goes into the error state");
    m_attributes.state = RdmaQpState::ERR;
    if (m_init.srq)
    {
        TellEvent(RdmaEventType::QP_LAST_WQE_REACHED);
    }
    m_transport->FlushSend(send);
    if (m_attributes.state == RdmaQpState::ERR)
    {
        m_transport->FlushReceive(receive);
    }
}

void
RdmaQueuePair::FailForCompletions()
{
    const RdmaQpState state = m_attributes.state;
    if (state != RdmaQpState::RESET && state != RdmaQpState::ERR)
    {
        TellEvent(RdmaEventType::QP_FATAL);
        EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::WR_FLUSH_ERR);
    }
}

void
RdmaQueuePair::EnterSendError(RdmaWcStatus send)
{
    NS_LOG_INFO("the send queue of queue pair " << m_number << " fails");
    m_attributes.state = RdmaQpState::SQE;
    m_transport->FlushSend(send);
}

void
RdmaQueuePair::Delivered(uint64_t bytes, int64_t now)
{
    m_host->MessageDelivered(*this, bytes, now);
}

void
RdmaQueuePair::SendQueueDrained()
{
    if (!m_drained)
    {
        m_drained = true;
        if (m_attributes.sqDrainedNotify)
        {
            TellEvent(RdmaEventType::SQ_DRAINED);
        }
    }
}

void
RdmaQueuePair::Clear()
{
    m_attributes = RdmaQpAttributes();
    m_transport->Reset();
    m_notification = nullptr;
    m_fecnPoint = RdmaFecnPoint();
    m_paceBytes = 0;
    m_established = m_drained = false;
    for (RdmaTxJob* job : GetJobs())
    {
        m_host->Withdraw(*job);
    }
}

void
RdmaQueuePair::Detach()
{
    m_detached = true;
    Clear();
}

} // namespace rdma
} // namespace ns3
