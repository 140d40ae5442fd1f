/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-qp-transitions.h"

namespace ns3
{
namespace rdma
{

namespace
{

using State = RdmaQpState;
using Type = RdmaQpType;

/// A line of the table.
struct Line
{
    Type type;                   //!< transport service
    State from;                  //!< old state
    State to;                    //!< new state
    RdmaQpTransition transition; //!< what it takes
};

constexpr uint32_t PATH_OF_RC =
    QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN | QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER;
constexpr uint32_t PATH_OF_UC = QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN;
constexpr uint32_t RETRIES = QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC;

constexpr Line TABLE[] = {
    {Type::RC, State::RESET, State::INIT, {QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0}},
    {Type::RC, State::INIT, State::INIT, {0, QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS}},
    {Type::RC, State::INIT, State::RTR, {PATH_OF_RC, QP_ACCESS_FLAGS | QP_PKEY_INDEX}},
    {Type::RC,
     State::RTR,
     State::RTS,
     {QP_SQ_PSN | RETRIES, QP_CUR_STATE | QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER}},
    {Type::RC, State::RTS, State::RTS, {0, QP_CUR_STATE | QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER}},
    {Type::RC, State::RTS, State::SQD, {0, QP_EN_SQD_ASYNC_NOTIFY}},
    {Type::RC, State::SQD, State::RTS, {0, QP_CUR_STATE | QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER}},
    {Type::RC,
     State::SQD,
     State::SQD,
     {0,
      QP_PORT | QP_AV | RETRIES | QP_MAX_DEST_RD_ATOMIC | QP_ACCESS_FLAGS | QP_PKEY_INDEX |
          QP_MIN_RNR_TIMER}},

    {Type::UC, State::RESET, State::INIT, {QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0}},
    {Type::UC, State::INIT, State::INIT, {0, QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS}},
    {Type::UC, State::INIT, State::RTR, {PATH_OF_UC, QP_ACCESS_FLAGS | QP_PKEY_INDEX}},
    {Type::UC, State::RTR, State::RTS, {QP_SQ_PSN, QP_CUR_STATE | QP_ACCESS_FLAGS}},
    {Type::UC, State::RTS, State::RTS, {0, QP_CUR_STATE | QP_ACCESS_FLAGS}},
    {Type::UC, State::RTS, State::SQD, {0, QP_EN_SQD_ASYNC_NOTIFY}},
    {Type::UC, State::SQD, State::RTS, {0, QP_CUR_STATE | QP_ACCESS_FLAGS}},
    {Type::UC, State::SQD, State::SQD, {0, QP_AV | QP_ACCESS_FLAGS | QP_PKEY_INDEX}},
    {Type::UC, State::SQE, State::RTS, {0, QP_CUR_STATE | QP_ACCESS_FLAGS}},

    {Type::UD, State::RESET, State::INIT, {QP_PKEY_INDEX | QP_PORT | QP_QKEY, 0}},
    {Type::UD, State::INIT, State::INIT, {0, QP_PKEY_INDEX | QP_PORT | QP_QKEY}},
    {Type::UD, State::INIT, State::RTR, {0, QP_PKEY_INDEX | QP_QKEY}},
    {Type::UD, State::RTR, State::RTS, {QP_SQ_PSN, QP_CUR_STATE | QP_QKEY}},
    {Type::UD, State::RTS, State::RTS, {0, QP_CUR_STATE | QP_QKEY}},
    {Type::UD, State::RTS, State::SQD, {0, QP_EN_SQD_ASYNC_NOTIFY}},
    {Type::UD, State::SQD, State::RTS, {0, QP_CUR_STATE | QP_QKEY}},
    {Type::UD, State::SQD, State::SQD, {0, QP_PKEY_INDEX | QP_QKEY}},
    {Type::UD, State::SQE, State::RTS, {0, QP_CUR_STATE | QP_QKEY}},
};

} // namespace

std::optional<RdmaQpTransition>
RdmaFindQpTransition(RdmaQpType type, RdmaQpState from, RdmaQpState to)
{
    if (to == State::RESET || to == State::ERR)
    {
        return RdmaQpTransition{0, 0};
    }
    for (const Line& line : TABLE)
    {
        if (line.type == type && line.from == from && line.to == to)
        {
            return line.transition;
        }
    }
    return std::nullopt;
}

} // namespace rdma
} // namespace ns3
