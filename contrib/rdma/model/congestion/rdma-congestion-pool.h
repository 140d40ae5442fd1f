/* SPDX-License-Identifier: GPL-2.0-only */
/* What congestion controls of a NIC share. */

#ifndef RDMA_CONGESTION_POOL_H
#define RDMA_CONGESTION_POOL_H

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <utility>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma State that several congestion controls share; each algorithm derives its own.
class RdmaCongestionShared : public SimpleRefCount<RdmaCongestionShared>
{
  public:
    virtual ~RdmaCongestionShared() = default;
};

/**
 * \ingroup rdma
 * What the congestion controls of the queue pairs of a NIC share: one state for each algorithm and
 * service level. The algorithm that needs it makes it; it lives as long as the NIC.
 */
class RdmaCongestionPool
{
  public:
    /**
     * \tparam State The algorithm's shared state, derived from RdmaCongestionShared.
     * \param algorithm The algorithm.
     * \param serviceLevel The service level, or the priority on Ethernet.
     * \return The state of that algorithm and service level, the same at every call.
     */
    template <typename State>
    Ptr<State> Get(TypeId algorithm, uint8_t serviceLevel)
    {
        Ptr<RdmaCongestionShared>& state = m_states[{algorithm.GetUid(), serviceLevel}];
        if (!state)
        {
            state = Create<State>();
        }
        return StaticCast<State>(state);
    }

  private:
    /// By algorithm and service level.
    std::map<std::pair<uint16_t, uint8_t>, Ptr<RdmaCongestionShared>> m_states;
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CONGESTION_POOL_H */
