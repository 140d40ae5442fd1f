/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-context.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Two connected queue pairs, with a memory region on each side that the other may read and write,
 * and a completion queue on each side.
 */
struct RdmaConnectedPair
{
    /// One side.
    struct Side
    {
        Ptr<rdma::RdmaContext> context;     //!< its verbs
        Ptr<rdma::RdmaQueuePair> queuePair; //!< in state RTS
        Ptr<rdma::RdmaCompletionQueue> cq;  //!< of both its queues
        rdma::RdmaMemoryRegion memory;      //!< its memory
    };

    Side a; //!< one side
    Side b; //!< the other
};

/**
 * \ingroup rdma
 * Puts RDMA NICs on the devices of hosts, and connects queue pairs.
 */
class RdmaHelper
{
  public:
    RdmaHelper();

    /**
     * \param name Attribute of RdmaNic, for example "AckInterval".
     * \param value Its value for NICs made from now on.
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /**
     * \param factory Makes the congestion control of queue pairs, for example of
     *        ns3::rdma::RdmaDcqcn; ns3::rdma::RdmaNoCongestion by default.
     */
    void SetCongestionControl(const ObjectFactory& factory);
    /**
     * \param type Name of a TypeId derived from RdmaCongestionOps.
     */
    void SetCongestionControl(const std::string& type);
    /**
     * \param factory Makes the loss recovery of queue pairs, for example of
     *        ns3::rdma::RdmaSelectiveRepeat; ns3::rdma::RdmaGoBackN by default. Both ends of a
     *        connection need the same.
     */
    void SetLossRecovery(const ObjectFactory& factory);
    /**
     * \param type Name of a TypeId derived from RdmaLossRecovery.
     */
    void SetLossRecovery(const std::string& type);

    /**
     * \param factory Makes the host interface of NICs, for example of ns3::rdma::RdmaHostInterface
     *        with its delays; NICs have none unless this is called.
     */
    void SetHostInterface(const ObjectFactory& factory);
    /**
     * Gives the NICs made from now on an SRD transport.
     * \param factory Makes it: ns3::rdma::RdmaSrdTransport with attributes.
     */
    void EnableSrd(const ObjectFactory& factory);
    /// \param factory Makes the congestion control of SRD peers; RdmaSrdCongestion by default.
    void SetSrdCongestionControl(const ObjectFactory& factory);
    /// \param factory Makes the path policy of SRD peers; RdmaSrdPathPolicy by default.
    void SetSrdPathPolicy(const ObjectFactory& factory);

    /**
     * \param device A FabricNetDevice of a host.
     * \return The verbs of its new NIC.
     */
    Ptr<rdma::RdmaContext> Install(Ptr<NetDevice> device);
    /**
     * \param devices FabricNetDevices of hosts.
     * \return The verbs of their new NICs, in the same order.
     */
    std::vector<Ptr<rdma::RdmaContext>> Install(const NetDeviceContainer& devices);

    /**
     * Connects two NICs: makes domains, regions of \p bytes, completion queues and queue pairs, and
     * takes the queue pairs to RTS.
     * \param a One NIC.
     * \param b The other.
     * \param attributes Attributes of both queue pairs; address and destination are filled in,
     *        access rights are widened to remote read and write.
     * \param init Attributes of creation; domain and completion queues are filled in. The
     *        congestion control is that of the NICs: one given here would be shared by both.
     * \param bytes Length of the memory region of each side, which begins at address 0.
     * \return Both sides.
     */
    static RdmaConnectedPair Connect(Ptr<rdma::RdmaContext> a,
                                     Ptr<rdma::RdmaContext> b,
                                     const rdma::RdmaQpAttributes& attributes,
                                     const rdma::RdmaQpInitAttributes& init,
                                     uint64_t bytes);
    /**
     * The same with default attributes.
     * \param a One NIC.
     * \param b The other.
     * \param bytes Length of the memory region of each side.
     * \return Both sides.
     */
    static RdmaConnectedPair Connect(Ptr<rdma::RdmaContext> a,
                                     Ptr<rdma::RdmaContext> b,
                                     uint64_t bytes = 1ULL << 40);

  private:
    ObjectFactory m_nicFactory;        //!< makes NICs
    ObjectFactory m_congestionFactory; //!< makes congestion controls
    ObjectFactory m_hostFactory;       //!< makes host interfaces
    bool m_hasHostInterface{false};    //!< whether it is used
    ObjectFactory m_srdFactory;        //!< makes SRD transports
    ObjectFactory m_srdCongestion;     //!< makes congestion controls of SRD peers
    ObjectFactory m_srdPolicy;         //!< makes path policies of SRD peers
    bool m_srd{false};                 //!< whether NICs get an SRD transport
    ObjectFactory m_recoveryFactory;   //!< makes loss recoveries
};

} // namespace ns3

#endif /* RDMA_HELPER_H */
