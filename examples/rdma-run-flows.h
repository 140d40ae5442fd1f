/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue pairs of a run, from the first post to the last byte. */

#ifndef RDMA_RUN_FLOWS_H
#define RDMA_RUN_FLOWS_H

#include "rdma-experiment.h"
#include "rdma-results.h"
#include "rdma-run-connection.h"
#include "rdma-run-network.h"
#include "rdma-run-tcp.h"

#include "ns3/callback.h"
#include "ns3/rdma-helper.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Puts NICs on all hosts, connects a pair of queue pairs per flow when the flow starts, posts its
 * messages as RDMA WRITEs, and takes note of what arrives.
 */
class RunFlows
{
  public:
    /**
     * Schedules the start of the first flow.
     * \param experiment the flows; must outlive this object
     * \param network the fabric; must outlive this object
     */
    RunFlows(const Experiment& experiment, const RunNetwork& network);

    /**
     * \param done called once, when every flow has either finished or failed
     */
    void SetDone(Callback<void> done);

    /**
     * Takes note of which flows moved since the last call. The time of the last progress in the
     * results is as exact as the calls are frequent.
     * \param now the simulated time in picoseconds
     */
    void NoteProgress(int64_t now);

    /** \return payload bytes delivered so far by all flows */
    uint64_t GetDeliveredBytes() const;

    /** \return payload bytes of all flows */
    uint64_t GetTotalBytes() const;

    /** \return flows that have neither finished nor failed */
    std::size_t GetUnfinished() const;

    /**
     * Writes flows, CNPs and timeouts into a result.
     * \param result its flows, cnps and timeouts are set
     */
    void Collect(RunResult& result) const;

  private:
    /** A flow under way. */
    struct Live
    {
        std::unique_ptr<RunConnection> connection; //!< its queue pairs
        uint32_t completed{0};                     //!< messages completed at the sender
        uint32_t delivered{0};                     //!< messages delivered
    };

    /** What lies between the NICs that a flow uses. */
    struct Route
    {
        uint32_t source;               //!< index of the sending NIC
        uint32_t destination;          //!< index of the receiving NIC
        std::vector<RdmaPathHop> path; //!< the links between them
    };

    void InstallNics();

    /** Sets what RDMA NICs need on this fabric. */
    void Configure(RdmaHelper& helper) const;
    void FillResults();

    /** \return the pairs of NICs of two hosts with the fewest links between them, at least one */
    std::vector<Route> FindRoutes(uint32_t source, uint32_t destination) const;

    /** \return the pair that a flow uses: flows of two hosts take turns */
    const Route& GetRoute(uint32_t flow);

    /** Starts every flow that is due, and schedules itself for the next. */
    void StartDue();
    void Start(uint32_t flow);

    /** \return new queue pairs for a flow, by which it is found again */
    std::unique_ptr<RunConnection> Connect(uint32_t flow);

    /** All of a flow is at its destination. */
    void Finish(uint32_t flow, int64_t ps);

    /** SRD has placed a packet. */
    void SrdPlaced(const FabricFrame* frame, int64_t ps);

    /** SRD sends a packet again. */
    void SrdRetransmits(const FabricFrame* frame, int64_t ps);

    /** A message was placed whole. */
    void Delivered(const RdmaQueuePair* queuePair, uint64_t bytes, int64_t ps);

    /** A completion queue has completions. */
    void Completed(Ptr<RdmaCompletionQueue> completions);

    /** The flow needs nothing more from its queue pairs. */
    void End(uint32_t flow, const std::string& failure);

    /** Destroys queue pairs that have been idle long enough for stray packets to have arrived. */
    void DestroyOld(int64_t now);

    const Experiment& m_experiment;
    const RunNetwork& m_network;
    std::vector<RunNic> m_nics;                  //!< all NICs
    std::vector<Ipv4Address> m_addresses;         //!< TCP: by rank
    std::map<uint32_t, uint16_t> m_tcpFlows;      //!< TCP: by rank: flows to it so far
    uint64_t m_endedTcpBytes{0};                  //!< TCP: payload of flows that have ended
    std::vector<std::vector<uint32_t>> m_nicsOf; //!< by rank: indexes in m_nics
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Route>> m_routes; //!< by ranks of the hosts
    std::vector<uint32_t> m_order;                                        //!< flows by start
    std::size_t m_next{0};                     //!< the next flow to start, in m_order
    std::vector<FlowResult> m_results;         //!< by flow
    std::unordered_map<uint32_t, Live> m_live; //!< flows that have queue pairs
    std::unordered_map<const RdmaQueuePair*, uint32_t> m_flowOfReceiver; //!< for look-ups only
    std::unordered_map<uint64_t, uint32_t> m_flowOfKey; //!< of SRD, for look-ups only
    std::vector<uint32_t> m_active; //!< flows started and not ended, for progress
    std::deque<std::pair<int64_t, uint32_t>>
        m_ended;              //!< when, which; queue pairs not destroyed yet
    std::size_t m_unfinished; //!< flows neither finished nor failed
    uint64_t m_totalBytes{0}; //!< payload of all flows
    Callback<void> m_done;    //!< told when nothing is left
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_FLOWS_H
