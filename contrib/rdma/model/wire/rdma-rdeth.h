/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RDETH_H
#define RDMA_RDETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Reliable datagram extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaRdeth
{
    uint32_t eeContext{0}; //!< end-to-end context of the destination, 24 bit

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaRdeth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_RDETH_H */
