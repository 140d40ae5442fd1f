/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_MARKER_H
#define FABRIC_MARKER_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Decides which frames of an egress port are marked with congestion experienced. The base class
 * marks none.
 */
class FabricMarker : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * Called once, before the first frame.
     * \param bitsPerSecond Rate of the port.
     * \param random Uniform in [0, 1), shared by the ports of a switch.
     */
    void Configure(uint64_t bitsPerSecond, Ptr<UniformRandomVariable> random);

    /**
     * \param queueBytes Bytes that stay behind in the queue when the frame leaves it.
     * \return Whether to mark the frame.
     */
    bool MustMark(uint64_t queueBytes)
    {
        return queueBytes >= m_fromBytes && DoMustMark(queueBytes);
    }

    /**
     * \return Bytes in a queue above which every frame is marked; 0 when none ever is.
     */
    uint64_t GetFullMarking() const;

  protected:
    void DoDispose() override;

    /// \return A number in [0, 1).
    double Draw() const;
    /**
     * Spares asking DoMustMark for short queues; 0 at first. To be called from DoConfigure.
     * \param bytes Length of the queue, in bytes, from which on frames may be marked.
     */
    void SetMarksFrom(uint64_t bytes)
    {
        m_fromBytes = bytes;
    }

  private:
    /// \param bitsPerSecond Rate of the port.
    virtual void DoConfigure(uint64_t bitsPerSecond);
    /**
     * \param queueBytes Bytes that stay behind.
     * \return Whether to mark.
     */
    virtual bool DoMustMark(uint64_t queueBytes);
    /// \return See GetFullMarking.
    virtual uint64_t DoGetFullMarking() const;

    uint64_t m_fromBytes{0};             //!< shorter queues are not marked
    Ptr<UniformRandomVariable> m_random; //!< where random numbers come from
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_MARKER_H */
