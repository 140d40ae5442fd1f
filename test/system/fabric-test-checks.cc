/* SPDX-License-Identifier: GPL-2.0-only */
/* What every run of a fabric has to keep and to leave behind, and processes for other resolutions.
 */

#include "fabric-test-checks.h"

#include "ns3/fabric-pfc.h"
#include "ns3/simulator.h"

#include <cstdlib>

namespace ns3
{

using namespace rdma;

namespace
{

/// Checks the books of all switches. \param switches The switches.
void
Audit(const std::vector<Ptr<FabricSwitch>>& switches)
{
    for (const auto& fabricSwitch : switches)
    {
        EXPECT_EQ(fabricSwitch->GetBufferPolicy()->Audit(), "") << "at " << Simulator::Now();
    }
}

/**
 * Checks now, and again later.
 * \param switches The switches.
 * \param interval How much later.
 * \param until Until when.
 */
void
AuditAndGoOn(const std::vector<Ptr<FabricSwitch>>& switches, Time interval, Time until)
{
    Audit(switches);
    if (Simulator::Now() + interval <= until)
    {
        Simulator::Schedule(interval, &AuditAndGoOn, switches, interval, until);
    }
}

} // namespace

void
FabricSystemTest::TearDown()
{
    Simulator::Destroy();
}

void
AuditEvery(const FabricHelper& fabric, Time interval, Time until)
{
    Simulator::Schedule(interval, &AuditAndGoOn, fabric.GetSwitches(), interval, until);
}

uint64_t
CountDrops(const FabricHelper& fabric, FabricDropReason reason)
{
    uint64_t drops = 0;
    for (const FabricNetDevice* device : fabric.GetNetwork()->GetDevices())
    {
        drops += device->GetDrops(reason);
    }
    return drops;
}

uint64_t
CountAllDrops(const FabricHelper& fabric)
{
    uint64_t drops = 0;
    for (int reason = 0; reason < static_cast<int>(FabricDropReason::COUNT); ++reason)
    {
        drops += CountDrops(fabric, static_cast<FabricDropReason>(reason));
    }
    return drops;
}

uint64_t
CountXoff(const FabricHelper& fabric)
{
    uint64_t pauses = 0;
    for (const FabricNetDevice* device : fabric.GetNetwork()->GetDevices())
    {
        const auto* pfc = dynamic_cast<const FabricPfc*>(&device->GetPort().GetFlowControl());
        pauses += pfc ? pfc->GetXoffSent() : 0;
    }
    return pauses;
}

uint64_t
CountMarks(const FabricHelper& fabric)
{
    uint64_t marks = 0;
    for (const auto& fabricSwitch : fabric.GetSwitches())
    {
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
            {
                marks += fabricSwitch->GetEgress(port).GetMarks(lane);
            }
        }
    }
    return marks;
}

void
ExpectDrained(const FabricHelper& fabric)
{
    EXPECT_TRUE(Simulator::IsFinished()) << "events are left";
    EXPECT_EQ(fabric.GetNetwork()->GetPool().GetLive(), 0u) << "frames are in use";
    Audit(fabric.GetSwitches());
    for (const auto& fabricSwitch : fabric.GetSwitches())
    {
        const auto buffer = fabricSwitch->GetBufferPolicy();
        EXPECT_EQ(buffer->GetUsed(), 0u);
        EXPECT_EQ(buffer->GetSharedUsed(), 0u);
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
            {
                EXPECT_FALSE(buffer->GetIngress(port, lane).stopped)
                    << "port " << port << " priority " << +lane << " is stopped for ever";
            }
        }
    }
}

void
ExpectLossless(const FabricHelper& fabric)
{
    EXPECT_EQ(CountDrops(fabric, FabricDropReason::HEADROOM_FULL), 0u);
    for (const auto& fabricSwitch : fabric.GetSwitches())
    {
        for (uint32_t port = 0; port < fabricSwitch->GetNPorts(); ++port)
        {
            for (uint8_t lane = 0; lane < FABRIC_PRIORITIES; ++lane)
            {
                const auto& books = fabricSwitch->GetBufferPolicy()->GetIngress(port, lane);
                EXPECT_LE(books.headroomPeak, books.headroomLimit);
            }
        }
    }
}

void
ExpectPassesAt(Time::Unit resolution, const std::function<void()>& body)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            Time::SetResolution(resolution);
            body();
            Simulator::Destroy();
            std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0),
        "");
}

} // namespace ns3
