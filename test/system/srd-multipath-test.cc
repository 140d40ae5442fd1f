/* SPDX-License-Identifier: GPL-2.0-only */
/* SRD over many paths: order, load on all of them, bad ones, incast, beside RoCE. */

#include "srd-test-net.h"

#include "ns3/double.h"
#include "ns3/fabric-path-selector.h"
#include "ns3/rdma-srd-congestion.h"
#include "ns3/rdma-srd-path-policy.h"
#include "ns3/rdma-traffic.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1'000'000; // ps
constexpr uint64_t MB = 1'000'000;

/// \return The algorithms of SRD.
SrdTestPlan
FullSrd()
{
    SrdTestPlan plan;
    plan.congestion.SetTypeId("ns3::rdma::RdmaSrdCongestion");
    plan.policy.SetTypeId("ns3::rdma::RdmaSrdPathPolicy");
    return plan;
}

/// How many bytes are placed at a host in intervals of time.
class Throughput
{
  public:
    /// \param interval Of time, in ps.
    explicit Throughput(int64_t interval)
        : m_interval(interval)
    {
    }

    /// \param transport Where data is placed.
    void Watch(Ptr<RdmaSrdTransport> transport)
    {
        transport->TraceConnectWithoutContext(
            "Placed",
            Callback<void, const FabricFrame*, int64_t>(
                [this](const FabricFrame* frame, int64_t ps) { Add(frame->payload, ps); }));
    }

    /**
     * \param bytes Bytes that are placed.
     * \param ps When.
     */
    void Add(uint64_t bytes, int64_t ps)
    {
        const auto index = static_cast<std::size_t>(ps / m_interval);
        if (m_bytes.size() <= index)
        {
            m_bytes.resize(index + 1);
        }
        m_bytes[index] += bytes;
    }

    /**
     * \param first The first interval.
     * \param count How many.
     * \return Gb/s of payload in them.
     */
    double Rate(std::size_t first, std::size_t count) const
    {
        uint64_t bytes = 0;
        for (std::size_t i = first; i < first + count && i < m_bytes.size(); ++i)
        {
            bytes += m_bytes[i];
        }
        return static_cast<double>(bytes) * 8e3 /
               static_cast<double>(m_interval * static_cast<int64_t>(count));
    }

  private:
    int64_t m_interval;            //!< ps
    std::vector<uint64_t> m_bytes; //!< by interval
};

/// Payload rate of a 100 Gb/s port whose packets are full: 8928 of 9022 + 20 bytes.
constexpr double FULL_SRD = 100.0 * 8928 / 9042;

/// What became of the flows of a permutation, in shares of the best payload rate.
struct Shares
{
    double mean;  //!< of all flows
    double least; //!< the slowest
};

/// \param shares Of each flow. \return What became of them.
Shares
Summarize(const std::vector<double>& shares)
{
    return {std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size()),
            *std::min_element(shares.begin(), shares.end())};
}

