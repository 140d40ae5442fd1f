/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QP_TRANSITIONS_H
#define RDMA_QP_TRANSITIONS_H

#include "ns3/rdma-verbs.h"

#include <optional>

namespace ns3
{
namespace rdma
{

/// \ingroup rdma What a transition of a queue pair takes, RdmaQpAttrMask bits beside QP_STATE.
struct RdmaQpTransition
{
    uint32_t required; //!< must be given
    uint32_t optional; //!< may be given
};

/**
 * The transitions that ModifyQp makes (IBA volume 1, section 11.2.5.2, table "QP state transition
 * properties"; manual page of ibv_modify_qp).
 * \param type Transport service.
 * \param from State that the queue pair is in.
 * \param to State that it shall go to; the same for a change of attributes.
 * \return What the transition takes, or nothing when there is no such transition.
 */
std::optional<RdmaQpTransition> RdmaFindQpTransition(RdmaQpType type,
                                                     RdmaQpState from,
                                                     RdmaQpState to);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_QP_TRANSITIONS_H */
