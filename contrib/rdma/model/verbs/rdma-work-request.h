/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WORK_REQUEST_H
#define RDMA_WORK_REQUEST_H

#include "ns3/rdma-address-handle.h"
#include "ns3/rdma-verbs.h"

#include <vector>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma A piece of local memory (ibv_sge).
struct RdmaSge
{
    uint64_t address{0}; //!< its first address
    uint64_t length{0};  //!< its bytes
    uint32_t lkey{0};    //!< key of the memory region that it lies in
};

/**
 * \ingroup rdma
 * A request for the send queue (ibv_send_wr). Its local memory is one piece, or a list of them.
 */
struct RdmaSendWr
{
    uint64_t wrId{0};                              //!< the user's number for it
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< what to do
    uint64_t length{0};                            //!< bytes, at most 2^31
    uint64_t localAddress{0};                      //!< where the local data is
    uint32_t lkey{0};                              //!< key of the local memory region
    uint64_t remoteAddress{0};                     //!< where the remote data is (not for sends)
    uint32_t rkey{0};                              //!< key of the remote region (not for sends)
    uint32_t immediate{0};  //!< data of the opcodes with immediate; SEND_WITH_INV: the remote key
    bool signaled{true};    //!< whether success makes a completion (IBV_SEND_SIGNALED)
    bool fence{false};      //!< begins when reads and atomics before it are done (IBV_SEND_FENCE)
    bool solicited{false};  //!< wakes who waits for solicited events (IBV_SEND_SOLICITED)
    bool inlineData{false}; //!< the data is taken when it is posted, without keys (IBV_SEND_INLINE)
    uint64_t compareAdd{0}; //!< atomics: what to compare with, or to add
    uint64_t swap{0};       //!< compare-and-swap: the new value
    Ptr<RdmaAddressHandle> addressHandle; //!< datagrams: where they go
    uint32_t remoteQueuePair{0};          //!< datagrams: queue pair there, 24 bit
    uint32_t remoteQueueKey{0}; //!< datagrams: its Q_Key; with the top bit: that of the sender
    /// The local memory, piece after piece; when there are none: localAddress, lkey and length.
    std::vector<RdmaSge> gather;
};

/**
 * \ingroup rdma
 * A request for the receive queue (ibv_recv_wr). Its memory is one piece, or a list of them.
 */
struct RdmaRecvWr
{
    uint64_t wrId{0};         //!< the user's number for it
    uint64_t localAddress{0}; //!< where the data goes
    uint32_t lkey{0};         //!< key of the local memory region
    uint64_t length{0};       //!< bytes that fit
    /// The memory, piece after piece; when there are none: localAddress, lkey and length.
    std::vector<RdmaSge> scatter;
};

/// \ingroup rdma A work completion (ibv_wc).
struct RdmaWc
{
    uint64_t wrId{0};                           //!< the user's number of the request
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< how it ended
    RdmaWcOpcode opcode{RdmaWcOpcode::SEND};    //!< what it was; valid on success
    uint32_t queuePair{0};                      //!< local queue pair number
    uint64_t byteLength{0};                     //!< bytes received (receives and reads)
    uint32_t immediate{0};                      //!< immediate data, or the key made invalid
    bool hasImmediate{false};                   //!< whether there is any (IBV_WC_WITH_IMM)
    bool hasInvalidated{false};  //!< whether a key was made invalid (IBV_WC_WITH_INV)
    bool solicited{false};                      //!< whether it is a solicited event
    bool hasGrh{false};          //!< datagrams: 40 bytes of GRH come first
    uint32_t sourceEndpoint{0};  //!< datagrams: where it came from
    uint32_t sourceQueuePair{0}; //!< datagrams: the queue pair that sent it
    uint8_t vendorError{0};      //!< SRD: RdmaSrdStatus (vendor_err)
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_WORK_REQUEST_H */
