/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-tcp.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::rdma::runner
{

namespace
{

/** IPv4, TCP and its timestamp option. */
constexpr uint32_t HEADER_BYTES = 20 + 20 + 12;

/** The most that Linux gives a socket on its own (net.ipv4.tcp_rmem). */
constexpr uint32_t SOCKET_BUFFER = 6'291'456;

} // namespace

uint32_t
TcpSegmentBytes(uint32_t mtu)
{
    return mtu - HEADER_BYTES;
}

std::vector<Ipv4Address>
InstallTcp(const NodeContainer& hosts, const NicSpec& nic)
{
    // ARP would wait up to 10 ms before it asks, and lose all but 3 packets meanwhile.
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(10'000));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(TcpSegmentBytes(nic.mtu)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(SOCKET_BUFFER));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(SOCKET_BUFFER));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts);
    stack.AssignStreams(hosts, 2'000'000);
    NetDeviceContainer devices;
    for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
    {
        hosts.Get(rank)->GetDevice(0)->SetMtu(static_cast<uint16_t>(nic.mtu));
        devices.Add(hosts.Get(rank)->GetDevice(0));
    }
    Ipv4AddressHelper addresses("172.16.0.0", "255.240.0.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    std::vector<Ipv4Address> result;
    for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
    {
        result.push_back(interfaces.GetAddress(rank));
    }
    return result;
}

TcpRunConnection::TcpRunConnection(const FlowSpec& spec,
                                   const End& source,
                                   const End& destination,
                                   uint16_t port,
                                   std::function<void()> done)
    : m_bytes(spec.bytes * spec.messages),
      m_destination(destination),
      m_port(port),
      m_done(std::move(done)),
      m_sender(Socket::CreateSocket(source.node, TcpSocketFactory::GetTypeId())),
      m_listener(Socket::CreateSocket(destination.node, TcpSocketFactory::GetTypeId()))
{
    NS_ABORT_MSG_IF(m_listener->Bind(InetSocketAddress(destination.address, port)) != 0,
                    "port " << port << " is in use");
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&TcpRunConnection::Accept, this));
    m_sender->Bind(InetSocketAddress(source.address, 0));
    m_sender->TraceConnectWithoutContext("Tx", MakeCallback(&TcpRunConnection::Transmit, this));
}

TcpRunConnection::~TcpRunConnection()
{
    const auto nothing = MakeNullCallback<void, Ptr<Socket>>();
    for (const Ptr<Socket>& socket : {m_sender, m_listener, m_receiver})
    {
        if (socket)
        {
            socket->SetRecvCallback(nothing);
            socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
            socket->SetConnectCallback(nothing, nothing);
            socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
        }
    }
    m_sender->TraceDisconnectWithoutContext("Tx", MakeCallback(&TcpRunConnection::Transmit, this));
    m_listener->Close();
}

void
TcpRunConnection::Post(uint32_t)
{
    m_sender->SetConnectCallback(MakeCallback(&TcpRunConnection::Connected, this),
                                 MakeNullCallback<void, Ptr<Socket>>());
    m_sender->SetSendCallback(MakeCallback(&TcpRunConnection::Send, this));
    m_sender->Connect(InetSocketAddress(m_destination.address, m_port));
}

void
TcpRunConnection::Connected(Ptr<Socket> socket)
{
    Send(socket, socket->GetTxAvailable());
}

void
TcpRunConnection::Send(Ptr<Socket> socket, uint32_t)
{
    while (m_sent < m_bytes && socket->GetTxAvailable())
    {
        const auto some =
            static_cast<uint32_t>(std::min<uint64_t>(m_bytes - m_sent, socket->GetTxAvailable()));
        const int taken = socket->Send(Create<Packet>(some));
        if (taken <= 0)
        {
            return;
        }
        m_sent += static_cast<uint32_t>(taken);
    }
    if (m_sent == m_bytes)
    {
        socket->Close();
    }
}

void
TcpRunConnection::Accept(Ptr<Socket> socket, const Address&)
{
    m_receiver = socket;
    socket->SetRecvCallback(MakeCallback(&TcpRunConnection::Receive, this));
}

void
TcpRunConnection::Receive(Ptr<Socket> socket)
{
    while (const Ptr<Packet> packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break;
        }
        m_received += packet->GetSize();
    }
    if (m_received == m_bytes && m_done)
    {
        socket->Close();
        std::exchange(m_done, nullptr)();
    }
}

void
TcpRunConnection::Transmit(Ptr<const Packet> packet,
                           const TcpHeader& header,
                           Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() == 0)
    {
        return;
    }
    const SequenceNumber32 first = header.GetSequenceNumber();
    if (first < m_next)
    {
        ++m_retransmitted;
    }
    else
    {
        m_next = first + packet->GetSize();
    }
}

uint64_t
TcpRunConnection::GetReceivedBytes() const
{
    return m_received;
}

uint64_t
TcpRunConnection::GetRetransmitted() const
{
    return m_retransmitted;
}

} // namespace ns3::rdma::runner
