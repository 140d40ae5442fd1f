/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TX_SOURCE_H
#define FABRIC_TX_SOURCE_H

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace rdma
{

class FabricPort;

/**
 * \ingroup rdma
 * Where a port pulls its frames from: a NIC, the egress side of a switch, or the packet queue of
 * a device. Who implements it is the only difference between hosts and switches.
 */
class FabricTxSource
{
  public:
    virtual ~FabricTxSource() = default;
    /**
     * Gives the frame to transmit now, if there is one in a lane that the port does not block.
     * \param port The port that asks; its wire is free.
     * \param now The time in picoseconds.
     * \param next On return: FABRIC_NEVER when nothing is left until FabricPort::Wake is called,
     *        \p now when another frame may follow, else the time at which to ask again.
     * \return A frame, which is the port's from here on, or nullptr.
     */
    virtual FabricFrame* Pull(FabricPort& port, int64_t now, int64_t& next) = 0;
    /**
     * The last bit of the frame that was pulled last has left. Only told to sources that ask for it
     * (FabricPort::SetSourceAsks), which must have the port ask again then.
     * \param port The port; its wire is free.
     * \param now The time in picoseconds.
     */
    virtual void Departed(FabricPort&, int64_t)
    {
    }
};

/**
 * \ingroup rdma
 * Where the frames go that a port receives.
 */
class FabricRxSink
{
  public:
    virtual ~FabricRxSink() = default;
    /**
     * \param port The port by which the frame came.
     * \param frame The frame, which is the sink's from here on.
     * \param now The time in picoseconds.
     */
    virtual void Receive(FabricPort& port, FabricFrame* frame, int64_t now) = 0;
    /**
     * The link of the port went up or down.
     * \param port The port.
     * \param up Whether the link works now.
     * \param now The time in picoseconds.
     */
    virtual void LinkChanged(FabricPort& port, bool up, int64_t now) = 0;
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_TX_SOURCE_H */
