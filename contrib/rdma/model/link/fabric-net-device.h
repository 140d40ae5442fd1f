/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "ns3/data-rate.h"
#include "ns3/fabric-network.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-trace.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"

#include <array>
#include <memory>

namespace ns3
{

class ErrorModel;

namespace rdma
{

class FabricChannel;

/**
 * \ingroup rdma
 * An Ethernet port as ns3::NetDevice: ns-3's own network stacks run over it, beside the RDMA NIC
 * or the switch that pulls from and pushes into the same FabricPort.
 *
 * Packets of a network stack wait in one queue per priority (their DSCP's upper three bits, or a
 * fixed priority), cross the fabric as frames that carry the ns3::Packet, and leave it with the CE
 * codepoint set when a switch marked them. The trace sources have the names of
 * PointToPointNetDevice; those with an ns3::Packet build one only when somebody listens.
 */
class FabricNetDevice : public NetDevice, public FabricTxSource, public FabricRxSink
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricNetDevice();
    ~FabricNetDevice() override;

    // -- configuration, before the simulation starts

    /// \param network The network that the device is part of; set once.
    void SetNetwork(Ptr<FabricNetwork> network);
    /// Makes the device reachable as a host's: gives it an endpoint number.
    void MakeEndpoint();
    /**
     * Makes the device a port of a switch or NIC with several.
     * \param driver The driver that runs all of them.
     * \param unit The number of this port.
     */
    void SetDriver(Ptr<FabricDriver> driver, uint32_t unit);
    /// \param flowControl Flow control of the link; FabricFlowControl (none) unless set.
    void SetFlowControl(Ptr<FabricFlowControl> flowControl);
    /**
     * \param channel A FabricChannel.
     * \return Whether it could be attached (always).
     */
    bool Attach(Ptr<FabricChannel> channel);

    /**
     * \param client What drives the port in the device's stead, a NIC; kept and disposed of with
     * the device.
     */
    void SetClient(Ptr<Object> client);
    /// \return What drives the port, or nullptr.
    Ptr<Object> GetClient() const;
    /**
     * \param filter Asked for each frame that comes, with its parsed fields: true when the frame is
     *        corrupt, beside those that the ReceiveErrorModel finds. A null callback: no filter.
     */
    void SetDropFilter(Callback<bool, const FabricFrame&> filter);

    /// \return The rate in bit/s.
    uint64_t GetRate() const;
    /// \return The network that the device is part of.
    Ptr<FabricNetwork> GetNetwork() const;
    /// \return The endpoint number, FABRIC_NO_ENDPOINT for a port of a switch.
    uint32_t GetEndpoint() const;
    /// \return The number of the device in its network, for digests.
    uint32_t GetDigestId() const;
    /// \return The port.
    FabricPort& GetPort();
    /// \return The port.
    const FabricPort& GetPort() const;
    /// \return The driver that runs the port; made on first use unless set.
    Ptr<FabricDriver> GetDriver();
    /// \return The cable, nullptr when none is attached.
    Ptr<FabricChannel> GetFabricChannel() const;
    /// \return How many frames were lost here, for each reason.
    uint64_t GetDrops(FabricDropReason reason) const;

    // -- for the port, the switch and the NIC

    /// \return A frame from the network's pool.
    FabricFrame* Allocate();
    /// \param frame A frame that nobody needs any more.
    void Free(FabricFrame* frame);
    /**
     * Counts and traces a frame that is lost here, and frees it.
     * \param frame The frame.
     * \param reason Why.
     * \param now The time in ps.
     */
    void Drop(FabricFrame* frame, FabricDropReason reason, int64_t now);
    /**
     * Takes the next packet of the network stack that is not blocked.
     * \param blocked Mask of priorities that must wait.
     * \return A frame, or nullptr.
     */
    FabricFrame* PullPacket(uint32_t blocked);

    /**
     * \param blocked Mask of priorities that must wait.
     * \return Whether PullPacket would return a frame.
     */
    bool HasPacket(uint32_t blocked) const
    {
        return m_queuedLanes & ~blocked;
    }

    /**
     * Hands a frame with a packet to the network stack.
     * \param frame A frame of kind PACKET, for this device or for all.
     * \param now The time in ps.
     */
    void DeliverPacket(FabricFrame* frame, int64_t now);

    /// \return Whether anybody watches what is sent.
    bool IsTxObserved() const
    {
        return m_txObserved;
    }

    /// \return Whether an error model or a filter may lose what is received.
    bool MayLose() const
    {
        return m_errorModel || !m_dropFilter.IsNull();
    }

    /// \return Whether anybody watches, or an error model checks, what is received.
    bool IsRxObserved() const
    {
        return m_rxObserved;
    }

    /**
     * Fires the trace sources of a transmission.
     * \param frame The frame.
     * \param begin When its first bit leaves, in ps.
     * \param end When its last bit leaves, in ps.
     */
    void ObserveTx(const FabricFrame& frame, int64_t begin, int64_t end);
    /**
     * Asks the error model, and fires the trace sources of a reception.
     * \param frame The frame.
     * \param now The time in ps.
     * \return false when the frame is corrupt.
     */
    bool ObserveRx(const FabricFrame& frame, int64_t now);
    /// \param channel The cable, which now has both ends.
    void NotifyConnected(Ptr<FabricChannel> channel);
    /// The cable was cut or mended.
    void NotifyLinkChanged();

