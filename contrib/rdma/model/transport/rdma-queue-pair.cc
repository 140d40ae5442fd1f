/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-queue-pair.h"

#include "ns3/fabric-clock.h"
#include "ns3/fabric-flow-hash.h"
#include "ns3/log.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-psn.h"
#include "ns3/rdma-udp-header.h"

#include <algorithm>
#include <cerrno>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

namespace
{

constexpr uint64_t MAX_MESSAGE = 1ULL << 31; // IBA volume 1, section 9.7.7

} // namespace

RdmaQueuePair::RdmaQueuePair(RdmaTransportHost& host,
                             uint32_t number,
                             const RdmaQpInitAttributes& init)
    : m_requester(*this, m_requestJob),
      m_responder(*this, m_ackJob, m_responseJob),
      m_maxInlineData(init.maxInlineData)
{
    m_host = &host;
    m_number = number;
    m_domain = init.domain;
    m_congestion = init.congestion;
    m_window = init.window;
    m_cnpJob.kind = RdmaTxJob::Kind::CNP;
    m_ackJob.kind = RdmaTxJob::Kind::ACKNOWLEDGE;
    m_responseJob.kind = RdmaTxJob::Kind::RESPONSE;
    m_requestJob.kind = RdmaTxJob::Kind::REQUEST;
    for (RdmaTxJob* job : GetJobs())
    {
        job->owner = this;
    }
    m_requester.Configure(init.sendCq, init.maxSendWr);
    m_responder.Configure(init.recvCq, init.maxRecvWr);
}

RdmaQueuePair::~RdmaQueuePair() = default;

RdmaQueuePair::Transition
RdmaQueuePair::GetTransition(RdmaQpState from, RdmaQpState to)
{
    if (to == RdmaQpState::RESET || to == RdmaQpState::ERR)
    {
        return {QP_STATE, 0};
    }
    if (from == RdmaQpState::RESET && to == RdmaQpState::INIT)
    {
        return {QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0};
    }
    if (from == RdmaQpState::INIT && to == RdmaQpState::RTR)
    {
        return {QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN | QP_MAX_DEST_RD_ATOMIC |
                    QP_MIN_RNR_TIMER,
                QP_ACCESS_FLAGS | QP_PKEY_INDEX};
    }
    if (from == RdmaQpState::RTR && to == RdmaQpState::RTS)
    {
        return {QP_STATE | QP_SQ_PSN | QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY |
                    QP_MAX_QP_RD_ATOMIC,
                QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER};
    }
    return {0, 0};
}

bool
RdmaQueuePair::AreInRange(const RdmaQpAttributes& attributes, uint32_t mask) const
{
    const auto ok = [mask](uint32_t bit, bool good) { return !(mask & bit) || good; };
    return ok(QP_PORT, attributes.port == 1) && ok(QP_PKEY_INDEX, attributes.pkeyIndex == 0) &&
           ok(QP_AV, attributes.address.priority < FABRIC_PRIORITIES) &&
           ok(QP_PATH_MTU, attributes.pathMtu >= 64 && attributes.pathMtu <= 9216) &&
           ok(QP_DEST_QPN, attributes.destinationQp <= RDMA_PSN_MASK) &&
           ok(QP_RQ_PSN, attributes.rqPsn <= RDMA_PSN_MASK) &&
           ok(QP_SQ_PSN, attributes.sqPsn <= RDMA_PSN_MASK) &&
           ok(QP_MIN_RNR_TIMER, attributes.minRnrTimer <= 31) &&
           ok(QP_TIMEOUT, attributes.timeout <= 31) &&
           ok(QP_RETRY_CNT, attributes.retryCount <= 7) &&
           ok(QP_RNR_RETRY, attributes.rnrRetry <= 7);
}

int
RdmaQueuePair::Modify(const RdmaQpAttributes& attributes, uint32_t mask, int64_t now)
{
    NS_LOG_FUNCTION(this << m_number << mask);
    const RdmaQpState to = attributes.state;
    const Transition transition = GetTransition(m_attributes.state, to);
    const uint32_t required = transition.required;
    if (m_detached || !required || (mask & required) != required ||
        (mask & ~(required | transition.optional)) || !AreInRange(attributes, mask))
    {
        return EINVAL;
    }
    const auto take = [&](uint32_t bit, auto member) {
        if (mask & bit)
        {
            m_attributes.*member = attributes.*member;
        }
    };
    take(QP_PKEY_INDEX, &RdmaQpAttributes::pkeyIndex);
    take(QP_PORT, &RdmaQpAttributes::port);
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
    switch (to)
    {
    case RdmaQpState::RESET:
        Clear();
        break;
    case RdmaQpState::RTR:
        UseAddress();
        m_responder.Start();
        m_congestion->Start(GetHostState().lineRate, now);
        break;
    case RdmaQpState::RTS:
        m_requester.Reset();
        break;
    case RdmaQpState::ERR:
        EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::WR_FLUSH_ERR);
        return 0; // a completion may have led to yet another state
    case RdmaQpState::INIT:
        break;
    }
    m_attributes.state = to;
    return 0;
}

