/* SPDX-License-Identifier: GPL-2.0-only */
/* Where DCQCN settles, in closed form. */

#include "validation/dcqcn-fluid.h"

#include <cmath>

namespace
{

/**
 * \brief How far the two sides of the fixed-point equation are apart.
 * \return left side / right side; grows with p
 */
double
CompareSides(const DcqcnFluidModel& m, double rate, double p)
{
    const double s = -std::log1p(-p); // (1-p)^x = exp(-s x)
    const double a = -std::expm1(-s * m.cnpInterval * rate);
    const double alpha = -std::expm1(-s * m.alphaPeriod * rate);
    const double b = p / std::expm1(s * m.byteCounter);
    const double c = std::exp(-s * m.threshold * m.byteCounter) * b;
    const double d = p / std::expm1(s * m.ratePeriod * rate);
    const double e = std::exp(-s * m.threshold * m.ratePeriod * rate) * d;
    const double right = m.cnpInterval * m.cnpInterval * m.additiveRate * rate;
    return a * a * alpha / ((b + d) * (c + e)) / right;
}

/**
 * \brief Average z^n over the number n of whole periods between two CNPs.
 * \return 1 - (1-z) sum over k >= 1 of P(n >= k) z^(k-1)
 */
double
AveragePower(double z, double period, double markRate)
{
    const double y = std::exp(-markRate * period);
    return 1 - (1 - z) * y / (1 - z * y);
}

/**
 * \brief Compare what a flow loses and gains from one CNP to the next.
 * \return loss / gain; grows with p
 */
double
CompareCycle(const DcqcnFluidModel& m, double rate, double p)
{
    const double markRate = p * rate;
    const double left = AveragePower(1 - m.gain, m.alphaPeriod, markRate);
    const double alpha = m.gain * left / (1 - (1 - m.gain) * left);
    const double loss = rate * alpha / 2 * AveragePower(0.5, m.ratePeriod, markRate);
    const double y = std::exp(-markRate * m.ratePeriod);
    const double events =
        std::pow(y, m.threshold - 1) * (y / (1 - y) - y / 2 / (1 - y / 2));
    return loss / (m.additiveRate * events);
}

/** A function of model, fair share and p that grows with p and is 1 at the fixed point. */
using Balance = double (*)(const DcqcnFluidModel&, double, double);

DcqcnFixedPoint
Bisect(Balance balance, const DcqcnFluidModel& model, double flows)
{
    const double rate = model.capacity / flows;
    double low = 1e-9;
    double high = 0.5;
    for (int step = 0; step < 200; ++step)
    {
        const double middle = (low + high) / 2;
        (balance(model, rate, middle) < 1 ? low : high) = middle;
    }
    const double p = (low + high) / 2;
    return {p, model.kMin + p / model.pMax * (model.kMax - model.kMin), p <= model.pMax};
}

} // namespace

DcqcnFixedPoint
SolveDcqcnFixedPoint(const DcqcnFluidModel& model, double flows)
{
    return Bisect(&CompareSides, model, flows);
}

DcqcnFixedPoint
SolveDcqcnCycle(const DcqcnFluidModel& model, double flows)
{
    return Bisect(&CompareCycle, model, flows);
}

double
SmallDcqcnMarkProbability(const DcqcnFluidModel& model, double flows)
{
    const double events = 1 / model.byteCounter + flows / (model.ratePeriod * model.capacity);
    return std::cbrt(model.additiveRate * flows * flows /
                     (model.alphaPeriod * model.capacity * model.capacity) * events * events);
}

DcqcnFluidModel
PaperDcqcnFluidModel()
{
    DcqcnFluidModel model;
    model.capacity = 40e9 / 8000;
    model.cnpInterval = 50e-6;
    model.gain = 1.0 / 256;
    model.alphaPeriod = 55e-6;
    model.ratePeriod = 55e-6;
    model.byteCounter = 10e6 / 1000;
    model.threshold = 5;
    model.additiveRate = 40e6 / 8000;
    model.kMin = 5;
    model.kMax = 200;
    model.pMax = 0.01;
    return model;
}
