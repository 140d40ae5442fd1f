/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-clock.h"

#include "ns3/abort.h"

namespace ns3
{
namespace rdma
{

FabricClock::FabricClock()
    : m_psPerTick(0),
      m_ticksPerPs(1)
{
    switch (Time::GetResolution())
    {
    case Time::FS:
        m_ticksPerPs = 1000;
        break;
    case Time::PS:
        m_psPerTick = 1;
        break;
    case Time::NS:
        m_psPerTick = 1000;
        break;
    case Time::US:
        m_psPerTick = 1000000;
        break;
    default:
        NS_ABORT_MSG("The rdma module needs a time resolution of 1 us or finer");
    }
}

} // namespace rdma
} // namespace ns3
