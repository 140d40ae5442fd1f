/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-context.h"

#include "ns3/fabric-clock.h"
#include "ns3/rdma-qp-transitions.h"

#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaContext::RdmaContext(Ptr<RdmaNic> nic)
    : m_nic(nic)
{
}

const RdmaDeviceAttributes&
RdmaContext::QueryDevice() const
{
    return m_nic->GetState().limits;
}

void
RdmaContext::OnAsyncEvent(Callback<void, const RdmaAsyncEvent&> callback)
{
    m_nic->TraceConnectWithoutContext("AsyncEvent", callback);
}

Ptr<RdmaProtectionDomain>
RdmaContext::AllocPd()
{
    return Create<RdmaProtectionDomain>();
}

std::optional<RdmaMemoryRegion>
RdmaContext::RegMr(Ptr<RdmaProtectionDomain> domain,
                   uint64_t address,
                   uint64_t length,
                   uint32_t access)
{
    RdmaMemoryTable& memory = m_nic->GetState().memory;
    if (memory.GetNRegions() >= QueryDevice().maxMr)
    {
        return std::nullopt;
    }
    return memory.Register(domain, address, length, access);
}

std::optional<RdmaMemoryRegion>
RdmaContext::RegMr(Ptr<RdmaProtectionDomain> domain,
                   uint64_t address,
                   RdmaBackingBytes bytes,
                   uint32_t access)
{
    RdmaMemoryTable& memory = m_nic->GetState().memory;
    if (!bytes || memory.GetNRegions() >= QueryDevice().maxMr)
    {
        return std::nullopt;
    }
    RdmaMemoryRegion region;
    region.domain = domain;
    region.address = address;
    region.length = bytes->size();
    region.access = access;
    region.bytes = std::move(bytes);
    return memory.Register(region);
}

int
RdmaContext::ReregMr(RdmaMemoryRegion& region, uint32_t changes)
{
    const auto changed = m_nic->GetState().memory.Reregister(region.lkey, changes, region);
    if (!changed)
    {
        return EINVAL;
    }
    region = *changed;
    return 0;
}

int
RdmaContext::DeregMr(const RdmaMemoryRegion& region)
{
    return m_nic->GetState().memory.Deregister(region.lkey) ? 0 : EINVAL;
}

Ptr<RdmaCompletionQueue>
RdmaContext::CreateCq(uint32_t capacity)
{
    if (capacity > QueryDevice().maxCqe)
    {
        return nullptr;
    }
    const auto completionQueue = Create<RdmaCompletionQueue>(capacity);
    completionQueue->SetError(MakeCallback(&RdmaNic::CompletionQueueFailed, PeekPointer(m_nic)));
    return completionQueue;
}

Ptr<RdmaSharedReceiveQueue>
RdmaContext::CreateSrq(Ptr<RdmaProtectionDomain> domain, uint32_t maxWr, uint32_t maxSge)
{
    const RdmaDeviceAttributes& limits = QueryDevice();
    if (!domain || maxWr == 0 || maxWr > limits.maxSrqWr || maxSge > limits.maxSge)
    {
        return nullptr;
    }
    const auto queue = Create<RdmaSharedReceiveQueue>(domain, maxWr, maxSge);
    RdmaNic* nic = PeekPointer(m_nic);
    queue->SetLimitReached(
        Callback<void, const RdmaSharedReceiveQueue*>([nic](const RdmaSharedReceiveQueue* reached) {
            RdmaAsyncEvent event;
            event.type = RdmaEventType::SRQ_LIMIT_REACHED;
            event.sharedReceiveQueue = reached;
            nic->AsyncEvent(event);
        }));
    return queue;
}

Ptr<RdmaAddressHandle>
RdmaContext::CreateAh(Ptr<RdmaProtectionDomain> domain, const RdmaAddress& address)
{
    const bool valid = domain && address.priority < m_nic->GetState().GetPriorities();
    return valid ? Create<RdmaAddressHandle>(domain, address) : nullptr;
}

Ptr<RdmaQueuePair>
RdmaContext::CreateQp(const RdmaQpInitAttributes& init)
{
    return m_nic->CreateQueuePair(init);
}

void
RdmaContext::DestroyQp(Ptr<RdmaQueuePair> queuePair)
{
    m_nic->DestroyQueuePair(queuePair);
}

int
RdmaContext::ModifyQp(Ptr<RdmaQueuePair> queuePair,
                      const RdmaQpAttributes& attributes,
                      uint32_t mask)
{
    return queuePair->Modify(attributes, mask, FabricClock().Now());
}

RdmaQpAttributes
RdmaContext::QueryQp(Ptr<RdmaQueuePair> queuePair) const
{
    return queuePair->GetAttributes();
}

int
RdmaContext::Connect(Ptr<RdmaQueuePair> queuePair, const RdmaQpAttributes& attributes)
{
    RdmaQpAttributes step = attributes;
    RdmaQpState from = RdmaQpState::RESET;
    for (const RdmaQpState to : {RdmaQpState::INIT, RdmaQpState::RTR, RdmaQpState::RTS})
    {
        step.state = to;
        const auto transition = RdmaFindQpTransition(queuePair->GetType(), from, to);
        const int result = ModifyQp(queuePair, step, QP_STATE | transition->required);
        if (result)
        {
            return result;
        }
        from = to;
    }
    return 0;
}

Ptr<RdmaSrdQueuePair>
RdmaContext::CreateSrdQp(const RdmaSrdQpInitAttributes& init)
{
    const Ptr<RdmaSrdQueuePair> queuePair = m_nic->GetSrdTransport()->CreateQueuePair(init);
    if (queuePair)
    {
        queuePair->Modify(RdmaQpState::INIT);
        queuePair->Modify(RdmaQpState::RTR);
        queuePair->Modify(RdmaQpState::RTS);
    }
    return queuePair;
}

void
RdmaContext::DestroySrdQp(Ptr<RdmaSrdQueuePair> queuePair)
{
    m_nic->GetSrdTransport()->DestroyQueuePair(queuePair);
}

Ptr<RdmaSrdAddressHandle>
RdmaContext::CreateSrdAh(uint32_t endpoint)
{
    return m_nic->GetSrdTransport()->CreateAddressHandle(endpoint);
}

void
RdmaContext::DestroySrdAh(Ptr<RdmaSrdAddressHandle> handle)
{
    m_nic->GetSrdTransport()->DestroyAddressHandle(handle);
}

Ptr<RdmaNic>
RdmaContext::GetNic() const
{
    return m_nic;
}

uint32_t
RdmaContext::GetEndpoint() const
{
    return m_nic->GetDevice()->GetEndpoint();
}

} // namespace rdma
} // namespace ns3
