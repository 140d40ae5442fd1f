/* SPDX-License-Identifier: GPL-2.0-only */
/* Where DCQCN settles, in closed form: oracles that share nothing with the simulator. */

#ifndef DCQCN_FLUID_H
#define DCQCN_FLUID_H

/** A bottleneck with one RED marker, and equal DCQCN flows through it; packets and seconds. */
struct DcqcnFluidModel
{
    double capacity;     //!< C, packets/s
    double cnpInterval;  //!< tau, s between CNPs of a flow at least
    double gain;         //!< g
    double alphaPeriod;  //!< tau', s
    double ratePeriod;   //!< T, s
    double byteCounter;  //!< B, packets
    double threshold;    //!< F
    double additiveRate; //!< R_AI, packets/s
    double kMin;         //!< queue at which marking begins, packets
    double kMax;         //!< queue at which it reaches pMax, packets
    double pMax;         //!< mark probability at kMax
};

/** What the flows and the queue settle at. */
struct DcqcnFixedPoint
{
    double markProbability; //!< p*
    double queue;           //!< q*, packets; means nothing unless inLinearRegion
    bool inLinearRegion;    //!< p* is at most pMax, so that a queue between kMin and kMax gives it
};

/**
 * \brief Solve the fixed-point equation (Zhu et al., CoNEXT 2016, theorem 1) by bisection.
 * \param model bottleneck and parameters
 * \param flows number of flows; each has the fair share C / N
 * \return the fixed point
 *
 * With R = C / N, and the rates of CNPs (a / tau), byte counter (b R) and timer events (d R), those
 * beyond fast recovery being c R and e R,
 *
 *   a = 1 - (1-p)^(tau R)        alpha = 1 - (1-p)^(tau' R)
 *   b = p / ((1-p)^-B - 1)       c = (1-p)^(F B) b
 *   d = p / ((1-p)^-(T R) - 1)   e = (1-p)^(F T R) d
 *   a^2 alpha / ((b + d) (c + e)) = tau^2 R_AI R
 */
DcqcnFixedPoint SolveDcqcnFixedPoint(const DcqcnFluidModel& model, double flows);

/**
 * \brief The published approximation of p* for small p.
 * \param model bottleneck and parameters
 * \param flows number of flows N
 * \return cuberoot(R_AI N^2 / (tau' C^2) (1/B + N / (T C))^2)
 */
double SmallDcqcnMarkProbability(const DcqcnFluidModel& model, double flows);

/**
 * \brief Solve for the point at which a flow's rate does not drift from CNP to CNP.
 * \param model bottleneck and parameters; the byte counter is taken to be off, tau < T and tau'
 * \param flows number of flows; each has the fair share C / N
 * \return the fixed point
 *
 * The fluid model averages all terms over time separately. This one follows the algorithm from one
 * cut to the next, and so has the order of events right. After a CNP the next one comes tau later
 * if a mark comes within tau, else with the first mark. Marks come with rate l = p R; so the time
 * between CNPs is longer than any x >= tau with probability e^(-l x). With T > tau and n = floor(X /
 * T) timer events between two cuts, P(n >= k) = e^(-l k T). A cut leaves a gap of R alpha / 2 to the target. The n
 * events halve it, so R alpha / 2 * E[2^-n] is lost. Events F, F+1, ... add R_AI to the target; the
 * m-th of them raises what has arrived in the rate by (1 - 2^-m) R_AI, so R_AI times the sum of P(n
 * >= F + m - 1) (1 - 2^-m) over m is gained. alpha before a cut is the mean of what CNPs add and
 * floor(X / tau') periods leave: alpha = g r / (1 - (1-g) r), r = E[(1-g)^periods].
 */
DcqcnFixedPoint SolveDcqcnCycle(const DcqcnFluidModel& model, double flows);

/**
 * \return the set-up of the paper's testbed in packets of 1000 B: 40 Gb/s, tau = 50 us,
 * tau' = T = 55 us, B = 10 MB, F = 5, R_AI = 40 Mb/s, kMin 5 KB, kMax 200 KB, pMax 1 %
 */
DcqcnFluidModel PaperDcqcnFluidModel();

#endif /* DCQCN_FLUID_H */
