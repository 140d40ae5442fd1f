/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-transport.h"

#include "ns3/abort.h"
#include "ns3/rdma-rc-transport.h"
#include "ns3/rdma-uc-transport.h"
#include "ns3/rdma-ud-transport.h"

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
        return std::make_unique<RdmaUcTransport>(connection, jobs, init);
    case RdmaQpType::UD:
        return std::make_unique<RdmaUdTransport>(connection, jobs, init);
    }
    NS_ABORT_MSG("There are no queue pairs of type " << static_cast<int>(type));
}

} // namespace rdma
} // namespace ns3
