/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PFC_H
#define FABRIC_PFC_H

#include "ns3/fabric-flow-control.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Priority-based flow control, IEEE 802.1Qbb: pause frames per class, with quanta.
 *
 * A class that is not enabled neither sends pauses nor obeys them, and the plain pause of 802.3x
 * is ignored. A pause frame replaces the time left of the one before; quanta 0 ends it at once.
 * While a lane stays full its pause is repeated when half of its time is over, in one frame with
 * those of the other full lanes.
 */
class FabricPfc : public FabricFlowControl
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricPfc();

    /**
     * \param quanta Pause time in quanta of 512 bit times.
     * \param bitsPerSecond The link's rate.
     * \return The same in picoseconds (IEEE 802.3, annex 31B).
     */
    static int64_t QuantaToPs(uint16_t quanta, uint64_t bitsPerSecond);

    /// \return Pause frames sent that stop a class (refreshes included).
    uint64_t GetXoffSent() const;
    /// \return Pause frames sent that let a class go on.
    uint64_t GetXonSent() const;
    /// \return Plain 802.3x pause frames that were ignored.
    uint64_t GetPlainPausesIgnored() const;
    /**
     * \param lane A priority.
     * \param now The time in ps.
     * \return How long the far end has stopped it in all, in ps.
     */
    int64_t GetPausedTime(uint8_t lane, int64_t now) const;

    /**
     * Signature of the trace sources PauseSent and PauseReceived.
     * \param lane The priority.
     * \param quanta The pause time; 0 ends the pause.
     * \param ps The time in picoseconds.
     */
    typedef void (*PauseTracedCallback)(uint8_t lane, uint16_t quanta, int64_t ps);

  private:
    uint32_t DoGetLossless() const override;
    void DoSetReceiverFull(uint8_t lane, bool full, int64_t now) override;
    void DoReceiveControl(const FabricFrame& frame, int64_t now) override;
    int64_t DoRunTimers(int64_t now) override;
    void DoReset(int64_t now) override;

    /**
     * Sends a pause frame.
     * \param lanes Mask of the classes it is for.
     * \param quanta Pause time for each.
     * \param now The time in ps.
     */
    void SendPause(uint32_t lanes, uint16_t quanta, int64_t now);
    /**
     * Blocks the lanes that are paused at a time, and only those.
     * \param now The time in ps.
     */
    void ApplyPauses(int64_t now);
    /// \return The earliest time at which a pause begins or ends or is to be repeated, in ps.
    int64_t NextTimer() const;

    /// What is known of a class.
    struct Lane
    {
        int64_t pauseBegin{FABRIC_NEVER}; //!< when the pause received takes effect, ps
        int64_t pauseEnd{0};              //!< when the pause received is over, ps
        int64_t blockedSince{0};          //!< since when it is blocked, ps
        int64_t blockedTime{0};           //!< how long it was blocked before that, ps
        int64_t refresh{FABRIC_NEVER};    //!< when the pause sent is to be repeated, ps
    };

    std::array<Lane, FABRIC_PRIORITIES> m_lanes;                //!< state of each class
    uint32_t m_blocked{0};                                      //!< classes blocked now
    uint8_t m_priorities;                                       //!< classes with PFC
    uint16_t m_quanta;                                          //!< pause time of the frames sent
    Time m_responseTime;                                        //!< from receipt to effect
    uint64_t m_xoffSent{0};                                     //!< pauses sent
    uint64_t m_xonSent{0};                                      //!< resumes sent
    uint64_t m_plainPauses{0};                                  //!< 802.3x pauses ignored
    TracedCallback<uint8_t, uint16_t, int64_t> m_sentTrace;     //!< pause sent
    TracedCallback<uint8_t, uint16_t, int64_t> m_receivedTrace; //!< pause received
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_PFC_H */
