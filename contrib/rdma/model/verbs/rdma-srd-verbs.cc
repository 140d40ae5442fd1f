/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-srd-verbs.h"

namespace ns3
{
namespace rdma
{

const char*
RdmaSrdStatusName(RdmaSrdStatus status)
{
    constexpr const char* names[] = {"ok",
                                     "flushed",
                                     "queue pair internal error",
                                     "unsupported operation",
                                     "invalid address handle",
                                     "invalid local key",
                                     "bad length",
                                     "remote bad address",
                                     "remote abort",
                                     "remote bad queue pair",
                                     "remote receiver not ready",
                                     "remote bad length",
                                     "remote bad status",
                                     "unresponsive remote",
                                     "unknown peer",
                                     "unreachable remote"};
    const auto index = static_cast<std::size_t>(status);
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "unknown";
}

RdmaWcStatus
RdmaSrdToWcStatus(RdmaSrdStatus status)
{
    switch (status)
    {
    case RdmaSrdStatus::OK:
        return RdmaWcStatus::SUCCESS;
    case RdmaSrdStatus::FLUSHED:
        return RdmaWcStatus::WR_FLUSH_ERR;
    case RdmaSrdStatus::QP_INTERNAL:
    case RdmaSrdStatus::UNSUPPORTED_OP:
    case RdmaSrdStatus::INVALID_AH:
    case RdmaSrdStatus::UNKNOWN_PEER:
        return RdmaWcStatus::LOC_QP_OP_ERR;
    case RdmaSrdStatus::INVALID_LKEY:
        return RdmaWcStatus::LOC_PROT_ERR;
    case RdmaSrdStatus::BAD_LENGTH:
        return RdmaWcStatus::LOC_LEN_ERR;
    case RdmaSrdStatus::REM_BAD_ADDRESS:
        return RdmaWcStatus::REM_ACCESS_ERR;
    case RdmaSrdStatus::REM_ABORT:
        return RdmaWcStatus::REM_OP_ERR;
    case RdmaSrdStatus::REM_BAD_DEST_QPN:
    case RdmaSrdStatus::REM_BAD_LENGTH:
        return RdmaWcStatus::REM_INV_REQ_ERR;
    case RdmaSrdStatus::REM_RNR:
        return RdmaWcStatus::RNR_RETRY_EXC_ERR;
    case RdmaSrdStatus::REM_BAD_STATUS:
        return RdmaWcStatus::BAD_RESP_ERR;
    case RdmaSrdStatus::UNRESP_REMOTE:
    case RdmaSrdStatus::UNREACH_REMOTE:
        return RdmaWcStatus::RETRY_EXC_ERR;
    }
    return RdmaWcStatus::LOC_QP_OP_ERR;
}

} // namespace rdma
} // namespace ns3
