/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_RECEIVER_H
#define RDMA_SRD_RECEIVER_H

#include "ns3/fabric-frame.h"
#include "ns3/rdma-srd-verbs.h"
#include "ns3/rdma-srd-window.h"

#include <boost/circular_buffer.hpp>
#include <vector>

namespace ns3
{
namespace rdma
{

class RdmaSrdPeer;

/**
 * \ingroup rdma
 * The receiving half of the context of an SRD peer: takes each packet once, in whatever order they
 * come, and answers each.
 */
class RdmaSrdReceiver
{
  public:
    /// \param peer Whose half it is.
    explicit RdmaSrdReceiver(RdmaSrdPeer& peer);

    /**
     * \param frame A packet of the peer that is no answer.
     * \param now The time in ps.
     */
    void Receive(const FabricFrame& frame, int64_t now);
    /**
     * \param again On return: when to ask again, ps.
     * \param now The time in ps.
     * \return The next answer, or nullptr.
     */
    FabricFrame* BuildAnswer(int64_t now, int64_t& again);

  private:
    /// An answer that is due.
    struct Answer
    {
        uint64_t sequence;    //!< of the packet that is answered
        uint16_t sourcePort;  //!< of the packet, and of the answer
        uint8_t transmission; //!< of the packet
        RdmaSrdStatus status; //!< OK: it was received
    };

    /// A packet that was refused, and whose sender has not confirmed that.
    struct Refusal
    {
        uint64_t sequence;    //!< its number
        RdmaSrdStatus status; //!< why
    };

    /// A write with immediate data that is not whole.
    struct Partial
    {
        uint32_t messageId; //!< its number
        uint32_t bytes;     //!< what has come
    };

    /**
     * Takes a packet that did not come before.
     * \param frame The packet.
     * \param now The time in ps.
     * \return OK, or why it is refused.
     */
    RdmaSrdStatus Take(const FabricFrame& frame, int64_t now);
    /**
     * \param frame A part of a write with immediate data.
     * \return Whether the message is whole now.
     */
    bool IsWhole(const FabricFrame& frame);
    /// \param messageId A message of several packets of which no more come.
    void Forget(uint32_t messageId);

    RdmaSrdPeer& m_peer;                      //!< whose half it is
    RdmaSrdWindow m_received;                 //!< numbers that were received
    std::vector<Refusal> m_refusals;          //!< numbers that were refused
    std::vector<Partial> m_partials;          //!< messages that are not whole
    boost::circular_buffer<Answer> m_answers; //!< answers that are due, oldest first
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_RECEIVER_H */