/// \param hosts How many. \return A permutation that does not depend on the run.
std::vector<RdmaFlow>
FixedPermutation(uint32_t hosts)
{
    RdmaTraffic traffic(hosts);
    traffic.AssignStreams(1'000);
    return traffic.Permutation(RdmaFlow());
}

/// SRD: a permutation of endless writes, measured from 500 us to 2,500 us.
Shares
PermuteSrd(SrdTestPlan plan)
{
    SrdTestNet test(plan, [](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::FatTree(8, FabricLinkSpec(), FabricLinkSpec());
    });
    std::vector<Throughput> rates(test.hosts.size(), Throughput(100 * US));
    for (const RdmaFlow& flow : FixedPermutation(static_cast<uint32_t>(test.hosts.size())))
    {
        rates[flow.destination].Watch(test.hosts[flow.destination].srd);
        EXPECT_EQ(test.hosts[flow.source].queuePair->PostSend(
                      test.Make(flow.source, flow.destination, RdmaWrOpcode::RDMA_WRITE, 40 * MB)),
                  0);
    }
    Simulator::Stop(MicroSeconds(2500));
    Simulator::Run();
    std::vector<double> shares;
    for (const Throughput& rate : rates)
    {
        shares.push_back(rate.Rate(5, 20) / FULL_SRD);
    }
    return Summarize(shares);
}

/// RoCE with ECMP and PFC: the same permutation. \param congestion Its congestion control.
Shares
PermuteRoce(const std::string& congestion)
{
    RdmaTestNet net([&congestion](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::FatTree(8, FabricLinkSpec(), FabricLinkSpec());
        parts.rdma.SetCongestionControl(congestion);
    });
    // 4096 bytes of payload in 4178 + 20 on the wire (BTH, RETH only in the first).
    constexpr double full = 100.0 * 4096 / 4178;
    std::vector<Ptr<RdmaQueuePair>> receivers;
    for (const RdmaFlow& flow : FixedPermutation(static_cast<uint32_t>(net.contexts.size())))
    {
        RdmaConnectedPair& pair = net.Connect(flow.source, flow.destination);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 20 * MB)), 0);
        receivers.push_back(pair.b.queuePair);
    }
    std::vector<uint64_t> before;
    Simulator::Schedule(MicroSeconds(300), [&] {
        for (const auto& receiver : receivers)
        {
            before.push_back(receiver->GetResponder().GetReceivedBytes());
        }
    });
    Simulator::Stop(MicroSeconds(1300));
    Simulator::Run();
    std::vector<double> shares;
    for (std::size_t i = 0; i < receivers.size(); ++i)
    {
        const uint64_t bytes = receivers[i]->GetResponder().GetReceivedBytes() - before[i];
        shares.push_back(static_cast<double>(bytes) * 8e-6 / full);
    }
    return Summarize(shares);
}

} // namespace

/// \return Completion times in us, by request, of writes that are all posted at the start.
std::vector<double>
CompletionTimes(SrdTestNet& test, const std::vector<RdmaFlow>& flows)
{
    std::vector<double> times(flows.size());
    std::vector<uint32_t> sources;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        EXPECT_EQ(
            test.hosts[flows[i].source].queuePair->PostSend(test.Make(flows[i].source,
                                                                      flows[i].destination,
                                                                      RdmaWrOpcode::RDMA_WRITE,
                                                                      flows[i].bytes,
                                                                      i)),
            0);
        sources.push_back(flows[i].source);
    }
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    for (const uint32_t source : sources)
    {
        auto queue = test.hosts[source].sendCq;
        queue->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([&times](Ptr<RdmaCompletionQueue> which) {
                for (const RdmaWc& completion : which->Poll(1000))
                {
                    EXPECT_EQ(completion.status, RdmaWcStatus::SUCCESS);
                    times[completion.wrId] = Simulator::Now().GetSeconds() * 1e6;
                }
                which->RequestNotify();
            }));
        queue->RequestNotify();
    }
    test.Run();
    std::sort(times.begin(), times.end());
    EXPECT_GT(times.front(), 0.0) << "all have completed";
    return times;
}

