/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-uc-transport.h"

#include "ns3/rdma-message-opcode.h"
#include "ns3/rdma-opcode.h"
#include "ns3/rdma-psn.h"

#include <cerrno>
#include <cstring>

namespace ns3
{
namespace rdma
{

namespace
{

constexpr uint8_t SERVICE = 0x20; // upper bits of opcodes (IBA volume 1, section 9.2)

} // namespace

RdmaUcTransport::RdmaUcTransport(RdmaConnection& connection,
                                 RdmaTxJobs& jobs,
                                 const RdmaQpInitAttributes& init)
    : RdmaUnreliableTransport(connection, jobs, init, SERVICE)
{
}

int
RdmaUcTransport::CheckSend(const RdmaSendWr& request, uint64_t length) const
{
    const bool known = request.opcode == RdmaWrOpcode::SEND ||
                       request.opcode == RdmaWrOpcode::SEND_WITH_IMM ||
                       request.opcode == RdmaWrOpcode::RDMA_WRITE ||
                       request.opcode == RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
    return known && length <= RDMA_MAX_MESSAGE ? 0 : EINVAL;
}

int
RdmaUcTransport::PostSend(const RdmaSendWqe& request, bool allowed, int64_t now)
{
    return m_sender.Post(request,
                         allowed ? RdmaWcStatus::SUCCESS : RdmaWcStatus::LOC_PROT_ERR,
                         now);
}

void
RdmaUcTransport::StartReceiving()
{
    m_expected = m_connection.GetAttributes().rqPsn;
    m_inMessage = false;
}

bool
RdmaUcTransport::Begin(const FabricFrame& frame)
{
    m_messageBytes = 0;
    m_messageIsSend = OpcodeIsSend(frame.opcode);
    if (m_messageIsSend)
    {
        if (!m_receives.Begin())
        {
            return false;
        }
        m_messageLimit = m_receives.GetRoom();
        return true;
    }
    m_messageLimit = frame.rdma.dmaLength;
    m_messageAddress = frame.rdma.virtualAddress;
    m_messageKey = frame.rdma.remoteKey;
    return !m_messageLimit ||
           (m_connection.GetAttributes().accessFlags & ACCESS_REMOTE_WRITE &&
            m_connection.GetHostState().memory.IsAllowed(m_messageKey,
                                                         m_connection.GetDomain(),
                                                         ACCESS_REMOTE_WRITE,
                                                         m_messageAddress,
                                                         m_messageLimit));
}

bool
RdmaUcTransport::Place(const FabricFrame& frame)
{
    const uint64_t offset = m_messageBytes;
    m_messageBytes += frame.payload;
    if (m_messageBytes > m_messageLimit)
    {
        return false;
    }
    if (!(frame.flags & FabricFrame::HAS_DATA))
    {
        return true;
    }
    if (m_messageIsSend)
    {
        m_receives.Scatter(offset, frame.rdma.data, frame.payload);
        return true;
    }
    uint8_t* bytes = m_connection.GetHostState().memory.GetBytes(m_messageKey,
                                                                 m_messageAddress + offset,
                                                                 frame.payload);
    if (bytes)
    {
        std::memcpy(bytes, frame.rdma.data, frame.payload);
    }
    return true;
}

void
RdmaUcTransport::Receive(const FabricFrame& frame, int64_t now)
{
    RdmaCounters& counters = m_connection.GetHostState().counters;
    const int64_t sequence = RdmaFromPsn(frame.psn, m_expected);
    const bool gap = sequence != static_cast<int64_t>(m_expected);
    m_expected = static_cast<uint64_t>(sequence + 1);
    const bool starts = OpcodeStartsMessage(frame.opcode);
    if (gap)
    {
        ++counters.outOfSequence;
    }
    if (m_inMessage && (gap || starts || OpcodeIsSend(frame.opcode) != m_messageIsSend))
    {
        m_inMessage = false;
        ++counters.droppedMessages;
    }
    if (!starts && !m_inMessage)
    {
        return; // the rest of a message that was dropped
    }
    m_inMessage = starts ? Begin(frame) : true;
    if (m_inMessage && m_messageIsSend && starts && !m_receives.IsAllowed())
    {
        m_inMessage = false;
        m_connection.EnterError(RdmaWcStatus::WR_FLUSH_ERR, RdmaWcStatus::LOC_PROT_ERR);
        return;
    }
    const bool ends = OpcodeEndsMessage(frame.opcode);
    m_inMessage =
        m_inMessage && Place(frame) &&
        (!ends || m_messageIsSend || !OpcodeHasImmediate(frame.opcode) || m_receives.Begin());
    if (!m_inMessage)
    {
        ++counters.droppedMessages;
        return;
    }
    counters.deliveredBytes += frame.payload;
    if (ends)
    {
        m_inMessage = false;
        Finish(frame, now);
    }
}

void
RdmaUcTransport::Finish(const FabricFrame& frame, int64_t now)
{
    ++m_connection.GetHostState().counters.deliveredMessages;
    const bool immediate = OpcodeHasImmediate(frame.opcode);
    bool room = true;
    if (m_messageIsSend || immediate)
    {
        RdmaWc completion;
        completion.opcode = m_messageIsSend ? RdmaWcOpcode::RECV : RdmaWcOpcode::RECV_RDMA_WITH_IMM;
        completion.byteLength = m_messageBytes;
        completion.hasImmediate = immediate;
        completion.immediate = immediate ? frame.rdma.immediate : 0;
        completion.solicited = frame.flags & FabricFrame::SOLICITED;
        room = m_receives.Complete(completion);
    }
    m_connection.Delivered(m_messageBytes, now);
    if (!room)
    {
        m_connection.EnterError();
    }
}

} // namespace rdma
} // namespace ns3
