/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-static-buffer.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace rdma
{

NS_OBJECT_ENSURE_REGISTERED(FabricStaticBuffer);

TypeId
FabricStaticBuffer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::rdma::FabricStaticBuffer")
                            .SetParent<FabricBufferPolicy>()
                            .SetGroupName("Rdma")
                            .AddConstructor<FabricStaticBuffer>()
                            .AddAttribute("LossyLimit",
                                          "Bytes that each lossy queue of an egress port may hold.",
                                          UintegerValue(200'000),
                                          MakeUintegerAccessor(&FabricStaticBuffer::m_lossyLimit),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricBufferPolicy::Verdict
FabricStaticBuffer::DoAdmit(const Ingress& lane, uint64_t egressBytes, uint64_t bytes) const
{
    if (lane.lossless)
    {
        if (!lane.headroom && !BeyondReserve(lane, bytes))
        {
            return Verdict::POOL;
        }
        return lane.headroom + bytes <= lane.headroomLimit ? Verdict::HEADROOM : Verdict::REFUSE;
    }
    return bytes <= GetSharedFree() && egressBytes + bytes <= m_lossyLimit ? Verdict::POOL
                                                                           : Verdict::REFUSE;
}

bool
FabricStaticBuffer::DoMustStop(const Ingress& lane) const
{
    return lane.headroom || lane.bytes >= GetReserved();
}

bool
FabricStaticBuffer::DoMayGoOn(const Ingress& lane) const
{
    return !lane.headroom && (!lane.bytes || lane.bytes + GetXonOffset() <= GetReserved());
}

uint64_t
FabricStaticBuffer::DoGetStopBytes() const
{
    return GetReserved();
}

} // namespace rdma
} // namespace ns3
