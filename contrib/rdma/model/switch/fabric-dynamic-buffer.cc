/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-dynamic-buffer.h"

#include "ns3/double.h"

#include <cmath>

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricDynamicBuffer);

namespace
{
constexpr uint64_t ALPHA_UNIT = 1024; // alpha is kept as a fraction of this
} // namespace

TypeId
FabricDynamicBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::FabricDynamicBuffer")
            .SetParent<FabricBufferPolicy>()
            .SetGroupName("Rdma")
            .AddConstructor<FabricDynamicBuffer>()
            .AddAttribute(
                "Alpha",
                "Share of the free shared pool that each lossless lane of an ingress "
                "port may use before its sender is stopped. Switches offer powers of "
                "two from 1/128 to 8; 1/8 is the value of the HPCC evaluation.",
                DoubleValue(0.125),
                MakeDoubleAccessor(&FabricDynamicBuffer::SetAlpha, &FabricDynamicBuffer::GetAlpha),
                MakeDoubleChecker<double>(1.0 / ALPHA_UNIT, 64))
            .AddAttribute("LossyAlpha",
                          "Share of the free shared pool that each lossy queue of an egress port "
                          "may use before it loses frames.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&FabricDynamicBuffer::SetLossyAlpha,
                                             &FabricDynamicBuffer::GetLossyAlpha),
                          MakeDoubleChecker<double>(1.0 / ALPHA_UNIT, 64));
    return tid;
}

void
FabricDynamicBuffer::SetAlpha(double alpha)
{
    m_alpha = std::lround(alpha * ALPHA_UNIT);
    DoConfigured();
}

double
FabricDynamicBuffer::GetAlpha() const
{
    return static_cast<double>(m_alpha) / ALPHA_UNIT;
}

void
FabricDynamicBuffer::SetLossyAlpha(double alpha)
{
    m_lossyAlpha = std::lround(alpha * ALPHA_UNIT);
}

double
FabricDynamicBuffer::GetLossyAlpha() const
{
    return static_cast<double>(m_lossyAlpha) / ALPHA_UNIT;
}

uint64_t
FabricDynamicBuffer::GetThreshold() const
{
    return m_alpha * GetSharedFree() / ALPHA_UNIT;
}

FabricBufferPolicy::Verdict
FabricDynamicBuffer::DoAdmit(const Ingress& lane, uint64_t egressBytes, uint64_t bytes) const
{
    const uint64_t free = GetSharedFree();
    const uint64_t beyond = BeyondReserve(lane, bytes);
    if (lane.lossless)
    {
        // Once it is in the headroom a lane stays there until its sender may go on: the pool's
        // share is measured against what was there when the sender was stopped.
        if (!lane.headroom && beyond <= free && (!beyond || lane.shared + beyond <= GetThreshold()))
        {
            return Verdict::POOL;
        }
        return lane.headroom + bytes <= lane.headroomLimit ? Verdict::HEADROOM : Verdict::REFUSE;
    }
    return bytes <= free && egressBytes + bytes <= m_lossyAlpha * free / ALPHA_UNIT
               ? Verdict::POOL
               : Verdict::REFUSE;
}

bool
FabricDynamicBuffer::DoMustStop(const Ingress& lane) const
{
    return lane.headroom || (lane.shared && lane.shared >= GetThreshold());
}

bool
FabricDynamicBuffer::DoMayGoOn(const Ingress& lane) const
{
    return !lane.headroom && (!lane.shared || lane.shared + GetXonOffset() <= GetThreshold());
}

void
FabricDynamicBuffer::DoConfigured()
{
    // With at most half of the pool in use a lane may have its share of the other half.
    const uint64_t half = GetSharedSize() / 2;
    const uint64_t share = m_alpha * (GetSharedSize() - half) / ALPHA_UNIT;
    SetCalm({half, share ? share - 1 : 0});
}

uint64_t
FabricDynamicBuffer::DoGetStopBytes() const
{
    // x bytes in the pool leave S - x free: x = alpha (S - x).
    return GetReserved() + m_alpha * GetSharedSize() / (ALPHA_UNIT + m_alpha);
}

} // namespace rdma
} // namespace ns3
