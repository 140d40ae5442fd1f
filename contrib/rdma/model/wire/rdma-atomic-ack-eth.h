/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ATOMIC_ACK_ETH_H
#define RDMA_ATOMIC_ACK_ETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Atomic ACK extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaAtomicAckEth
{
    uint64_t originalData{0}; //!< what the word held before the operation

    /// \param writer Takes the 8 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaAtomicAckEth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_ATOMIC_ACK_ETH_H */