/// \param sorted Sorted numbers. \param share From 0 to 1. \return The number at that rank.
double
Percentile(const std::vector<double>& sorted, double share)
{
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

TEST(SrdMultipath, PermutationOnAFatTreeFillsAllLinks)
{
    const Shares srd = PermuteSrd(FullSrd());
    const Shares roce = PermuteRoce("ns3::rdma::RdmaDcqcn");
    const Shares plain = PermuteRoce("ns3::rdma::RdmaNoCongestion");
    std::cout << "share of the best payload rate, mean and slowest flow: SRD " << srd.mean << " "
              << srd.least << ", RoCE with DCQCN " << roce.mean << " " << roce.least
              << ", RoCE with PFC only " << plain.mean << " " << plain.least << "\n";
    EXPECT_GE(srd.mean, 0.95);
    EXPECT_GE(srd.least, 0.90);
    // Flows whose hashes collide share a link: two at most half of it each.
    EXPECT_LT(roce.least, 0.5);
    EXPECT_LT(plain.least, 0.5);
}

// B6.10: where static hashing collides, adaptive paths are no worse.
TEST(SrdMultipath, B6_10_AdaptivePathsAreNoWorseThanStaticOnes)
{
    SrdTestPlan onePath = FullSrd();
    onePath.policy.SetTypeId("ns3::rdma::RdmaSinglePathPolicy");
    SrdTestPlan oblivious = FullSrd();
    oblivious.policy.SetTypeId("ns3::rdma::RdmaSprayPathPolicy");
    const auto allToAll = [](const SrdTestPlan& plan) {
        SrdTestNet test(plan, [](RdmaTestPlan& parts) {
            parts.topology = FabricTopology::FatTree(4, FabricLinkSpec(), FabricLinkSpec());
        });
        RdmaFlow model;
        model.bytes = MB;
        return CompletionTimes(test, RdmaTraffic(16).AllToAll(model)).back();
    };
    const double single = allToAll(onePath);
    const double spray = allToAll(oblivious);
    const double adaptive = allToAll(FullSrd());
    // 15 MB per host at 100 Gb/s, payload share 8928 / 9042, ACKs of 106 bytes per packet.
    constexpr double best = 15e6 * 8 / 1e11 * 1e6 * (9042 + 106) / 8928;
    std::cout << "all-to-all, last of all in us: best " << best << ", one path " << single
              << ", oblivious " << spray << ", adaptive " << adaptive << "\n";
    EXPECT_LE(adaptive, single);
    EXPECT_LE(adaptive, spray * 1.05);
    EXPECT_LE(adaptive, best / 0.8);
}

// B5.1: order is not kept, and each message comes once.
TEST(SrdMultipath, B5_1_MessagesOvertakeEachOtherAndComeOnce)
{
    for (const bool spray : {false, true})
    {
        SrdTestPlan plan;
        plan.init.maxSendWr = plan.init.maxRecvWr = 1000;
        if (spray)
        {
            plan.policy.SetTypeId("ns3::rdma::RdmaSprayPathPolicy");
        }
        SrdTestNet test(plan, [](RdmaTestPlan& parts) {
            // Two switches, and four ways between them of 1, 2, 5 and 10 us.
            FabricTopology topology;
            const uint32_t a = topology.AddHost();
            const uint32_t b = topology.AddHost();
            const uint32_t left = topology.AddSwitch();
            const uint32_t right = topology.AddSwitch();
            topology.AddLink(a, left, FabricLinkSpec());
            topology.AddLink(b, right, FabricLinkSpec());
            for (const int64_t delay : {1, 2, 5, 10})
            {
                FabricLinkSpec link;
                link.delayPs = delay * US;
                topology.AddLink(left, right, link);
            }
            parts.topology = topology;
        });
        test.PostReceives(1, 1000);
        const SrdPlacement placement(test.hosts[1].srd);
        for (uint64_t i = 0; i < 1000; ++i)
        {
            auto send = test.Make(0, 1, RdmaWrOpcode::SEND_WITH_IMM, 1000, i);
            send.immediate = static_cast<uint32_t>(i);
            ASSERT_EQ(test.hosts[0].queuePair->PostSend(send), 0);
        }
        test.Run();
        std::vector<uint32_t> arrived;
        for (const RdmaWc& completion : test.Received(1))
        {
            arrived.push_back(completion.immediate);
        }
        const bool inOrder = std::is_sorted(arrived.begin(), arrived.end());
        EXPECT_EQ(inOrder, !spray);
        std::sort(arrived.begin(), arrived.end());
        ASSERT_EQ(arrived.size(), 1000u);
        for (uint32_t i = 0; i < 1000; ++i)
        {
            EXPECT_EQ(arrived[i], i);
        }
        EXPECT_EQ(placement.GetBytes(), 1'000'000u);
    }
}

/// RoCE with PFC and DCQCN: the same writes. \return Completion times in us, sorted.
std::vector<double>
IncastRoce(const std::vector<RdmaFlow>& flows)
{
    RdmaTestNet net([](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::LeafSpine({4, 4, 13}, FabricLinkSpec(), FabricLinkSpec());
        parts.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
    });
    std::vector<double> times;
    for (const RdmaFlow& flow : flows)
    {
        RdmaConnectedPair& pair = net.Connect(flow.source, flow.destination);
        pair.a.cq->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([&times](Ptr<RdmaCompletionQueue>) {
                times.push_back(Simulator::Now().GetSeconds() * 1e6);
            }));
        pair.a.cq->RequestNotify();
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, flow.bytes)),
                  0);
    }
    net.Run();
    EXPECT_EQ(times.size(), flows.size());
    std::sort(times.begin(), times.end());
    return times;
}

