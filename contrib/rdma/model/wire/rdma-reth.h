/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RETH_H
#define RDMA_RETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * RDMA extended transport header (IBA volume 1, section 9.3): where an RDMA WRITE puts its data
 * or an RDMA READ takes it from.
 */
struct RdmaReth
{
    uint64_t virtualAddress{0}; //!< first byte in the memory of the responder
    uint32_t remoteKey{0};      //!< R_Key of the memory region
    uint32_t dmaLength{0};      //!< bytes of the whole message

    /// \param writer Takes the 16 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaReth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RETH_H */
