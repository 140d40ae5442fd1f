/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-verbs.h"

namespace ns3
{
namespace rdma
{

const char*
RdmaWcStatusName(RdmaWcStatus status)
{
    switch (status)
    {
    case RdmaWcStatus::SUCCESS:
        return "success";
    case RdmaWcStatus::LOC_LEN_ERR:
        return "local length error";
    case RdmaWcStatus::LOC_QP_OP_ERR:
        return "local QP operation error";
    case RdmaWcStatus::LOC_PROT_ERR:
        return "local protection error";
    case RdmaWcStatus::WR_FLUSH_ERR:
        return "work request flushed error";
    case RdmaWcStatus::BAD_RESP_ERR:
        return "bad response error";
    case RdmaWcStatus::LOC_ACCESS_ERR:
        return "local access error";
    case RdmaWcStatus::REM_INV_REQ_ERR:
        return "remote invalid request error";
    case RdmaWcStatus::REM_ACCESS_ERR:
        return "remote access error";
    case RdmaWcStatus::REM_OP_ERR:
        return "remote operation error";
    case RdmaWcStatus::RETRY_EXC_ERR:
        return "transport retry counter exceeded";
    case RdmaWcStatus::RNR_RETRY_EXC_ERR:
        return "RNR retry counter exceeded";
    }
    return "unknown";
}

} // namespace rdma
} // namespace ns3
