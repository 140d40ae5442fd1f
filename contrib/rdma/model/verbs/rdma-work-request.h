/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_REQUEST_H
#define RDMA_WORK_REQUEST_H

#include "ns3/rdma-verbs.h"

namespace ns3
{
namespace rdma
{

/// \ingroup rdma A request for the send queue (ibv_send_wr), with one gather element.
struct RdmaSendWr
{
    uint64_t wrId{0};                              //!< the user's number for it
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< what to do
    uint64_t length{0};                            //!< bytes, at most 2^31
    uint64_t localAddress{0};                      //!< where the local data is
    uint32_t lkey{0};                              //!< key of the local memory region
    uint64_t remoteAddress{0};                     //!< where the remote data is (write, read)
    uint32_t rkey{0};                              //!< key of the remote region (write, read)
    uint32_t immediate{0};                         //!< data of the opcodes with immediate
    bool signaled{true};                           //!< whether success makes a completion
    bool inlineData{false};                        //!< IBV_SEND_INLINE: the request has the data
};

/// \ingroup rdma A request for the receive queue (ibv_recv_wr), with one scatter element.
struct RdmaRecvWr
{
    uint64_t wrId{0};         //!< the user's number for it
    uint64_t localAddress{0}; //!< where the data goes
    uint32_t lkey{0};         //!< key of the local memory region
    uint64_t length{0};       //!< bytes that fit
};

/// \ingroup rdma A work completion (ibv_wc).
struct RdmaWc
{
    uint64_t wrId{0};                           //!< the user's number of the request
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< how it ended
    RdmaWcOpcode opcode{RdmaWcOpcode::SEND};    //!< what it was; valid on success
    uint32_t queuePair{0};                      //!< local queue pair number
    uint64_t byteLength{0};                     //!< bytes received (receives and reads)
    uint32_t immediate{0};                      //!< immediate data
    bool hasImmediate{false};                   //!< whether there is any
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_WORK_REQUEST_H */
