/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ATOMIC_ETH_H
#define RDMA_ATOMIC_ETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Atomic extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaAtomicEth
{
    uint64_t virtualAddress{0}; //!< of the 64 bit word in the memory of the responder
    uint32_t remoteKey{0};      //!< R_Key of the memory region
    uint64_t swapOrAdd{0};      //!< value to store (compare-and-swap) or to add (fetch-and-add)
    uint64_t compare{0};        //!< value that the word must have (compare-and-swap)

    /// \param writer Takes the 28 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaAtomicEth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ATOMIC_ETH_H */
