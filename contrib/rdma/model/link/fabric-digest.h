/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DIGEST_H
#define FABRIC_DIGEST_H

#include "ns3/fabric-frame.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A number that two runs share exactly when the same frames were delivered, dropped and marked,
 * and the same pauses sent, at the same picoseconds.
 *
 * Each event is hashed and the hashes are added, so the order in which events of different nodes
 * are processed does not matter: the digest is the same for every scheduler, and whether or not
 * drivers run ahead. Off until Enable is called.
 */
class FabricDigest
{
  public:
    /// Starts counting.
    void Enable()
    {
        m_enabled = true;
    }

    /**
     * A frame reached the host it was for.
     * \param frame The frame.
     * \param now The time in ps.
     */
    void Delivery(const FabricFrame& frame, int64_t now)
    {
        if (m_enabled)
        {
            Add(1, frame, now);
        }
    }

    /**
     * A frame was thrown away.
     * \param frame The frame.
     * \param reason Why.
     * \param now The time in ps.
     */
    void Drop(const FabricFrame& frame, FabricDropReason reason, int64_t now)
    {
        if (m_enabled)
        {
            Add(2 + (static_cast<uint64_t>(reason) << 8), frame, now);
        }
    }

    /**
     * A frame was marked with congestion experienced.
     * \param frame The frame.
     * \param now The time in ps.
     */
    void Mark(const FabricFrame& frame, int64_t now)
    {
        if (m_enabled)
        {
            Add(3, frame, now);
        }
    }

    /**
     * A pause was sent.
     * \param device Number of the device in its network.
     * \param lane The priority.
     * \param quanta The pause time.
     * \param now The time in ps.
     */
    void Pause(uint32_t device, uint8_t lane, uint16_t quanta, int64_t now)
    {
        if (m_enabled)
        {
            const uint64_t what = 4 + (static_cast<uint64_t>(lane) << 8) +
                                  (static_cast<uint64_t>(quanta) << 16) +
                                  (static_cast<uint64_t>(device) << 32);
            m_sum += Mix(Mix(what) + static_cast<uint64_t>(now));
        }
    }

    /// \return The digest so far.
    uint64_t Get() const
    {
        return m_sum;
    }

  private:
    /**
     * \param x A number.
     * \return A well-spread hash of it (the finalizer of SplitMix64).
     */
    static uint64_t Mix(uint64_t x)
    {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    /**
     * Adds an event.
     * \param what Kind of event.
     * \param frame The frame it is about.
     * \param now The time in ps.
     */
    void Add(uint64_t what, const FabricFrame& frame, int64_t now)
    {
        const uint64_t ends = (static_cast<uint64_t>(frame.source) << 32) | frame.destination;
        uint64_t id = frame.bytes;
        if (frame.kind == FabricFrameKind::RDMA || frame.kind == FabricFrameKind::SRD)
        {
            id += (static_cast<uint64_t>(frame.queuePair) << 32) +
                  (static_cast<uint64_t>(frame.psn) << 8) + frame.opcode;
        }
        m_sum += Mix(Mix(Mix(what + ends) + id) + static_cast<uint64_t>(now));
    }

    uint64_t m_sum{0};     //!< sum of the hashes
    bool m_enabled{false}; //!< whether anybody wants it
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_DIGEST_H */