TEST(SrdMultipath, IncastDoesNotCollapse)
{
    std::vector<uint32_t> sources(48);
    std::iota(sources.begin(), sources.end(), 1);
    RdmaFlow model;
    model.bytes = MB;
    model.destination = 0;
    const auto flows = RdmaTraffic(49).Incast(sources, model);
    // 48 MB in full packets at 100 Gb/s: 113 packets a message, 48 x 1 MB x 9042 / 8928 = 48.6 MB.
    constexpr double best = 3889;
    SrdTestNet test(FullSrd(), [](RdmaTestPlan& parts) {
        parts.topology = FabricTopology::LeafSpine({4, 4, 13}, FabricLinkSpec(), FabricLinkSpec());
    });
    const auto times = CompletionTimes(test, flows);
    std::cout << "incast in us, best " << best << ": SRD p50 " << Percentile(times, 0.5) << " p99 "
              << Percentile(times, 0.99) << " last " << times.back() << " drops "
              << CountAllDrops(test.net.plan->fabric) << "\n";
    const auto roce = IncastRoce(flows);
    std::cout << "RoCE p50 " << Percentile(roce, 0.5) << " p99 " << Percentile(roce, 0.99)
              << " last " << roce.back() << "\n";
    EXPECT_LT(times.back(), best / 0.9) << "the port of the receiver is busy nearly all the time";
    EXPECT_LT(Percentile(times, 0.99) / Percentile(times, 0.5), 1.5);
}

/**
 * RoCE with go-back-N: what a cut core link does to the same flows.
 * \param link The link.
 * \return How many flows stand still.
 */
uint32_t
CutRoce(uint32_t link)
{
    RdmaTestNet net([](RdmaTestPlan& parts) {
        FabricLinkSpec fabric;
        fabric.bitsPerSecond = 200'000'000'000;
        parts.topology = FabricTopology::FatTree(4, FabricLinkSpec(), fabric);
        parts.rdma.SetCongestionControl("ns3::rdma::RdmaDcqcn");
    });
    net.plan->fabric.GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(Seconds(1)));
    const auto hosts = static_cast<uint32_t>(net.contexts.size());
    std::vector<Ptr<RdmaQueuePair>> receivers;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        RdmaConnectedPair& pair = net.Connect(i, (i + hosts / 2) % hosts);
        EXPECT_EQ(pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, 40 * MB)), 0);
        receivers.push_back(pair.b.queuePair);
    }
    std::vector<uint64_t> before;
    Simulator::Schedule(MicroSeconds(1000), [&] { net.built->GetChannel(link)->SetUp(false); });
    Simulator::Schedule(MicroSeconds(1100), [&] {
        for (const auto& receiver : receivers)
        {
            before.push_back(receiver->GetResponder().GetReceivedBytes());
        }
    });
    Simulator::Stop(MicroSeconds(2000));
    Simulator::Run();
    uint32_t still = 0;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        still += receivers[i]->GetResponder().GetReceivedBytes() == before[i];
    }
    return still;
}

