/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run measured, as plain values. */

#ifndef RDMA_RESULTS_H
#define RDMA_RESULTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/** Marks a time that never came. */
constexpr int64_t NOT_REACHED = -1;

/** The fate of one flow: all messages of one queue pair of the workload. */
struct FlowResult
{
    uint32_t id{0};                      //!< its place in the workload, from 0
    std::string group;                   //!< the workload entry it belongs to
    std::string source;                  //!< name of the sending host
    std::string destination;             //!< name of the receiving host
    uint32_t priority{0};                //!< 802.1p priority of its data
    std::string congestionControl;       //!< name of the algorithm
    uint64_t bytes{0};                   //!< payload to deliver
    int64_t startPs{0};                  //!< when its first work request was posted
    int64_t finishPs{NOT_REACHED};       //!< when its last byte reached the receiving NIC
    int64_t idealFctPs{0};               //!< completion time on an idle path
    uint64_t deliveredBytes{0};          //!< payload that arrived in order
    int64_t lastProgressPs{NOT_REACHED}; //!< when deliveredBytes last grew
    uint64_t retransmittedPackets{0};    //!< data packets sent more than once
    std::string failure;                 //!< why its queue pair gave up; empty when it did not

    /** \return whether every byte arrived */
    bool Finished() const
    {
        return finishPs != NOT_REACHED;
    }

    /** \return the flow completion time in picoseconds; only for finished flows */
    int64_t FctPs() const
    {
        return finishPs - startPs;
    }

    /** \return completion time over ideal completion time; only for finished flows */
    double Slowdown() const
    {
        return static_cast<double>(FctPs()) / static_cast<double>(idealFctPs);
    }
};

/** The counters of one port at the end of the run. */
struct PortResult
{
    std::string node;           //!< name of the host or switch
    uint32_t port{0};           //!< number of the port on its node, from 0
    std::string peer;           //!< name of the node at the other end
    uint64_t rate{0};           //!< of the link, bit/s
    uint64_t sentFrames{0};     //!< data frames put on the wire
    uint64_t sentBytes{0};      //!< their bytes, MAC header to FCS
    uint64_t receivedFrames{0}; //!< data frames taken from the wire
    uint64_t receivedBytes{0};  //!< their bytes, MAC header to FCS
    uint64_t drops{0};          //!< frames thrown away at this port
    uint64_t marks{0};          //!< frames that got Congestion Experienced at this port
    uint64_t pausesSent{0};     //!< PFC frames sent that pause a priority
    int64_t pausedPs{0};        //!< time in which lanes could not send: paused, or without credits
};

/** How a run ended. The values are the exit codes of the runner. */
enum class RunStatus
{
    DONE = 0,       //!< every flow finished
    UNFINISHED = 2, //!< the stop time came first
    DEADLOCK = 3,   //!< queues of switches wait for one another for ever
    STUCK = 4       //!< nothing moves because hosts stop switches
};

/** \return the word for a status in tables and files */
const char* RunStatusName(RunStatus status);

/** Everything that one variant of an experiment measured. */
struct RunResult
{
    std::string variant;               //!< name of the variant
    RunStatus status{RunStatus::DONE}; //!< how it ended
    int64_t endPs{0};                  //!< simulated time at the end
    double wallSeconds{0};             //!< time the simulation took; not part of any file
    uint64_t events{0};                //!< simulator events executed
    uint64_t digest{0};                //!< over deliveries, drops, marks and pauses
    uint64_t peakBufferBytes{0};       //!< most bytes that any switch held at once
    uint64_t cnps{0};                  //!< congestion notifications that senders acted on
    uint64_t timeouts{0};              //!< retransmission timers that expired
    uint64_t seed{0};                  //!< of the random variables
    std::vector<FlowResult> flows;     //!< in the order of the workload
    std::vector<PortResult> ports;     //!< by node and port
    std::vector<std::string> warnings; //!< sentences for the user
};

/** Order statistics of a set of values. */
struct Distribution
{
    std::size_t count{0}; //!< how many values
    double mean{0};       //!< arithmetic mean
    double p50{0};        //!< median
    double p95{0};        //!< 95th percentile
    double p99{0};        //!< 99th percentile
    double max{0};        //!< largest
};

/**
 * Percentile p is the smallest value such that at least p percent of all values are not above it
 * (nearest rank): always a value that occurred.
 *
 * \param values the values, in any order; may be empty
 * \return their order statistics
 */
Distribution Distribute(std::vector<double> values);

/** One line of the comparison: the flows of one workload entry in one variant. */
struct GroupResult
{
    std::string group;       //!< name of the workload entry
    std::size_t flows{0};    //!< flows in it
    std::size_t finished{0}; //!< of these, finished
    Distribution fctUs;      //!< completion times of the finished ones, microseconds
    Distribution slowdown;   //!< FCT / ideal FCT of the finished ones
    double goodputGbps{0};   //!< delivered payload from the first start to the last progress
};

/**
 * \param result a run
 * \return its groups in the order of the workload
 */
std::vector<GroupResult> SummarizeGroups(const RunResult& result);

/** Sums over a whole run. */
struct RunTotals
{
    uint64_t bytes{0};                //!< payload asked for
    uint64_t deliveredBytes{0};       //!< payload delivered
    uint64_t drops{0};                //!< frames dropped at any port
    uint64_t marks{0};                //!< frames marked at any port
    uint64_t pauses{0};               //!< PFC frames sent that pause
    int64_t pausedPs{0};              //!< paused time, summed over ports
    uint64_t retransmittedPackets{0}; //!< data packets sent more than once
};

/**
 * \param result a run
 * \return its sums
 */
RunTotals SummarizeRun(const RunResult& result);

} // namespace ns3::rdma::runner

#endif // RDMA_RESULTS_H
