/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEND_WQE_H
#define RDMA_SEND_WQE_H

#include "ns3/rdma-work-request.h"

#include <memory>
#include <optional>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma Where a datagram goes.
struct RdmaDatagramAddress
{
    RdmaAddress address;   //!< of the address handle
    uint32_t queuePair{0}; //!< queue pair there
    uint32_t queueKey{0};  //!< its Q_Key; with the top bit: that of the sender
};

/// \ingroup rdma What few work requests have.
struct RdmaSendDetails
{
    std::vector<RdmaSge> gather;     //!< the local memory, when it is not one piece
    std::vector<uint8_t> inlineData; //!< bytes taken when it was posted
    std::optional<RdmaDatagramAddress> to; //!< where a datagram goes
};

/**
 * \ingroup rdma
 * A request as it stands in a send queue: what the user posted, checked. It is copied often, so
 * what is long stands outside.
 */
struct RdmaSendWqe
{
    uint64_t wrId{0};                        //!< the user's number
    uint64_t length{0};                      //!< bytes
    uint64_t localAddress{0};                //!< where the local data is, when it is one piece
    uint64_t remoteAddress{0};               //!< where the remote data is
    uint64_t compareAdd{0};                  //!< atomics: what to compare with, or to add
    uint64_t swap{0};                        //!< compare-and-swap: the new value
    uint32_t lkey{0};                        //!< local key
    uint32_t rkey{0};                        //!< remote key
    uint32_t immediate{0};                   //!< immediate data, or the key to invalidate
    RdmaWrOpcode opcode{RdmaWrOpcode::SEND}; //!< what to do
    bool signaled{true};                     //!< whether success makes a completion
    bool fence{false};                       //!< waits for reads and atomics
    bool solicited{false};                   //!< asks for a solicited event
    bool inlineData{false};                         //!< whether the NIC got the data with it
    bool listed{false};                      //!< posted in a list: it does not ride on the doorbell
    bool hasData{false};                     //!< whether the local data has bytes
    std::shared_ptr<const RdmaSendDetails> details; //!< nullptr: there are none
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SEND_WQE_H */
