/* SPDX-License-Identifier: GPL-2.0-only */
/* The link layer of an InfiniBand port. */

#ifndef IB_LINK_H
#define IB_LINK_H

#include "ns3/fabric-flow-control.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-trace.h"
#include "ns3/ib-vl-arbiter.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The link layer of an InfiniBand port (IBA volume 1, chapter 7): virtual lanes, their arbitration,
 * and credit-based flow control.
 *
 * A receiver has a buffer for each data lane, and lets the sender know by flow control packets up
 * to which block of 64 bytes it may send (FCCL). A packet starts only when there is room for all of
 * it, so nothing is ever lost for want of room. The packets also tell how much was sent (FCTBS), by
 * which the receiver notices blocks that the wire has lost, and gives their room back.
 *
 * A flow control packet is sent between two packets whenever FCCL has changed, and for each lane
 * every 65,536 symbol times; but not when both ends know everything already: then it would tell
 * nothing, and a simulation has to come to an end. Lane 15, for management, is outside of all that.
 */
class IbLink : public FabricFlowControl
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    IbLink();
    ~IbLink() override;

    /// Bytes of a block, the unit of credits.
    static constexpr uint32_t BLOCK = 64;
    /// Blocks that may be advertised beyond what was received (IBA volume 1, section 7.9.4.4).
    static constexpr uint32_t MOST_BLOCKS = 2048;
    /// The lane of subnet management.
    static constexpr uint8_t MANAGEMENT_LANE = 15;
    /// Bytes of the longest headers and CRCs of a packet (IBA volume 1, section 7.7.8).
    static constexpr uint32_t MOST_HEADER_BYTES = 126;

    /**
     * \param bytes Length of a packet from LRH to VCRC.
     * \return Its blocks.
     */
    static constexpr uint32_t Blocks(uint32_t bytes)
    {
        return (bytes + BLOCK - 1) / BLOCK;
    }

    /**
     * The rule of IBA volume 1, section 7.9.4.4, on counters of 12 bits.
     * \param limit FCCL, as received.
     * \param sent FCTBS.
     * \param blocks Blocks of a packet.
     * \return Whether it may be sent.
     */
    static constexpr bool HasCredit(uint16_t limit, uint16_t sent, uint32_t blocks)
    {
        return ((limit - (sent + blocks)) & COUNTER_MASK) <= MOST_BLOCKS;
    }

    /// \return How many data lanes there are.
    uint32_t GetNLanes() const
    {
        return m_lanes.size();
    }

    /**
     * \param serviceLevel A service level, 0 to 15.
     * \return The lane that packets of it leave a host by.
     */
    uint8_t GetLane(uint8_t serviceLevel) const
    {
        return m_map[serviceLevel & 15];
    }

    /// \return The lane of each service level, 16 of them.
    const uint8_t* GetMap() const
    {
        return m_map.data();
    }

    /// \param map The lane of each service level, for a host's port.
    void SetMap(const std::array<uint8_t, 16>& map);

    /**
     * \param eligible Mask of lanes with a packet that may be sent, not 0.
     * \return The lane whose turn it is; management goes first.
     */
    uint32_t SelectLane(uint32_t eligible)
    {
        if (eligible >> MANAGEMENT_LANE & 1)
        {
            return MANAGEMENT_LANE;
        }
        return m_lanes.size() == 1 ? 0 : m_arbiter.Select(eligible);
    }

    /**
     * The lane selected last sends.
     * \param lane The lane.
     * \param bytes Bytes of its packet.
     */
    void Charge(uint32_t lane, uint32_t bytes)
    {
        if (lane != MANAGEMENT_LANE && m_lanes.size() > 1)
        {
            m_arbiter.Charge(bytes);
        }
    }

    /**
     * Asks whether a packet may start. If not, its lane is blocked until there are credits for it.
     * \param lane Its lane.
     * \param bytes Its length.
     * \param now The time in ps.
     * \return Whether it may.
     */
    bool MaySend(uint8_t lane, uint32_t bytes, int64_t now);
    /**
     * The same, but nothing is blocked if there are not enough.
     * \param lane A lane.
     * \param bytes Bytes.
     * \param now The time in ps.
     * \return Whether there are credits for so many bytes.
     */
    bool HasCredits(uint8_t lane, uint32_t bytes, int64_t now);
    /**
     * A packet was put on the wire.
     * \param lane Its lane.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    void Sent(uint8_t lane, uint32_t bytes, int64_t now);
    /**
     * A packet came in, and is held.
     * \param lane Its lane.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    void Received(uint8_t lane, uint32_t bytes, int64_t now);
    /**
     * A packet that was received is held no more: its room is given back to the sender.
     * \param lane The lane it came by.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    void Release(uint8_t lane, uint32_t bytes, int64_t now);
    /**
     * The packet that waited for credits is gone: another one may have enough.
     * \param lane Its lane.
     * \param now The time in ps.
     */
    void Reconsider(uint8_t lane, int64_t now);
    /**
     * A packet was lost on the wire.
     * \param lane Its lane.
     */
    void Lost(uint8_t lane);
    /**
     * \param now The time in ps.
     * \return The next flow control packet that is due, or nullptr.
     */
    FabricFrame* NextControl(int64_t now);

    /// What one data lane of a port knows, in blocks of 64 bytes.
    struct LaneView
    {
        uint16_t sent;     //!< FCTBS: sent, 12 bit
        uint16_t limit;    //!< FCCL that the far end has advertised, 12 bit
        uint16_t received; //!< ABR: received, 12 bit
        uint32_t held;     //!< received and not given back
        uint32_t capacity; //!< size of the receive buffer
    };

    /**
     * \param lane A data lane.
     * \return Its counters.
     */
    LaneView GetLaneView(uint8_t lane) const;
    /**
     * PortXmitWait of a lane.
     * \param lane A data lane.
     * \param now The time in ps.
     * \return How long a packet of it waited for credits, in ps.
     */
    int64_t GetWaitTime(uint8_t lane, int64_t now) const;
    /// \return Longest payload of a packet in bytes.
    uint32_t GetMtu() const;

    std::string GetProtocol() const override;

    /**
     * Signature of the trace source CreditStall.
     * \param lane The lane.
     * \param stalled Whether a packet waits for credits from now on, or no longer.
     * \param ps The time in picoseconds.
     */
    typedef void (*StallTracedCallback)(uint8_t lane, bool stalled, int64_t ps);

  protected:
    void DoDispose() override;

  private:
    /// Mask of the 12 bits of FCTBS, FCCL and ABR.
    static constexpr uint32_t COUNTER_MASK = 0xfff;
    /// Refreshes without anything new on a link that may lose them; all of these are not lost.
    static constexpr uint32_t LOSSY_REFRESHES = 64;

    /// State of a data lane.
    struct Lane
    {
        uint16_t sent{0};     //!< FCTBS
        uint16_t limit{0};    //!< FCCL received
        uint16_t received{0}; //!< ABR
        uint32_t held{0};     //!< blocks in our buffer
        uint32_t needed{0};   //!< blocks of the packet that waits
        int64_t waitSince{0}; //!< when it began to wait, ps
        int64_t waited{0};    //!< time spent waiting before, ps
    };

    uint32_t DoGetLossless() const override;
    void DoConnect(FabricFlowControl& peer) override;
    void DoReceiveControl(const FabricFrame& frame, int64_t now) override;
    int64_t DoRunTimers(int64_t now) override;
    void DoReset(int64_t now) override;

    /// \return Empty, or a sentence that says what is wrong with the attributes.
    std::string CheckConfig();
    /// \return FCCL that we advertise for a lane.
    uint16_t GetAdvertised(const Lane& lane) const;
    /// \return Blocks of a lane on the wire to us that were sent before a flow control packet.
    uint32_t GetBlocksInFront(const FabricFrame& control) const;
    /**
     * \param lanes Lanes whose packets have to wait for credits.
     * \param now The time in ps.
     */
    void SetStalled(uint32_t lanes, int64_t now);
    /// Something has happened: sets the timer of the next refresh, if none is set.
    void KeepFresh(int64_t now);
    /// Decides whether flow control packets that come may wait until somebody looks.
    void UpdateLaziness();
    /// \param lanes Lanes that a flow control packet is due for. \param now The time in ps.
    void Announce(uint32_t lanes, int64_t now);

    std::vector<Lane> m_lanes;         //!< data lanes
    IbVlArbiter m_arbiter;             //!< whose turn it is
    std::array<uint8_t, 16> m_map;     //!< lane of each service level
    IbLink* m_peer{nullptr};           //!< the far end
    int64_t m_refreshAt{FABRIC_NEVER}; //!< when all lanes are announced again, ps
    uint32_t m_quiet{0};               //!< refreshes since the last one with something new
    bool m_active{false};              //!< something has happened since the timer was set
    uint32_t m_due{0};                 //!< lanes that a flow control packet is due for
    uint32_t m_turn{0};                //!< lane that was announced last
    uint32_t m_stalled{0};             //!< lanes whose packet waits for credits
    uint32_t m_lost{0};                //!< lanes of which the wire has lost packets
    uint32_t m_initial{0};             //!< lanes whose next announcement initializes the link
    uint32_t m_capacity{0};            //!< blocks of the buffer of a lane
    uint32_t m_dataLanes;              //!< attribute
    uint32_t m_buffer;                 //!< attribute, bytes
    uint32_t m_mtu;                    //!< attribute
    uint32_t m_width;                  //!< attribute
    std::string m_high;                //!< attribute
    std::string m_low;                 //!< attribute
    uint8_t m_highLimit;               //!< attribute
    bool m_observed{false};            //!< a trace source has a listener
    FabricTrace<uint8_t, bool, int64_t> m_stallTrace; //!< credits run out, or come
};

} // namespace rdma
} // namespace ns3

#endif /* IB_LINK_H */
