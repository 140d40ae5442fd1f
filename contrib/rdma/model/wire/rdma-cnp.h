/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CNP_H
#define RDMA_CNP_H

#include "ns3/rdma-bth.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-opcode.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/// DSCP that ConnectX adapters give to a CNP by default.
inline constexpr uint8_t CNP_DEFAULT_DSCP = 48;

/// 802.1p priority that ConnectX adapters give to a CNP by default.
inline constexpr uint8_t CNP_DEFAULT_PRIORITY = 6;

/**
 * \ingroup rdma
 * The sixteen reserved bytes that follow the BTH of a RoCEv2 congestion notification packet (IBA
 * annex A17). A receiver ignores their content. The CNP of InfiniBand (annex A10) ends with the BTH.
 */
struct RdmaCnp
{
    /**
     * \param destinationQueuePair Queue pair of the flow at its sender, 24 bit.
     * \param opcode ROCE_CNP or IB_CNP.
     * \return The BTH of the notification: BECN set, PSN 0, no acknowledge requested.
     */
    static RdmaBth MakeBth(uint32_t destinationQueuePair, uint8_t opcode = ROCE_CNP);

    /// \param writer Takes the 16 zero bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaCnp> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CNP_H */
