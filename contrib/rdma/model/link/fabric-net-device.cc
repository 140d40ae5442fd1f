/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-net-device.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/ethernet-header.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-flow-hash.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

namespace
{

constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;
constexpr uint32_t ETHERNET_BYTES = 14 + 4; // MAC header and FCS
constexpr uint32_t MINIMUM_BYTES = 64;      // IEEE 802.3, 4A.4.2

/**
 * \param address A MAC address.
 * \return The same as a number.
 */
uint64_t
ToNumber(Mac48Address address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    uint64_t number = 0;
    for (uint8_t byte : bytes)
    {
        number = number << 8 | byte;
    }
    return number;
}

/**
 * \param number A MAC address as a number.
 * \return The address.
 */
Mac48Address
ToMac(uint64_t number)
{
    uint8_t bytes[6];
    for (int i = 5; i >= 0; --i)
    {
        bytes[i] = static_cast<uint8_t>(number);
        number >>= 8;
    }
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

/**
 * \param bytes Big-endian bytes.
 * \return The 32-bit number that they are.
 */
uint32_t
Read32(const uint8_t* bytes)
{
    return static_cast<uint32_t>(bytes[0]) << 24 | static_cast<uint32_t>(bytes[1]) << 16 |
           static_cast<uint32_t>(bytes[2]) << 8 | bytes[3];
}

/**
 * \param bytes Big-endian bytes.
 * \return The 16-bit number that they are.
 */
uint16_t
Read16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

} // namespace

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricNetDevice>()
            .AddAttribute(
                "DataRate",
                "Rate of the transmitter.",
                DataRateValue(DataRate("100Gb/s")),
                MakeDataRateAccessor(&FabricNetDevice::SetDataRate, &FabricNetDevice::GetDataRate),
                MakeDataRateChecker())
            .AddAttribute("Address",
                          "MAC address; 02:00 and the number of the device unless set.",
                          Mac48AddressValue(Mac48Address()),
                          MakeMac48AddressAccessor(&FabricNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Largest packet of a network stack, in bytes. RDMA has a path MTU of "
                          "its own.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&FabricNetDevice::SetMtu, &FabricNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute(
                "FrameOverhead",
                "Bytes of wire time beside each frame: preamble 8 and inter-frame gap "
                "12 (IEEE 802.3).",
                UintegerValue(20),
                MakeUintegerAccessor(&FabricNetDevice::SetOverhead, &FabricNetDevice::GetOverhead),
                MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("MaxQueueBytes",
                          "Bytes of packets of a network stack that may wait for the wire; more "
                          "are dropped.",
                          UintegerValue(1000000),
                          MakeUintegerAccessor(&FabricNetDevice::m_maxQueueBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Priority",
                          "802.1p priority of packets of a network stack whose DSCP does not "
                          "decide.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_priority),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_PRIORITIES - 1))
            .AddAttribute("TrustDscp",
                          "Whether the upper three bits of an IP packet's DSCP are its priority.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricNetDevice::m_trustDscp),
                          MakeBooleanChecker())
            .AddAttribute("ReceiveErrorModel",
                          "Decides which received frames are corrupt; it is shown a packet of the "
                          "frame's length.",
                          PointerValue(),
                          MakePointerAccessor(&FabricNetDevice::SetErrorModel,
                                              &FabricNetDevice::GetErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("FrameTx",
                            "A frame goes onto the wire (its first bit leaves).",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameTx),
                            "ns3::rdma::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource("FrameRx",
                            "A frame has come from the wire intact.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameRx),
                            "ns3::rdma::FabricNetDevice::FrameTracedCallback")
            .AddTraceSource("FrameDrop",
                            "A frame is lost here.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameDrop),
                            "ns3::rdma::FabricNetDevice::DropTracedCallback")
            .AddTraceSource("MacTx",
                            "A packet of the network stack was accepted for transmission.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the network stack was refused.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet for a network stack has come, whoever it is for.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macPromiscRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet for this device's network stack has come.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a frame leaves.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxBegin),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame has left.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxDrop",
                            "A frame was lost because the link is down.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame has come intact.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame has come corrupt.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "What a capture on this device sees, both directions.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "What a promiscuous capture on this device sees, both directions.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricNetDevice::FabricNetDevice()
    : m_port(this),
      m_endpoint(FABRIC_NO_ENDPOINT),
      m_frameTx(m_txObserved),
      m_frameRx(m_rxObserved),
      m_frameDrop(m_dropObserved),
      m_macTx(m_txObserved),
      m_macTxDrop(m_txObserved),
      m_macPromiscRx(m_rxObserved),
      m_macRx(m_rxObserved),
      m_phyTxBegin(m_txObserved),
      m_phyTxEnd(m_txObserved),
      m_phyTxDrop(m_dropObserved),
      m_phyRxEnd(m_rxObserved),
      m_phyRxDrop(m_rxObserved),
      m_sniffer(m_txObserved, m_rxObserved),
      m_promiscSniffer(m_txObserved, m_rxObserved)
{
    m_drops.fill(0);
    m_port.SetSource(this);
    m_port.SetSink(this);
    m_port.SetFlowControl(CreateObject<FabricFlowControl>());
}

FabricNetDevice::~FabricNetDevice() = default;

void
FabricNetDevice::DoInitialize()
{
    NS_ABORT_MSG_IF(!m_network, "A FabricNetDevice is part of a FabricNetwork: call SetNetwork");
    GetDriver();
    NetDevice::DoInitialize();
}

void
FabricNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_driver)
    {
        m_driver->Stop();
    }
    if (m_client)
    {
        m_client->Dispose();
        m_client = nullptr;
    }
    m_port.SetFlowControl(nullptr);
    m_channel = nullptr;
    m_node = nullptr;
    m_errorModel = nullptr;
    m_dropFilter = Callback<bool, const FabricFrame&>();
    m_receive = ReceiveCallback();
    m_promiscuous = PromiscReceiveCallback();
    m_network = nullptr;
    NetDevice::DoDispose();
}

void
FabricNetDevice::SetNetwork(Ptr<FabricNetwork> network)
{
    NS_ABORT_MSG_IF(m_network, "A FabricNetDevice is part of one FabricNetwork only");
    m_network = network;
    m_deviceId = network->AddDevice(this);
    if (m_address == Mac48Address())
    {
        // Locally administered (IEEE 802, 8.2), and the same in each run of a process.
        m_address = ToMac(0x020000000000 + m_deviceId + 1);
    }
}

void
FabricNetDevice::MakeEndpoint()
{
    NS_ABORT_MSG_IF(!m_network, "A FabricNetDevice is part of a FabricNetwork: call SetNetwork");
    if (m_endpoint == FABRIC_NO_ENDPOINT)
    {
        m_endpoint = m_network->AddEndpoint(this);
    }
}

void
FabricNetDevice::SetDriver(Ptr<FabricDriver> driver, uint32_t unit)
{
    NS_ABORT_MSG_IF(m_driver, "The driver of a FabricNetDevice is set once, before it is used");
    m_driver = driver;
    m_port.SetDriver(PeekPointer(driver), unit);
}

Ptr<FabricDriver>
FabricNetDevice::GetDriver()
{
    if (!m_driver)
    {
        m_driver = Create<FabricDriver>();
        m_port.SetDriver(PeekPointer(m_driver), m_driver->AddUnit(&m_port));
        if (m_node)
        {
            m_driver->SetContext(m_node->GetId());
        }
    }
    return m_driver;
}

void
FabricNetDevice::SetFlowControl(Ptr<FabricFlowControl> flowControl)
{
    NS_ABORT_MSG_IF(m_channel && m_channel->GetNDevices() == 2,
                    "The flow control of a FabricNetDevice is set before its cable is plugged in");
    m_port.SetFlowControl(flowControl);
}

bool
FabricNetDevice::Attach(Ptr<FabricChannel> channel)
{
    m_channel = channel;
    channel->Attach(this);
    return true;
}

void
FabricNetDevice::NotifyConnected(Ptr<FabricChannel> channel)
{
    const Ptr<FabricNetDevice> peer = channel->GetPeer(this);
    const std::string mine = m_port.GetFlowControl().GetProtocol();
    const std::string theirs = peer->m_port.GetFlowControl().GetProtocol();
    NS_ABORT_MSG_IF(mine != theirs,
                    "The two ends of a link do not speak the same flow control: " << mine << " and "
                                                                                  << theirs);
    m_port.GetFlowControl().Connect(peer->m_port.GetFlowControl());
    GetDriver(); // a cable may be used, or cut, before the simulation starts
    m_linkChange();
}

void
FabricNetDevice::NotifyLinkChanged()
{
    m_linkChange();
}

void
FabricNetDevice::SetClient(Ptr<Object> client)
{
    NS_ABORT_MSG_IF(m_client, "A FabricNetDevice is driven by one NIC only");
    m_client = client;
}

Ptr<Object>
FabricNetDevice::GetClient() const
{
    return m_client;
}

uint64_t
FabricNetDevice::GetRate() const
{
    return m_port.GetRate();
}

void
FabricNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "The rate of a FabricNetDevice must be above 0 b/s");
    m_port.SetRate(rate.GetBitRate());
}

DataRate
FabricNetDevice::GetDataRate() const
{
    return DataRate(m_port.GetRate());
}

void
FabricNetDevice::SetOverhead(uint32_t bytes)
{
    m_port.SetOverhead(bytes);
}

uint32_t
FabricNetDevice::GetOverhead() const
{
    return m_port.GetOverhead();
}

void
FabricNetDevice::SetErrorModel(Ptr<ErrorModel> model)
{
    m_errorModel = model;
    m_rxObserved |= static_cast<bool>(model);
}

void
FabricNetDevice::SetDropFilter(Callback<bool, const FabricFrame&> filter)
{
    m_dropFilter = filter;
    m_rxObserved |= !filter.IsNull();
}

Ptr<ErrorModel>
FabricNetDevice::GetErrorModel() const
{
    return m_errorModel;
}

Ptr<FabricNetwork>
FabricNetDevice::GetNetwork() const
{
    return m_network;
}

uint32_t
FabricNetDevice::GetEndpoint() const
{
    return m_endpoint;
}

uint32_t
FabricNetDevice::GetDigestId() const
{
    return m_deviceId;
}

FabricPort&
FabricNetDevice::GetPort()
{
    return m_port;
}

const FabricPort&
FabricNetDevice::GetPort() const
{
    return m_port;
}

Ptr<FabricChannel>
FabricNetDevice::GetFabricChannel() const
{
    return m_channel;
}

uint64_t
FabricNetDevice::GetDrops(FabricDropReason reason) const
{
    return m_drops.at(static_cast<int>(reason));
}

FabricFrame*
FabricNetDevice::Allocate()
{
    return m_network->GetPool().Allocate();
}

void
FabricNetDevice::Free(FabricFrame* frame)
{
    m_network->GetPool().Free(frame);
}

void
FabricNetDevice::Drop(FabricFrame* frame, FabricDropReason reason, int64_t now)
{
    NS_LOG_INFO("endpoint " << frame->source << " to " << frame->destination << ": frame of "
                            << frame->bytes << " bytes lost: " << FabricDropReasonName(reason));
    ++m_drops[static_cast<int>(reason)];
    m_network->GetDigest().Drop(*frame, reason, now);
    if (m_dropObserved)
    {
        m_frameDrop(frame, reason, now);
        if (reason == FabricDropReason::LINK_DOWN && !m_phyTxDrop.IsEmpty())
        {
            m_phyTxDrop(ToPacket(*frame));
        }
    }
    Free(frame);
}

Ptr<Packet>
FabricNetDevice::ToPacket(const FabricFrame& frame) const
{
    if (frame.kind != FabricFrameKind::PACKET)
    {
        const Ptr<FabricFrameCodec> codec = m_network->GetCodec();
        return codec ? codec->ToPacket(frame) : Create<Packet>(frame.bytes - 4);
    }
    Ptr<Packet> packet = frame.net.packet->Copy();
    EthernetHeader header(false);
    header.SetSource(ToMac(frame.net.sourceMac));
    header.SetDestination(ToMac(frame.net.destinationMac));
    header.SetLengthType(frame.net.protocol);
    packet->AddHeader(header);
    return packet;
}

void
FabricNetDevice::ObserveTx(const FabricFrame& frame, int64_t begin, int64_t end)
{
    m_frameTx(&frame, begin);
    if (m_phyTxBegin.IsEmpty() && m_phyTxEnd.IsEmpty() && m_sniffer.IsEmpty() &&
        m_promiscSniffer.IsEmpty())
    {
        return;
    }
    const Ptr<const Packet> packet = ToPacket(frame);
    m_phyTxBegin(packet);
    m_sniffer(packet);
    m_promiscSniffer(packet);
    if (!m_phyTxEnd.IsEmpty())
    {
        const FabricClock& clock = m_driver->GetClock();
        Simulator::Schedule(
            clock.ToTime(end) - Simulator::Now(),
            [device = Ptr<FabricNetDevice>(this), packet] { device->m_phyTxEnd(packet); });
    }
}

bool
FabricNetDevice::ObserveRx(const FabricFrame& frame, int64_t now)
{
    const bool wanted = !m_phyRxEnd.IsEmpty() || !m_phyRxDrop.IsEmpty() || !m_sniffer.IsEmpty() ||
                        !m_promiscSniffer.IsEmpty();
    const Ptr<Packet> packet = wanted ? ToPacket(frame) : nullptr;
    if ((!m_dropFilter.IsNull() && m_dropFilter(frame)) ||
        (m_errorModel &&
         m_errorModel->IsCorrupt(packet ? packet->Copy() : Create<Packet>(frame.bytes))))
    {
        if (packet)
        {
            m_phyRxDrop(packet);
        }
        return false;
    }
    m_frameRx(&frame, now);
    if (packet)
    {
        m_phyRxEnd(packet);
        m_sniffer(packet);
        m_promiscSniffer(packet);
    }
    return true;
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol)
{
    return SendFrom(packet, m_address, dest, protocol);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocol)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocol);
    const uint32_t bytes = std::max(packet->GetSize() + ETHERNET_BYTES, MINIMUM_BYTES);
    const Mac48Address to = Mac48Address::ConvertFrom(dest);
    const uint32_t destination = m_network->FindMac(to);
    const bool full = m_queues && m_queues->bytes + bytes > m_maxQueueBytes;
    // A port of a switch has no stack of its own that would speak to the fabric.
    // IP over InfiniBand is not modelled: such a frame would have no LID.
    const bool infiniBand = m_port.GetIbLink();
    if (m_endpoint == FABRIC_NO_ENDPOINT || destination == FABRIC_NO_ENDPOINT || full ||
        infiniBand || packet->GetSize() > m_mtu || !IsLinkUp())
    {
        const FabricDropReason reason = infiniBand                  ? FabricDropReason::NO_RECEIVER
                                        : !IsLinkUp()               ? FabricDropReason::LINK_DOWN
                                        : packet->GetSize() > m_mtu ? FabricDropReason::TOO_LONG
                                        : full                      ? FabricDropReason::QUEUE_FULL
                                               : FabricDropReason::UNKNOWN_DESTINATION;
        ++m_drops[static_cast<int>(reason)];
        m_macTxDrop(packet);
        return false;
    }
    m_macTx(packet);
    FabricFrame* frame = Allocate();
    frame->kind = FabricFrameKind::PACKET;
    frame->source = m_endpoint;
    frame->destination = destination;
    frame->bytes = bytes;
    frame->payload = packet->GetSize();
    Classify(*frame, packet, protocol);
    packet->Ref();
    frame->net.packet = PeekPointer(packet);
    frame->net.protocol = protocol;
    frame->net.sourceMac = ToNumber(Mac48Address::ConvertFrom(source));
    frame->net.destinationMac = ToNumber(to);
    if (!m_queues)
    {
        m_queues = std::make_unique<PacketQueues>();
    }
    m_queues->lanes[frame->priority].Push(frame);
    m_queues->bytes += bytes;
    m_queuedLanes |= 1U << frame->priority;
    m_port.Wake(GetDriver()->GetClock().Now());
    return true;
}

void
FabricNetDevice::Classify(FabricFrame& frame, Ptr<const Packet> packet, uint16_t protocol) const
{
    uint8_t bytes[64] = {};
    packet->CopyData(bytes, sizeof(bytes));
    uint8_t trafficClass = 0;
    frame.priority = m_priority;
    frame.flowHash = FabricFlowHash(frame.source, frame.destination, 0, 0, 0);
    if (protocol == ETHERTYPE_IPV4)
    {
        trafficClass = bytes[1];
        const uint32_t headerBytes = (bytes[0] & 0xf) * 4;
        // Only the first fragment has the ports; more fragments (0x2000) or an offset tell of one.
        const bool fragment = Read16(bytes + 6) & 0x3fff;
        const uint8_t* ports = bytes + headerBytes;
        frame.flowHash = FabricFlowHash(Read32(bytes + 12),
                                        Read32(bytes + 16),
                                        fragment ? 0 : Read16(ports),
                                        fragment ? 0 : Read16(ports + 2),
                                        bytes[9]);
    }
    else if (protocol == ETHERTYPE_IPV6)
    {
        trafficClass = static_cast<uint8_t>(Read16(bytes) >> 4);
        uint32_t source = 0;
        uint32_t destination = 0;
        for (int i = 0; i < 16; i += 4)
        {
            source = FabricMix(source ^ Read32(bytes + 8 + i));
            destination = FabricMix(destination ^ Read32(bytes + 24 + i));
        }
        frame.flowHash =
            FabricFlowHash(source, destination, Read16(bytes + 40), Read16(bytes + 42), bytes[6]);
    }
    else
    {
        return;
    }
    frame.ecn = trafficClass & 3;
    if (m_trustDscp)
    {
        frame.priority = trafficClass >> 5;
    }
}

FabricFrame*
FabricNetDevice::PullPacket(uint32_t blocked)
{
    const uint32_t eligible = m_queuedLanes & ~blocked;
    if (!eligible)
    {
        return nullptr;
    }
    uint32_t lane = FABRIC_PRIORITIES - 1;
    while (!(eligible >> lane & 1))
    {
        --lane;
    }
    FabricFrame* frame = m_queues->lanes[lane].Pop();
    m_queues->bytes -= frame->bytes;
    if (m_queues->lanes[lane].IsEmpty())
    {
        m_queuedLanes &= ~(1U << lane);
    }
    return frame;
}

FabricFrame*
FabricNetDevice::Pull(FabricPort& port, int64_t now, int64_t& next)
{
    FabricFrame* frame = PullPacket(port.GetBlocked());
    next = HasPacket(port.GetBlocked()) ? now : FABRIC_NEVER;
    return frame;
}

void
FabricNetDevice::Receive(FabricPort&, FabricFrame* frame, int64_t now)
{
    if (frame->kind == FabricFrameKind::PACKET)
    {
        DeliverPacket(frame, now);
    }
    else
    {
        Drop(frame, FabricDropReason::NO_RECEIVER, now);
    }
}

void
FabricNetDevice::DeliverPacket(FabricFrame* frame, int64_t now)
{
    Ptr<Packet> packet = frame->net.packet;
    const uint16_t protocol = frame->net.protocol;
    const Mac48Address from = ToMac(frame->net.sourceMac);
    const Mac48Address to = ToMac(frame->net.destinationMac);
    const bool forUs = frame->destination == m_endpoint || frame->destination == FABRIC_BROADCAST;
    m_network->GetDigest().Delivery(*frame, now);
    // The frames of a broadcast share one packet, and the stack may change what it gets.
    packet = packet->Copy();
    if (frame->ecn == ECN_CE && protocol == ETHERTYPE_IPV4)
    {
        Ipv4Header header;
        packet->RemoveHeader(header);
        header.SetEcn(Ipv4Header::ECN_CE);
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum();
        }
        packet->AddHeader(header);
    }
    else if (frame->ecn == ECN_CE && protocol == ETHERTYPE_IPV6)
    {
        Ipv6Header header;
        packet->RemoveHeader(header);
        header.SetEcn(Ipv6Header::ECN_CE);
        packet->AddHeader(header);
    }
    if (!forUs)
    {
        Drop(frame, FabricDropReason::NOT_FOR_US, now);
    }
    else
    {
        Free(frame);
    }
    const PacketType type = to.IsBroadcast()  ? PACKET_BROADCAST
                            : to.IsGroup()    ? PACKET_MULTICAST
                            : to == m_address ? PACKET_HOST
                                              : PACKET_OTHERHOST;
    m_macPromiscRx(packet);
    if (!m_promiscuous.IsNull())
    {
        m_promiscuous(this, packet->Copy(), protocol, from, to, type);
    }
    if (forUs)
    {
        m_macRx(packet);
        if (!m_receive.IsNull())
        {
            m_receive(this, packet, protocol, from);
        }
    }
}

void
FabricNetDevice::LinkChanged(FabricPort&, bool, int64_t)
{
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
    if (m_network)
    {
        m_network->SetMac(this, m_address);
    }
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2 && m_channel->IsUp();
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
FabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return true;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
FabricNetDevice::IsPointToPoint() const
{
    // The cable has two ends; ns-3's parallel engines look here for links with a lookahead.
    return true;
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    if (m_driver)
    {
        m_driver->SetContext(node->GetId());
    }
}

bool
FabricNetDevice::NeedsArp() const
{
    return true;
}

void
FabricNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscuous = callback;
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace rdma
} // namespace ns3