void
RdmaQueuePair::UseAddress()
{
    const RdmaHostState& state = GetHostState();
    m_sourcePort = m_attributes.address.sourcePort
                       ? m_attributes.address.sourcePort
                       : RdmaUdpSourcePort(RdmaFlowLabel(m_number, m_attributes.destinationQp));
    m_flowHash = FabricFlowHash(state.endpoint,
                                m_attributes.address.endpoint,
                                m_sourcePort,
                                ROCE_V2_UDP_PORT,
                                IP_PROTOCOL_UDP);
    const uint8_t data = m_attributes.address.priority;
    m_requestJob.priority = data;
    m_responseJob.priority = data;
    m_ackJob.priority = state.ackPriority < FABRIC_PRIORITIES ? state.ackPriority : data;
    m_cnpJob.priority = state.cnpPriority;
}

uint16_t
RdmaQueuePair::GetSourcePort() const
{
    return m_sourcePort;
}

int
RdmaQueuePair::PostSend(const RdmaSendWr& request)
{
    if (m_attributes.state == RdmaQpState::ERR)
    {
        m_requester.PostFlushed(request);
        return 0;
    }
    const bool read = request.opcode == RdmaWrOpcode::RDMA_READ;
    const uint64_t longest = std::min(MAX_MESSAGE, RDMA_PSN_WINDOW * m_attributes.pathMtu);
    if (m_attributes.state != RdmaQpState::RTS || request.length > longest ||
        (read && m_attributes.maxRdAtomic == 0) ||
        (request.inlineData && (read || request.length > m_maxInlineData)))
    {
        return EINVAL;
    }
    const uint32_t right = read ? static_cast<uint32_t>(ACCESS_LOCAL_WRITE) : 0;
    // Inline data is taken by the processor, which needs no key.
    const bool allowed = request.inlineData || GetHostState().memory.IsAllowed(request.lkey,
                                                                               GetDomain(),
                                                                               right,
                                                                               request.localAddress,
                                                                               request.length);
    return m_requester.Post(request, allowed, FabricClock().Now());
}

int
RdmaQueuePair::PostRecv(const RdmaRecvWr& request)
{
    if (m_attributes.state == RdmaQpState::RESET)
    {
        return EINVAL;
    }
    const int result = m_responder.Post(request);
    if (m_attributes.state == RdmaQpState::ERR)
    {
        m_responder.Flush(RdmaWcStatus::WR_FLUSH_ERR);
    }
    return result;
}

void
RdmaQueuePair::Receive(const FabricFrame& frame, int64_t now)
{
    const uint8_t opcode = frame.opcode;
    const bool request = OpcodeIsRequest(opcode);
    RdmaHostState& state = GetHostState();
    if (OpcodeIsCnp(opcode))
    {
        ++state.counters.rpCnpHandled;
        m_congestion->Cnp(now);
        return;
    }
    if (frame.ecn == ECN_CE && (request || OpcodeIsReadResponse(opcode)))
    {
        ++state.counters.npEcnMarked;
        const int64_t when = m_notification.Marked(now, state.cnpInterval, state.cnpDelay);
        if (when != FABRIC_NEVER)
        {
            m_host->Ready(m_cnpJob, when, now);
        }
    }
    if (request)
    {
        m_responder.Receive(frame, *this, now);
        return;
    }
    m_congestion->Advance(now);
    if (OpcodeIsReadResponse(opcode))
    {
        m_requester.ReceiveReadResponse(frame, now);
    }
    else
    {
        m_requester.ReceiveAck(frame, now);
    }
}

FabricFrame*
RdmaQueuePair::Build(const RdmaTxJob& job, int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    switch (job.kind)
    {
    case RdmaTxJob::Kind::CNP: {
        again = m_notification.Sent();
        if (!Takes(ROCE_CNP))
        {
            return nullptr;
        }
        FabricFrame* frame = MakeFrame(ROCE_CNP, 0, 0, job.priority);
        frame->flags = FabricFrame::BECN;
        ++GetHostState().counters.npCnpSent;
        return frame;
    }
    case RdmaTxJob::Kind::ACKNOWLEDGE:
        return m_responder.BuildAck();
    case RdmaTxJob::Kind::RESPONSE:
        m_congestion->Advance(now);
        return m_responder.BuildResponse(now, again);
    case RdmaTxJob::Kind::REQUEST:
        m_congestion->Advance(now);
        return m_requester.Build(now, again);
    }
    return nullptr;
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
    NeedTimer(m_requester.OnTimer(now));
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
    m_requester.Flush(send);
    if (m_attributes.state == RdmaQpState::ERR)
    {
        m_responder.Flush(receive);
    }
}

void
RdmaQueuePair::Clear()
{
    m_attributes = RdmaQpAttributes();
    m_requester.Reset();
    m_responder.Reset();
    m_notification = RdmaNotificationPoint();
    m_paceBytes = 0;
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
