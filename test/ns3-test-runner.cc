/* SPDX-License-Identifier: GPL-2.0-only */
/** @file Runs the module's ns-3 test suites outside of an ns-3 tree. Suites register themselves when they are linked. */
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
