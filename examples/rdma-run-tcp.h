/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_RUN_TCP_H
#define RDMA_RUN_TCP_H

#include "rdma-experiment.h"
#include "rdma-run-connection.h"

#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/sequence-number.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

class Packet;
class Socket;
class TcpHeader;
class TcpSocketBase;

namespace rdma::runner
{

/**
 * Gives hosts ns-3's network stack, with buffers and timers as Linux has them.
 * \param hosts hosts with one port each
 * \param nic what the experiment says of their NICs
 * \return their addresses, by rank
 */
std::vector<Ipv4Address> InstallTcp(const NodeContainer& hosts, const NicSpec& nic);

/** \return payload of a full segment, with the timestamp option; \param mtu of IP packets */
uint32_t TcpSegmentBytes(uint32_t mtu);

/** A TCP connection of ns-3's own, in place of queue pairs. */
class TcpRunConnection : public RunConnection
{
  public:
    /** One end. */
    struct End
    {
        Ptr<Node> node;      //!< host
        Ipv4Address address; //!< its address
    };

    /**
     * \param spec the flow
     * \param source host that sends
     * \param destination host that receives
     * \param port where the destination listens, not in use
     * \param done called when all of the flow has come
     */
    TcpRunConnection(const FlowSpec& spec,
                     const End& source,
                     const End& destination,
                     uint16_t port,
                     std::function<void()> done);
    ~TcpRunConnection() override;

    void Post(uint32_t flow) override;
    uint64_t GetReceivedBytes() const override;
    uint64_t GetRetransmitted() const override;

  private:
    void Send(Ptr<Socket> socket, uint32_t room);
    void Connected(Ptr<Socket> socket);
    void Accept(Ptr<Socket> socket, const Address& from);
    void Receive(Ptr<Socket> socket);
    void Transmit(Ptr<const Packet> packet,
                  const TcpHeader& header,
                  Ptr<const TcpSocketBase> socket);

    uint64_t m_bytes;
    End m_destination;
    uint16_t m_port;
    std::function<void()> m_done;
    Ptr<Socket> m_sender;
    Ptr<Socket> m_listener;
    Ptr<Socket> m_receiver;
    uint64_t m_sent{0};
    uint64_t m_received{0};
    uint64_t m_retransmitted{0};
    SequenceNumber32 m_next{1}; //!< behind the highest byte sent
};

} // namespace rdma::runner
} // namespace ns3

#endif // RDMA_RUN_TCP_H
