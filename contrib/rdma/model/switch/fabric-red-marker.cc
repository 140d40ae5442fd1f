/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-red-marker.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricRedMarker);

TypeId
FabricRedMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricRedMarker")
            .SetParent<FabricMarker>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricRedMarker>()
            .AddAttribute("Kmin",
                          "Bytes in the queue up to which nothing is marked, at ReferenceRate. "
                          "The default is that of the HPCC evaluation for 25 Gb/s.",
                          UintegerValue(100'000),
                          MakeUintegerAccessor(&FabricRedMarker::m_kmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Bytes in the queue above which everything is marked, at ReferenceRate.",
                          UintegerValue(400'000),
                          MakeUintegerAccessor(&FabricRedMarker::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Pmax",
                          "Probability of a mark when Kmax bytes are in the queue; 0 turns marking "
                          "off altogether.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&FabricRedMarker::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ReferenceRate",
                          "Rate that Kmin and Kmax are given for; ports of another rate scale "
                          "them. 0: the same bytes at every rate.",
                          DataRateValue(DataRate(25'000'000'000)),
                          MakeDataRateAccessor(&FabricRedMarker::m_reference),
                          MakeDataRateChecker());
    return tid;
}

void
FabricRedMarker::DoConfigure(uint64_t bitsPerSecond)
{
    NS_ABORT_MSG_IF(m_kmin > m_kmax,
                    "Kmin must not be above Kmax, got " << m_kmin << " and " << m_kmax << " bytes");
    const uint64_t reference = m_reference.GetBitRate();
    const double scale =
        reference ? static_cast<double>(bitsPerSecond) / static_cast<double>(reference) : 1;
    m_scaledKmin = static_cast<uint64_t>(static_cast<double>(m_kmin) * scale);
    m_scaledKmax = static_cast<uint64_t>(static_cast<double>(m_kmax) * scale);
    SetMarksFrom(m_scaledKmin + 1);
}

uint64_t
FabricRedMarker::GetKmin() const
{
    return m_scaledKmin;
}

uint64_t
FabricRedMarker::GetKmax() const
{
    return m_scaledKmax;
}

uint64_t
FabricRedMarker::DoGetFullMarking() const
{
    return m_pmax == 0 ? 0 : m_scaledKmax;
}

bool
FabricRedMarker::DoMustMark(uint64_t queueBytes)
{
    if (queueBytes <= m_scaledKmin || m_pmax == 0)
    {
        return false;
    }
    if (queueBytes > m_scaledKmax)
    {
        return true;
    }
    const double probability = m_pmax * static_cast<double>(queueBytes - m_scaledKmin) /
                               static_cast<double>(m_scaledKmax - m_scaledKmin);
    return probability >= 1 || Draw() < probability;
}

} // namespace rdma
} // namespace ns3
