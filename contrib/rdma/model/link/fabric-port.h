/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "ns3/fabric-driver.h"
#include "ns3/fabric-flow-control.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-serializer.h"
#include "ns3/fabric-tx-source.h"
#include "ns3/ptr.h"

namespace ns3
{
namespace rdma
{

class FabricFramePool;
class FabricNetDevice;
class FabricPort;
class IbLink;

/**
 * \ingroup rdma
 * One direction of a link: the frames in flight, in the order in which they arrive.
 */
struct FabricWire
{
    FabricFrameQueue data;         //!< frames on their way to the receiver's sink
    FabricFrameQueue control;      //!< control frames, which end at the receiver's port
    FabricPort* receiver{nullptr}; //!< the port at the far end
    int64_t delay{0};              //!< propagation delay, ps
    bool up{true};                 //!< whether what is sent arrives
};

/**
 * \ingroup rdma
 * The hot part of a device: pulls frames from its source when the wire is free, serializes them
 * exactly, puts them on the wire, and hands to its sink what arrives.
 *
 * Control frames (IEEE 802.1Qbb pause, InfiniBand flow control packets) are real frames: they take
 * wire time, go ahead of data, and end at the port that receives them.
 */
class FabricPort : public FabricDriverUnit
{
  public:
    /// What a port counts. Bytes are from MAC header to FCS.
    struct Counters
    {
        uint64_t txFrames{0};        //!< data frames put on the wire
        uint64_t txBytes{0};         //!< their bytes
        uint64_t rxFrames{0};        //!< data frames received intact
        uint64_t rxBytes{0};         //!< their bytes
        uint64_t txControlFrames{0}; //!< control frames sent
        uint64_t rxControlFrames{0}; //!< control frames received
    };

    /// \param device The device that the port belongs to.
    explicit FabricPort(FabricNetDevice* device);
    ~FabricPort() override;
    FabricPort(const FabricPort&) = delete;
    FabricPort& operator=(const FabricPort&) = delete;

    /**
     * \param driver Runs the port's deadlines.
     * \param unit The port's number there.
     */
    void SetDriver(FabricDriver* driver, uint32_t unit);
    /// \param source Where frames to transmit come from.
    void SetSource(FabricTxSource* source);
    /// \param sink Where received frames go to.
    void SetSink(FabricRxSink* sink);
    /// \param flowControl The link's flow control; bound to this port.
    void SetFlowControl(Ptr<FabricFlowControl> flowControl);
    /// \param latency Time that a received frame spends before it reaches the sink, in ps.
    void SetIngressLatency(int64_t latency);
    /**
     * Hands a frame to the sink as soon as its first bytes have come, not the last: cut-through.
     * \param bytes How many must have come; 0: all of them.
     */
    void SetCutThrough(uint32_t bytes);
    /**
     * For a sink that holds what it receives: without it a frame's credits go back at once.
     * \param holds Whether the sink calls IbLink::Release for each frame.
     */
    void SetSinkHolds(bool holds);
    /**
     * For a source that asks IbLink::MaySend itself, and wants to know when a frame has left:
     * without it the port asks, and keeps a frame that has to wait.
     * \param asks Whether it does.
     */
    void SetSourceAsks(bool asks);
    /// \param bitsPerSecond Rate of the transmitter.
    void SetRate(uint64_t bitsPerSecond);
    /// \param overhead Bytes of wire time beside each frame: preamble and inter-frame gap.
    void SetOverhead(uint32_t overhead);
    /**
     * Connects the port to a link.
     * \param out The wire it sends on.
     * \param in The wire it receives from.
     */
    void Connect(FabricWire* out, FabricWire* in);

    /// \return The number of the port in its switch or NIC.
    uint32_t GetIndex() const
    {
        return m_unit;
    }

    /// \return The device that the port belongs to.
    FabricNetDevice* GetDevice() const
    {
        return m_device;
    }