    // -- FabricTxSource and FabricRxSink: a device without NIC or switch carries packets only
    FabricFrame* Pull(FabricPort& port, int64_t now, int64_t& next) override;
    void Receive(FabricPort& port, FabricFrame* frame, int64_t now) override;
    void LinkChanged(FabricPort& port, bool up, int64_t now) override;

    // -- NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

    /**
     * Signature of the trace sources FrameTx and FrameRx.
     * \param frame The frame.
     * \param ps The time in picoseconds.
     */
    typedef void (*FrameTracedCallback)(const FabricFrame* frame, int64_t ps);
    /**
     * Signature of the trace source FrameDrop.
     * \param frame The frame.
     * \param reason Why it was lost.
     * \param ps The time in picoseconds.
     */
    typedef void (*DropTracedCallback)(const FabricFrame* frame,
                                       FabricDropReason reason,
                                       int64_t ps);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// Packets of the network stack that wait for the wire.
    struct PacketQueues
    {
        std::array<FabricFrameQueue, FABRIC_PRIORITIES> lanes; //!< one queue per priority
        uint64_t bytes{0};                                     //!< bytes in all of them
    };

    /**
     * Gives the frame the fields that a switch looks at.
     * \param frame The frame.
     * \param packet The packet with its network layer header.
     * \param protocol EtherType.
     */
    void Classify(FabricFrame& frame, Ptr<const Packet> packet, uint16_t protocol) const;
    /**
     * \param frame A frame of any kind.
     * \return The packet that it stands for, nullptr when no codec is set.
     */
    Ptr<Packet> ToPacket(const FabricFrame& frame) const;
    /// \param rate The rate of the transmitter.
    void SetDataRate(DataRate rate);
    /// \return The rate of the transmitter.
    DataRate GetDataRate() const;
    /// \param model Decides which received frames are corrupt.
    void SetErrorModel(Ptr<ErrorModel> model);
    /// \return The error model.
    Ptr<ErrorModel> GetErrorModel() const;
    /// \param bytes Preamble and inter-frame gap.
    void SetOverhead(uint32_t bytes);
    /// \return Preamble and inter-frame gap in bytes.
    uint32_t GetOverhead() const;

    FabricPort m_port;                               //!< the hot part
    Ptr<FabricNetwork> m_network;                    //!< what is shared
    Ptr<FabricDriver> m_driver;                      //!< runs the port
    Ptr<FabricChannel> m_channel;                    //!< the cable
    Ptr<Node> m_node;                                //!< the node
    Ptr<Object> m_client;                            //!< what drives the port
    Ptr<ErrorModel> m_errorModel;                    //!< corrupts received frames
    Callback<bool, const FabricFrame&> m_dropFilter; //!< the same, by their fields
    std::unique_ptr<PacketQueues> m_queues;          //!< made with the first packet
    std::array<uint64_t, static_cast<int>(FabricDropReason::COUNT)> m_drops; //!< lost frames
    uint64_t m_maxQueueBytes;             //!< limit of the packet queues
    uint32_t m_queuedLanes{0};            //!< priorities with packets waiting
    uint32_t m_endpoint;                  //!< endpoint number
    uint32_t m_deviceId{0};               //!< number in the network
    uint32_t m_ifIndex{0};                //!< interface index
    uint16_t m_mtu;                       //!< largest network layer packet
    uint8_t m_priority;                   //!< priority of packets when DSCP is not trusted
    bool m_trustDscp;                     //!< whether DSCP decides the priority
    bool m_txObserved{false};             //!< a trace source of sending has a listener
    bool m_rxObserved{false};             //!< one of receiving has, or frames may be corrupt
    bool m_dropObserved{false};           //!< one of losing has
    Mac48Address m_address;               //!< MAC address
    ReceiveCallback m_receive;            //!< network stack
    PromiscReceiveCallback m_promiscuous; //!< network stack, all packets
    TracedCallback<> m_linkChange;        //!< who wants to know of link changes

    FabricTrace<const FabricFrame*, int64_t> m_frameTx;                     //!< frame sent
    FabricTrace<const FabricFrame*, int64_t> m_frameRx;                     //!< frame received
    FabricTrace<const FabricFrame*, FabricDropReason, int64_t> m_frameDrop; //!< frame lost
    FabricTrace<Ptr<const Packet>> m_macTx;          //!< packet accepted from the stack
    FabricTrace<Ptr<const Packet>> m_macTxDrop;      //!< packet refused
    FabricTrace<Ptr<const Packet>> m_macPromiscRx;   //!< packet received, any destination
    FabricTrace<Ptr<const Packet>> m_macRx;          //!< packet received for this device
    FabricTrace<Ptr<const Packet>> m_phyTxBegin;     //!< transmission begins
    FabricTrace<Ptr<const Packet>> m_phyTxEnd;       //!< transmission ends
    FabricTrace<Ptr<const Packet>> m_phyTxDrop;      //!< lost on a cut link
    FabricTrace<Ptr<const Packet>> m_phyRxEnd;       //!< received intact
    FabricTrace<Ptr<const Packet>> m_phyRxDrop;      //!< received corrupt
    FabricTrace<Ptr<const Packet>> m_sniffer;        //!< what a capture sees
    FabricTrace<Ptr<const Packet>> m_promiscSniffer; //!< what a promiscuous capture sees
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_NET_DEVICE_H */
