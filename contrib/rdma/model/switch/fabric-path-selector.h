/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PATH_SELECTOR_H
#define FABRIC_PATH_SELECTOR_H

#include "ns3/fabric-forwarding-table.h"
#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * How much waits at the ports of a switch, for selectors that look at it.
 */
class FabricQueueLengths
{
  public:
    virtual ~FabricQueueLengths() = default;
    /**
     * \param port A port.
     * \return Bytes that wait to leave by it.
     */
    virtual uint64_t GetQueuedBytes(uint16_t port) const = 0;
};

/**
 * \ingroup rdma
 * Chooses one of the equally good ports of a switch for a frame.
 */
class FabricPathSelector : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /**
     * \param seed What makes this switch choose differently from others; a hash of it is used.
     */
    void SetSeed(uint32_t seed);
    /// \param queues The queues of the switch, which outlives the selector's use.
    void SetQueues(const FabricQueueLengths* queues);

    /**
     * \param frame The frame.
     * \param ports The ports, at least one.
     * \return One of them.
     */
    uint16_t Select(const FabricFrame& frame, FabricForwardingTable::Ports ports)
    {
        return ports.count == 1 ? *ports.first : ports.first[DoSelect(frame, ports)];
    }

  protected:
    /// \return The seed, hashed.
    uint32_t GetSeed() const
    {
        return m_seed;
    }

    /// \return The queues of the switch.
    const FabricQueueLengths& GetQueues() const
    {
        return *m_queues;
    }

  private:
    /**
     * \param frame The frame.
     * \param ports The ports, at least 2.
     * \return The index of one.
     */
    virtual uint32_t DoSelect(const FabricFrame& frame, FabricForwardingTable::Ports ports) = 0;

    uint32_t m_seed{0};                          //!< hashed seed
    const FabricQueueLengths* m_queues{nullptr}; //!< the queues of the switch
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PATH_SELECTOR_H */
