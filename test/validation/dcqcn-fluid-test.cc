/* SPDX-License-Identifier: GPL-2.0-only */
/* The closed forms of where DCQCN settles, against values worked out by hand. */

#include "validation/dcqcn-fluid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace
{

// N = 2: 5000 * 4 / (55e-6 * 25e12) * (1e-4 + 2/275)^2 = 1.4545e-5 * 5.434e-5 = 7.904e-10, cube
// root 9.25e-4. The queue is 5 + p / 0.01 * 195 packets.
TEST(DcqcnFluid, SmallProbabilityFormByHand)
{
    const DcqcnFluidModel model = PaperDcqcnFluidModel();
    const double expected[][2] = {
        {2,  9.25e-4  },
        {4,  2.32e-3  },
        {8,  5.83e-3  },
        {10, 7.85e-3  },
        {11, 8.91e-3  },
        {12, 1.0006e-2},
        {16, 1.468e-2 }
    };
    for (const auto& [flows, p] : expected)
    {
        EXPECT_NEAR(SmallDcqcnMarkProbability(model, flows) / p, 1, 2e-3) << flows << " flows";
    }
}

// At p = 0.01 and N = 10 (R = 5e5 packets/s, s = -ln 0.99 = 0.01005034), by hand:
//   tau R = 25:    a = 1 - e^-0.251258 = 0.222179
//   tau' R = 27.5: alpha = 1 - e^-0.276384 = 0.241479
//   T R = 27.5:    d = 0.01 / (e^0.276384 - 1) = 0.0314115, e = e^-1.381921 d = 0.00788730
//   b and c are below 1e-40
//   a^2 alpha / (d e) = 0.0119202 / 2.47752e-4 = 48.1133
// against tau^2 R_AI R = 6.25: p* is smaller.
// Scaling R_AI by 48.1133 / 6.25 must put the fixed point at 0.01 exactly.
TEST(DcqcnFluid, SolvesTheEquationWorkedOutByHand)
{
    DcqcnFluidModel model = PaperDcqcnFluidModel();
    EXPECT_LT(SolveDcqcnFixedPoint(model, 10).markProbability, 0.01);
    model.additiveRate *= 48.1133 / 6.25;
    EXPECT_NEAR(SolveDcqcnFixedPoint(model, 10).markProbability, 0.01, 1e-6);
}

// The approximation takes T R p F for small; it is 0.6 at N = 2 already, so the exact point lies
// below it, by less than 30 %.
TEST(DcqcnFluid, ExactPointIsNearTheSmallProbabilityForm)
{
    const DcqcnFluidModel model = PaperDcqcnFluidModel();
    double before = 0;
    for (int flows : {2, 4, 8, 10})
    {
        const DcqcnFixedPoint exact = SolveDcqcnFixedPoint(model, flows);
        const double small = SmallDcqcnMarkProbability(model, flows);
        const DcqcnFixedPoint cycle = SolveDcqcnCycle(model, flows);
        std::printf("%2d flows: p* = %.3e (small-p form %.3e), q* = %.1f packets; from CNP to CNP "
                    "p* = %.3e, q* = %.1f packets\n",
                    flows,
                    exact.markProbability,
                    small,
                    exact.queue,
                    cycle.markProbability,
                    cycle.queue);
        EXPECT_LT(exact.markProbability, small);
        EXPECT_GT(exact.markProbability, 0.7 * small);
        EXPECT_TRUE(exact.inLinearRegion);
        EXPECT_GT(exact.queue, before) << "more flows, longer queue";
        before = exact.queue;
    }
    EXPECT_FALSE(SolveDcqcnFixedPoint(model, 40).inLinearRegion);
}

// N = 2, p = 1e-3: R = 2.5e6, l = 2500/s, l T = l tau' = 0.1375, y = e^-0.1375 = 0.871534.
//   E[2^-n] = 1 - 0.5 y / (1 - y/2) = 1 - 0.435767 / 0.564233 = 0.227682
//   r = 1 - (1/256) y / (1 - (255/256) y) = 1 - 0.00340443 / 0.131870 = 0.974183
//   alpha = (r / 256) / (1 - (255/256) r) = 0.00380540 / 0.0296220 = 0.128466
//   loss = 2.5e6 * 0.0642328 * 0.227682 = 36562
//   gain = 5000 * e^-0.55 * (y / (1 - y) - (y/2) / (1 - y/2))
//        = 5000 * 0.576950 * (6.784182 - 0.772318) = 17343
// so p* lies below 1e-3. With R_AI * 36562 / 17343 it is 1e-3.
TEST(DcqcnFluid, CycleWorkedOutByHand)
{
    DcqcnFluidModel model = PaperDcqcnFluidModel();
    EXPECT_LT(SolveDcqcnCycle(model, 2).markProbability, 1e-3);
    model.additiveRate *= 36561.6 / 17342.7;
    EXPECT_NEAR(SolveDcqcnCycle(model, 2).markProbability, 1e-3, 1e-7);
}

} // namespace
