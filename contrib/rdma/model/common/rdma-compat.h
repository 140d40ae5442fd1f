/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_COMPAT_H
#define RDMA_COMPAT_H

#include "ns3/attribute.h"
#include "ns3/enum.h"
#include "ns3/rdma-release.h"

/**
 * @file
 * What is spelled differently in the supported releases of ns-3 (3.37 to 3.48). Nothing else in the
 * module looks at the release.
 *
 * Spellings that work in all of them and so need nothing here: `TestSuite::Type::UNIT`, a test case
 * added without a duration, `!id.IsExpired()`, `MakeEnumChecker` with unscoped enumerators.
 */

/// `Application::AssignStreams` is virtual since ns-3.42: put this where `override` would stand.
#if RDMA_NS3_MINOR >= 42
#define RDMA_APPLICATION_OVERRIDE override
#else
#define RDMA_APPLICATION_OVERRIDE
#endif

namespace ns3::rdma
{

#if RDMA_NS3_MINOR >= 41

/// The value class of an attribute of enumeration type E. @tparam E an unscoped enumeration
template <typename E>
using RdmaEnumValue = EnumValue<E>;

/**
 * Make the accessor of an enumeration attribute.
 *
 * @tparam E an unscoped enumeration
 * @tparam M the type of the member pointer
 * @param member the data member, or setter
 * @return the accessor
 */
template <typename E, typename M>
Ptr<const AttributeAccessor>
MakeRdmaEnumAccessor(M member)
{
    return MakeEnumAccessor<E>(member);
}

#else

/// The value class of an attribute of enumeration type E. @tparam E an unscoped enumeration
template <typename E>
using RdmaEnumValue = EnumValue;

/**
 * Make the accessor of an enumeration attribute.
 *
 * @tparam E an unscoped enumeration
 * @tparam M the type of the member pointer
 * @param member the data member, or setter
 * @return the accessor
 */
template <typename E, typename M>
Ptr<const AttributeAccessor>
MakeRdmaEnumAccessor(M member)
{
    return MakeEnumAccessor(member);
}

#endif

} // namespace ns3::rdma

#endif // RDMA_COMPAT_H
