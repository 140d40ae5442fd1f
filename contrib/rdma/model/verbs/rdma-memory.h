/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MEMORY_H
#define RDMA_MEMORY_H

#include "ns3/ptr.h"
#include "ns3/rdma-verbs.h"
#include "ns3/simple-ref-count.h"

#include <memory>
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

/**
 * \ingroup rdma
 * Bytes behind a memory region: what is written to the region stands in them. Byte 0 is at the
 * region's address.
 */
using RdmaBackingBytes = std::shared_ptr<std::vector<uint8_t>>;

/// \ingroup rdma What a re-registration changes (ibv_rereg_mr_flags).
enum RdmaReregister : uint32_t
{
    REREG_CHANGE_TRANSLATION = 1, //!< address, length and bytes
    REREG_CHANGE_PD = 2,          //!< protection domain
    REREG_CHANGE_ACCESS = 4,      //!< rights
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
    RdmaBackingBytes bytes;           //!< what is in it; nullptr: it has lengths only
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
     * \param region Domain, address, length, rights and bytes: the range must not wrap round 2^64,
     *        remote write and atomic need local write, and bytes must be as many as the length.
     * \return The region with its keys, or nothing when something is not valid (EINVAL).
     */
    std::optional<RdmaMemoryRegion> Register(RdmaMemoryRegion region);
    /**
     * The same for a region without bytes.
     * \param domain Protection domain.
     * \param address First address.
     * \param length Bytes.
     * \param access Rights, RdmaAccess bits.
     * \return The region, or nothing (EINVAL).
     */
    std::optional<RdmaMemoryRegion> Register(Ptr<RdmaProtectionDomain> domain,
                                             uint64_t address,
                                             uint64_t length,
                                             uint32_t access);
    /**
     * ibv_rereg_mr. The old keys are not valid any more.
     * \param key The region's lkey or rkey.
     * \param changes Which of the fields count, RdmaReregister bits.
     * \param region New values.
     * \return The region with its new keys, or nothing, with nothing changed (EINVAL).
     */
    std::optional<RdmaMemoryRegion> Reregister(uint32_t key,
                                               uint32_t changes,
                                               const RdmaMemoryRegion& region);
    /**
     * ibv_dereg_mr.
     * \param key The region's lkey or rkey.
     * \return Whether there was such a region.
     */
    bool Deregister(uint32_t key);
    /**
     * A peer makes a key invalid for remote use (SEND_WITH_INV); local use goes on.
     * \param key The key.
     * \param domain Domain of the queue pair.
     * \return Whether it was valid for the domain.
     */
    bool Invalidate(uint32_t key, const RdmaProtectionDomain* domain);

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
    /**
     * \param key Key of a region.
     * \return Whether the region has bytes.
     */
    bool HasBytes(uint32_t key) const;
    /**
     * \param key Key of a region.
     * \param address First address of an access that was checked.
     * \param length Its bytes.
     * \return Where the bytes stand, or nullptr when the region has none, or not so many.
     */
    uint8_t* GetBytes(uint32_t key, uint64_t address, uint64_t length) const;

    /// \return How many regions there are.
    uint32_t GetNRegions() const;

  private:
    /// A place for a region.
    struct Slot
    {
        RdmaMemoryRegion region; //!< the region
        uint8_t tag{0};          //!< counts its users
        bool used{false};        //!< whether there is a region
        bool remote{true};       //!< whether the remote key is valid
    };

    /// \param region A region. \return Whether it may be registered.
    static bool IsValid(const RdmaMemoryRegion& region);

    /// \param region A region. \return The first address that accesses name.
    static uint64_t GetFirst(const RdmaMemoryRegion& region)
    {
        return region.access & ACCESS_ZERO_BASED ? 0 : region.address;
    }

    /// \param key A key. \return Its place, or nullptr.
    const Slot* Find(uint32_t key) const;

    std::vector<Slot> m_slots;      //!< regions by index
    std::vector<uint32_t> m_unused; //!< indexes without a region
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_MEMORY_H */
