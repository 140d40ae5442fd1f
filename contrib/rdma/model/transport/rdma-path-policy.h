/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_POLICY_H
#define RDMA_PATH_POLICY_H

#include "ns3/fabric-flow-hash.h"
#include "ns3/object.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-udp-header.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Which of several paths to a peer a packet takes. A path is a UDP source port: switches with
 * equal-cost multipath send packets with the same one the same way. The policy is told what became
 * of the packets.
 *
 * A policy derives from this class, tells the number of paths in DoStart, and overrides DoSelect,
 * and DoAcked and DoLost when it wants to know.
 */
class RdmaPathPolicy : public Object
{
  public:
    /// No path at all.
    static constexpr uint16_t NO_PATH = 0xffff;

    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * \param source Endpoint number of this NIC.
     * \param destination Endpoint number of the peer.
     * \param port UDP destination port of the packets.
     */
    void Start(uint32_t source, uint32_t destination, uint16_t port);

    /**
     * \param avoid A path that should not be taken when there are others, or NO_PATH.
     * \param now The time in ps.
     * \return The path for the next packet, less than GetNPaths().
     */
    uint16_t Select(uint16_t avoid, int64_t now)
    {
        return m_paths == 1 ? uint16_t{0} : DoSelect(avoid, now);
    }

    /**
     * A packet was acknowledged.
     * \param path Its path.
     * \param rtt The time from its start to the acknowledgement in ps; negative when not known.
     * \param now The time in ps.
     */
    void Acked(uint16_t path, int64_t rtt, int64_t now)
    {
        DoAcked(path, rtt, now);
    }

    /**
     * A packet counts as lost.
     * \param path Its path.
     * \param now The time in ps.
     */
    void Lost(uint16_t path, int64_t now)
    {
        DoLost(path, now);
    }

    /// \return How many paths there are, at least 1.
    uint16_t GetNPaths() const
    {
        return m_paths;
    }

    /// \return How many paths have a known round-trip time.
    uint16_t GetNMeasured() const
    {
        return m_measured;
    }

    /// \return How many of those have one that is clearly above the least they had.
    uint16_t GetNCongested() const
    {
        return m_congested;
    }

    /// \param path A path. \return The UDP source port of its packets.
    uint16_t GetSourcePort(uint16_t path) const
    {
        return static_cast<uint16_t>(ROCE_V2_MIN_SOURCE_PORT | ((m_firstPort + path) & 0x3fff));
    }

    /// \param path A path. \return The hash of the 5-tuple of its packets.
    uint32_t GetFlowHash(uint16_t path) const
    {
        return FabricFlowHash(m_source,
                              m_destination,
                              GetSourcePort(path),
                              m_port,
                              IP_PROTOCOL_UDP);
    }

  protected:
    uint16_t m_paths{1};     //!< how many there are; set in DoStart
    uint16_t m_measured{0};  //!< with a known round-trip time
    uint16_t m_congested{0}; //!< with one that is up

  private:
    /// Says how many paths there are.
    virtual void DoStart() = 0;
    /**
     * \param avoid A path to avoid, or NO_PATH.
     * \param now The time in ps.
     * \return A path; there are at least two.
     */
    virtual uint16_t DoSelect(uint16_t avoid, int64_t now) = 0;
    /**
     * \param path The path of a packet that was acknowledged.
     * \param rtt Its round-trip time in ps, or negative.
     * \param now The time in ps.
     */
    virtual void DoAcked(uint16_t path, int64_t rtt, int64_t now);
    /**
     * \param path The path of a packet that was lost.
     * \param now The time in ps.
     */
    virtual void DoLost(uint16_t path, int64_t now);

    uint32_t m_source{0};      //!< endpoint number of this NIC
    uint32_t m_destination{0}; //!< of the peer
    uint16_t m_port{0};        //!< UDP destination port
    uint16_t m_firstPort{0};   //!< source port of path 0, low 14 bits
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_PATH_POLICY_H */
