/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-transport.h"

#include "ns3/abort.h"
#include "ns3/rdma-rc-transport.h"

namespace ns3
{
namespace rdma
{

std::unique_ptr<RdmaTransport>
RdmaTransport::Make(RdmaQpType type,
                    RdmaConnection& connection,
                    RdmaTxJobs& jobs,
                    const RdmaQpInitAttributes& init)
{
    switch (type)
    {
    case RdmaQpType::RC:
        return std::make_unique<RdmaRcTransport>(connection, jobs, init);
    case RdmaQpType::UC:
    case RdmaQpType::UD:
        break;
    }
    NS_ABORT_MSG("There are no queue pairs of type " << static_cast<int>(type));
}

} // namespace rdma
} // namespace ns3
