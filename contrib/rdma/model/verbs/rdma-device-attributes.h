/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DEVICE_ATTRIBUTES_H
#define RDMA_DEVICE_ATTRIBUTES_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a NIC can do (ibv_device_attr). More is refused.
struct RdmaDeviceAttributes
{
    uint32_t maxQp{0};        //!< queue pairs
    uint32_t maxQpWr{0};      //!< work requests of a send or receive queue
    uint32_t maxSge{0};       //!< pieces of memory of a work request
    uint32_t maxCqe{0};       //!< completions of a completion queue
    uint32_t maxMr{0};        //!< memory regions
    uint32_t maxSrqWr{0};     //!< receives of a shared receive queue
    uint32_t maxInline{0};    //!< bytes of inline data of a work request
    uint8_t maxQpRdAtomic{0}; //!< reads and atomics of a queue pair, either way
    uint8_t physPortCount{1}; //!< ports
    uint16_t maxPkeys{1};     //!< partitions
    uint64_t maxMessage{0};   //!< bytes of a message (ibv_port_attr)
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_DEVICE_ATTRIBUTES_H */