TEST(SrdMultipath, ACutCoreLinkCostsLessThanAMillisecond)
{
    SrdTestNet test(FullSrd(), [](RdmaTestPlan& parts) {
        FabricLinkSpec fabric;
        fabric.bitsPerSecond = 200'000'000'000;
        parts.topology = FabricTopology::FatTree(4, FabricLinkSpec(), fabric);
    });
    // Routes do not follow: the transport alone has to find its way.
    test.net.plan->fabric.GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(Seconds(1)));
    Throughput rate(10 * US);
    const auto hosts = static_cast<uint32_t>(test.hosts.size());
    for (uint32_t i = 0; i < hosts; ++i)
    {
        rate.Watch(test.hosts[i].srd);
        ASSERT_EQ(test.hosts[i].queuePair->PostSend(
                      test.Make(i, (i + hosts / 2) % hosts, RdmaWrOpcode::RDMA_WRITE, 40 * MB)),
                  0);
    }
    // Links: 16 of hosts, 16 from edge to aggregation, then those of the core.
    Simulator::Schedule(MicroSeconds(1000), [&] { test.net.built->GetChannel(32)->SetUp(false); });
    test.Run();
    const double before = rate.Rate(20, 80);
    // The cut is at 1,000 us: how long is less than 90 % of that placed in 10 us?
    int64_t dip = 0;
    for (std::size_t i = 100; i < 200; ++i)
    {
        dip += rate.Rate(i, 1) < 0.9 * before ? 10 : 0;
    }
    std::cout << "goodput in Gb/s before " << before << ", in the 100 us behind the cut "
              << rate.Rate(100, 10) << ", later " << rate.Rate(120, 80) << "; below 90 % for "
              << dip << " us\n";
    EXPECT_GT(rate.Rate(120, 80), 0.95 * before);
    EXPECT_GT(CountDrops(test.net.plan->fabric, FabricDropReason::LINK_DOWN), 0u);
    // Of the links of the core, one that the hash of a flow has chosen.
    uint32_t still = 0;
    for (uint32_t link = 32; link < 48 && !still; ++link)
    {
        still = CutRoce(link);
    }
    std::cout << "RoCE: " << still << " of " << hosts
              << " flows stand still from 100 us behind the cut on, until routes change\n";
    EXPECT_GT(still, 0u);
    uint64_t delivered = 0;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        EXPECT_EQ(SrdStatusOf(test.Sent(i)).size(), 1u);
        delivered += test.Counters(i).deliveredBytes;
    }
    EXPECT_EQ(delivered, hosts * 40 * MB) << "nothing is lost, nothing placed twice";
    EXPECT_LT(dip, 1000);
}

// B5.7: to write and then tell costs a round trip on any number of paths; write with immediate does
// not.
TEST(SrdMultipath, B5_7_WriteThenSignalCostsARoundTrip)
{
    for (const uint32_t paths : {1U, 8U})
    {
        const auto run = [paths](bool immediate) {
            SrdTestPlan plan = FullSrd();
            plan.policy.SetTypeId("ns3::rdma::RdmaSprayPathPolicy");
            plan.policy.Set("Paths", UintegerValue(paths));
            SrdTestNet test(plan, [](RdmaTestPlan& parts) {
                parts.topology =
                    FabricTopology::LeafSpine({2, 8, 1}, FabricLinkSpec(), FabricLinkSpec());
            });
            test.PostReceives(1, 1);
            const auto write =
                immediate ? RdmaWrOpcode::RDMA_WRITE_WITH_IMM : RdmaWrOpcode::RDMA_WRITE;
            for (uint64_t i = 0; i < 64; ++i)
            {
                EXPECT_EQ(test.hosts[0].queuePair->PostSend(test.Make(0, 1, write, 16'384, i)), 0);
            }
            double told = 0;
            uint32_t done = 0;
            uint32_t arrived = 0;
            auto sent = test.hosts[0].sendCq;
            sent->SetNotify(
                Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> queue) {
                    done += static_cast<uint32_t>(queue->Poll(64).size());
                    queue->RequestNotify();
                    if (!immediate && done == 64)
                    {
                        EXPECT_EQ(test.hosts[0].queuePair->PostSend(
                                      test.Make(0, 1, RdmaWrOpcode::SEND, 8, 99)),
                                  0);
                    }
                }));
            sent->RequestNotify();
            auto received = test.hosts[1].recvCq;
            received->SetNotify(
                Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> queue) {
                    arrived += static_cast<uint32_t>(queue->Poll(64).size());
                    queue->RequestNotify();
                    told = Simulator::Now().GetSeconds() * 1e6;
                }));
            received->RequestNotify();
            test.Run();
            EXPECT_EQ(arrived, immediate ? 64u : 1u);
            return told;
        };
        const double fenced = run(false);
        const double immediate = run(true);
        // An ACK back and a send there: three cables of 1 us and two switches each way.
        std::cout << paths << " paths: the target knows after " << fenced
                  << " us with a signal behind the writes, " << immediate
                  << " us with immediate data\n";
        EXPECT_GT(fenced - immediate, 6.0);
        EXPECT_LT(fenced - immediate, 20.0);
    }
}
