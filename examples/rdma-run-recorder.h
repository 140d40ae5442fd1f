/* SPDX-License-Identifier: GPL-2.0-only */
/* What is recorded while a run goes on: pauses and queue lengths. */

#ifndef RDMA_RUN_RECORDER_H
#define RDMA_RUN_RECORDER_H

#include "rdma-experiment.h"
#include "rdma-run-network.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/** Writes the header row of pfc.csv. \param out where to */
void WritePausesHeader(std::ostream& out);

/** Writes the header row of queues.csv. \param out where to */
void WriteQueuesHeader(std::ostream& out);

/** Records every PFC frame that any port sends. */
class PauseRecorder
{
  public:
    /**
     * Listens to all ports.
     * \param network the fabric
     */
    explicit PauseRecorder(const RunNetwork& network);

    /**
     * Writes one row per priority of each frame, by time, node, port and priority.
     * \param out where to
     * \param variant name of the variant
     */
    void Write(std::ostream& out, const std::string& variant);

    /** \return how many there are */
    std::size_t GetCount() const;

  private:
    /** One priority of one PFC frame. */
    struct Pause
    {
        int64_t ps;       //!< when it was sent
        uint32_t port;    //!< index in m_ports
        uint16_t quanta;  //!< pause time, 0 to let go on
        uint8_t priority; //!< which
    };

    void Record(uint32_t port, uint8_t priority, uint16_t quanta, int64_t ps);

    std::vector<std::string> m_ports; //!< "node,port" of each port
    std::vector<Pause> m_pauses;      //!< in the order of the events
};

/** Reads the egress queues of switches at equal intervals until the simulation is stopped. */
class QueueSampler
{
  public:
    /**
     * Takes the first sample at time 0.
     * \param network the fabric
     * \param outputs period and switches
     * \param variant name of the variant
     * \param out where rows go to: one per queue whose length differs from its previous row
     */
    QueueSampler(const RunNetwork& network,
                 const OutputSpec& outputs,
                 const std::string& variant,
                 std::ostream& out);

    /** \return rows written */
    std::size_t GetCount() const;

  private:
    /** One queue. */
    struct Queue
    {
        Ptr<FabricBufferPolicy> buffer; //!< knows its length
        std::string name;               //!< "node,port,priority"
        uint32_t port;                  //!< number of the port
        uint8_t priority;               //!< which of its queues
        uint64_t last;                  //!< length in its previous row
    };

    void Sample();

    std::vector<Queue> m_queues;
    std::string m_variant;
    std::ostream& m_out;
    Time m_period;
    std::size_t m_rows{0};
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_RECORDER_H
