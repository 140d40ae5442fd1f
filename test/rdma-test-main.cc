/* SPDX-License-Identifier: GPL-2.0-only */
/** @file Entry point of the GoogleTest programs. */
#include <gtest/gtest.h>

int
main(int argc, char* argv[])
{
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
