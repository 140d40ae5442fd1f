/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_EFA_HELPER_H
#define RDMA_EFA_HELPER_H

#include "ns3/fabric-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/rdma-helper.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Fabrics and NICs like those of AWS instances with Elastic Fabric Adapters: adapters per host and
 * their rate as AWS publishes them, SRD, and an Ethernet without flow control. Switches, cables and
 * buffers of AWS are not public: those are whatever the fabric is made of.
 */
class RdmaEfaHelper
{
  public:
    /// A kind of host.
    struct Generation
    {
        std::string name;       //!< what it is called here
        uint32_t adapters;      //!< NICs of a host
        uint64_t bitsPerSecond; //!< rate of each, bit/s
    };

    /**
     * \return What there is: eni-100g (c5n, p3dn: 1 x 100 Gb/s), p4d (4 x 100 Gb/s), p5 (32 x 100
     *         Gb/s), p5en (16 x 200 Gb/s).
     */
    static std::vector<Generation> GetGenerations();

    /// \param name Name of a generation; another name ends the program with a message.
    explicit RdmaEfaHelper(const std::string& name);

    /// \return The kind of hosts.
    const Generation& GetGeneration() const;

    /**
     * Sets what all EFA fabrics have: no flow control, jumbo frames, equal-cost multipath, and SRD
     * with its path policy and congestion control. Called before anything is built.
     * \param fabric Makes switches and ports.
     * \param rdma Makes NICs.
     */
    static void Configure(FabricHelper& fabric, RdmaHelper& rdma);

    /**
     * \param hosts How many hosts, at least 2.
     * \param delayPs Delay of each cable in ps.
     * \return Hosts with all their adapters at one switch, to try things out.
     */
    FabricTopology MakeStar(uint32_t hosts, int64_t delayPs) const;

  private:
    Generation m_generation; //!< kind of hosts
};

} // namespace ns3

#endif /* RDMA_EFA_HELPER_H */
