/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TX_JOB_H
#define RDMA_TX_JOB_H

#include "ns3/fabric-types.h"

#include <cstdint>

namespace ns3
{
namespace rdma
{

struct FabricFrame;
struct RdmaTxJob;

/// \ingroup rdma Somebody with streams of packets at a NIC.
class RdmaTxOwner
{
  public:
    virtual ~RdmaTxOwner() = default;
    /**
     * \param job One of its streams.
     * \param now The time in ps.
     * \param again On return: when to ask again; FABRIC_NEVER: when told.
     * \return The next packet of the stream, or nullptr.
     */
    virtual FabricFrame* Build(const RdmaTxJob& job, int64_t now, int64_t& again) = 0;
};

/**
 * \ingroup rdma
 * A stream of packets of a queue pair that the NIC schedules by itself. A queue pair has four; each
 * waits in at most one place of the RdmaQpScheduler, so nobody ever looks through all queue pairs.
 */
struct RdmaTxJob
{
    /// What the packets are.
    enum class Kind : uint8_t
    {
        CNP,         //!< congestion notification
        ACKNOWLEDGE, //!< ACK, NAK, RNR NAK
        RESPONSE,    //!< data of remote reads
        REQUEST,     //!< the send queue
    };

    /// Where the job is.
    enum class State : uint8_t
    {
        IDLE,  //!< nothing to send
        READY, //!< in the ring of its lane
        PACED, //!< waits for its time
    };

    RdmaTxJob* next{nullptr};      //!< link of the ring
    RdmaTxOwner* owner{nullptr};   //!< whose job it is
    int64_t when{0};               //!< while paced: its time, in ps
    Kind kind{Kind::REQUEST};      //!< what it sends
    State state{State::IDLE};      //!< where it is
    uint8_t priority{0};           //!< 802.1p priority, or service level, of its packets
    uint8_t lane{0};               //!< while ready: the lane that the NIC has put it in
};

/// \ingroup rdma The streams of a queue pair.
struct RdmaTxJobs
{
    RdmaTxJob cnp;         //!< CNPs
    RdmaTxJob acknowledge; //!< acknowledgements
    RdmaTxJob response;    //!< answers with data
    RdmaTxJob request;     //!< the send queue
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_TX_JOB_H */
