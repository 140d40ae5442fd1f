/* SPDX-License-Identifier: GPL-2.0-only */
/* The paths that a subnet manager has computed. */

#include "ns3/ib-path-records.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{
namespace rdma
{

IbPathRecords::IbPathRecords(const IbSubnet& subnet, std::shared_ptr<const IbRoutes> routes)
    : m_routes(std::move(routes))
{
    for (uint32_t endpoint = 0; endpoint < subnet.GetNHosts(); ++endpoint)
    {
        m_switchOf.push_back(subnet.GetSwitchOf(endpoint));
    }
}

bool
IbPathRecords::NeedsServiceLevels() const
{
    return m_routes->HasServiceLevels();
}

uint8_t
IbPathRecords::GetServiceLevel(uint32_t source, uint32_t destination) const
{
    NS_ABORT_MSG_IF(source >= m_switchOf.size() || destination >= m_switchOf.size(),
                    "There is no path record from endpoint " << source << " to " << destination
                                                             << ": the last sweep has found "
                                                             << m_switchOf.size() << " endpoints");
    const uint32_t from = m_switchOf[source];
    const uint32_t to = m_switchOf[destination];
    return from == IbSubnet::NO_SWITCH || to == IbSubnet::NO_SWITCH
               ? 0
               : m_routes->GetServiceLevel(from, to);
}

} // namespace rdma
} // namespace ns3
