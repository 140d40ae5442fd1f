/* SPDX-License-Identifier: GPL-2.0-only */
/* What an InfiniBand switch tells of congestion: FECN. */

#include "ns3/ib-fecn-marker.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/rdma-opcode.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{
namespace rdma
{

NS_LOG_COMPONENT_DEFINE("IbFecnMarker");
NS_OBJECT_ENSURE_REGISTERED(IbFecnMarker);

namespace
{

constexpr uint32_t STEPS = 16; // of the threshold
constexpr uint32_t BLOCK = 64; // bytes of a credit, the unit of the packet size

} // namespace

TypeId
IbFecnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::rdma::IbFecnMarker")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<IbFecnMarker>()
            .AddAttribute("Threshold",
                          "When a port is congested: 0 never, 1 loose to 15 strict. Value t stands "
                          "for (16 - t) / 16 of the port's receive buffer of a lane, in bytes that "
                          "wait for the port in a lane.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbFecnMarker::m_threshold),
                          MakeUintegerChecker<uint8_t>(0, STEPS - 1))
            .AddAttribute("PacketSize",
                          "Shorter packets are never marked, in blocks of 64 bytes. The default, "
                          "512 bytes, and that of MarkingRate are those of Mellanox' manager.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&IbFecnMarker::m_packetSize),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("MarkingRate",
                          "Mean number of packets that might be marked but are not, between two "
                          "that are; 0: all are.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&IbFecnMarker::m_markingRate),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("HostVictims",
                          "The victim mask: whether ports to hosts mark although they have no "
                          "credits. A host marks nothing, so that the port towards a slow one is "
                          "the root.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IbFecnMarker::m_hostVictims),
                          MakeBooleanChecker());
    return tid;
}

IbFecnMarker::IbFecnMarker() = default;

IbFecnMarker::~IbFecnMarker() = default;

void
IbFecnMarker::DoDispose()
{
    m_random = nullptr;
    Object::DoDispose();
}

void
IbFecnMarker::Configure(const std::vector<Port>& ports, Ptr<UniformRandomVariable> random)
{
    NS_LOG_FUNCTION(this << ports.size());
    m_random = random;
    m_leastBytes = m_packetSize * BLOCK;
    m_limits.clear();
    m_victims.clear();
    for (const Port& port : ports)
    {
        m_limits.push_back(m_threshold ? port.laneBuffer * (STEPS - m_threshold) / STEPS
                                       : std::numeric_limits<uint64_t>::max());
        m_victims.push_back(port.host && m_hostVictims);
    }
    m_marks.assign(ports.size(), 0);
}

void
IbFecnMarker::SetVictimMask(uint32_t port, bool mark)
{
    NS_ABORT_MSG_IF(port >= m_victims.size(),
                    "The victim mask has bits 0 to " << m_victims.size() << " - 1, got " << port);
    m_victims[port] = mark;
}

bool
IbFecnMarker::Choose(FabricFrame& frame, uint32_t port)
{
    if (frame.kind != FabricFrameKind::RDMA || OpcodeIsCnp(frame.opcode) ||
        (frame.flags & FabricFrame::FECN) ||
        (m_markingRate && m_random->GetInteger(0, m_markingRate) != 0))
    {
        return false;
    }
    frame.flags |= FabricFrame::FECN;
    ++m_marks[port];
    return true;
}

uint64_t
IbFecnMarker::GetLimit(uint32_t port) const
{
    return m_limits.at(port);
}

uint64_t
IbFecnMarker::GetMarks(uint32_t port) const
{
    return m_marks.at(port);
}

} // namespace rdma
} // namespace ns3
