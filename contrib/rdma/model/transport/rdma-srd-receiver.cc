/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-receiver.h"

#include "ns3/fabric-flow-hash.h"
#include "ns3/rdma-srd-peer.h"
#include "ns3/rdma-srd-queue-pair.h"
#include "ns3/rdma-srd-transport.h"
#include "ns3/rdma-udp-header.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

RdmaSrdReceiver::RdmaSrdReceiver(RdmaSrdPeer& peer)
    : m_peer(peer)
{
}

bool
RdmaSrdReceiver::IsWhole(const FabricFrame& frame)
{
    if (frame.payload == frame.srd.length)
    {
        return true;
    }
    const auto found =
        std::find_if(m_partials.begin(), m_partials.end(), [&frame](const Partial& partial) {
            return partial.messageId == frame.srd.messageId;
        });
    if (found == m_partials.end())
    {
        m_partials.push_back({frame.srd.messageId, frame.payload});
        return false;
    }
    found->bytes += frame.payload;
    if (found->bytes < frame.srd.length)
    {
        return false;
    }
    *found = m_partials.back();
    m_partials.pop_back();
    return true;
}

void
RdmaSrdReceiver::Forget(uint32_t messageId)
{
    m_partials.erase(std::remove_if(m_partials.begin(),
                                    m_partials.end(),
                                    [messageId](const Partial& partial) {
                                        return partial.messageId == messageId;
                                    }),
                     m_partials.end());
}

RdmaSrdStatus
RdmaSrdReceiver::Take(const FabricFrame& frame, int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    RdmaSrdCounters& counters = transport.GetCounters();
    const auto opcode = static_cast<RdmaSrdOpcode>(frame.opcode);
    if (opcode == RdmaSrdOpcode::VOID)
    {
        Forget(frame.srd.messageId);
        return RdmaSrdStatus::OK;
    }
    if (opcode == RdmaSrdOpcode::READ_RESPONSE)
    {
        RdmaSrdMessage* message = transport.GetMessages().Find(frame.srd.messageId);
        if (!message || message->over || message->sender != &m_peer.GetSender() ||
            message->opcode != RdmaSrdOpcode::READ_REQUEST)
        {
            ++counters.lateResponses;
            return RdmaSrdStatus::OK;
        }
        const auto status = static_cast<RdmaSrdStatus>(frame.srd.status);
        if (status != RdmaSrdStatus::OK)
        {
            m_peer.GetSender().End(message, status, now);
            return RdmaSrdStatus::OK;
        }
        transport.Placed(frame, now);
        m_peer.GetSender().ReadArrived(message, frame.payload, now);
        return RdmaSrdStatus::OK;
    }
    // Kept: a callback of a completion may destroy it.
    const Ptr<RdmaSrdQueuePair> queuePair = transport.GetQueuePair(frame.queuePair);
    if (!queuePair || !queuePair->Takes(frame.srd.connectionKey))
    {
        ++counters.badQueuePair;
        return RdmaSrdStatus::REM_BAD_DEST_QPN;
    }
    switch (opcode)
    {
    case RdmaSrdOpcode::SEND:
    case RdmaSrdOpcode::SEND_IMM:
        return queuePair->ReceiveSend(frame, now);
    case RdmaSrdOpcode::WRITE:
    case RdmaSrdOpcode::WRITE_IMM: {
        if (!queuePair->IsAllowed(frame, ACCESS_REMOTE_WRITE))
        {
            return RdmaSrdStatus::REM_BAD_ADDRESS;
        }
        transport.Placed(frame, now);
        if (opcode == RdmaSrdOpcode::WRITE_IMM && IsWhole(frame))
        {
            queuePair->ReceiveImmediate(frame);
        }
        return RdmaSrdStatus::OK;
    }
    case RdmaSrdOpcode::READ_REQUEST: {
        if (!queuePair->IsAllowed(frame, ACCESS_REMOTE_READ))
        {
            return RdmaSrdStatus::REM_BAD_ADDRESS;
        }
        if (!frame.srd.length)
        {
            return RdmaSrdStatus::OK;
        }
        RdmaSrdMessage* answer = transport.GetMessages().Allocate();
        answer->opcode = RdmaSrdOpcode::READ_RESPONSE;
        answer->wireId = frame.srd.messageId;
        answer->length = frame.srd.length;
        answer->localQueuePair = static_cast<uint16_t>(frame.queuePair);
        answer->remoteQueuePair = static_cast<uint16_t>(frame.sourceQueuePair);
        m_peer.GetSender().Post(answer, now);
        return RdmaSrdStatus::OK;
    }
    default:
        return RdmaSrdStatus::REM_BAD_STATUS;
    }
}

