/* SPDX-License-Identifier: GPL-2.0-only */
/* What an InfiniBand switch tells of congestion: FECN. */

#ifndef IB_FECN_MARKER_H
#define IB_FECN_MARKER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The switch's part of InfiniBand congestion control (IBA volume 1, annex A10; the attribute
 * SwitchCongestionSetting): sets FECN in packets that leave by a congested port.
 *
 * A port is congested in a lane when more bytes wait for it than the threshold says. It is the root
 * of the congestion when it has credits, so that it is its own link that is too slow; without
 * credits it is the victim of congestion further on, and marks only if its bit in the victim mask
 * is set.
 */
class IbFecnMarker : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    IbFecnMarker();
    ~IbFecnMarker() override;

    /// What the marker has to know of a port.
    struct Port
    {
        uint64_t laneBuffer; //!< bytes of the receive buffer of a lane
        bool host;           //!< whether a host is at the far end
    };

    /**
     * Prepares for the ports of a switch; called once, before the first packet.
     * \param ports Its ports.
     * \param random Where random numbers come from.
     */
    void Configure(const std::vector<Port>& ports, Ptr<UniformRandomVariable> random);
    /**
     * \param port A port, after Configure.
     * \param mark Its bit in the victim mask: whether it marks although it has no credits.
     */
    void SetVictimMask(uint32_t port, bool mark);

    /**
     * A packet leaves.
     * \param frame The packet; FECN is set in it if it is to be marked.
     * \param port The port it leaves by.
     * \param queueBytes Bytes that wait behind it for this port in its lane.
     * \param credits Whether the port had credits for it at once.
     * \return Whether it was marked here.
     */
    bool Mark(FabricFrame& frame, uint32_t port, uint64_t queueBytes, bool credits)
    {
        if (queueBytes <= m_limits[port] || frame.bytes < m_leastBytes ||
            !(credits || m_victims[port]))
        {
            return false;
        }
        return Choose(frame, port);
    }

    /**
     * \param port A port.
     * \return Bytes above which it is congested.
     */
    uint64_t GetLimit(uint32_t port) const;
    /**
     * \param port A port.
     * \return How many packets it marked.
     */
    uint64_t GetMarks(uint32_t port) const;

  protected:
    void DoDispose() override;

  private:
    /**
     * See Mark.
     * \param frame A packet that may be marked.
     * \param port The port it leaves by.
     * \return Whether it is marked.
     */
    bool Choose(FabricFrame& frame, uint32_t port);

    uint8_t m_threshold;                 //!< attribute
    uint8_t m_packetSize;                //!< attribute, blocks of 64 bytes
    uint16_t m_markingRate;              //!< attribute
    bool m_hostVictims;                  //!< attribute
    uint32_t m_leastBytes{0};            //!< of packets that are marked
    std::vector<uint64_t> m_limits;      //!< bytes above which a port is congested
    std::vector<bool> m_victims;         //!< the victim mask
    std::vector<uint64_t> m_marks;       //!< packets marked by each port
    Ptr<UniformRandomVariable> m_random; //!< which of them
};

} // namespace rdma
} // namespace ns3

#endif /* IB_FECN_MARKER_H */
