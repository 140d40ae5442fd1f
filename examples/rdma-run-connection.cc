/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-connection.h"

#include "ns3/abort.h"

namespace ns3::rdma::runner
{

RcRunConnection::RcRunConnection(const Experiment& experiment,
                                 const FlowSpec& spec,
                                 const RunNic& source,
                                 const RunNic& destination)
    : m_spec(spec),
      m_source(source),
      m_destination(destination),
      m_sender(Create(experiment, source)),
      m_receiver(Create(experiment, destination))
{
    Connect(experiment, source, m_sender, destination, m_receiver->GetNumber());
    Connect(experiment, destination, m_receiver, source, m_sender->GetNumber());
}

RcRunConnection::~RcRunConnection()
{
    m_source.context->DestroyQp(m_sender);
    m_destination.context->DestroyQp(m_receiver);
}

Ptr<RdmaQueuePair>
RcRunConnection::Create(const Experiment& experiment, const RunNic& nic) const
{
    const AlgorithmSpec& congestion = experiment.congestions[m_spec.congestion];
    ObjectFactory factory(congestion.typeId);
    for (const auto& [name, value] : congestion.attributes)
    {
        factory.Set(name, *value);
    }
    RdmaQpInitAttributes init;
    init.domain = nic.domain;
    init.sendCq = nic.completions;
    init.recvCq = nic.completions;
    init.maxSendWr = m_spec.messages;
    init.maxRecvWr = 1;
    init.congestion = factory.Create<RdmaCongestionOps>();
    init.window = experiment.nic.window;
    return nic.context->CreateQp(init);
}

void
RcRunConnection::Connect(const Experiment& experiment,
                         const RunNic& nic,
                         Ptr<RdmaQueuePair> own,
                         const RunNic& peer,
                         uint32_t qpn) const
{
    RdmaQpAttributes attributes;
    attributes.accessFlags = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
    attributes.address.endpoint = peer.context->GetEndpoint();
    attributes.address.priority = static_cast<uint8_t>(m_spec.priority);
    attributes.destinationQp = qpn;
    attributes.pathMtu = experiment.nic.mtu;
    attributes.timeout = static_cast<uint8_t>(experiment.nic.timeout);
    attributes.retryCount = static_cast<uint8_t>(experiment.nic.retryCount);
    const int error = nic.context->Connect(own, attributes);
    NS_ABORT_MSG_IF(error != 0, "a queue pair refuses checked attributes: error " << error);
}

void
RcRunConnection::Post(uint32_t flow)
{
    RdmaSendWr request;
    request.wrId = flow;
    request.length = m_spec.bytes;
    request.lkey = m_source.memory.lkey;
    request.rkey = m_destination.memory.rkey;
    for (uint32_t message = 0; message < m_spec.messages; ++message)
    {
        const int error = m_sender->PostSend(request);
        NS_ABORT_MSG_IF(error != 0, "a queue pair refuses a checked request: error " << error);
    }
}

uint64_t
RcRunConnection::GetReceivedBytes() const
{
    return m_receiver->GetResponder().GetReceivedBytes();
}

uint64_t
RcRunConnection::GetRetransmitted() const
{
    return m_sender->GetRequester().GetRetransmitted();
}

const RdmaQueuePair*
RcRunConnection::GetReceiver() const
{
    return PeekPointer(m_receiver);
}

SrdRunConnection::SrdRunConnection(const FlowSpec& spec,
                                   const RunNic& source,
                                   const RunNic& destination)
    : m_spec(spec),
      m_source(source),
      m_destination(destination)
{
    const auto create = [&spec](const RunNic& nic) {
        RdmaSrdQpInitAttributes init;
        init.domain = nic.domain;
        init.sendCq = nic.completions;
        init.recvCq = nic.completions;
        init.maxSendWr = spec.messages;
        init.maxRecvWr = 1;
        const Ptr<RdmaSrdQueuePair> queuePair = nic.context->CreateSrdQp(init);
        NS_ABORT_MSG_IF(!queuePair, "a NIC has no more SRD queue pairs: it has 65,535");
        return queuePair;
    };
    m_sender = create(source);
    m_receiver = create(destination);
    m_address = source.context->CreateSrdAh(destination.context->GetEndpoint());
}

SrdRunConnection::~SrdRunConnection()
{
    m_source.context->DestroySrdAh(m_address);
    m_source.context->DestroySrdQp(m_sender);
    m_destination.context->DestroySrdQp(m_receiver);
}

void
SrdRunConnection::Post(uint32_t flow)
{
    RdmaSrdSendWr request;
    request.wrId = flow;
    request.length = m_spec.bytes;
    request.lkey = m_source.memory.lkey;
    request.rkey = m_destination.memory.rkey;
    request.address = m_address;
    request.remoteQueuePair = m_receiver->GetNumber();
    for (uint32_t message = 0; message < m_spec.messages; ++message)
    {
        const int error = m_sender->PostSend(request);
        NS_ABORT_MSG_IF(error != 0, "a queue pair refuses a checked request: error " << error);
    }
}

uint64_t
SrdRunConnection::GetReceivedBytes() const
{
    return m_placed;
}

uint64_t
SrdRunConnection::GetRetransmitted() const
{
    return m_retransmitted;
}

uint64_t
SrdRunConnection::GetKey() const
{
    return uint64_t{m_destination.context->GetEndpoint()} << 16 | m_receiver->GetNumber();
}

uint64_t
SrdRunConnection::KeyOf(const FabricFrame& frame)
{
    return uint64_t{frame.destination} << 16 | frame.queuePair;
}

bool
SrdRunConnection::Placed(uint32_t bytes)
{
    m_placed += bytes;
    return m_placed == m_spec.bytes * m_spec.messages;
}

void
SrdRunConnection::Retransmitted()
{
    ++m_retransmitted;
}

} // namespace ns3::rdma::runner
