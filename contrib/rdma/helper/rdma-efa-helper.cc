/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-efa-helper.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint64_t GBPS = 1'000'000'000;
constexpr uint32_t JUMBO_FRAME = 9216; // bytes: an SRD packet has up to 9,026

} // namespace

std::vector<RdmaEfaHelper::Generation>
RdmaEfaHelper::GetGenerations()
{
    return {{"eni-100g", 1, 100 * GBPS},
            {"p4d", 4, 100 * GBPS},
            {"p5", 32, 100 * GBPS},
            {"p5en", 16, 200 * GBPS}};
}

RdmaEfaHelper::RdmaEfaHelper(const std::string& name)
{
    std::string names;
    for (const Generation& generation : GetGenerations())
    {
        names += (names.empty() ? "" : ", ") + generation.name;
        if (generation.name == name)
        {
            m_generation = generation;
        }
    }
    NS_ABORT_MSG_IF(m_generation.name.empty(),
                    "There is no EFA generation '" << name << "'; allowed: " << names);
}

const RdmaEfaHelper::Generation&
RdmaEfaHelper::GetGeneration() const
{
    return m_generation;
}

void
RdmaEfaHelper::Configure(FabricHelper& fabric, RdmaHelper& rdma)
{
    fabric.SetFlowControl(ObjectFactory("ns3::rdma::FabricFlowControl"));
    fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(JUMBO_FRAME));
    fabric.SetPathSelector(ObjectFactory("ns3::rdma::FabricEcmpSelector"));
    rdma.EnableSrd(ObjectFactory("ns3::rdma::RdmaSrdTransport"));
}

FabricTopology
RdmaEfaHelper::MakeStar(uint32_t hosts, int64_t delayPs) const
{
    NS_ABORT_MSG_IF(hosts < 2, "A star of EFA hosts has at least 2 hosts, got " << hosts);
    FabricLinkSpec link;
    link.bitsPerSecond = m_generation.bitsPerSecond;
    link.delayPs = delayPs;
    FabricTopology topology;
    std::vector<uint32_t> nodes;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        nodes.push_back(topology.AddHost());
    }
    const uint32_t center = topology.AddSwitch();
    for (const uint32_t node : nodes)
    {
        for (uint32_t i = 0; i < m_generation.adapters; ++i)
        {
            topology.AddLink(node, center, link);
        }
    }
    return topology;
}

} // namespace ns3