    /// \return The transmitter's rate in bit/s.
    uint64_t GetRate() const
    {
        return m_serializer.GetRate();
    }

    /// \return Bytes of wire time beside each frame.
    uint32_t GetOverhead() const
    {
        return m_overhead;
    }

    /// \return When the transmitter is free, in ps.
    int64_t GetFree() const
    {
        return m_serializer.GetFree();
    }

    /// \return The flow control of the link.
    FabricFlowControl& GetFlowControl() const
    {
        return *m_flowControl;
    }

    /// \return The link layer of an InfiniBand port, nullptr on Ethernet.
    IbLink* GetIbLink() const
    {
        return m_ibLink;
    }

    /// \return Bit i set: lane (priority) i must not start a frame now.
    uint32_t GetBlocked() const
    {
        return m_blocked;
    }

    /// \return What the port counted.
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// \return The wire it sends on, nullptr while not connected.
    const FabricWire* GetWire() const
    {
        return m_out;
    }

    /// \return The wire it receives from, nullptr while not connected.
    const FabricWire* GetInWire() const
    {
        return m_in;
    }

    /// \return The time that a received frame spends before it reaches the sink, in ps.
    int64_t GetIngressLatency() const
    {
        return m_ingressLatency;
    }

    /// \return The driver that runs the port.
    FabricDriver& GetDriver() const
    {
        return *m_driver;
    }

    /**
     * Tells the port that its source has something to send.
     * \param now The time in ps.
     */
    void Wake(int64_t now)
    {
        if (m_pulling)
        {
            return;
        }
        const int64_t free = m_serializer.GetFree();
        if (free <= now)
        {
            ArmTransmit(Transmit(now));
        }
        else if (m_transmitAt > free)
        {
            ArmTransmit(free);
        }
    }

    /**
     * Sends a control frame ahead of all data.
     * \param frame The frame.
     * \param now The time in ps.
     */
    void SendControl(FabricFrame* frame, int64_t now);

    /**
     * Has IbLink::NextControl asked for a frame as soon as the wire is free, ahead of all data.
     * \param now The time in ps.
     */
    void RequestControl(int64_t now)
    {
        m_controlDue = true;
        Wake(now);
    }

    /**
     * Hands control frames that have come to the flow control. Only needed while they are lazy.
     * \param now The time in ps.
     */
    void TakeControl(int64_t now)
    {
        while (const FabricFrame* head = m_in->control.Peek())
        {
            if (head->time > now)
            {
                break;
            }
            ReceiveControl(head->time);
        }
    }

    /**
     * \param lazy Whether control frames that come may wait on the wire until TakeControl is called:
     *        then they cost no event. Their effect must not be seen before that.
     */
    void SetControlLazy(bool lazy);

    /**
     * Blocks and unblocks lanes; called by the flow control.
     * \param lanes Mask of the lanes that must not start a frame.
     * \param now The time in ps.
     */
    void SetBlocked(uint32_t lanes, int64_t now);

    /**
     * Sets the timer of the flow control.
     * \param time When to call FabricFlowControl::RunTimers, in ps.
     */
    void ArmTimer(int64_t time);

    /**
     * The link went up or down: what is on the wire towards this port is lost.
     * \param up Whether the link works now.
     * \param now The time in ps.
     */
    void LinkChanged(bool up, int64_t now);

    int64_t OnDeadline(FabricDeadline kind, int64_t now) override;

