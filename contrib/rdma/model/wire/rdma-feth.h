/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FETH_H
#define RDMA_FETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * FLUSH extended transport header (IBA annex A19): what an RDMA FLUSH makes visible or persistent.
 */
struct RdmaFeth
{
    uint8_t placementType{0}; //!< PLT, 4 bit: 1 global visibility, 2 persistence
    uint8_t selectivity{0};   //!< SEL, 2 bit: 0 a memory range, 1 the whole memory region

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaFeth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_FETH_H */
