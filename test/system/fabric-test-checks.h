/* SPDX-License-Identifier: GPL-2.0-only */
/* What every run of a fabric has to keep and to leave behind, and processes for other resolutions.
 */

#ifndef FABRIC_TEST_CHECKS_H
#define FABRIC_TEST_CHECKS_H

#include "ns3/fabric-helper.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>

namespace ns3
{

/// Base of the tests that run the simulator: nothing is left for the next one.
class FabricSystemTest : public testing::Test
{
  protected:
    void TearDown() override;
};

/**
 * Checks the books of all switches again and again.
 * \param fabric The fabric.
 * \param interval How often.
 * \param until Until when; the simulation lasts at least that long.
 */
void AuditEvery(const FabricHelper& fabric, Time interval, Time until);

/**
 * \param fabric A fabric.
 * \param reason Why frames were lost.
 * \return How many at all its devices.
 */
uint64_t CountDrops(const FabricHelper& fabric, rdma::FabricDropReason reason);

/// \param fabric A fabric. \return Frames lost for any reason.
uint64_t CountAllDrops(const FabricHelper& fabric);

/// \param fabric A fabric. \return Pause frames sent by all devices, those that let go on left out.
uint64_t CountXoff(const FabricHelper& fabric);

/// \param fabric A fabric. \return Frames marked by all switches.
uint64_t CountMarks(const FabricHelper& fabric);

/**
 * After Simulator::Run: no event is left, no frame is in use, and no switch holds a byte.
 * \param fabric The fabric.
 */
void ExpectDrained(const FabricHelper& fabric);

/**
 * No switch let more into the headroom of a lane than it set aside, and nothing was lost there.
 * \param fabric The fabric.
 */
void ExpectLossless(const FabricHelper& fabric);

/**
 * Runs a piece of a test in a process of its own, where the resolution of time can be chosen.
 * Expectations that fail there make the test fail here.
 * \param resolution The resolution.
 * \param body What to run.
 */
void ExpectPassesAt(Time::Unit resolution, const std::function<void()>& body);

} // namespace ns3

#endif /* FABRIC_TEST_CHECKS_H */
