/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-context.h"

#include "ns3/fabric-clock.h"

#include <cerrno>

namespace ns3
{
namespace rdma
{

RdmaContext::RdmaContext(Ptr<RdmaNic> nic)
    : m_nic(nic)
{
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
    return m_nic->GetState().memory.Register(domain, address, length, access);
}

int
RdmaContext::DeregMr(const RdmaMemoryRegion& region)
{
    return m_nic->GetState().memory.Deregister(region.lkey) ? 0 : EINVAL;
}

Ptr<RdmaCompletionQueue>
RdmaContext::CreateCq(uint32_t capacity)
{
    return Create<RdmaCompletionQueue>(capacity);
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

int
RdmaContext::Connect(Ptr<RdmaQueuePair> queuePair, const RdmaQpAttributes& attributes)
{
    RdmaQpAttributes step = attributes;
    step.state = RdmaQpState::INIT;
    int result = ModifyQp(queuePair, step, QP_STATE | QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS);
    if (result)
    {
        return result;
    }
    step.state = RdmaQpState::RTR;
    result = ModifyQp(queuePair,
                      step,
                      QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN |
                          QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER);
    if (result)
    {
        return result;
    }
    step.state = RdmaQpState::RTS;
    return ModifyQp(queuePair,
                    step,
                    QP_STATE | QP_SQ_PSN | QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY |
                        QP_MAX_QP_RD_ATOMIC);
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
