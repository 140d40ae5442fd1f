/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QP_INIT_ATTRIBUTES_H
#define RDMA_QP_INIT_ATTRIBUTES_H

#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-loss-recovery.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-shared-receive-queue.h"

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a queue pair is created with (ibv_qp_init_attr).
struct RdmaQpInitAttributes
{
    Ptr<RdmaProtectionDomain> domain;  //!< protection domain
    Ptr<RdmaCompletionQueue> sendCq;   //!< completions of the send queue
    Ptr<RdmaCompletionQueue> recvCq;   //!< completions of the receive queue
    uint32_t maxSendWr{128};           //!< work requests that may be outstanding
    uint32_t maxRecvWr{128};           //!< receives that may be posted
    Ptr<RdmaCongestionOps> congestion; //!< congestion control; nullptr: as the NIC says
    Ptr<RdmaLossRecovery> recovery;    //!< loss recovery; nullptr: as the NIC says
    uint64_t window{0};                //!< bytes that may be unacknowledged; 0: no limit
    RdmaQpType type{RdmaQpType::RC};   //!< transport service
    Ptr<RdmaSharedReceiveQueue> srq;   //!< where receives come from; nullptr: own ones
    uint32_t maxSendSge{16};           //!< pieces of memory of a work request
    uint32_t maxRecvSge{16};           //!< pieces of memory of a receive
    uint32_t maxInlineData{0};         //!< bytes that may be posted inline
    bool signalAll{false};             //!< whether all make completions (sq_sig_all)
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_QP_INIT_ATTRIBUTES_H */
