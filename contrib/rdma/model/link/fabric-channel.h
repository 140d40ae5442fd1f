/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/fabric-port.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>

namespace ns3
{
namespace rdma
{

class FabricNetDevice;

/**
 * \ingroup rdma
 * A full-duplex cable between two devices, with a propagation delay greater than 0.
 */
class FabricChannel : public Channel
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricChannel();

    /**
     * Plugs a device in. With the second one the cable is complete; the devices must use the same
     * kind of flow control.
     * \param device The device.
     */
    void Attach(Ptr<FabricNetDevice> device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * \param device One end.
     * \return The device at the other end, nullptr while there is none.
     */
    Ptr<FabricNetDevice> GetPeer(Ptr<const FabricNetDevice> device) const;

    /// \return The propagation delay.
    Time GetDelay() const;

    /**
     * Cuts the cable or mends it. A cut loses what is on the wire, in both directions, and what
     * is sent until it is mended.
     * \param up Whether the cable works.
     */
    void SetUp(bool up);
    /// \return Whether the cable works.
    bool IsUp() const;

    /**
     * Signature of the trace source LinkState.
     * \param channel The cable.
     * \param up Whether it works now.
     */
    typedef void (*LinkStateTracedCallback)(Ptr<const FabricChannel> channel, bool up);

  private:
    void DoDispose() override;

    std::array<Ptr<FabricNetDevice>, 2> m_devices;               //!< the two ends
    std::array<FabricWire, 2> m_wires;                           //!< i: from device i to the other
    Time m_delay;                                                //!< propagation delay
    TracedCallback<Ptr<const FabricChannel>, bool> m_stateTrace; //!< link up or down
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_CHANNEL_H */
