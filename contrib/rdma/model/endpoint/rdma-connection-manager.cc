/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-connection-manager.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("RdmaConnectionManager");
NS_OBJECT_ENSURE_REGISTERED(RdmaConnectionManager);

TypeId
RdmaConnectionManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::RdmaConnectionManager")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaConnectionManager>()
            .AddAttribute("Timeout",
                          "Time until a message without an answer is sent again.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RdmaConnectionManager::m_timeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Retries",
                          "How often a message is sent again before the attempt is given up.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaConnectionManager::m_retries),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
RdmaConnectionManager::DoDispose()
{
    if (m_channel)
    {
        m_channel->Remove(m_context->GetEndpoint());
    }
    for (auto& [key, attempt] : m_attempts)
    {
        attempt.timer.Cancel();
    }
    m_attempts.clear();
    m_services.clear();
    m_channel = nullptr;
    m_context = nullptr;
    Object::DoDispose();
}

void
RdmaConnectionManager::Attach(Ptr<RdmaContext> context, Ptr<RdmaCmChannel> channel)
{
    NS_ABORT_MSG_IF(m_channel, "A connection manager is attached once");
    m_context = context;
    m_channel = channel;
    channel->Add(context->GetEndpoint(), this);
}

void
RdmaConnectionManager::Listen(uint16_t service,
                              const RdmaQpAttributes& attributes,
                              Accept accept,
                              Done done)
{
    m_services[service] = {attributes, accept, done};
}

void
RdmaConnectionManager::Connect(Ptr<RdmaQueuePair> queuePair,
                               const RdmaQpAttributes& attributes,
                               uint16_t service,
                               Done done)
{
    NS_LOG_FUNCTION(this << queuePair->GetNumber() << service);
    NS_ABORT_MSG_IF(attributes.address.endpoint == m_context->GetEndpoint(),
                    "A connection manager connects with other NICs, not with its own");
    const Key key{m_context->GetEndpoint(), ++m_generation};
    Attempt& attempt = m_attempts[key];
    attempt.queuePair = queuePair;
    attempt.attributes = attributes;
    attempt.done = done;
    attempt.message.kind = RdmaCmMessage::Kind::REQUEST;
    attempt.message.source = attempt.message.asker = key.first;
    attempt.message.destination = attributes.address.endpoint;
    attempt.message.generation = key.second;
    attempt.message.service = service;
    attempt.message.queuePair = queuePair->GetNumber();
    attempt.message.psn = attributes.sqPsn;
    attempt.message.pathMtu = attributes.pathMtu;
    Repeat(key);
}

void
RdmaConnectionManager::Repeat(Key key)
{
    Attempt& attempt = m_attempts.at(key);
    if (attempt.sent > m_retries)
    {
        Finish(key, RdmaCmResult::TIMED_OUT);
        return;
    }
    ++attempt.sent;
    m_channel->Send(attempt.message);
    attempt.timer = Simulator::Schedule(m_timeout, &RdmaConnectionManager::Repeat, this, key);
}

void
RdmaConnectionManager::Finish(const Key& key, RdmaCmResult result)
{
    Attempt& attempt = m_attempts.at(key);
    attempt.timer.Cancel();
    attempt.established = true;
    const Done done = attempt.done;
    const Ptr<RdmaQueuePair> queuePair = attempt.queuePair;
    attempt.queuePair = nullptr;
    if (result != RdmaCmResult::ESTABLISHED)
    {
        m_attempts.erase(key);
        RdmaQpAttributes error;
        error.state = RdmaQpState::ERR;
        m_context->ModifyQp(queuePair, error, QP_STATE);
    }
    done(queuePair, result);
}

RdmaConnectionManager::Attempt*
RdmaConnectionManager::Find(const RdmaCmMessage& message)
{
    const auto found = m_attempts.find({message.asker, message.generation});
    return found != m_attempts.end() && found->second.message.destination == message.source
               ? &found->second
               : nullptr;
}

RdmaCmMessage
RdmaConnectionManager::Answer(const RdmaCmMessage& message, RdmaCmMessage::Kind kind)
{
    RdmaCmMessage answer = message;
    answer.kind = kind;
    std::swap(answer.source, answer.destination);
    return answer;
}

void
RdmaConnectionManager::Receive(const RdmaCmMessage& message)
{
    NS_LOG_FUNCTION(this << static_cast<int>(message.kind) << message.source << message.generation);
    const Attempt* attempt = Find(message);
    switch (message.kind)
    {
    case RdmaCmMessage::Kind::REQUEST:
        ReceiveRequest(message);
        return;
    case RdmaCmMessage::Kind::REPLY:
        ReceiveReply(message);
        return;
    case RdmaCmMessage::Kind::READY:
    case RdmaCmMessage::Kind::REJECT:
        if (!attempt)
        {
            ++m_stale;
        }
        else if (!attempt->established)
        {
            Finish({message.asker, message.generation},
                   message.kind == RdmaCmMessage::Kind::READY ? RdmaCmResult::ESTABLISHED
                                                              : RdmaCmResult::REJECTED);
        }
        return;
    }
}

void
RdmaConnectionManager::ReceiveRequest(const RdmaCmMessage& message)
{
    if (const Attempt* known = Find(message))
    {
        m_channel->Send(known->message); // its reply was lost, or is still on its way
        return;
    }
    const auto service = m_services.find(message.service);
    const Ptr<RdmaQueuePair> queuePair =
        service == m_services.end() ? nullptr : service->second.accept(message);
    if (!queuePair)
    {
        m_channel->Send(Answer(message, RdmaCmMessage::Kind::REJECT));
        return;
    }
    Attempt attempt;
    attempt.queuePair = queuePair;
    attempt.attributes = service->second.attributes;
    attempt.attributes.address.endpoint = message.source;
    attempt.attributes.destinationQp = message.queuePair;
    attempt.attributes.rqPsn = message.psn;
    attempt.attributes.pathMtu = message.pathMtu;
    attempt.done = service->second.done;
    attempt.message = Answer(message, RdmaCmMessage::Kind::REPLY);
    attempt.message.queuePair = queuePair->GetNumber();
    attempt.message.psn = attempt.attributes.sqPsn;
    if (m_context->Connect(queuePair, attempt.attributes))
    {
        m_channel->Send(Answer(message, RdmaCmMessage::Kind::REJECT));
        attempt.done(queuePair, RdmaCmResult::REJECTED);
        return;
    }
    const Key key{message.asker, message.generation};
    m_attempts[key] = attempt;
    Repeat(key);
}

void
RdmaConnectionManager::ReceiveReply(const RdmaCmMessage& message)
{
    Attempt* attempt = Find(message);
    if (!attempt)
    {
        // The attempt has timed out. The other side need not wait.
        ++m_stale;
        m_channel->Send(Answer(message, RdmaCmMessage::Kind::REJECT));
        return;
    }
    const Key key{message.asker, message.generation};
    if (!attempt->established)
    {
        attempt->attributes.destinationQp = message.queuePair;
        attempt->attributes.rqPsn = message.psn;
        if (m_context->Connect(attempt->queuePair, attempt->attributes))
        {
            m_channel->Send(Answer(message, RdmaCmMessage::Kind::REJECT));
            Finish(key, RdmaCmResult::REJECTED);
            return;
        }
    }
    m_channel->Send(Answer(message, RdmaCmMessage::Kind::READY));
    if (!attempt->established)
    {
        Finish(key, RdmaCmResult::ESTABLISHED);
    }
}

uint64_t
RdmaConnectionManager::GetStale() const
{
    return m_stale;
}

std::size_t
RdmaConnectionManager::GetPending() const
{
    std::size_t pending = 0;
    for (const auto& [key, attempt] : m_attempts)
    {
        pending += !attempt.established;
    }
    return pending;
}

} // namespace rdma
} // namespace ns3
