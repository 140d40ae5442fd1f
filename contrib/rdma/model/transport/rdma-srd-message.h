/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_MESSAGE_H
#define RDMA_SRD_MESSAGE_H

#include "ns3/rdma-srd-header.h"
#include "ns3/rdma-srd-verbs.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

class RdmaSrdQueuePair;
class RdmaSrdSender;

/**
 * \ingroup rdma
 * A message that is being sent, or read: a work request, or the answer to a remote read.
 */
struct RdmaSrdMessage
{
    RdmaSrdMessage* next{nullptr};               //!< link of its stream, or of free messages
    RdmaSrdQueuePair* queuePair{nullptr};        //!< whose; nullptr: nobody waits for it any more
    RdmaSrdSender* sender{nullptr};              //!< the peer it goes to; nullptr: it is free
    const RdmaSrdAddressHandle* handle{nullptr}; //!< its address handle
    uint64_t wrId{0};                            //!< the user's number
    uint64_t remoteAddress{0};                   //!< first byte in the remote memory
    uint32_t id{0};                              //!< its number in the table
    uint32_t wireId{0};                          //!< its number in packets
    uint32_t remoteKey{0};                       //!< remote key
    uint32_t connectionKey{0};                   //!< of the remote queue pair
    uint32_t length{0};                          //!< bytes
    uint32_t cut{0};                             //!< bytes that have been put into packets
    uint32_t arrived{0};                         //!< read: bytes that have come
    uint32_t unacknowledged{0};                  //!< packets made and not acknowledged
    uint32_t immediate{0};                       //!< immediate data
    uint16_t localQueuePair{0};                  //!< number of the queue pair that sends
    uint16_t remoteQueuePair{0};                 //!< number of the queue pair that receives
    RdmaSrdOpcode opcode{RdmaSrdOpcode::SEND};   //!< of its packets
    RdmaSrdStatus status{RdmaSrdStatus::OK};     //!< of a READ_RESPONSE without data: why
    uint8_t retries{0};                          //!< how often no receive was posted
    uint8_t retryLimit{7};                       //!< how often it may; 7: for ever
    bool signaled{false};                        //!< whether success makes a completion
    bool queued{false};                          //!< whether it is in a stream, or waits for one
    bool over{false};                            //!< whether it failed: nothing of it is sent
    bool reading{false};                         //!< whether it is a read that lacks only data
};

/**
 * \ingroup rdma
 * The messages of a NIC, by number. Numbers of messages that ended are not used again soon.
 */
class RdmaSrdMessageTable
{
  public:
    /// \return A message with its defaults and a number.
    RdmaSrdMessage* Allocate();
    /// \param message A message that nobody refers to any more.
    void Free(RdmaSrdMessage* message);
    /// \param id A number. \return The message with it, or nullptr.
    RdmaSrdMessage* Find(uint32_t id);

    /// \return How many messages there are.
    uint32_t GetLive() const
    {
        return m_live;
    }

    /**
     * Calls a function for all messages that there are, in the order of their places.
     * \param function Called with a reference to the message; it may free that message.
     */
    template <typename Function>
    void ForEach(Function function)
    {
        for (std::size_t i = 0; i < m_blocks.size() * BLOCK; ++i)
        {
            RdmaSrdMessage& message = m_blocks[i / BLOCK][i % BLOCK];
            if (message.sender)
            {
                function(message);
            }
        }
    }

  private:
    static constexpr uint32_t BLOCK = 64;    //!< messages made at a time
    static constexpr uint32_t TAG_BITS = 10; //!< of a number: how often its place was used

    std::vector<std::unique_ptr<RdmaSrdMessage[]>> m_blocks; //!< the messages
    RdmaSrdMessage* m_free{nullptr};                         //!< free ones
    uint32_t m_live{0};                                      //!< messages in use
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_MESSAGE_H */
