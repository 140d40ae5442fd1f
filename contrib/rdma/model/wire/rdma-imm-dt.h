/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IMM_DT_H
#define RDMA_IMM_DT_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Immediate data (IBA volume 1, section 9.3): four bytes for the receiver's completion.
 */
struct RdmaImmDt
{
    uint32_t immediate{0}; //!< the four bytes, first on the wire in the highest byte

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaImmDt> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IMM_DT_H */
