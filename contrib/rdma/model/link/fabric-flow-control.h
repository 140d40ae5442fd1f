/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FLOW_CONTROL_H
#define FABRIC_FLOW_CONTROL_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{
namespace rdma
{

class FabricPort;

/**
 * \ingroup rdma
 * Link-level flow control of one port. The base class is no flow control at all: pause frames are
 * ignored and none is ever sent.
 *
 * The receiving side tells it when a lane has too much (SetReceiverFull); it tells its port which
 * lanes must not start a frame (FabricPort::SetBlocked).
 */
class FabricFlowControl : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /// \param port The port that it controls.
    void Bind(FabricPort* port);

    /**
     * \return Bit i set: nothing of lane (priority) i is lost between the two ends of the link,
     *         because the receiver can stop the sender.
     */
    uint32_t GetLossless() const;

    /**
     * The receiver's buffer for a lane has passed its upper threshold, or has come below the lower.
     * \param lane The lane (priority).
     * \param full Whether the sender at the far end should stop.
     * \param now The time in ps.
     */
    void SetReceiverFull(uint8_t lane, bool full, int64_t now);

    /**
     * \param frame A control frame that the port received; the caller frees it.
     * \param now The time in ps.
     */
    void ReceiveControl(const FabricFrame& frame, int64_t now);

    /**
     * Does what its timers are due to do.
     * \param now The time in ps.
     * \return The next deadline.
     */
    int64_t RunTimers(int64_t now);

    /**
     * Forgets pauses that were received and sent: the link was cut.
     * \param now The time in ps.
     */
    void Reset(int64_t now);

    /**
     * The port was plugged in at both ends, which agree on the protocol.
     * \param peer The flow control of the far end.
     */
    void Connect(FabricFlowControl& peer);

    /// \return What the two ends of a link must agree on, for comparison and for messages.
    virtual std::string GetProtocol() const;

  protected:
    void DoDispose() override;

    /// \return The port.
    FabricPort& GetPort() const
    {
        return *m_port;
    }

  private:
    /**
     * See Connect.
     * \param peer The far end.
     */
    virtual void DoConnect(FabricFlowControl& peer);
    /// \return See GetLossless.
    virtual uint32_t DoGetLossless() const;
    /**
     * See SetReceiverFull.
     * \param lane The lane.
     * \param full Whether to stop the sender.
     * \param now The time in ps.
     */
    virtual void DoSetReceiverFull(uint8_t lane, bool full, int64_t now);
    /**
     * See ReceiveControl.
     * \param frame The frame.
     * \param now The time in ps.
     */
    virtual void DoReceiveControl(const FabricFrame& frame, int64_t now);
    /**
     * See RunTimers.
     * \param now The time in ps.
     * \return The next deadline.
     */
    virtual int64_t DoRunTimers(int64_t now);
    /// \param now The time in ps.
    virtual void DoReset(int64_t now);

    FabricPort* m_port{nullptr}; //!< the port it controls
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_FLOW_CONTROL_H */
