/* SPDX-License-Identifier: GPL-2.0-only */
/* The paths that a subnet manager has computed. */

#ifndef IB_PATH_RECORDS_H
#define IB_PATH_RECORDS_H

#include "ns3/fabric-path-records.h"
#include "ns3/ib-routes.h"
#include "ns3/ib-subnet.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Path records of the routes of a sweep. A later sweep has records of its own.
 */
class IbPathRecords : public FabricPathRecords
{
  public:
    /**
     * \param subnet The subnet.
     * \param routes Its routes.
     */
    IbPathRecords(const IbSubnet& subnet, std::shared_ptr<const IbRoutes> routes);

    bool NeedsServiceLevels() const override;
    uint8_t GetServiceLevel(uint32_t source, uint32_t destination) const override;

  private:
    std::vector<uint32_t> m_switchOf;         //!< switch of each endpoint
    std::shared_ptr<const IbRoutes> m_routes; //!< the routes
};

} // namespace rdma
} // namespace ns3

#endif /* IB_PATH_RECORDS_H */
