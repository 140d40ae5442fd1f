/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "ns3/fabric-types.h"

#include <cstdint>

namespace ns3
{

class Packet;

namespace rdma
{

/**
 * \ingroup rdma
 * A frame in flight: the parsed fields of a packet instead of its bytes.
 *
 * Frames are pooled (FabricFramePool), linked into queues through themselves and never copied on
 * the way. What every hop reads stands in the first cache line, what only the ends read in the
 * second. Wire bytes are made from it by the codecs when somebody looks.
 */
struct alignas(64) FabricFrame
{
    // Read at every hop.
    FabricFrame* next;        //!< link of the queue or wire the frame is in
    int64_t time;             //!< on a wire: when it is handed to the receiver, in ps
    uint32_t destination;     //!< endpoint number of the receiver, or FABRIC_BROADCAST
    uint32_t source;          //!< endpoint number of the sender
    uint32_t flowHash;        //!< hash of the 5-tuple, the same for all frames of a flow
    uint32_t bytes;           //!< length from MAC header to FCS, padding included; LRH to VCRC
    uint16_t ingress;         //!< port of the switch by which it came in
    uint8_t priority;         //!< lane: 802.1p priority, 0 to 7, or InfiniBand virtual lane, 0 to 15
    uint8_t ecn;              //!< FabricEcn
    FabricFrameKind kind;     //!< what the frame carries
    uint8_t hopLimit;         //!< switches it may still cross
    uint8_t opcode;           //!< BTH opcode, or RdmaSrdOpcode
    uint8_t flags;            //!< Flag bits
    uint32_t queuePair;       //!< destination queue pair, 24 bit
    uint32_t psn;             //!< packet sequence number, 24 bit; 32 bit in SRD
    uint32_t payload;         //!< payload bytes without padding
    uint32_t sourceQueuePair; //!< queue pair that sent it (on the wire only for datagrams)
    uint16_t dlid;            //!< InfiniBand: destination local identifier
    uint16_t slid;            //!< InfiniBand: source local identifier
    uint8_t serviceLevel;     //!< InfiniBand: service level, 0 to 15
    uint8_t ingressLane;      //!< InfiniBand: virtual lane by which it came into the switch

    /// Fields of an RDMA packet that only its ends read.
    struct RdmaFields
    {
        union {
            uint64_t virtualAddress; //!< RETH, AtomicETH: where in the remote memory
            uint64_t original;       //!< AtomicAckETH: what the word held before
        };

        uint32_t remoteKey;      //!< RETH, AtomicETH: R_Key; IETH: the one to invalidate
        uint32_t dmaLength;      //!< RETH: length of the whole message
        uint32_t immediate;      //!< ImmDt
        uint8_t syndrome;        //!< AETH: ACK, RNR NAK or NAK with its code
        uint16_t sourcePort;     //!< UDP source port, the entropy of the flow
        uint32_t msn;            //!< AETH: message sequence number, 24 bit
        uint32_t queueKey;       //!< DETH: Q_Key
        int64_t sent;            //!< when the wire took it (or the data it acknowledges), in ps

        union {
            uint64_t offset; //!< payload's place in its message, in bytes
            uint64_t swap;   //!< AtomicETH: value to store, or to add
        };

        union {
            uint8_t* data;    //!< flag HAS_DATA: the payload's bytes, in a buffer of the pool
            uint64_t compare; //!< AtomicETH: value that the word must have
        };
    };

    /// Fields of an SRD packet that only its ends read (see RdmaSrdHeader).
    struct SrdFields
    {
        uint64_t remoteAddress; //!< first byte of the whole message in the remote memory
        uint64_t received;      //!< ACK: bit i: the packet 64 - i before the answered one came
        uint32_t cumulative;    //!< ACK: all before this sequence number came
        uint32_t connectionKey; //!< that the destination queue pair must have
        uint32_t messageId;     //!< message of the peer
        uint32_t remoteKey;     //!< key of the remote memory
        uint32_t length;        //!< bytes of the whole message
        uint32_t offset;        //!< of the payload in the message
        uint32_t immediate;     //!< immediate data
        uint16_t sourcePort;    //!< UDP source port, the entropy of the path
        uint8_t transmission;   //!< 1 for the first of a sequence number
        uint8_t status;         //!< RdmaSrdStatus
    };

    /// Fields of a frame that carries an ns3::Packet.
    struct PacketFields
    {
        Packet* packet;          //!< network layer packet; the frame holds a reference
        uint16_t protocol;       //!< EtherType
        uint64_t sourceMac;      //!< MAC address it was sent from
        uint64_t destinationMac; //!< MAC address it was sent to
    };

    /// Fields of a pause frame.
    struct PauseFields
    {
        uint16_t quanta[FABRIC_PRIORITIES]; //!< pause time per class in units of 512 bit times
        uint8_t classes;                    //!< class-enable vector
    };

    /// Fields of an InfiniBand flow control packet (IBA volume 1, section 7.9).
    struct CreditFields
    {
        uint16_t sentBlocks;  //!< FCTBS: blocks of 64 bytes sent since the link came up, 12 bit
        uint16_t creditLimit; //!< FCCL: blocks that the other side may have sent, 12 bit
        uint8_t lane;         //!< virtual lane that it speaks of
        bool initial;         //!< whether it initializes the link (op 1)
    };

    union {
        RdmaFields rdma;   //!< kind RDMA
        SrdFields srd;     //!< kind SRD
        PacketFields net;  //!< kind PACKET
        PauseFields pause; //!< kinds PFC and PAUSE
        CreditFields credit; //!< kind CREDIT
    };

    /// Bits of FabricFrame::flags.
    enum Flag : uint8_t
    {
        ACK_REQUEST = 1, //!< BTH AckReq
        SOLICITED = 2,   //!< BTH SE
        FECN = 4,        //!< BTH FECN
        BECN = 8,        //!< BTH BECN
        HAS_DATA = 16,   //!< the payload has bytes; never on the wire
    };
};

static_assert(sizeof(FabricFrame) <= 128, "a frame fits two cache lines");

/**
 * \ingroup rdma
 * First-in first-out queue of frames, linked through the frames.
 */
class FabricFrameQueue
{
  public:
    /// \return Whether there is no frame.
    bool IsEmpty() const
    {
        return !m_head;
    }

    /// \return The oldest frame, or nullptr.
    FabricFrame* Peek() const
    {
        return m_head;
    }

    /// \param frame The frame to append; it is in no other queue.
    void Push(FabricFrame* frame)
    {
        frame->next = nullptr;
        if (m_head)
        {
            m_tail->next = frame;
        }
        else
        {
            m_head = frame;
        }
        m_tail = frame;
    }

    /// \return The oldest frame, taken out. The queue must not be empty.
    FabricFrame* Pop()
    {
        FabricFrame* frame = m_head;
        m_head = frame->next;
        return frame;
    }

    /**
     * Takes a frame out of the middle.
     * \param frame A frame in the queue.
     * \param before The one in front of it, or nullptr.
     */
    void Remove(FabricFrame* frame, FabricFrame* before)
    {
        (before ? before->next : m_head) = frame->next;
        if (m_tail == frame)
        {
            m_tail = before;
        }
    }

  private:
    FabricFrame* m_head{nullptr}; //!< oldest
    FabricFrame* m_tail{nullptr}; //!< newest; valid while m_head is
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_FRAME_H */
