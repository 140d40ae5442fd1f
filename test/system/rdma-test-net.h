/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts with NICs in a small network, connected, and what every run has to leave behind. */

#ifndef RDMA_TEST_NET_H
#define RDMA_TEST_NET_H

#include "fabric-test-checks.h"

#include "ns3/fabric-topology-helper.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-opcode.h"

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A frame as a test saw it go by.
struct SeenFrame
{
    int64_t ps;         //!< when its first bit left, or its last one came
    uint8_t opcode;     //!< BTH opcode
    uint32_t psn;       //!< PSN
    uint32_t payload;   //!< payload bytes
    uint8_t flags;      //!< FabricFrame::Flag bits
    uint8_t syndrome;   //!< AETH
    uint32_t msn;       //!< AETH
    uint32_t queuePair; //!< destination queue pair
    uint8_t priority;   //!< 802.1p
};

/// What a network is made of, before it is built.
struct RdmaTestPlan
{
    FabricTopology topology; //!< hosts, switches, links
    FabricHelper fabric;     //!< makes switches and ports
    RdmaHelper rdma;         //!< makes NICs
};

/// Hosts with NICs. The simulator is destroyed with it.
class RdmaTestNet
{
  public:
    /// Decides which frames are lost on their way to a host.
    using Filter = std::function<bool(const rdma::FabricFrame&)>;

    /**
     * Two hosts without a switch, at 100 Gb/s with a delay of 1 us.
     * \param change Called before anything is built.
     */
    explicit RdmaTestNet(const std::function<void(RdmaTestPlan&)>& change = nullptr);
    ~RdmaTestNet();

    /**
     * Connects two hosts.
     * \param a One, by rank.
     * \param b The other.
     * \param attributes Of both queue pairs.
     * \param init Of both queue pairs.
     * \return The pair; kept, so that a test can look at all completions.
     */
    RdmaConnectedPair& Connect(uint32_t a,
                               uint32_t b,
                               const rdma::RdmaQpAttributes& attributes = {},
                               const rdma::RdmaQpInitAttributes& init = {});
    /**
     * \param host A host.
     * \param filter Decides which frames that come to it are lost.
     */
    void Drop(uint32_t host, Filter filter);
    /**
     * Keeps a record of the RDMA frames that a host sends.
     * \param host A host.
     * \return The record.
     */
    const std::vector<SeenFrame>& RecordTx(uint32_t host);

    /// Runs to the end, and checks that nothing is left.
    void Run();

    /// \param host A host. \return Its NIC's counters.
    const rdma::RdmaCounters& Counters(uint32_t host) const;
    /// \param host A host. \return Its device.
    Ptr<rdma::FabricNetDevice> Device(uint32_t host) const;

    std::unique_ptr<RdmaTestPlan> plan;           //!< what it was made of
    std::unique_ptr<FabricTopologyHelper> built;  //!< nodes and cables
    std::vector<Ptr<rdma::RdmaContext>> contexts; //!< verbs, by host
    std::deque<RdmaConnectedPair> pairs;          //!< connections
    std::deque<std::vector<SeenFrame>> records;   //!< what hosts sent
};

/**
 * \param pair A connection.
 * \param opcode What to do.
 * \param bytes Length.
 * \param id Number of the work request.
 * \param reverse Whether from side b to side a.
 * \return A work request that is in order.
 */
rdma::RdmaSendWr MakeSend(const RdmaConnectedPair& pair,
                          rdma::RdmaWrOpcode opcode,
                          uint64_t bytes,
                          uint64_t id = 0,
                          bool reverse = false);

/**
 * \param side One side of a connection.
 * \param bytes Length of the receive.
 * \param id Its number.
 * \return A receive that is in order.
 */
rdma::RdmaRecvWr MakeRecv(const RdmaConnectedPair::Side& side, uint64_t bytes, uint64_t id = 0);

/// Number and status of a completion.
using IdAndStatus = std::pair<uint64_t, rdma::RdmaWcStatus>;

/**
 * Takes all completions of a side.
 * \param side The side.
 * \return The completions, oldest first.
 */
std::vector<rdma::RdmaWc> TakeAll(const RdmaConnectedPair::Side& side);

/// \param completions Completions. \return Their numbers and statuses.
std::vector<IdAndStatus> IdsOf(const std::vector<rdma::RdmaWc>& completions);

/**
 * \param first The first number.
 * \param count How many.
 * \param status Of all.
 * \return What IdsOf says of work requests that completed in order.
 */
std::vector<IdAndStatus> InOrder(uint64_t first,
                                 uint64_t count,
                                 rdma::RdmaWcStatus status = rdma::RdmaWcStatus::SUCCESS);

/// \param frames Frames. \return Their opcodes.
std::vector<uint8_t> OpcodesOf(const std::vector<SeenFrame>& frames);

} // namespace ns3

#endif /* RDMA_TEST_NET_H */
