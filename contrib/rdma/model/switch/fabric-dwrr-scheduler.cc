/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-dwrr-scheduler.h"

#include "ns3/abort.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricDwrrScheduler);

TypeId
FabricDwrrScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricDwrrScheduler")
            .SetParent<FabricEgressScheduler>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricDwrrScheduler>()
            .AddAttribute("Weights",
                          "Weight of each lane from 0 to 7, with a space between; 1 to 1000.",
                          StringValue("1 1 1 1 1 1 1 1"),
                          MakeStringAccessor(&FabricDwrrScheduler::SetWeights,
                                             &FabricDwrrScheduler::GetWeights),
                          MakeStringChecker())
            .AddAttribute("Quantum",
                          "Bytes that a lane of weight 1 may send per round.",
                          UintegerValue(1600),
                          MakeUintegerAccessor(&FabricDwrrScheduler::m_quantum),
                          MakeUintegerChecker<uint32_t>(64))
            .AddAttribute("StrictLanes",
                          "Mask of lanes that go before all others, the highest first.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricDwrrScheduler::m_strict),
                          MakeUintegerChecker<uint32_t>(0, 255));
    return tid;
}

FabricDwrrScheduler::FabricDwrrScheduler()
    : FabricEgressScheduler(true)
{
}

void
FabricDwrrScheduler::SetWeights(const std::string& weights)
{
    std::istringstream in(weights);
    for (uint32_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
    {
        long weight = 0;
        in >> weight;
        NS_ABORT_MSG_IF(!in || weight < 1 || weight > 1000,
                        "Weights are " << +FABRIC_PRIORITIES << " numbers from 1 to 1000, got \""
                                       << weights << "\"");
        m_weights[lane] = static_cast<uint32_t>(weight);
    }
    m_deficit.fill(0);
}

std::string
FabricDwrrScheduler::GetWeights() const
{
    std::ostringstream out;
    for (uint32_t weight : m_weights)
    {
        out << (out.tellp() > 0 ? " " : "") << weight;
    }
    return out.str();
}

uint32_t
FabricDwrrScheduler::DoSelect(uint32_t eligible, const FabricFrameQueue* lanes)
{
    if (eligible & m_strict)
    {
        return Highest(eligible & m_strict);
    }
    while (true)
    {
        if (eligible >> m_turn & 1)
        {
            if (!m_granted)
            {
                m_deficit[m_turn] += static_cast<int64_t>(m_quantum) * m_weights[m_turn];
                m_granted = true;
            }
            const int64_t bytes = lanes[m_turn].Peek()->bytes;
            if (bytes <= m_deficit[m_turn])
            {
                m_deficit[m_turn] -= bytes;
                return m_turn;
            }
        }
        else if (lanes[m_turn].IsEmpty())
        {
            m_deficit[m_turn] = 0; // an idle lane saves nothing up
        }
        m_turn = (m_turn + 1) % FABRIC_PRIORITIES;
        m_granted = false;
    }
}

} // namespace rdma
} // namespace ns3
