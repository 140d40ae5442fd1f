/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_VERBS_H
#define RDMA_SRD_VERBS_H

#include "ns3/ptr.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-work-request.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * What the verbs of SRD queue pairs have beside those of ibverbs.
 */

namespace ns3
{
namespace rdma
{

/**
 * Completion status of an SRD work request, with the names and values of the EFA device. A
 * completion has it in RdmaWc::vendorError; RdmaWc::status is the nearest of ibverbs.
 */
enum class RdmaSrdStatus : uint8_t
{
    OK = 0,               //!< done
    FLUSHED = 1,          //!< the local queue pair was closed
    QP_INTERNAL = 2,      //!< the local queue pair failed
    UNSUPPORTED_OP = 3,   //!< SRD cannot do that
    INVALID_AH = 4,       //!< the address handle does not exist, or no longer
    INVALID_LKEY = 5,     //!< the local key does not allow it
    BAD_LENGTH = 6,       //!< longer than allowed, or than the receive
    REM_BAD_ADDRESS = 7,  //!< the remote key does not allow the access
    REM_ABORT = 8,        //!< the remote side gave up
    REM_BAD_DEST_QPN = 9, //!< no such queue pair, or another connection key
    REM_RNR = 10,         //!< no receive was posted
    REM_BAD_LENGTH = 11,  //!< longer than the receive
    REM_BAD_STATUS = 12,  //!< the remote side sent a status that makes no sense
    UNRESP_REMOTE = 13,   //!< the peer has stopped to answer
    UNKNOWN_PEER = 14,    //!< the peer is not known
    UNREACH_REMOTE = 15,  //!< the peer has never answered
};

/// \param status A status. \return Its name.
const char* RdmaSrdStatusName(RdmaSrdStatus status);
/// \param status A status. \return What ibverbs has that is nearest.
RdmaWcStatus RdmaSrdToWcStatus(RdmaSrdStatus status);

/**
 * \ingroup rdma
 * An address handle (ibv_ah) of SRD: a remote NIC. All work requests with a handle to the same
 * NIC share its context, whatever their queue pairs are.
 */
class RdmaSrdAddressHandle : public SimpleRefCount<RdmaSrdAddressHandle>
{
  public:
    /// \param endpoint Endpoint number of the remote NIC.
    explicit RdmaSrdAddressHandle(uint32_t endpoint)
        : m_endpoint(endpoint)
    {
    }

    /// \return Endpoint number of the remote NIC.
    uint32_t GetEndpoint() const
    {
        return m_endpoint;
    }

    /// \return Whether it was not destroyed.
    bool IsValid() const
    {
        return m_valid;
    }

    /// It is destroyed: work requests with it fail.
    void Invalidate()
    {
        m_valid = false;
    }

  private:
    uint32_t m_endpoint; //!< remote NIC
    bool m_valid{true};  //!< whether it may be used
};

/**
 * \ingroup rdma
 * A request for the send queue of an SRD queue pair. SEND, SEND_WITH_IMM, RDMA_WRITE,
 * RDMA_WRITE_WITH_IMM and RDMA_READ are possible.
 */
struct RdmaSrdSendWr : RdmaSendWr
{
    Ptr<RdmaSrdAddressHandle> address; //!< remote NIC
    uint16_t remoteQueuePair{0};       //!< number of the remote queue pair
    uint32_t connectionKey{0};         //!< connection key (Q_Key) of the remote queue pair
};

/// \ingroup rdma What an SRD queue pair is created with.
struct RdmaSrdQpInitAttributes
{
    Ptr<RdmaProtectionDomain> domain; //!< protection domain
    Ptr<RdmaCompletionQueue> sendCq;  //!< completions of the send queue
    Ptr<RdmaCompletionQueue> recvCq;  //!< completions of receives and of writes with immediate
    uint32_t maxSendWr{128};          //!< work requests that may be outstanding
    uint32_t maxRecvWr{128};          //!< receives that may be posted
    uint32_t connectionKey{0};        //!< key that packets for this queue pair must have
    uint8_t rnrRetry{7};              //!< retries when no receive was posted, 0 to 6; 7: for ever
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_VERBS_H */