void
RdmaSrdReceiver::Receive(const FabricFrame& frame, int64_t now)
{
    RdmaSrdTransport& transport = m_peer.GetTransport();
    RdmaSrdCounters& counters = transport.GetCounters();
    const uint64_t sequence = m_received.Widen(frame.psn);
    RdmaSrdStatus status = RdmaSrdStatus::OK;
    if (m_received.Contains(sequence))
    {
        ++counters.duplicates;
    }
    else if (sequence - m_received.GetBase() >= transport.GetParameters().maxSpan)
    {
        ++counters.beyondSpan;
        return;
    }
    else
    {
        const auto refused =
            std::find_if(m_refusals.begin(), m_refusals.end(), [sequence](const Refusal& refusal) {
                return refusal.sequence == sequence;
            });
        const bool first = refused == m_refusals.end();
        if (!first && frame.opcode == static_cast<uint8_t>(RdmaSrdOpcode::VOID))
        {
            m_refusals.erase(refused);
            Forget(frame.srd.messageId);
            m_received.Insert(sequence);
        }
        else if (!first)
        {
            ++counters.duplicates;
            status = refused->status;
        }
        else
        {
            counters.outOfOrder += sequence != m_received.GetBase();
            status = Take(frame, now);
            if (status == RdmaSrdStatus::OK)
            {
                m_received.Insert(sequence);
            }
            else
            {
                m_refusals.push_back({sequence, status});
            }
        }
    }
    if (m_answers.full())
    {
        m_answers.set_capacity(std::max<std::size_t>(4, 2 * m_answers.capacity()));
    }
    m_answers.push_back({sequence, frame.srd.sourcePort, frame.srd.transmission, status});
    transport.GetHost().Ready(m_peer.GetAnswerJob(), now, now);
}

FabricFrame*
RdmaSrdReceiver::BuildAnswer(int64_t now, int64_t& again)
{
    again = FABRIC_NEVER;
    if (m_answers.empty())
    {
        return nullptr;
    }
    const Answer answer = m_answers.front();
    m_answers.pop_front();
    if (!m_answers.empty())
    {
        again = now;
    }
    RdmaSrdTransport& transport = m_peer.GetTransport();
    RdmaHostState& host = transport.GetHost().GetState();
    const RdmaSrdOpcode opcode =
        answer.status == RdmaSrdStatus::OK ? RdmaSrdOpcode::ACK : RdmaSrdOpcode::NACK;
    FabricFrame* frame = host.pool->Allocate();
    frame->kind = FabricFrameKind::SRD;
    frame->destination = m_peer.GetEndpoint();
    frame->source = host.endpoint;
    frame->flowHash = FabricFlowHash(host.endpoint,
                                     m_peer.GetEndpoint(),
                                     answer.sourcePort,
                                     SRD_UDP_PORT,
                                     IP_PROTOCOL_UDP);
    frame->bytes = SrdFrameBytes(opcode, 0);
    frame->priority = transport.GetParameters().ackPriority;
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->queuePair = frame->sourceQueuePair = 0;
    frame->psn = static_cast<uint32_t>(answer.sequence);
    frame->payload = 0;
    frame->srd.sourcePort = answer.sourcePort;
    frame->srd.transmission = answer.transmission;
    frame->srd.status = static_cast<uint8_t>(answer.status);
    frame->srd.messageId = 0;
    frame->srd.connectionKey = 0;
    frame->srd.cumulative = static_cast<uint32_t>(m_received.GetBase());
    frame->srd.received = m_received.GetBefore(answer.sequence);
    ++transport.GetCounters().answers;
    return frame;
}

} // namespace rdma
} // namespace ns3
