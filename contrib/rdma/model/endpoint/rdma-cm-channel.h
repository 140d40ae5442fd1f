/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CM_CHANNEL_H
#define RDMA_CM_CHANNEL_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <map>

namespace ns3
{
namespace rdma
{

class RdmaConnectionManager;

/// \ingroup rdma What connection managers tell each other, after the messages of IBA chapter 12.
struct RdmaCmMessage
{
    /// What it is.
    enum class Kind : uint8_t
    {
        REQUEST, //!< REQ: please connect
        REPLY,   //!< REP: here is my queue pair
        READY,   //!< RTU: I am ready to use it
        REJECT,  //!< REJ: no
    };

    Kind kind{Kind::REQUEST}; //!< what it is
    uint32_t source{0};       //!< endpoint that sends it
    uint32_t destination{0};  //!< endpoint that it is for
    uint32_t asker{0};        //!< endpoint of the side that asked; repeated in all answers
    uint64_t generation{0};   //!< number of its attempt; repeated in all answers
    uint16_t service{0};      //!< what is asked for
    uint32_t queuePair{0};    //!< queue pair number of the sender
    uint32_t psn{0};          //!< first PSN that it will send
    uint32_t pathMtu{0};      //!< payload bytes per packet
};

/**
 * \ingroup rdma
 * The way of connection managers beside the fabric, as programs exchange their queue pair numbers
 * over a management network: messages take a time, and may be lost.
 */
class RdmaCmChannel : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaCmChannel();

    /**
     * \param endpoint An endpoint number.
     * \param manager Who gets its messages; it takes itself out when it is disposed of.
     */
    void Add(uint32_t endpoint, RdmaConnectionManager* manager);
    /// \param endpoint An endpoint number that gets no messages any more.
    void Remove(uint32_t endpoint);
    /// \param message A message, which arrives later or never.
    void Send(const RdmaCmMessage& message);
    /**
     * \param stream First random number stream to use.
     * \return How many were used.
     */
    int64_t AssignStreams(int64_t stream);

  private:
    /// \param message A message that has arrived.
    void Deliver(RdmaCmMessage message);

    std::map<uint32_t, RdmaConnectionManager*> m_managers; //!< by endpoint
    Ptr<UniformRandomVariable> m_random;                   //!< decides what is lost
    Time m_latency;                                        //!< time of a message
    Time m_jitter;                                         //!< up to this much more
    double m_lossRate;                                     //!< probability of a loss
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CM_CHANNEL_H */
