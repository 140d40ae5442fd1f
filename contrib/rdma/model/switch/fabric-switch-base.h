/* SPDX-License-Identifier: GPL-2.0-only */
/* What all switches have: ports on one driver, on a node. */

#ifndef FABRIC_SWITCH_BASE_H
#define FABRIC_SWITCH_BASE_H

#include "ns3/fabric-driver.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-tx-source.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <string>
#include <vector>

namespace ns3
{

class Node;

namespace rdma
{

/**
 * \ingroup rdma
 * A switch: FabricNetDevices as ports, run by one driver, aggregated to a node. What happens
 * between the ports is the business of FabricSwitch (Ethernet) and IbSwitch (InfiniBand).
 */
class FabricSwitchBase : public Object, public FabricTxSource, public FabricRxSink
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricSwitchBase();
    ~FabricSwitchBase() override;

    /**
     * \param device A device that becomes the next port; not yet plugged in.
     * \return The number of the port.
     */
    uint32_t AddPort(Ptr<FabricNetDevice> device);
    /**
     * \return Empty, or a sentence that says why the switch cannot do what its ports need. Called
     *         by itself when the simulation starts, where a sentence ends the program.
     */
    std::string CheckConfig();
    /**
     * \param stream First random stream to use.
     * \return How many are used.
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /**
     * \param coordinates Place of the switch in a regular network, for routing engines that go by it.
     */
    void SetCoordinates(std::vector<uint32_t> coordinates);
    /// \return Its place in a regular network; empty unless set.
    const std::vector<uint32_t>& GetCoordinates() const;

    /// \return Number of ports.
    uint32_t GetNPorts() const;
    /**
     * \param port A port number.
     * \return Its device.
     */
    Ptr<FabricNetDevice> GetPort(uint32_t port) const;
    /// \return The driver of all ports.
    Ptr<FabricDriver> GetDriver() const;
    /// \return The node that it is aggregated to.
    Ptr<Node> GetNode() const;

  protected:
    void DoInitialize() override;
    void DoDispose() override;
    void NotifyNewAggregate() override;

    /// \return The ports, by number.
    const std::vector<Ptr<FabricNetDevice>>& GetPorts() const
    {
        return m_ports;
    }

    /// \return Whether the configuration was checked, and is in use.
    bool IsConfigured() const
    {
        return m_configured;
    }

    /// \return The latency in ps.
    int64_t GetLatency() const;

    Time m_latency;  //!< time in the ingress pipeline
    bool m_runAhead; //!< whether the driver may run ahead of the clock

  private:
    /**
     * See AddPort.
     * \param port The new port.
     */
    virtual void DoAddPort(FabricPort& port);
    /// \return See CheckConfig; called once.
    virtual std::string DoConfigure() = 0;

    std::vector<Ptr<FabricNetDevice>> m_ports; //!< ports by number
    std::vector<uint32_t> m_coordinates;       //!< place in a regular network
    Ptr<FabricDriver> m_driver;                //!< runs the ports
    Node* m_node{nullptr};                     //!< the node
    bool m_configured{false};                  //!< whether DoConfigure was content
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_SWITCH_BASE_H */
