/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-verbs.h"

#include "ns3/rdma-async-event.h"

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

const char*
RdmaEventTypeName(RdmaEventType type)
{
    switch (type)
    {
    case RdmaEventType::CQ_ERR:
        return "CQ_ERR";
    case RdmaEventType::QP_FATAL:
        return "QP_FATAL";
    case RdmaEventType::QP_REQ_ERR:
        return "QP_REQ_ERR";
    case RdmaEventType::QP_ACCESS_ERR:
        return "QP_ACCESS_ERR";
    case RdmaEventType::COMM_EST:
        return "COMM_EST";
    case RdmaEventType::SQ_DRAINED:
        return "SQ_DRAINED";
    case RdmaEventType::PORT_ACTIVE:
        return "PORT_ACTIVE";
    case RdmaEventType::PORT_ERR:
        return "PORT_ERR";
    case RdmaEventType::SRQ_LIMIT_REACHED:
        return "SRQ_LIMIT_REACHED";
    case RdmaEventType::QP_LAST_WQE_REACHED:
        return "QP_LAST_WQE_REACHED";
    }
    return "unknown";
}

} // namespace rdma
} // namespace ns3
