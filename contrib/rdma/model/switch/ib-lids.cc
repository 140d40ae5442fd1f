/* SPDX-License-Identifier: GPL-2.0-only */
/* The local identifiers (LIDs) of the hosts of an InfiniBand subnet. */

#include "ns3/ib-lids.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <sstream>

namespace ns3
{
namespace rdma
{

std::string
IbLids::Check(uint32_t endpoints, uint32_t lmc)
{
    std::ostringstream why;
    if (lmc > MAX_LMC)
    {
        why << "the LMC of an InfiniBand port is 0 to " << +MAX_LMC << ", got " << lmc;
        return why.str();
    }
    // The LIDs below 2^LMC are lost to the alignment: LID 0 is reserved.
    const uint32_t room = ((LAST_UNICAST + 1u) >> lmc) - 1;
    if (endpoints > room)
    {
        why << "an InfiniBand subnet with LMC " << lmc << " has LIDs for at most " << room
            << " host ports, got " << endpoints;
    }
    return why.str();
}

IbLids::IbLids(uint32_t endpoints, uint8_t lmc)
    : m_endpoints(endpoints),
      m_lmc(lmc)
{
    const std::string why = Check(endpoints, lmc);
    NS_ABORT_MSG_IF(!why.empty(), "The subnet cannot be addressed: " << why);
}

uint8_t
IbLids::GetLmc() const
{
    return m_lmc;
}

uint32_t
IbLids::GetPerPort() const
{
    return 1u << m_lmc;
}

uint32_t
IbLids::GetNEndpoints() const
{
    return m_endpoints;
}

uint16_t
IbLids::GetBase(uint32_t endpoint) const
{
    NS_ASSERT_MSG(endpoint < m_endpoints, "endpoint " << endpoint << " has no LID");
    return static_cast<uint16_t>((endpoint + 1) << m_lmc);
}

uint16_t
IbLids::GetTop() const
{
    return m_endpoints == 0 ? 0 : static_cast<uint16_t>(((m_endpoints + 1) << m_lmc) - 1);
}

uint32_t
IbLids::FindEndpoint(uint16_t lid) const
{
    const uint32_t block = lid >> m_lmc;
    return block == 0 || block > m_endpoints ? m_endpoints : block - 1;
}

} // namespace rdma
} // namespace ns3
