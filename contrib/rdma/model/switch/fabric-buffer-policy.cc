/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-buffer-policy.h"

#include "ns3/fabric-headroom.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("FabricBufferPolicy");
NS_OBJECT_ENSURE_REGISTERED(FabricBufferPolicy);

TypeId
FabricBufferPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricBufferPolicy")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("Size",
                          "Size of the buffer that all ports share, in bytes. Tomahawk has 16 MB, "
                          "Spectrum-3 64 MB.",
                          UintegerValue(32'000'000),
                          MakeUintegerAccessor(&FabricBufferPolicy::m_size),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Reserved",
                          "Bytes of the buffer that each lossless lane of each ingress port has "
                          "for itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricBufferPolicy::m_reserved),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Headroom",
                          "Bytes that may arrive on each lossless lane of each ingress port after "
                          "its sender was told to stop; 0: by the formula of FabricHeadroom, from "
                          "rate, cable, frame length and PeerResponse.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricBufferPolicy::m_headroom),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PeerResponse",
                          "Time a sender may take to obey a pause, for the headroom formula. "
                          "Negative: what IEEE 802.3, annex 31B.3.7 allows at the link's rate.",
                          TimeValue(NanoSeconds(-1)),
                          MakeTimeAccessor(&FabricBufferPolicy::m_peerResponse),
                          MakeTimeChecker())
            .AddAttribute("XonOffset",
                          "A stopped sender may go on when this many bytes are free again below "
                          "the point at which it was stopped.",
                          UintegerValue(3072),
                          MakeUintegerAccessor(&FabricBufferPolicy::m_xonOffset),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

uint64_t
FabricBufferPolicy::HeadroomOf(const FabricBufferPort& port, uint32_t mtu) const
{
    if (m_headroom)
    {
        return m_headroom;
    }
    constexpr uint64_t gap = 20;        // preamble and inter-frame gap
    constexpr uint64_t pauseFrame = 64; // IEEE 802.1Qbb
    FabricHeadroom headroom;
    headroom.bitsPerSecond = port.bitsPerSecond;
    headroom.cableBytes = FabricHeadroom::BytesIn(2 * port.delay, port.bitsPerSecond);
    headroom.delayBytes = FabricHeadroom::BytesIn(port.latency, port.bitsPerSecond);
    // The pause frame may have to wait for those of the other lossless lanes.
    const auto lanes = static_cast<uint64_t>(__builtin_popcount(port.lossless));
    headroom.portMtu = mtu + gap + lanes * (pauseFrame + gap);
    // The frame that crosses the threshold, and the one that the peer has just begun.
    headroom.losslessMtu = 2ULL * mtu;
    headroom.responseBytes =
        m_peerResponse.IsStrictlyNegative()
            ? FabricHeadroom::StandardResponseQuanta(port.bitsPerSecond) * 64ULL
            : FabricHeadroom::BytesIn(m_peerResponse.GetPicoSeconds(), port.bitsPerSecond);
    return headroom.Get();
}

std::string
FabricBufferPolicy::Configure(const std::vector<FabricBufferPort>& ports,
                              uint8_t lanes,
                              uint32_t mtu,
                              FabricBufferListener* listener)
{
    NS_LOG_FUNCTION(this << ports.size() << +lanes << mtu);
    m_lanes = lanes;
    m_listener = listener;
    m_laneBits = 0;
    while ((1U << m_laneBits) < lanes)
    {
        ++m_laneBits;
    }
    m_ingress.assign(ports.size() << m_laneBits, Ingress());
    m_egress.assign(ports.size() << m_laneBits, 0);
    uint64_t losslessLanes = 0;
    uint64_t headroom = 0;
    for (uint32_t port = 0; port < ports.size(); ++port)
    {
        for (uint8_t lane = 0; lane < lanes; ++lane)
        {
            Ingress& ingress = m_ingress[Index(port, lane)];
            ingress.lossless = ports[port].lossless >> lane & 1;
            if (ingress.lossless)
            {
                ingress.headroomLimit = HeadroomOf(ports[port], mtu);
                headroom += ingress.headroomLimit;
                ++losslessLanes;
            }
        }
    }
    const uint64_t reserved = losslessLanes * m_reserved;
    if (headroom + reserved > m_size)
    {
        std::ostringstream why;
        why << "a buffer of " << m_size << " B cannot be lossless for " << losslessLanes
            << " lossless lanes on " << ports.size() << " ports: they need " << headroom
            << " B of headroom and " << reserved << " B reserved; give it at least "
            << headroom + reserved << " B, or use fewer lossless lanes or shorter cables";
        return why.str();
    }
    m_sharedSize = m_size - headroom - reserved;
    DoConfigured();
    return "";
}

void
FabricBufferPolicy::DoConfigured()
{
}

void
FabricBufferPolicy::Repeat(uint32_t port, int64_t now)
{
    for (uint8_t lane = 0; lane < m_lanes; ++lane)
    {
        if (m_ingress[Index(port, lane)].stopped)
        {
            m_listener->IngressFull(port, lane, true, now);
        }
    }
}

uint64_t
FabricBufferPolicy::GetSize() const
{
    return m_size;
}

uint64_t
FabricBufferPolicy::GetUsed() const
{
    return m_used;
}

uint64_t
FabricBufferPolicy::GetPeak() const
{
    return m_peak;
}

uint64_t
FabricBufferPolicy::GetSharedUsed() const
{
    return m_sharedUsed;
}

uint64_t
FabricBufferPolicy::GetSharedSize() const
{
    return m_sharedSize;
}

uint64_t
FabricBufferPolicy::GetStopBytes() const
{
    return DoGetStopBytes();
}

const FabricBufferPolicy::Ingress&
FabricBufferPolicy::GetIngress(uint32_t port, uint8_t lane) const
{
    return m_ingress.at(Index(port, lane));
}

std::string
FabricBufferPolicy::Audit() const
{
    uint64_t bytes = 0;
    uint64_t shared = 0;
    uint64_t egress = 0;
    for (const Ingress& lane : m_ingress)
    {
        bytes += lane.bytes;
        shared += lane.shared;
        if (lane.headroom > lane.headroomLimit)
        {
            return "headroom of " + std::to_string(lane.headroom) + " B is over its limit of " +
                   std::to_string(lane.headroomLimit) + " B";
        }
        const uint64_t special = lane.headroom + lane.shared;
        if (special > lane.bytes || lane.bytes - special > (lane.lossless ? m_reserved : 0))
        {
            return "reserved + shared + headroom is not what a lane holds";
        }
    }
    for (uint64_t held : m_egress)
    {
        egress += held;
    }
    if (bytes != m_used || egress != m_used || shared != m_sharedUsed || shared > m_sharedSize)
    {
        return "ingress holds " + std::to_string(bytes) + " B, egress " + std::to_string(egress) +
               " B, in all " + std::to_string(m_used) + " B";
    }
    return "";
}

} // namespace rdma
} // namespace ns3
