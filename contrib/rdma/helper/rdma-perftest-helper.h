/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PERFTEST_HELPER_H
#define RDMA_PERFTEST_HELPER_H

#include "ns3/application-container.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-context.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Installs the two sides of a performance test (ns3::rdma::RdmaLatencyTest or
 * ns3::rdma::RdmaBandwidthTest) and connects them. The fabric between the NICs may be any.
 */
class RdmaPerftestHelper
{
  public:
    /// \param type Name of a TypeId derived from RdmaPerftestApplication.
    explicit RdmaPerftestHelper(const std::string& type);

    /**
     * \param name Attribute of both sides, for example "MessageSize".
     * \param value Its value for tests installed from now on.
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);
    /// \param attributes Path MTU, priority and so on of the queue pairs.
    void SetQueuePairAttributes(const rdma::RdmaQpAttributes& attributes);
    /**
     * \param client The NIC of the side that begins.
     * \param server The NIC of the other.
     * \return The two applications, the client's first, on the nodes of the NICs.
     */
    ApplicationContainer Install(Ptr<rdma::RdmaContext> client, Ptr<rdma::RdmaContext> server);

  private:
    ObjectFactory m_factory;             //!< makes applications
    rdma::RdmaQpAttributes m_attributes; //!< of queue pairs
};

} // namespace ns3

#endif /* RDMA_PERFTEST_HELPER_H */
