/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes lists of transfers: permutation, incast, all-to-all, Poisson arrivals. */

#ifndef RDMA_TRAFFIC_H
#define RDMA_TRAFFIC_H

#include "ns3/fabric-cdf.h"
#include "ns3/ptr.h"
#include "ns3/rdma-flow.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class ExponentialRandomVariable;
class UniformRandomVariable;

/**
 * \ingroup rdma
 * Makes lists of transfers between the hosts of a network.
 *
 * Lists are in the order of their start and have the ids 0, 1, 2, ... What is the same for all
 * flows of a pattern (bytes, start, priority, port) is taken from a model flow. Only Permutation()
 * and Poisson() draw random numbers: the same seed, run and streams give the same flows.
 */
class RdmaTraffic
{
  public:
    /// What Poisson() makes.
    struct PoissonSpec
    {
        double load{0.5};                            //!< share of the hosts' rate, 0 < load
        uint64_t hostBitsPerSecond{100'000'000'000}; //!< rate of each host in bit/s, at least 1
        int64_t startPs{0};                          //!< when arrivals begin, in ps
        int64_t durationPs{1'000'000'000};           //!< how long they last, in ps
        uint8_t priority{3};                         //!< priority of all flows, 0 to 7
    };

    /// \param hosts How many hosts the network has, at least 1.
    explicit RdmaTraffic(uint32_t hosts);
    ~RdmaTraffic();

    /**
     * \param stream The first random stream to use.
     * \return How many are used.
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Every host sends to one other and receives from one other: a permutation without fixed
     * point, drawn with equal probability among all of them.
     * \param model What all flows have in common.
     * \return The flows, by source. At least 2 hosts are needed.
     */
    std::vector<RdmaFlow> Permutation(const RdmaFlow& model);

    /**
     * \param sources The ranks that send; one may be there several times.
     * \param model What all flows have in common, the destination included.
     * \return The flows, in the order of the sources.
     */
    std::vector<RdmaFlow> Incast(const std::vector<uint32_t>& sources, const RdmaFlow& model) const;

    /**
     * \param fanIn How many hosts send: those whose ranks follow the destination's, after the last
     *        rank from 0 on; fewer than there are hosts.
     * \param model What all flows have in common, the destination included.
     * \return The flows, in the order of the sources.
     */
    std::vector<RdmaFlow> FanIn(uint32_t fanIn, const RdmaFlow& model) const;

    /**
     * Every host sends to every other one.
     * \param model What all flows have in common.
     * \return The flows, round by round: in round r host s sends to the r-th rank after its own,
     *         so that in every round each host receives once. Nothing for a single host.
     */
    std::vector<RdmaFlow> AllToAll(const RdmaFlow& model) const;

    /**
     * Flows arrive at every host as a Poisson process of rate load x host rate / (8 x mean size),
     * with sizes from a distribution and destinations drawn evenly among the other hosts. Payload
     * bytes count as load, headers do not.
     * \param sizes The distribution of sizes.
     * \param spec The load, and for how long.
     * \return The flows. At least 2 hosts are needed.
     */
    std::vector<RdmaFlow> Poisson(const FabricCdf& sizes, const PoissonSpec& spec);

    /**
     * Checks a list that was written by hand.
     * \param flows The flows: hosts that exist, source and destination that differ, at least one
     *        byte, a start that is not negative, a priority from 0 to 7. Their ids do not count.
     * \return The flows in the order of their start, of the list when equal.
     */
    std::vector<RdmaFlow> Explicit(const std::vector<RdmaFlow>& flows) const;

  private:
    uint32_t m_hosts;                          //!< how many hosts there are
    Ptr<UniformRandomVariable> m_uniform;      //!< places and sizes
    Ptr<ExponentialRandomVariable> m_interval; //!< time between arrivals
};

} // namespace ns3

#endif /* RDMA_TRAFFIC_H */
