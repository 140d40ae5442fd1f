/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DETH_H
#define RDMA_DETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Datagram extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaDeth
{
    uint32_t queueKey{0};        //!< Q_Key that the destination queue pair must have
    uint32_t sourceQueuePair{0}; //!< queue pair that sent the datagram, 24 bit

    /// \param writer Takes the 8 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaDeth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DETH_H */
