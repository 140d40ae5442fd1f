/* SPDX-License-Identifier: GPL-2.0-only */
/* What hosts of an InfiniBand subnet ask the subnet manager before they send. */

#ifndef FABRIC_PATH_RECORDS_H
#define FABRIC_PATH_RECORDS_H

#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The paths of a subnet, as hosts ask for them (PathRecord of subnet administration, InfiniBand
 * Architecture Specification, volume 1, 15.2.5.16): here the service level only.
 */
class FabricPathRecords : public SimpleRefCount<FabricPathRecords>
{
  public:
    virtual ~FabricPathRecords() = default;
    /**
     * \return Whether the routes need the service level of the record. If not, one lane is as free
     * of deadlock as another, and a host may choose.
     */
    virtual bool NeedsServiceLevels() const = 0;
    /**
     * \param source Endpoint number of the sender.
     * \param destination Endpoint number of the receiver.
     * \return The service level of packets from the one to the other; that of the way back may be
     *         another one.
     */
    virtual uint8_t GetServiceLevel(uint32_t source, uint32_t destination) const = 0;
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PATH_RECORDS_H */