  private:
    /**
     * Starts the next frame if there is one.
     * \param now The time in ps; the wire is free.
     * \return When to try again.
     */
    int64_t Transmit(int64_t now);
    /**
     * On InfiniBand: finds a data frame that there are credits for.
     * \param now The time in ps.
     * \param next See FabricTxSource::Pull.
     * \return The frame, or nullptr.
     */
    FabricFrame* PullWithCredit(int64_t now, int64_t& next);
    /**
     * Transmit, on InfiniBand: flow control packets and credits are looked at, and departures told.
     * \param now The time in ps; the wire is free.
     * \return When to try again.
     */
    int64_t TransmitCredited(int64_t now);
    /**
     * Puts a frame on the wire, if there is one; the end of a try to transmit.
     * \param frame The frame, or nullptr.
     * \param now The time in ps.
     * \param control Whether it is a control frame.
     * \param next When to try again, but for the wire.
     * \return When to try again.
     */
    int64_t Start(FabricFrame* frame, int64_t now, bool control, int64_t next);
    /**
     * A data frame goes onto an InfiniBand wire: its credits are used up, and a switch that cuts
     * through gets it early.
     * \param frame The frame; its time is that of its last bit.
     * \param now When its first bit leaves, in ps.
     */
    void SendCredited(FabricFrame& frame, int64_t now);
    /**
     * Takes the next data frame off an InfiniBand wire.
     * \param now The time in ps.
     */
    void ReceiveCredited(int64_t now);
    /**
     * \param frame A data frame that has come; dropped when it is corrupt.
     * \param now The time in ps.
     * \return Whether it is not.
     */
    bool IsIntact(FabricFrame* frame, int64_t now);
    /**
     * Counts a data frame and hands it to the sink.
     * \param frame The frame.
     * \param now The time in ps.
     */
    void Deliver(FabricFrame* frame, int64_t now);
    /**
     * Puts a frame on the wire.
     * \param frame The frame.
     * \param now When its first bit leaves, in ps.
     * \param control Whether it is a control frame.
     */
    void Put(FabricFrame* frame, int64_t now, bool control);
    /**
     * Takes the next data frame off the wire.
     * \param now The time in ps.
     * \return When the one behind it arrives.
     */
    int64_t ReceiveData(int64_t now);
    /**
     * Takes the next control frame off the wire.
     * \param now The time in ps.
     * \return When the one behind it arrives.
     */
    int64_t ReceiveControl(int64_t now);

    /// \param time The next try to transmit, in ps.
    void ArmTransmit(int64_t time)
    {
        if (time != m_transmitAt)
        {
            m_transmitAt = time;
            m_driver->Arm(m_unit, FabricDeadline::TRANSMIT, time);
        }
    }

    FabricWire* m_out{nullptr};           //!< wire to send on
    FabricWire* m_in{nullptr};            //!< wire to receive from
    FabricTxSource* m_source{nullptr};    //!< where frames come from
    FabricRxSink* m_sink{nullptr};        //!< where frames go to
    FabricDriver* m_driver{nullptr};      //!< runs the deadlines
    FabricNetDevice* m_device;            //!< whose port it is
    FabricSerializer m_serializer;        //!< exact wire time
    int64_t m_transmitAt{FABRIC_NEVER};   //!< the deadline set for TRANSMIT
    int64_t m_ingressLatency{0};          //!< ps between wire and sink
    IbLink* m_ibLink{nullptr};            //!< m_flowControl, on InfiniBand
    uint32_t m_unit{0};                   //!< number at the driver
    uint32_t m_overhead{20};              //!< preamble 8 + gap 12
    uint32_t m_blocked{0};                //!< lanes that must wait
    uint32_t m_cutThrough{0};             //!< bytes to wait for before the sink gets a frame
    bool m_pulling{false};                //!< inside FabricTxSource::Pull
    bool m_sinkHolds{false};              //!< the sink releases frames itself
    bool m_sourceAsks{false};             //!< the source asks for credits itself
    bool m_departing{false};              //!< a frame of such a source is leaving
    bool m_controlDue{false};             //!< IbLink has a control frame
    bool m_controlLazy{false};            //!< control frames wait until somebody looks
    FabricFrameQueue m_kept;              //!< frames that wait for credits, one per lane at most
    Counters m_counters;                  //!< statistics
    FabricFrameQueue m_control;           //!< control frames to send
    Ptr<FabricFlowControl> m_flowControl; //!< PFC, or none
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PORT_H */
