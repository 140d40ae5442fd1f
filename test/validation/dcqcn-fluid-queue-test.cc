/* SPDX-License-Identifier: GPL-2.0-only */
/* The reaction point alone, in front of the simplest queue there is, against the closed forms. */

#include "validation/dcqcn-fluid.h"

#include "ns3/rdma-dcqcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr int64_t US = 1000000;             // ps
constexpr uint64_t LINE_RATE = 40000000000; // bit/s
constexpr uint32_t PACKET_BYTES = 1000;
constexpr int64_t PACKET_TIME = 200000; // 1000 B at 40 Gb/s, ps
constexpr int64_t HALF_TRIP = 1 * US;   // sender to queue, and queue to receiver

/** What was measured. */
struct Outcome
{
    double queue;              //!< time average, packets
    std::vector<double> share; //!< bit/s per flow
};

/**
 * Paced senders, one FIFO with RED marking at dequeue, receivers that answer the first marked
 * packet at once, and those of the 50 us after that at their end, and nothing else: no transport, switch, PFC or ns-3 event.
 */
class Bottleneck
{
  public:
    /**
     * \param flows how many
     * \param kMax queue above which all is marked, packets; below the line of the paper goes on
     */
    Bottleneck(size_t flows, double kMax)
        : m_kMax(kMax)
        , m_lastCnp(flows, -50 * US)
        , m_sent(flows, 0)
    {
        for (size_t flow = 0; flow < flows; ++flow)
        {
            m_cc.push_back(CreateObject<RdmaDcqcn>());
            m_cc.back()->Start(LINE_RATE, 0);
            // Not all at once: equal flows in step would be marked in step.
            Schedule(static_cast<int64_t>(m_random() % PACKET_TIME), SEND, flow);
        }
    }

    /** Let things settle until \p from, then measure until \p to (ps). */
    Outcome Run(int64_t from, int64_t to)
    {
        double area = 0;
        int64_t last = from;
        while (std::get<0>(m_events.top()) < to)
        {
            const auto [now, order, kind, flow] = m_events.top();
            m_events.pop();
            if (now > from)
            {
                area += static_cast<double>(m_fifo.size()) * static_cast<double>(now - last);
                last = now;
            }
            Handle(now, kind, flow, now > from);
        }
        Outcome outcome{area / static_cast<double>(to - from), {}};
        for (uint64_t packets : m_sent)
        {
            outcome.share.push_back(static_cast<double>(packets) * PACKET_BYTES * 8 * 1e12 /
                                    static_cast<double>(to - from));
        }
        return outcome;
    }

  private:
    enum Kind
    {
        SEND,
        ENQUEUE,
        DEQUEUE,
        CNP
    };

    using Event = std::tuple<int64_t, uint64_t, Kind, size_t>;

    void Schedule(int64_t time, Kind kind, size_t flow)
    {
        m_events.emplace(time, m_order++, kind, flow);
    }

    void Handle(int64_t now, Kind kind, size_t flow, bool measured)
    {
        switch (kind)
        {
        case SEND:
        {
            m_cc[flow]->Sent(now, PACKET_BYTES);
            m_sent[flow] += measured;
            const double gap = PACKET_BYTES * 8e12 / static_cast<double>(m_cc[flow]->GetRate());
            Schedule(now + static_cast<int64_t>(gap), SEND, flow);
            Schedule(now + HALF_TRIP, ENQUEUE, flow);
            break;
        }
        case ENQUEUE:
            m_fifo.push_back(flow);
            if (m_fifo.size() == 1)
            {
                Schedule(now + PACKET_TIME, DEQUEUE, 0);
            }
            break;
        case DEQUEUE:
            Mark(now, m_fifo.front());
            m_fifo.pop_front();
            if (!m_fifo.empty())
            {
                Schedule(now + PACKET_TIME, DEQUEUE, 0);
            }
            break;
        case CNP:
            m_cc[flow]->Cnp(now);
            break;
        }
    }

    void Mark(int64_t now, size_t flow)
    {
        const double queue = static_cast<double>(m_fifo.size());
        const double ramp = 0.01 * (queue - 5) / (200 - 5);
        const double probability = queue > m_kMax ? 1.0 : std::max(0.0, ramp);
        const int64_t arrival = now + HALF_TRIP;
        if (std::uniform_real_distribution<double>()(m_random) < probability &&
            arrival >= m_lastCnp[flow])
        {
            // Within 50 us of a CNP the next one waits for their end.
            m_lastCnp[flow] = std::max(arrival, m_lastCnp[flow] + 50 * US);
            Schedule(m_lastCnp[flow] + 2 * HALF_TRIP, CNP, flow);
        }
    }

    std::mt19937_64 m_random{1};
    std::vector<Ptr<RdmaDcqcn>> m_cc;
    double m_kMax;
    std::vector<int64_t> m_lastCnp;
    std::vector<uint64_t> m_sent;
    std::deque<size_t> m_fifo;
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> m_events;
    uint64_t m_order{0};
};

// The queue settles where the fluid model says, and the flows share equally. Marking is linear up
// to 400 packets, as the theorem takes it; at the published Kmax of 200 it would jump from 1 % to 1,
// and the queue of 10 flows swings so far.
TEST(DcqcnFluidQueue, ReactionPointSettlesAtTheFixedPoint)
{
    const DcqcnFluidModel model = PaperDcqcnFluidModel();
    for (const int flows : {2, 4, 8, 10})
    {
        const Outcome outcome = Bottleneck(flows, 400).Run(300000 * US, 900000 * US);
        const double cycle = SolveDcqcnCycle(model, flows).queue;
        const double fluid = SolveDcqcnFixedPoint(model, flows).queue;
        std::printf(
            "%2d flows: queue %.1f packets; %.1f by the fluid model, %.1f from CNP to CNP\n",
            flows,
            outcome.queue,
            fluid,
            cycle);
        EXPECT_NEAR(outcome.queue / fluid, 1, 0.15) << flows << " flows";
        EXPECT_NEAR(outcome.queue / cycle, 1, 0.17) << flows << " flows";
        for (double share : outcome.share)
        {
            EXPECT_NEAR(share * flows / LINE_RATE, 1, 0.1) << flows << " flows";
        }
    }
    EXPECT_LT(Bottleneck(10, 200).Run(300000 * US, 900000 * US).queue,
              SolveDcqcnFixedPoint(model, 10).queue);
}

} // namespace
