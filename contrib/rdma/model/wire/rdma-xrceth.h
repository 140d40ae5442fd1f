/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_XRCETH_H
#define RDMA_XRCETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Extended reliable connection extended transport header (IBA volume 1, annex A14).
 */
struct RdmaXrceth
{
    uint32_t sharedReceiveQueue{0}; //!< shared receive queue of the destination, 24 bit

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaXrceth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_XRCETH_H */
