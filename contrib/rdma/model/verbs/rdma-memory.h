/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MEMORY_H
#define RDMA_MEMORY_H

#include "ns3/ptr.h"
#include "ns3/rdma-verbs.h"
#include "ns3/simple-ref-count.h"

#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma A protection domain (ibv_pd): what belongs together.
class RdmaProtectionDomain : public SimpleRefCount<RdmaProtectionDomain>
{
};

/// \ingroup rdma A memory region (ibv_mr): a range of addresses with keys and rights.
struct RdmaMemoryRegion
{
    Ptr<RdmaProtectionDomain> domain; //!< protection domain
    uint64_t address{0};              //!< first address
    uint64_t length{0};               //!< bytes
    uint32_t access{0};               //!< rights, RdmaAccess bits
    uint32_t lkey{0};                 //!< key for local use
    uint32_t rkey{0};                 //!< key for remote use
};

/**
 * \ingroup rdma
 * The memory regions of a NIC. A key is the region's index and an 8-bit tag that changes when the
 * index is used again, so a stale key is refused.
 */
class RdmaMemoryTable
{
  public:
    /**
     * ibv_reg_mr.
     * \param domain Protection domain.
     * \param address First address.
     * \param length Bytes; the range must not wrap round 2^64.
     * \param access Rights, RdmaAccess bits; remote write and atomic need local write.
     * \return The region, or nothing when the rights or the range are not valid (EINVAL).
     */
    std::optional<RdmaMemoryRegion> Register(Ptr<RdmaProtectionDomain> domain,
                                             uint64_t address,
                                             uint64_t length,
                                             uint32_t access);
    /**
     * ibv_dereg_mr.
     * \param key The region's lkey or rkey.
     * \return Whether there was such a region.
     */
    bool Deregister(uint32_t key);

    /**
     * Checks an access (IBA volume 1, section 10.6.3): key, domain, rights, bounds.
     * \param key Key given.
     * \param domain Domain of the queue pair.
     * \param access Rights needed, RdmaAccess bits.
     * \param address First address of the access.
     * \param length Its bytes; 0 is always allowed.
     * \return Whether it is allowed.
     */
    bool IsAllowed(uint32_t key,
                   const RdmaProtectionDomain* domain,
                   uint32_t access,
                   uint64_t address,
                   uint64_t length) const;

  private:
    /// A place for a region.
    struct Slot
    {
        RdmaMemoryRegion region; //!< the region
        uint8_t tag{0};          //!< counts its users
        bool used{false};        //!< whether there is a region
    };

    std::vector<Slot> m_slots;      //!< regions by index
    std::vector<uint32_t> m_unused; //!< indexes without a region
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_MEMORY_H */
