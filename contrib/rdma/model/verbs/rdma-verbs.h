/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_VERBS_H
#define RDMA_VERBS_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Enumerations and attribute structures of the verbs, with the names and values of libibverbs.
 */

namespace ns3
{
namespace rdma
{

/// Work request opcodes (ibv_wr_opcode).
enum class RdmaWrOpcode : uint8_t
{
    RDMA_WRITE = 0,          //!< write to remote memory
    RDMA_WRITE_WITH_IMM = 1, //!< write and consume a remote receive, with 4 bytes of data
    SEND = 2,                //!< send to a remote receive
    SEND_WITH_IMM = 3,       //!< send, with 4 bytes of immediate data
    RDMA_READ = 4,           //!< read from remote memory
    ATOMIC_CMP_AND_SWP = 5,  //!< replace a remote 64-bit word if it has a given value
    ATOMIC_FETCH_AND_ADD = 6, //!< add to a remote 64-bit word
    SEND_WITH_INV = 9,        //!< send, and make a key of the remote side invalid
};

/// What a completion is for (ibv_wc_opcode).
enum class RdmaWcOpcode : uint8_t
{
    SEND = 0,                 //!< a send was acknowledged
    RDMA_WRITE = 1,           //!< a write was acknowledged
    RDMA_READ = 2,            //!< a read has its data
    COMP_SWAP = 3,            //!< a compare-and-swap has the old value
    FETCH_ADD = 4,            //!< a fetch-and-add has the old value
    RECV = 128,               //!< a send filled a receive
    RECV_RDMA_WITH_IMM = 129, //!< a write with immediate consumed a receive
};

/// Completion status (ibv_wc_status).
enum class RdmaWcStatus : uint8_t
{
    SUCCESS = 0,            //!< done
    LOC_LEN_ERR = 1,        //!< the message is longer than the receive
    LOC_QP_OP_ERR = 2,      //!< the queue pair cannot do that
    LOC_PROT_ERR = 4,       //!< the local key does not allow it
    WR_FLUSH_ERR = 5,       //!< the queue pair went into the error state
    BAD_RESP_ERR = 7,       //!< a response does not fit its request
    LOC_ACCESS_ERR = 8,     //!< a local protection fault of a remote operation
    REM_INV_REQ_ERR = 9,    //!< the remote side calls the request invalid
    REM_ACCESS_ERR = 10,    //!< the remote side does not allow access
    REM_OP_ERR = 11,        //!< the remote side failed
    RETRY_EXC_ERR = 12,     //!< transport retry counter exceeded: no answer
    RNR_RETRY_EXC_ERR = 13, //!< receiver-not-ready retry counter exceeded
};

/**
 * \param status A status.
 * \return Its text, as ibv_wc_status_str has it.
 */
const char* RdmaWcStatusName(RdmaWcStatus status);

/// Transport service of a queue pair (ibv_qp_type).
enum class RdmaQpType : uint8_t
{
    RC = 2, //!< reliable connection
    UC = 3, //!< unreliable connection
    UD = 4, //!< unreliable datagram
};

/// State of a queue pair (ibv_qp_state; IBA volume 1, section 10.3.1).
enum class RdmaQpState : uint8_t
{
    RESET = 0, //!< nothing configured, nothing accepted
    INIT = 1,  //!< receives may be posted
    RTR = 2,   //!< ready to receive
    RTS = 3,   //!< ready to send
    SQD = 4,   //!< send queue drained: sends are taken, but not begun
    SQE = 5,   //!< send queue in error: it is flushed; receives go on (UC and UD)
    ERR = 6,   //!< everything posted is flushed
};

/// Rights of memory regions and queue pairs (ibv_access_flags).
enum RdmaAccess : uint32_t
{
    ACCESS_LOCAL_WRITE = 1,   //!< receives and read responses may be placed in it
    ACCESS_REMOTE_WRITE = 2,  //!< remote writes are allowed
    ACCESS_REMOTE_READ = 4,   //!< remote reads are allowed
    ACCESS_REMOTE_ATOMIC = 8, //!< remote atomics are allowed
    ACCESS_ZERO_BASED = 32,   //!< addresses count from the beginning of the region
};

/// Which attributes a call of ModifyQp sets (ibv_qp_attr_mask).
enum RdmaQpAttrMask : uint32_t
{
    QP_STATE = 1 << 0,               //!< RdmaQpAttributes::state
    QP_CUR_STATE = 1 << 1,           //!< RdmaQpAttributes::currentState
    QP_EN_SQD_ASYNC_NOTIFY = 1 << 2, //!< RdmaQpAttributes::sqDrainedNotify
    QP_ACCESS_FLAGS = 1 << 3,        //!< RdmaQpAttributes::accessFlags
    QP_PKEY_INDEX = 1 << 4,          //!< RdmaQpAttributes::pkeyIndex
    QP_PORT = 1 << 5,                //!< RdmaQpAttributes::port
    QP_QKEY = 1 << 6,                //!< RdmaQpAttributes::queueKey
    QP_AV = 1 << 7,                  //!< RdmaQpAttributes::address
    QP_PATH_MTU = 1 << 8,            //!< RdmaQpAttributes::pathMtu
    QP_TIMEOUT = 1 << 9,             //!< RdmaQpAttributes::timeout
    QP_RETRY_CNT = 1 << 10,          //!< RdmaQpAttributes::retryCount
    QP_RNR_RETRY = 1 << 11,          //!< RdmaQpAttributes::rnrRetry
    QP_RQ_PSN = 1 << 12,             //!< RdmaQpAttributes::rqPsn
    QP_MAX_QP_RD_ATOMIC = 1 << 13,   //!< RdmaQpAttributes::maxRdAtomic
    QP_MIN_RNR_TIMER = 1 << 15,      //!< RdmaQpAttributes::minRnrTimer
    QP_SQ_PSN = 1 << 16,             //!< RdmaQpAttributes::sqPsn
    QP_MAX_DEST_RD_ATOMIC = 1 << 17, //!< RdmaQpAttributes::maxDestRdAtomic
    QP_DEST_QPN = 1 << 20,           //!< RdmaQpAttributes::destinationQp
};

/// Where a queue pair sends to (ibv_ah_attr).
struct RdmaAddress
{
    uint32_t endpoint{0};   //!< endpoint number of the remote NIC in its FabricNetwork
    uint8_t priority{3};    //!< 802.1p priority, 0 to 7, or service level, 0 to 15
    uint16_t sourcePort{0}; //!< UDP source port (path entropy); 0: from the queue pair numbers
};

/// Attributes of a queue pair (ibv_qp_attr).
struct RdmaQpAttributes
{
    RdmaQpState state{RdmaQpState::RESET}; //!< state
    RdmaQpState currentState{RdmaQpState::RESET}; //!< what the caller believes the state to be
    bool sqDrainedNotify{false};                  //!< to SQD: whether SQ_DRAINED is to be told
    uint32_t queueKey{0};                         //!< datagrams: Q_Key that they must bring
    uint32_t accessFlags{0};               //!< rights of the remote side, RdmaAccess bits
    uint16_t pkeyIndex{0};                 //!< partition
    uint8_t port{1};                       //!< port of the NIC, 1
    RdmaAddress address;                   //!< where to send to
    uint32_t pathMtu{4096};                //!< payload bytes per packet, 64 to 9216
    uint32_t destinationQp{0};             //!< number of the remote queue pair
    uint32_t rqPsn{0};                     //!< first PSN to receive
    uint32_t sqPsn{0};                     //!< first PSN to send
    uint8_t maxDestRdAtomic{16}; //!< reads, atomics that the remote side may have under way
    uint8_t maxRdAtomic{16};     //!< reads and atomics that may be outstanding
    uint8_t minRnrTimer{12};               //!< code of the timer in RNR NAKs, 0 to 31; 12: 0.64 ms
    uint8_t timeout{14};                   //!< local ACK timeout 4.096 us x 2^timeout; 0: none
    uint8_t retryCount{7};                 //!< retries before RETRY_EXC_ERR, 0 to 7
    uint8_t rnrRetry{7};                   //!< retries after RNR NAK, 0 to 6; 7: for ever
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_VERBS_H */
