/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IETH_H
#define RDMA_IETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Invalidate extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaIeth
{
    uint32_t remoteKey{0}; //!< R_Key that the responder shall invalidate

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaIeth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IETH_H */
