/* SPDX-License-Identifier: GPL-2.0-only */
/* Base class of the congestion control algorithms of a queue pair. */

#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/object.h"
#include "ns3/rdma-congestion-pool.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace rdma
{

/** An acknowledgement that moves the oldest unacknowledged packet. */
struct CcAckEvent
{
    int64_t now{0};            //!< arrival time, ps
    uint64_t ackedBytes{0};    //!< payload bytes newly acknowledged
    uint64_t bytesInFlight{0}; //!< payload bytes still unacknowledged after this event
    int64_t rttPs{-1};         //!< round-trip time sample, ps; negative if there is none
    bool ecnEcho{false};       //!< true if the receiver reports a congestion mark in the ACK

    // With DELIVERY only.
    uint64_t delivered{0};      //!< payload bytes acknowledged since Start()
    uint64_t priorDelivered{0}; //!< the same when the packet that gave the RTT sample was sent
    uint64_t sendRate{0};       //!< rate at which the sampled bytes were sent, bit/s; 0: no sample
    uint64_t deliveryRate{0};   //!< rate at which they arrived, at most that, bit/s; 0: no sample
    uint64_t sampledBytes{0};   //!< payload bytes that the two rates are made of
    bool limited{false};        //!< true if there was less to send than allowed meanwhile
    uint32_t pathsMeasured{0};  //!< paths to the peer with a known RTT; 0: not known
    uint32_t pathsCongested{0}; //!< those whose RTT is up
};

/** A loss that the recovery has detected. */
struct CcLossEvent
{
    int64_t now{0};      //!< time of detection, ps
    bool timeout{false}; //!< true for an expired timer, false for a NAK or selective ACK
};

/**
 * \ingroup rdma
 * \brief Congestion control of one queue pair: events in, a rate and a window out.
 *
 * The transport creates one object per queue pair, calls Start() once, and then reports what
 * happens. The answer is GetRate() and GetWindow(), read before each packet. All times are integer
 * picoseconds and are passed in; they never run backwards. An algorithm schedules no events: its
 * timers are lazy. NextDeadline() tells when the answer can next change by time alone, and
 * Advance() runs what is due.
 *
 * Tie rule: timers that are due at the time of an event run before the event.
 *
 * A new algorithm derives from this class, sets #m_signals in its constructor, and overrides the
 * DoX methods of the signals it asks for. It changes the rate with SetRate() only, which keeps it
 * between #m_minRate and the line rate and traces it.
 */
class RdmaCongestionOps : public Object
{
  public:
    /** What an algorithm wants to hear; GetSignals() returns the sum of these bits. */
    enum Signal : uint32_t
    {
        ACK = 1,  //!< Ack() with acknowledged bytes and bytes in flight
        SENT = 2, //!< Sent() for each packet
        CNP = 4,  //!< Cnp() for each congestion notification packet
        LOSS = 8, //!< Loss() for each detected loss
        RTT = 16, //!< Ack() events carry round-trip time samples
        INT = 32, //!< in-band telemetry of the path
        DELIVERY = 64, //!< Ack() events carry delivery rates and the state of paths
    };

    /** NextDeadline() of an algorithm without a running timer. */
    static constexpr int64_t NO_DEADLINE = std::numeric_limits<int64_t>::max();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaCongestionOps();
    ~RdmaCongestionOps() override;

    /**
     * \brief Offer what the queue pairs of a NIC share; may be left out, and comes before Start().
     * \param pool what they share
     * \param serviceLevel service level of the queue pair, or its priority on Ethernet
     */
    void Join(RdmaCongestionPool& pool, uint8_t serviceLevel)
    {
        DoJoin(pool, serviceLevel);
    }

    /**
     * \brief Begin at line rate with fresh state.
     * \param lineRate rate of the port, bit/s, above 0; the rate never exceeds it
     * \param now current time, ps
     */
    void Start(uint64_t lineRate, int64_t now);

    /**
     * \return the rate at which the queue pair may send, bit/s of frames on the wire
     */
    uint64_t GetRate() const
    {
        return m_rate;
    }

    /**
     * \return how many payload bytes may be unacknowledged, 0 for no limit
     */
    uint64_t GetWindow() const
    {
        return m_window;
    }

    /**
     * \return the Signal bits this algorithm wants; fixed for the life of the object, and calls
     * that it does not name may be left out
     */
    uint32_t GetSignals() const
    {
        return m_signals;
    }

    /**
     * \return the line rate given to Start(), bit/s; 0 before Start()
     */
    uint64_t GetLineRate() const
    {
        return m_lineRate;
    }

    /**
     * \return the rate below which the algorithm does not go, bit/s
     */
    uint64_t GetMinRate() const
    {
        return m_minRate;
    }

    /**
     * \return the time at which a timer next changes the rate or the window, ps; #NO_DEADLINE if
     * none does
     */
    int64_t NextDeadline() const
    {
        return m_nextDeadline;
    }

    /**
     * \brief Run all timers due at or before \p now, in order of time.
     * \param now current time, ps
     *
     * Costs one comparison if none is due. Call it before GetRate() and GetWindow().
     */
    void Advance(int64_t now)
    {
        if (now < m_nextDeadline)
        {
            return;
        }
        RunTimers(now);
    }

    /**
     * \brief A packet of this queue pair starts on the wire.
     * \param now start of its transmission, ps
     * \param wireBytes its length on the wire, bytes, with all overhead
     */
    void Sent(int64_t now, uint32_t wireBytes)
    {
        Advance(now);
        DoSent(now, wireBytes);
    }

    /**
     * \brief An acknowledgement arrives.
     * \param event what it acknowledges
     */
    void Ack(const CcAckEvent& event);

    /**
     * \brief A congestion notification packet arrives.
     * \param now arrival time, ps
     */
    void Cnp(int64_t now);

    /**
     * \brief The recovery has detected a loss.
     * \param event when and how
     */
    void Loss(const CcLossEvent& event);

    /**
     * \brief Signature of the Rate trace source.
     * \param oldRate rate before the change, bit/s
     * \param newRate rate after the change, bit/s
     * \param now time of the change, ps; for a timer the time at which it is due
     */
    typedef void (*RateTracedCallback)(uint64_t oldRate, uint64_t newRate, int64_t now);

  protected:
    /**
     * \brief Change the rate, kept within the minimum and the line rate, and trace it.
     * \param rate wanted rate, bit/s
     * \param now time of the change, ps
     */
    void SetRate(uint64_t rate, int64_t now);

    uint64_t m_rate{0};                  //!< current rate, bit/s; written by SetRate() only
    uint64_t m_window{0};                //!< window, bytes; 0 is no limit
    int64_t m_nextDeadline{NO_DEADLINE}; //!< next time at which a timer acts, ps
    uint64_t m_minRate{1};               //!< lower limit of the rate, bit/s; set in DoStart()
    uint32_t m_signals{0};               //!< Signal bits; set in the constructor

  private:
    /**
     * \brief Run DoAdvance() and check that it leaves nothing due.
     * \param now current time, ps
     */
    void RunTimers(int64_t now);

    /**
     * \brief Take from the pool what the algorithm shares.
     * \param pool what the queue pairs of a NIC share
     * \param serviceLevel service level or priority
     */
    virtual void DoJoin(RdmaCongestionPool& pool, uint8_t serviceLevel);

    /**
     * \brief Set up the algorithm's own state; the rate is already the line rate.
     * \param now current time, ps
     */
    virtual void DoStart(int64_t now);

    /**
     * \brief Run the timers due at or before \p now and move #m_nextDeadline beyond it.
     * \param now current time, ps
     */
    virtual void DoAdvance(int64_t now);

    /**
     * \brief Take note of a sent packet.
     * \param now current time, ps
     * \param wireBytes bytes on the wire
     */
    virtual void DoSent(int64_t now, uint32_t wireBytes);

    /**
     * \brief React to an acknowledgement.
     * \param event the acknowledgement
     */
    virtual void DoAck(const CcAckEvent& event);

    /**
     * \brief React to a congestion notification packet.
     * \param now current time, ps
     */
    virtual void DoCnp(int64_t now);

    /**
     * \brief React to a loss.
     * \param event the loss
     */
    virtual void DoLoss(const CcLossEvent& event);

    uint64_t m_lineRate{0};                                  //!< port rate, bit/s
    TracedCallback<uint64_t, uint64_t, int64_t> m_rateTrace; //!< changes of the rate
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CONGESTION_OPS_H */
