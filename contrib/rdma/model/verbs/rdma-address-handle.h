/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ADDRESS_HANDLE_H
#define RDMA_ADDRESS_HANDLE_H

#include "ns3/ptr.h"
#include "ns3/rdma-memory.h"
#include "ns3/simple-ref-count.h"

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Where datagrams go (ibv_ah): an address that many work requests use.
class RdmaAddressHandle : public SimpleRefCount<RdmaAddressHandle>
{
  public:
    /**
     * \param domain Protection domain.
     * \param address The address.
     */
    RdmaAddressHandle(Ptr<RdmaProtectionDomain> domain, const RdmaAddress& address)
        : m_domain(domain),
          m_address(address)
    {
    }

    /// \return The protection domain.
    const RdmaProtectionDomain* GetDomain() const
    {
        return PeekPointer(m_domain);
    }

    /// \return The address.
    const RdmaAddress& GetAddress() const
    {
        return m_address;
    }

  private:
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain
    RdmaAddress m_address;              //!< the address
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ADDRESS_HANDLE_H */
