/* SPDX-License-Identifier: GPL-2.0-only */
/* Selective repeat with a window of one bandwidth-delay product, as in IRN. */

#ifndef RDMA_SELECTIVE_REPEAT_H
#define RDMA_SELECTIVE_REPEAT_H

#include "ns3/rdma-loss-recovery.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Selective repeat after IRN ("Revisiting Network Support for RDMA", SIGCOMM 2018, section 3):
 *
 * - A requester has at most one bandwidth-delay product unacknowledged (BDP-FC), and a responder
 *   keeps track of as many packets.
 * - A responder answers each packet that comes ahead of its turn with a NAK that carries the number
 *   of the packet it expects and the number of the one that came.
 * - The first NAK starts a recovery, which ends when all packets are acknowledged that had been
 *   sent when it started. In a recovery each packet that is missing before one that came is sent
 *   again once.
 * - The timer is short when few packets are under way, and longer otherwise. When it expires,
 *   everything that is not known to have arrived is sent again. (IRN sends one packet and learns
 *   of the others from the NAKs for new ones, of which there are none at the end of a message.)
 */
class RdmaSelectiveRepeat : public RdmaLossRecovery
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaSelectiveRepeat();
    ~RdmaSelectiveRepeat() override;

  private:
    void DoStartSending(uint64_t lineRate, uint32_t mtu, uint64_t first) override;
    void DoStartReceiving(uint64_t lineRate, uint32_t mtu) override;
    bool DoLost(const RdmaLossEvent& event) override;
    void DoAcked(uint64_t unacked) override;
    bool DoArrived(uint64_t sequence) override;
    bool DoHasArrived(uint64_t sequence) const override;
    bool DoMustRepeat(uint64_t sequence) const override;
    void DoRepeated(uint64_t count, uint64_t highest) override;
    int64_t DoGetTimeout(int64_t ackTimeout, uint64_t inFlight) const override;

    /**
     * \param lineRate Rate of the port, bit/s.
     * \param mtu Path MTU, bytes.
     * \return Packets in a bandwidth-delay product.
     */
    uint64_t PacketsInFlight(uint64_t lineRate, uint32_t mtu) const;
    /// Sets m_repeat to the next packet that is missing.
    void FindRepeat();

    Time m_roundTrip;                //!< of the longest path
    Time m_shortTimeout;             //!< timeout when few packets are under way
    Time m_longTimeout;              //!< timeout otherwise
    uint32_t m_fewPackets;           //!< how many are no longer few
    std::vector<uint64_t> m_arrived; //!< a bit for each packet of the window, a ring
    uint64_t m_mask{0};              //!< bits in it less one; a power of two less one
    uint64_t m_unacked{0};           //!< number of the oldest packet that is not acknowledged
    uint64_t m_arrivedEnd{0};        //!< number behind the highest that has arrived
    uint64_t m_next{0};              //!< missing packets before it have been sent again
    uint64_t m_horizon{0};           //!< missing packets before it are lost
    uint64_t m_recoveryEnd{0};       //!< the recovery ends when this packet is the oldest
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SELECTIVE_REPEAT_H */
