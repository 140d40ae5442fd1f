/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts with SRD NICs, one queue pair each, and what is placed where. */

#ifndef SRD_TEST_NET_H
#define SRD_TEST_NET_H

#include "rdma-test-net.h"

#include "ns3/rdma-srd-transport.h"

#include <map>

namespace ns3
{

/// What an SRD network is made of, before it is built.
struct SrdTestPlan
{
    ObjectFactory transport{"ns3::rdma::RdmaSrdTransport"};  //!< SRD transports
    ObjectFactory congestion{"ns3::rdma::RdmaNoCongestion"}; //!< of their peers
    ObjectFactory policy{"ns3::rdma::RdmaSinglePathPolicy"}; //!< of their peers
    rdma::RdmaSrdQpInitAttributes init;                      //!< queue pairs
    uint32_t cqSize{65536};                                  //!< completions that fit
};

/// Hosts with SRD NICs and a queue pair on each, in state RTS.
class SrdTestNet
{
  public:
    /// A host.
    struct Host
    {
        Ptr<rdma::RdmaContext> context;         //!< its verbs
        Ptr<rdma::RdmaSrdTransport> srd;        //!< its SRD transport
        Ptr<rdma::RdmaSrdQueuePair> queuePair;  //!< in state RTS
        Ptr<rdma::RdmaCompletionQueue> sendCq;  //!< completions of the send queue
        Ptr<rdma::RdmaCompletionQueue> recvCq;  //!< completions of receives
        rdma::RdmaMemoryRegion memory;          //!< from address 0 on
        Ptr<rdma::RdmaProtectionDomain> domain; //!< of queue pair and memory
    };

    /**
     * \param plan What SRD is made of.
     * \param change Called before anything is built; two hosts at 100 Gb/s and 1 us without a
     *        switch unless it says otherwise. There is no flow control.
     */
    explicit SrdTestNet(SrdTestPlan plan = SrdTestPlan(),
                        const std::function<void(RdmaTestPlan&)>& change = nullptr);

    /**
     * \param from A host.
     * \param to Another.
     * \param opcode What to do.
     * \param bytes Length.
     * \param id Number of the work request.
     * \return A work request that is in order, for the queue pairs of both.
     */
    rdma::RdmaSrdSendWr Make(uint32_t from,
                             uint32_t to,
                             rdma::RdmaWrOpcode opcode,
                             uint64_t bytes,
                             uint64_t id = 0);
    /**
     * Posts receives of the longest send.
     * \param host A host.
     * \param count How many.
     */
    void PostReceives(uint32_t host, uint32_t count);

    /// Runs to the end, and checks that nothing is left.
    void Run();

    /// \param host A host. \return Its SRD counters.
    const rdma::RdmaSrdCounters& Counters(uint32_t host) const;
    /// \param host A host. \return All completions of its send queue.
    std::vector<rdma::RdmaWc> Sent(uint32_t host);
    /// \param host A host. \return All completions of its receives.
    std::vector<rdma::RdmaWc> Received(uint32_t host);

    RdmaTestNet net;         //!< the network
    std::vector<Host> hosts; //!< by rank
};

/// Which bytes were placed how often, by the id in the remote address of a message.
class SrdPlacement
{
  public:
    /**
     * Begins to watch.
     * \param transport Where data is placed.
     */
    explicit SrdPlacement(Ptr<rdma::RdmaSrdTransport> transport);

    /**
     * \param address Remote address of a write.
     * \param bytes Its length.
     * \return Whether each of its bytes was placed exactly once.
     */
    bool IsWhole(uint64_t address, uint64_t bytes) const;

    /// \return Bytes placed.
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// \return Message numbers in the order in which their packets were placed.
    const std::vector<uint32_t>& GetOrder() const
    {
        return m_order;
    }

  private:
    std::map<uint64_t, uint64_t> m_ranges; //!< length by first address
    std::vector<uint32_t> m_order;         //!< messages
    uint64_t m_bytes{0};                   //!< placed
    bool m_twice{false};                   //!< whether a range was placed twice
};

/// \param completions Completions. \return Their numbers and SRD statuses.
std::vector<std::pair<uint64_t, rdma::RdmaSrdStatus>> SrdStatusOf(
    const std::vector<rdma::RdmaWc>& completions);

} // namespace ns3

#endif /* SRD_TEST_NET_H */
